package assets_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

func TestInvariant01_NothingLeftAfterUnload(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 1 << 20})
	var scope = assets.NewScope(b.Store)
	for i := range 20 {
		b.src.SetText(fmt.Sprintf("a%d.txt", i), strings.Repeat("x", i+1))
	}
	batch := b.NewBatch(assets.BatchOptions{})
	for i := range 20 {
		h := b.name(fmt.Sprintf("a%d", i))
		batch.Add(h)
		b.Forget(h)
	}
	batch.Submit()
	waitBatch(t, batch)
	if n := batch.Adopt(scope); n != 20 || scope.Len() != 20 {
		t.Fatalf("adopted %d", n)
	}
	pinned, _ := b.Find(key("a3"))
	b.Pin(pinned)
	scope.ReleaseAll()
	if st := b.Stats(); st.Retains != st.Releases || st.ColdEntries != 19 || st.Resident != 20 {
		t.Errorf("after unload: %+v", st)
	}
	b.SetKeepAlive(0)
	st := b.Stats()
	if st.CPUBytes != 4 || st.Resident != 1 || st.Entries != 1 {
		t.Errorf("only the pinned row may stay: %d bytes, %d resident, %d entries", st.CPUBytes, st.Resident, st.Entries)
	}
	var snap assets.Snapshot
	b.Snapshot(&snap)
	if len(snap.Rows) != 1 || snap.Rows[0].Pins != 1 || snap.Rows[0].Key != key("a3") {
		t.Errorf("rows %+v", snap.Rows)
	}
	b.Unpin(pinned)
	if st := b.Stats(); st.CPUBytes != 0 || st.Entries != 0 {
		t.Errorf("after unpin: %+v", st)
	}
}

func TestInvariant02_TwoHolders(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("m.txt", "mesh")
	h1, h2 := b.retain("m"), b.retain("m")
	if h1 != h2 || b.Refs(h1) != 2 || b.Stats().Decodes != 1 {
		t.Fatalf("two retains: %v %v, %d refs", h1, h2, b.Refs(h1))
	}
	b.Release(h1)
	b.wantText(h2, "mesh")
	b.Release(h2)
	b.wantState(h2, assets.StateStale)
	if st := b.Stats(); st.CPUBytes != 0 || st.Entries != 0 {
		t.Errorf("%+v", st)
	}
}

func TestInvariant05_OverlapKeepsShared(t *testing.T) {
	b := open(t, assets.Options{})
	for _, stem := range []string{"old", "shared", "new"} {
		b.src.SetText(stem+".txt", stem)
	}
	load := func(scope *assets.Scope, stems ...string) {
		batch := b.NewBatch(assets.BatchOptions{})
		for _, stem := range stems {
			h := b.name(stem)
			batch.Add(h)
			b.Forget(h)
		}
		batch.Submit()
		waitBatch(t, batch)
		batch.Adopt(scope)
	}
	s1, s2 := assets.NewScope(b.Store), assets.NewScope(b.Store)
	load(s1, "old", "shared")
	shared, _ := b.Find(key("shared"))
	load(s2, "shared", "new")
	s1.ReleaseAll()
	b.wantText(shared, "shared")
	if n := b.Stats().Decodes; n != 3 {
		t.Errorf("%d decodes", n)
	}
	s2.ReleaseAll()
}

func TestInvariant07_LeaseOutlivesItsSource(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetMappable(true)
	b.src.SetText("m.txt", "mapped bytes")
	h := b.retain("m")
	if st := b.Stats(); st.MappedBytes != 12 || st.CPUBytes != 12 {
		t.Errorf("mapped %d of %d", st.MappedBytes, st.CPUBytes)
	}
	if err := b.RemoveSource(b.src); err != nil {
		t.Fatal(err)
	}
	if err := b.src.Close(); err != nil {
		t.Fatal(err)
	}
	b.wantText(h, "mapped bytes")
	if n := b.src.Counts().Leases; n != 1 {
		t.Errorf("%d leases", n)
	}
	b.Release(h)
	if n := b.src.Counts().Leases; n != 0 {
		t.Errorf("%d leases after release", n)
	}
}

func TestInvariant10_TokensReleaseOnce(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "a")
	b.src.SetText("b.txt", "b")
	one, err := assets.RetainOne(ctx, b.texts, "a")
	if err != nil {
		t.Fatal(err)
	}
	guard := b.retain("a")
	moved := one.Move()
	one.Release()
	one.Release()
	if b.Refs(guard) != 2 || one.Get() != nil || moved.Get().String() != "a" {
		t.Errorf("a moved-from token released: %d", b.Refs(guard))
	}
	if err := moved.Reset(ctx, "nope"); !errors.Is(err, assets.ErrMissing) || moved.Get().String() != "a" {
		t.Errorf("failed reset: %v", err)
	}
	if err := moved.Reset(ctx, "b"); err != nil || moved.Get().String() != "b" || b.Refs(guard) != 1 {
		t.Errorf("reset: %v", err)
	}
	moved.Release()
	moved.Release()
	if b.Refs(guard) != 1 {
		t.Errorf("%d refs", b.Refs(guard))
	}
	b.Release(guard)
	if n := b.Stats().OverReleases; n != 0 {
		t.Errorf("%d over-releases", n)
	}
}

func TestInvariant11_StateTableIsBounded(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 100})
	for i := range 2000 {
		stem := fmt.Sprintf("f%d", i)
		b.src.SetText(stem+".txt", "0123456789")
		b.Release(b.retain(stem))
		if i%200 == 0 {
			if st := b.Stats(); st.Entries > 10 || st.Entries != st.Resident {
				t.Fatalf("%d entries, %d resident", st.Entries, st.Resident)
			}
		}
		if _, err := b.Retain(ctx, key(stem+"x")); !errors.Is(err, assets.ErrMissing) {
			t.Fatal(err)
		}
	}
	if st := b.Stats(); st.Entries != 10 || st.Evicted != 1990 {
		t.Errorf("%d entries, %d evicted", st.Entries, st.Evicted)
	}
	if n := b.ColdRecords(); n > 200 {
		t.Errorf("the cold queue keeps %d records for 10 payloads", n)
	}
}

func TestInvariant12_WaiterIsServedByItsKindAndPhase(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "text")
	b.src.SetText("a.other", "other")
	h := b.name("a")
	o, err := b.Name(assets.Key{Stem: "a", Kind: other})
	if err != nil {
		t.Fatal(err)
	}
	decoded := b.OpenTicket(assets.TicketOptions{})
	device := b.OpenTicket(assets.TicketOptions{})
	for _, err := range []error{b.Require(decoded, o, assets.PhaseDecoded), b.Require(device, h, assets.PhaseOnDevice)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	b.Seal(decoded)
	b.Seal(device)
	b.Release(b.retain("a"))
	wakes := b.Drain(nil)
	if len(wakes) != 1 || wakes[0] != (assets.Wake{Handle: h, Kind: text, Phase: assets.PhaseDecoded}) {
		t.Errorf("wakes %v", wakes)
	}
	if b.Poll(decoded).Ready || b.Poll(device).Ready {
		t.Error("the same stem of another kind, or another phase, satisfied a ticket")
	}
	b.NotePhase(h, assets.PhaseOnDevice)
	b.Drain(nil)
	if b.Poll(decoded).Ready || !b.Poll(device).Ready {
		t.Error("the device's word went to the wrong ticket")
	}
	ho, err := b.Retain(ctx, assets.Key{Stem: "a", Kind: other})
	if err != nil {
		t.Fatal(err)
	}
	b.Drain(nil)
	if !b.Poll(decoded).Ready {
		t.Error("not ready")
	}
	b.Release(ho)
	b.CloseTicket(decoded)
	b.CloseTicket(device)
	b.Forget(h)
	b.Forget(o)
}

func TestInvariant13_ClosedTicketIsInert(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "a")
	h := b.name("a")
	old := b.OpenTicket(assets.TicketOptions{})
	if err := b.Require(old, h, assets.PhaseDecoded); err != nil {
		t.Fatal(err)
	}
	b.CloseTicket(old)
	reused := b.OpenTicket(assets.TicketOptions{Mode: assets.WakeProgress})
	if uint32(reused) != uint32(old) || reused == old {
		t.Fatalf("%#x after %#x: the slot is not reused", reused, old)
	}
	b.Seal(old)
	b.CloseTicket(old)
	if err := b.Require(old, h, assets.PhaseDecoded); !errors.Is(err, assets.ErrStale) {
		t.Error(err)
	}
	b.Release(b.retain("a"))
	b.Drain(nil)
	if st := b.Poll(reused); st.Satisfied != 0 || st.Sealed || !st.Open || st.Ready {
		t.Errorf("the old ticket reached the new: %+v", st)
	}
	if st := b.Poll(old); st != (assets.TicketStatus{}) {
		t.Errorf("%+v", st)
	}
	if w := b.TicketWakes(reused, nil); len(w) != 0 {
		t.Error(w)
	}
	b.CloseTicket(reused)
	b.Forget(h)
}

// Nothing may react to a count of changes: what a reader learns comes with the
// wakes, each named once.
func TestInvariant14_WakesAreNamed(t *testing.T) {
	b := open(t, assets.Options{})
	h := b.name("a")
	b.src.SetText("a.txt", "a")
	b.src.SetText("unnamed.txt", "b")
	b.Release(b.retain("a"))
	b.Release(b.retain("a"))
	b.Release(b.retain("unnamed"))
	if w := b.Drain(nil); len(w) != 1 || w[0].Handle != h {
		t.Errorf("wakes %v", w)
	}
	if w := b.Drain(nil); len(w) != 0 {
		t.Errorf("wakes again %v", w)
	}
	b.Forget(h)
}

func TestInvariant15_AbsenceIsProbedOnce(t *testing.T) {
	b := open(t, assets.Options{})
	h := b.name("a")
	probe := func(want int) {
		t.Helper()
		for range 3 {
			batch := b.batch(assets.BatchOptions{}, h)
			waitBatch(t, batch)
			if f := batch.Failures(); len(f) != 1 || !errors.Is(f[0].Err, assets.ErrMissing) || f[0].Key != key("a") {
				t.Fatalf("failures %v", f)
			}
			_, err := b.Retain(ctx, key("unnamed"))
			if !errors.Is(err, assets.ErrMissing) {
				t.Fatal(err)
			}
		}
		if n := b.src.Counts().Opens; n != want {
			t.Errorf("%d probes, want %d", n, want)
		}
	}
	probe(2)
	b.wantState(h, assets.StateMissing)
	second := assetstest.NewSource("second.pack")
	if err := b.AddSource(second); err != nil {
		t.Fatal(err)
	}
	b.wantState(h, assets.StateUnloaded)
	probe(4)
	if err := b.RemoveSource(second); err != nil {
		t.Fatal(err)
	}
	probe(6)
	b.Reload("a", assets.AllKinds)
	b.Reload("unnamed", assets.AllKinds)
	probe(8)
	b.src.SetText("a.txt", "now")
	b.Reload("a", assets.AllKinds)
	b.Release(b.retain("a"))
	b.Forget(h)
	if _, err := b.src.Open("nope"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestInvariant32_StaleHandleIsRefused(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "a")
	b.src.SetText("b.txt", "b")
	old := b.retain("a")
	b.Release(old)
	now := b.retain("b")
	if now.Slot() != old.Slot() || now == old {
		t.Fatalf("the slot is not reused: %#x %#x", old, now)
	}
	batch := b.batch(assets.BatchOptions{}, old)
	if f := batch.Failures(); !batch.Done() || len(f) != 1 || !errors.Is(f[0].Err, assets.ErrStale) {
		t.Errorf("batch: %v", f)
	}
	reads := b.NewReads("test", 4)
	if err := reads.Submit(old, 0, 1, 0, 0); !errors.Is(err, assets.ErrStale) {
		t.Errorf("read: %v", err)
	}
	reads.Close()
	ticket := b.OpenTicket(assets.TicketOptions{})
	if err := b.Require(ticket, old, assets.PhaseDecoded); !errors.Is(err, assets.ErrStale) {
		t.Errorf("ticket: %v", err)
	}
	b.CloseTicket(ticket)
	b.NotePhase(old, assets.PhaseOnDevice)
	if _, ok := b.KeyOf(old); ok || b.TryRetain(old) || b.Pin(old) || b.Has(old) || b.texts.At(old) != nil ||
		b.Refs(old) != 0 || b.OnDevice(now) || b.Failure(old) != nil || b.State(old) != assets.StateStale {
		t.Error("a stale handle was answered")
	}
	b.Forget(old)
	b.Unpin(old)
	if !assets.InvariantsOn {
		b.Release(old)
		b.Release(0)
		if n := b.Stats().OverReleases; n != 2 {
			t.Errorf("%d over-releases counted", n)
		}
	}
	if b.Refs(now) != 1 {
		t.Errorf("the newer asset lost a retain: %d", b.Refs(now))
	}
	b.wantText(now, "b")
	b.Release(now)
}
