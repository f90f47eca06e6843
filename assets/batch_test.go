package assets_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

func newSource(name string, pairs ...string) *assetstest.Source {
	s := assetstest.NewSource(name)
	for i := 0; i < len(pairs); i += 2 {
		s.SetText(pairs[i], pairs[i+1])
	}
	return s
}

func TestBatch_PriorityThenFirstComeFirstServed(t *testing.T) {
	b := open(t, assets.Options{Workers: 1})
	var order []string
	handles := map[string]assets.Handle{}
	for _, stem := range []string{"gate", "l1", "l2", "h1", "h2", "m1"} {
		b.src.SetText(stem+".txt", stem)
		handles[stem] = b.name(stem)
	}
	b.src.Hold("gate.txt")
	gate := b.batch(assets.BatchOptions{Priority: -9}, handles["gate"])
	b.src.WaitHeld("gate.txt")
	low := b.batch(assets.BatchOptions{Priority: 5}, handles["l1"], handles["l2"])
	high := b.batch(assets.BatchOptions{Priority: 9}, handles["h1"], handles["h2"])
	mid := b.batch(assets.BatchOptions{Priority: 3}, handles["m1"], handles["l2"])
	high.SetPriority(1)
	b.src.LetGo("gate.txt")
	all := []*assets.Batch{gate, low, high, mid}
	var wakes []assets.Wake
	until(t, "the end", func() bool {
		wakes = b.Drain(wakes)
		return !slices.ContainsFunc(all, func(b *assets.Batch) bool { return !b.Done() })
	})
	wakes = b.Drain(wakes)
	for _, w := range wakes {
		k, _ := b.KeyOf(w.Handle)
		order = append(order, k.Stem)
	}
	if got := strings.Join(order, " "); got != "gate h1 h2 l2 m1 l1" {
		t.Errorf("order %s", got)
	}
	if b.Stats().Decodes != 6 || b.Refs(handles["l2"]) != 2 {
		t.Errorf("%d decodes, %d refs: two that wait share one decode", b.Stats().Decodes, b.Refs(handles["l2"]))
	}
	for _, batch := range all {
		batch.Cancel()
	}
	for _, h := range handles {
		b.Forget(h)
	}
}

func TestBatch_ResidentLandsAtOnceWithoutAllocating(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 1 << 20})
	var handles []assets.Handle
	for i := range 64 {
		stem := fmt.Sprintf("a%d", i)
		b.src.SetText(stem+".txt", stem)
		handles = append(handles, b.name(stem))
		b.Release(b.retain(stem))
	}
	batch, scope := b.NewBatch(assets.BatchOptions{Owner: "test"}), assets.NewScopeOwned(b.Store, "test")
	scope.Reserve(64)
	run := func() {
		for _, h := range handles {
			batch.Add(h)
			batch.Add(h)
		}
		batch.Submit()
		if done, total := batch.Progress(); !batch.Done() || done != 64 || total != 64 {
			t.Fatalf("%d of %d", done, total)
		}
		if n := batch.Adopt(scope); n != 64 || batch.Adopt(scope) != 0 {
			t.Fatalf("adopted %d", n)
		}
		batch.Reset()
		scope.ReleaseAll()
	}
	run()
	if n := testing.AllocsPerRun(50, run); n > 0 && !tracingOn {
		t.Errorf("%v allocations", n)
	}
	for _, h := range handles {
		b.Forget(h)
	}
}

func TestBatch_FailedStaysFailedUntilReload(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "!corrupt")
	h := b.name("a")
	for range 3 {
		batch := b.batch(assets.BatchOptions{}, h)
		waitBatch(t, batch)
		if f := batch.Failures(); len(f) != 1 || !errors.Is(f[0].Err, assets.ErrCorrupt) {
			t.Fatal(f)
		}
		if _, err := b.Retain(ctx, key("a")); !errors.Is(err, assets.ErrCorrupt) {
			t.Fatal(err)
		}
	}
	if n := b.src.Counts().Opens; n != 1 {
		t.Errorf("%d tries", n)
	}
	b.src.SetText("a.txt", "fine")
	b.wantState(h, assets.StateFailed)
	b.Reload("a", assets.Kinds(text))
	b.wantState(h, assets.StateUnloaded)
	b.Release(b.retain("a"))
	b.Forget(h)
}

func TestBatch_CeilingHoldsWhileAdopted(t *testing.T) {
	const size, ceiling = 1000, 2500
	b := open(t, assets.Options{Workers: 4, InFlightBytesMax: ceiling})
	batch := b.NewBatch(assets.BatchOptions{})
	for i := range 40 {
		stem := fmt.Sprintf("a%d", i)
		b.src.Set(stem+".txt", make([]byte, size))
		h := b.name(stem)
		batch.Add(h)
		b.Forget(h)
	}
	batch.Submit()
	scope := assets.NewScope(b.Store)
	until(t, "the end", func() bool {
		batch.Adopt(scope)
		b.Drain(nil)
		return batch.Done()
	})
	batch.Adopt(scope)
	st := b.Stats()
	if st.LetIn == 0 && st.InFlightBytesPeak > ceiling || st.InFlightBytesPeak > ceiling+int64(st.LetIn)*size {
		t.Errorf("peak %d over %d, %d let in", st.InFlightBytesPeak, ceiling, st.LetIn)
	}
	if scope.Len() != 40 || st.InFlightBytes+st.UnadoptedBytes != 0 {
		t.Errorf("%d held, %d in flight", scope.Len(), st.InFlightBytes)
	}
	scope.ReleaseAll()
}

// A game that adopts only when everything is there must not wait for ever; and
// one load larger than the ceiling runs.
func TestBatch_CeilingNeverHangs(t *testing.T) {
	b := open(t, assets.Options{Workers: 2, InFlightBytesMax: 100})
	batch := b.NewBatch(assets.BatchOptions{})
	for i := range 6 {
		stem := fmt.Sprintf("a%d", i)
		b.src.Set(stem+".txt", make([]byte, 90+i*10))
		h := b.name(stem)
		batch.Add(h)
		b.Forget(h)
	}
	batch.Submit()
	waitBatch(t, batch)
	scope := assets.NewScope(b.Store)
	if n := batch.Adopt(scope); n != 6 {
		t.Errorf("adopted %d", n)
	}
	if b.Stats().LetIn == 0 {
		t.Error("nothing was counted as let in")
	}
	scope.ReleaseAll()
	// The same, waited for by a ticket alone.
	ticket := b.OpenTicket(assets.TicketOptions{})
	batch.Reset()
	var handles []assets.Handle
	for i := range 6 {
		h := b.name(fmt.Sprintf("a%d", i))
		handles = append(handles, h)
		batch.Add(h)
		if err := b.Require(ticket, h, assets.PhaseDecoded); err != nil {
			t.Fatal(err)
		}
	}
	b.Seal(ticket)
	batch.Submit()
	until(t, "the gate", func() bool { b.Drain(nil); return b.Poll(ticket).Ready })
	b.CloseTicket(ticket)
	batch.Cancel()
	for _, h := range handles {
		b.Forget(h)
	}
}

func TestBatch_CancelInQueueAndDropped(t *testing.T) {
	b := open(t, assets.Options{Workers: 1, InFlightBytesMax: 10})
	for _, stem := range []string{"gate", "a", "c"} {
		b.src.Set(stem+".txt", make([]byte, 10))
	}
	gate, a, c := b.name("gate"), b.name("a"), b.name("c")
	b.src.Hold("gate.txt")
	first := b.batch(assets.BatchOptions{}, gate)
	b.src.WaitHeld("gate.txt")
	second := b.batch(assets.BatchOptions{}, a)
	third := b.batch(assets.BatchOptions{Priority: 1}, c)
	b.wantState(a, assets.StateQueued)
	second.Cancel()
	b.wantState(a, assets.StateUnloaded)
	b.src.LetGo("gate.txt")
	waitBatch(t, first)
	if st := b.Stats(); st.InFlightBytes != 0 || st.UnadoptedBytes != 10 || st.InFlightBytesPeak != 10 {
		t.Error("an unadopted result is not charged")
	}
	first.Cancel() // drops the receipt and its charge: the third may run
	waitBatch(t, third)
	if n := b.src.Counts().Opens; n < 2 || len(b.src.Ranges("a.txt")) != 0 {
		t.Errorf("%d opens, a read: %v", n, b.src.Ranges("a.txt"))
	}
	third.Cancel()
	for _, h := range []assets.Handle{gate, a, c} {
		b.Forget(h)
	}
}

func TestBatch_ReloadPendingIsNotReady(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 1 << 20})
	b.src.SetText("a.txt", "old")
	h := b.name("a")
	held := b.retain("a")
	b.src.SetText("a.txt", "new")
	b.Drain(nil)
	b.Reload("a", assets.AllKinds)
	b.wantState(h, assets.StateReloadPending)
	b.wantText(held, "old")
	if b.TryRetain(h) || b.Pin(h) || b.Has(h) {
		t.Error("an old version was handed out")
	}
	batch := b.batch(assets.BatchOptions{}, h)
	if f := batch.Failures(); len(f) != 1 || !errors.Is(f[0].Err, assets.ErrNotReady) {
		t.Errorf("%v", f)
	}
	b.Release(held)
	b.wantState(h, assets.StateUnloaded)
	if w := b.Drain(nil); len(w) != 1 || w[0].Phase != assets.PhaseUnloaded {
		t.Errorf("wakes %v", w)
	}
	held = b.retain("a")
	b.wantText(held, "new")
	b.Release(held)
	b.Forget(h)
}

// Needs of more than one locked region, and the same need many times.
func TestBatch_WideClosure(t *testing.T) {
	b := open(t, assets.Options{})
	var doc strings.Builder
	for i := range 600 {
		fmt.Fprintf(&doc, "> leaf%d\n> shared\n", i)
		b.src.SetText(fmt.Sprintf("leaf%d.txt", i), "> shared")
	}
	b.src.SetText("shared.txt", "shared")
	b.src.SetText("doc.txt", doc.String())
	h := b.name("doc")
	batch := b.batch(assets.BatchOptions{Closure: true}, h)
	waitBatch(t, batch)
	scope := assets.NewScope(b.Store)
	if n := batch.Adopt(scope); n != 602 || len(batch.Failures()) != 0 || b.Stats().Decodes != 602 {
		t.Errorf("adopted %d, %d decodes, failures %v", n, b.Stats().Decodes, batch.Failures())
	}
	scope.ReleaseAll()
	b.Forget(h)
}

// Receipts are adopted one by one in the order they landed, whatever lands
// between the look and the step.
func TestBatch_AdoptOneByOne(t *testing.T) {
	b := open(t, assets.Options{Workers: 1})
	batch, scope := b.NewBatch(assets.BatchOptions{}), assets.NewScope(b.Store)
	for i := range 5 {
		stem := fmt.Sprintf("a%d", i)
		b.src.Set(stem+".txt", make([]byte, 10*(i+1)))
		h := b.name(stem)
		batch.Add(h)
		b.Forget(h)
	}
	if _, ok := batch.Landed(); ok || batch.AdoptOne(scope) {
		t.Error("landed before it was submitted")
	}
	batch.Submit()
	var sizes []int64
	until(t, "all", func() bool {
		if bytes, ok := batch.Landed(); ok && batch.AdoptOne(scope) {
			sizes = append(sizes, bytes)
		}
		return len(sizes) == 5
	})
	if !slices.IsSorted(sizes) || scope.Len() != 5 || batch.AdoptOne(scope) {
		t.Errorf("sizes %v", sizes)
	}
	scope.ReleaseAll()
}

// A result that two batches wait for, or that was in memory before, brings its
// bytes once.
func TestBatch_LandedBringsBytesOnce(t *testing.T) {
	b := open(t, assets.Options{Workers: 1})
	b.src.Set("a.txt", make([]byte, 1000))
	h := b.name("a")
	scope := assets.NewScope(b.Store)
	with := 0
	for range 3 { // the later ones come when it is in memory
		first, second := b.batch(assets.BatchOptions{}, h), b.batch(assets.BatchOptions{}, h)
		waitBatch(t, first)
		waitBatch(t, second)
		for _, batch := range []*assets.Batch{first, second} {
			bytes, ok := batch.Landed()
			if !ok {
				t.Fatal("nothing landed")
			}
			if bytes > 0 {
				with++
			}
			batch.Adopt(scope)
		}
	}
	if with != 1 || scope.Len() != 6 {
		t.Errorf("%d of %d receipts brought bytes", with, scope.Len())
	}
	scope.ReleaseAll()
	b.Forget(h)
}
