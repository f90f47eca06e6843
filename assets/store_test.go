package assets_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

func TestOpen_RefusesTakenKinds(t *testing.T) {
	a := assetstest.TextKind(text, "text", ".txt")
	for _, kinds := range [][]assets.KindSpec{
		{a, assetstest.TextKind(text, "other", ".txt")},
		{a, assetstest.TextKind(other, "text", ".txt")},
	} {
		if _, err := assets.Open(assets.Options{Kinds: kinds}); !errors.Is(err, assets.ErrKindTaken) {
			t.Error(err)
		}
	}
	if _, err := assets.Open(assets.Options{Kinds: []assets.KindSpec{{}}}); !errors.Is(err, assets.ErrUnknownKind) {
		t.Error(err)
	}
}

func TestName_RefusesBadKeys(t *testing.T) {
	b := open(t, assets.Options{})
	for _, stem := range []string{"", "/a", "a//b", "../a", "a/.", `a\b`, "c:a", "a\x00", "\xff", strings.Repeat("a", 600)} {
		if _, err := b.Name(key(stem)); !errors.Is(err, assets.ErrBadStem) {
			t.Errorf("%q: %v", stem, err)
		}
		if _, err := b.Retain(ctx, key(stem)); !errors.Is(err, assets.ErrBadStem) {
			t.Errorf("%q: %v", stem, err)
		}
	}
	for _, k := range []assets.Kind{assets.KindScene, 63, 64, 255} {
		if _, err := b.Name(assets.Key{Stem: "a", Kind: k}); !errors.Is(err, assets.ErrUnknownKind) {
			t.Errorf("%v: %v", k, err)
		}
	}
	h := b.name("models/A..B#part")
	if k, ok := b.KeyOf(h); !ok || k.Family() != "models/A..B" {
		t.Errorf("%v", k)
	}
	if k, ok := b.KindByName("other"); !ok || k != other || b.KindName(text) != "text" {
		t.Error("kind names")
	}
	b.Forget(h)
}

func TestOf_PanicsOnTheWrongType(t *testing.T) {
	b := open(t, assets.Options{})
	defer func() {
		if p := recover(); p == nil || !strings.HasPrefix(p.(string), "assets: ") {
			t.Errorf("panic %v", p)
		}
	}()
	assets.Of[assets.Texture](b.Store, text)
}

func TestSources_LaterOverridesEarlier(t *testing.T) {
	base := newSource("base.pack", "a.txt", "base", "b.txt", "base b")
	b := open(t, assets.Options{Sources: []assets.Source{base}})
	b.src.SetText("a.txt", "override")
	ha, hb := b.retain("a"), b.retain("b")
	b.wantText(ha, "override")
	b.wantText(hb, "base b")
	why, ok := b.Why(key("b"))
	if !ok || why.Source != "base.pack" || why.Entry != "b.txt" {
		t.Errorf("%v", why)
	}
	if err := b.RemoveSource(newSource("stranger")); err == nil {
		t.Error("a stranger was removed")
	}
	if err := b.AddSource(nil); err == nil {
		t.Error("nil was added")
	}
	b.Release(ha)
	b.Release(hb)
}

// A source that fails is not passed over: an override that is broken must not
// show what it overrides.
func TestSources_FailureIsNotAbsence(t *testing.T) {
	base := newSource("base.pack", "a.txt", "base")
	b := open(t, assets.Options{Sources: []assets.Source{base}})
	b.src.SetText("a.txt", "override")
	b.src.Script("a.txt", assetstest.Fault{Kind: assetstest.FaultOpen})
	_, err := b.Retain(ctx, key("a"))
	if !errors.Is(err, assetstest.ErrInjected) || !strings.Contains(err.Error(), "memory.pack") {
		t.Error(err)
	}
}

func TestKeepAlive_OldestGoesFirst(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 30})
	touch := func(stem string) {
		b.src.SetText(stem+".txt", "0123456789")
		b.Release(b.retain(stem))
	}
	in := func() string {
		var stems []string
		for _, stem := range []string{"a", "b", "c", "d", "e", "big"} {
			if h, ok := b.Find(key(stem)); ok && b.Has(h) {
				stems = append(stems, stem)
			}
		}
		return strings.Join(stems, " ")
	}
	for _, stem := range []string{"a", "b", "c", "a", "d"} {
		touch(stem)
	}
	if got := in(); got != "a c d" {
		t.Errorf("in memory: %s", got)
	}
	b.src.SetText("big.txt", strings.Repeat("x", 31))
	b.Release(b.retain("big"))
	if got := in(); got != "a c d" {
		t.Errorf("one over the budget flushed the rest: %s", got)
	}
	held, _ := b.Find(key("c"))
	b.TryRetain(held)
	b.SetKeepAlive(10)
	if got := in(); got != "c d" {
		t.Errorf("in memory: %s", got)
	}
	b.Release(held)
	if got := in(); got != "c" {
		t.Errorf("in memory: %s", got)
	}
	st := b.Stats()
	if st.ColdBytes != 10 || st.ColdEntries != 1 || st.Evicted != 3 || st.Resurrected != 2 || st.ByKind[text].ColdBytes != 10 {
		t.Errorf("%d cold in %d, %d evicted, %d resurrected", st.ColdBytes, st.ColdEntries, st.Evicted, st.Resurrected)
	}
	var snap assets.Snapshot
	b.Snapshot(&snap)
	var freed []string
	for _, f := range snap.Freed {
		freed = append(freed, fmt.Sprintf("%s %s", f.Key.Stem, f.Reason))
	}
	if got := strings.Join(freed, ", "); got != "b evicted, big over budget, a evicted, d evicted" {
		t.Errorf("freed: %s", got)
	}
}

func TestKeepAlive_WhatCannotBeRecordedIsFreed(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 1 << 20})
	b.SetColdRecordsMax(3)
	for i := range 5 {
		stem := fmt.Sprintf("a%d", i)
		b.src.SetText(stem+".txt", "x")
		b.Release(b.retain(stem))
	}
	if st := b.Stats(); st.ColdEntries != 3 || st.Resident != 3 || st.Destroyed != 2 {
		t.Errorf("%d cold, %d resident, %d destroyed", st.ColdEntries, st.Resident, st.Destroyed)
	}
	h := b.retain("a0") // leaves a record to compact
	b.Release(h)
	if st := b.Stats(); st.ColdEntries != 3 {
		t.Errorf("%d cold", st.ColdEntries)
	}
}

func TestReload_IsByFamilyAndKind(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 1 << 20})
	for _, entry := range []string{"car.txt", "car#wheel.txt", "cart.txt", "car.other"} {
		b.src.SetText(entry, entry)
	}
	names := map[string]assets.Handle{}
	for _, stem := range []string{"car", "car#wheel", "cart"} {
		names[stem] = b.name(stem)
		b.Release(b.retain(stem))
	}
	ho, err := b.Retain(ctx, assets.Key{Stem: "car", Kind: other})
	if err != nil {
		t.Fatal(err)
	}
	b.Pin(names["car"])
	if n := b.Reload("car", assets.Kinds(text)); n != 2 {
		t.Errorf("touched %d", n)
	}
	b.wantState(names["car"], assets.StateUnloaded)
	b.wantState(names["car#wheel"], assets.StateUnloaded)
	b.wantState(names["cart"], assets.StateResident)
	b.wantState(ho, assets.StateResident)
	b.Unpin(names["car"])
	b.Release(ho)
	for _, h := range names {
		b.Forget(h)
	}
}

func TestClose_NamesWhatIsHeld(t *testing.T) {
	src := newSource("memory.pack", "a.txt", "a", "b.txt", "b", "c.txt", "> a")
	s, err := assets.Open(assets.Options{Kinds: []assets.KindSpec{assetstest.TextKind(text, "text", ".txt")}, Sources: []assets.Source{src}})
	if err != nil {
		t.Fatal(err)
	}
	scope := assets.NewScopeOwned(s, "cell 7")
	h, err := s.Retain(ctx, key("a"))
	if err != nil {
		t.Fatal(err)
	}
	scope.TryRetain(h)
	s.TryRetain(h)
	hb, _ := s.Retain(ctx, key("b"))
	s.Pin(hb)
	s.Release(hb)
	hc, _ := s.Name(key("c"))
	batch := s.NewBatch(assets.BatchOptions{Closure: true})
	batch.Add(hc)
	batch.Submit()
	ticket := s.OpenTicket(assets.TicketOptions{})
	_ = s.Require(ticket, hc, assets.PhaseOnDevice)
	err = s.Close()
	if !errors.Is(err, assets.ErrHeld) || !strings.Contains(err.Error(), "text:a x3 (by cell 7)") || strings.Contains(err.Error(), "text:b") {
		t.Errorf("%v", err)
	}
	if st := s.Stats(); st.CPUBytes != 0 || st.Entries != 0 || st.Resident != 0 || st.InFlightBytes+st.UnadoptedBytes != 0 || st.OpenTickets != 0 {
		t.Errorf("after close: %+v", st)
	}
	scope.ReleaseAll()
	s.Release(h)
	batch.Cancel()
	batch.Reset()
	batch.Add(hc)
	if f := batch.Failures(); len(f) != 1 || !errors.Is(f[0].Err, assets.ErrClosed) {
		t.Errorf("%v", f)
	}
	if _, err := s.Retain(ctx, key("a")); !errors.Is(err, assets.ErrClosed) {
		t.Error(err)
	}
	if _, err := s.Name(key("a")); !errors.Is(err, assets.ErrClosed) {
		t.Error(err)
	}
	if err := s.AddSource(src); !errors.Is(err, assets.ErrClosed) {
		t.Error(err)
	}
	if s.OpenTicket(assets.TicketOptions{}) != 0 || s.NewReads("r", 1).Submit(h, 0, 1, 0, 0) == nil {
		t.Error("a closed store opened something")
	}
	if err := s.Close(); err != nil {
		t.Error("closing twice:", err)
	}
	assetstest.CheckSource(t, src)
}

// Close while loads run: a gate holds one of each kind.
func TestClose_StopsWhatRuns(t *testing.T) {
	src := newSource("memory.pack", "batch.txt", "a", "tool.txt", "b", "read.txt", "c")
	s, err := assets.Open(assets.Options{
		Kinds: []assets.KindSpec{assetstest.TextKind(text, "text", ".txt")}, Sources: []assets.Source{src}, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	hr, err := s.Retain(ctx, key("read"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"batch.txt", "tool.txt", "read.txt"} {
		src.Hold(name)
	}
	h, _ := s.Name(key("batch"))
	batch := s.NewBatch(assets.BatchOptions{})
	batch.Add(h)
	batch.Submit()
	reads := s.NewReads("r", 4)
	if err := reads.Submit(hr, 0, 1, 0, 0); err != nil {
		t.Fatal(err)
	}
	tool := make(chan error)
	go func() {
		_, err := s.Retain(ctx, key("tool"))
		tool <- err
	}()
	for _, name := range []string{"batch.txt", "tool.txt", "read.txt"} {
		src.WaitHeld(name)
	}
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	until(t, "the store refuses", func() bool { _, err := s.Name(key("x")); return err != nil })
	_ = src.Close() // lets go what is held
	if err := <-tool; !errors.Is(err, assets.ErrClosed) {
		t.Error(err)
	}
	if err := <-closed; !errors.Is(err, assets.ErrHeld) || strings.Count(err.Error(), " x1") != 1 {
		t.Error(err)
	}
	if st := s.Stats(); st.CPUBytes != 0 || st.Running != 0 || st.InFlightBytes+st.UnadoptedBytes != 0 {
		t.Errorf("%+v", st)
	}
	assetstest.CheckSource(t, src)
}

func TestDecodesOnTickAreCounted(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "a")
	b.EnterTick()
	h := b.retain("a")
	b.retain("a")
	b.LeaveTick()
	b.Release(h)
	b.Release(h)
	b.Release(b.retain("a"))
	if st := b.Stats(); st.DecodesOnTick != 1 || st.Decodes != 2 {
		t.Errorf("%d of %d", st.DecodesOnTick, st.Decodes)
	}
}

func TestRemeasure_ChargesWhatIsLeft(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 100})
	b.src.SetText("a.txt", "0123456789")
	h := b.retain("a")
	b.texts.At(h).Data.Free()
	b.texts.Remeasure(h)
	if st := b.Stats(); st.CPUBytes != 0 || st.Resident != 1 {
		t.Errorf("%d bytes", st.CPUBytes)
	}
	b.Release(h)
}

func TestHotPath_AllocatesNothing(t *testing.T) {
	if tracingOn {
		t.Skip("tracing keeps stacks")
	}
	b := open(t, assets.Options{KeepAliveBytesMax: 1 << 20})
	b.src.SetText("a.txt", "a")
	h := b.retain("a")
	scope := assets.NewScopeOwned(b.Store, "test")
	scope.Reserve(1)
	var snap assets.Snapshot
	for name, run := range map[string]func(){
		"TryRetain": func() { b.TryRetain(h); b.Release(h) },
		"last":      func() { b.Release(h); b.TryRetain(h) },
		"State":     func() { _ = b.State(h); _ = b.Has(h); _ = b.Refs(h); _ = b.texts.At(h) },
		"scope":     func() { scope.TryRetain(h); scope.ReleaseAll() },
		"find":      func() { g, _ := b.Find(key("a")); _, _ = b.KeyOf(g); _, _ = b.Name(key("a")); b.Forget(g) },
		"stats":     func() { _ = b.Stats() },
		"snapshot":  func() { b.Snapshot(&snap) },
	} {
		run()
		if n := testing.AllocsPerRun(100, run); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	b.Release(h)
}

func TestWhy_NamesEveryHolder(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 1 << 20})
	b.src.SetText("a.txt", "a")
	h := b.name("a")
	ticket := b.OpenTicket(assets.TicketOptions{Owner: "gate"})
	_ = b.Require(ticket, h, assets.PhaseOnDevice)
	scope := assets.NewScopeOwned(b.Store, "cell 7")
	reads := b.NewReads("mips", 1)
	b.Release(b.retain("a"))
	scope.TryRetain(h)
	batch := b.batch(assets.BatchOptions{Owner: "warm"}, h)
	if err := reads.Submit(h, 0, 1, 0, 0); err != nil {
		t.Fatal(err)
	}
	until(t, "the read", func() bool { return b.Stats().Running+b.Stats().QueueLen == 0 })
	why, ok := b.Why(key("a"))
	if !ok {
		t.Fatal("no answer")
	}
	for _, part := range []string{
		"text:a: resident, 3 retains, 0 pins, 2 names", "held by cell 7", "asked for by warm",
		"read by mips", "awaited by gate", "from a.txt in memory.pack",
	} {
		if !strings.Contains(why.String(), part) {
			t.Errorf("no %q in %q", part, why)
		}
	}
	var snap assets.Snapshot
	b.Snapshot(&snap)
	if len(snap.Tickets) != 1 || snap.Tickets[0].Owner != "gate" || len(snap.Batches) != 1 || snap.Rows[0].Owner != "warm" {
		t.Errorf("%+v", snap)
	}
	b.CloseTicket(ticket)
	batch.Cancel()
	reads.Close()
	scope.ReleaseAll()
	b.Forget(h)
	b.SetKeepAlive(0)
	if why, ok := b.Why(key("a")); ok || why.LastFreed == nil || why.LastFreed.Reason != assets.FreeFlushed {
		t.Errorf("%v", why)
	}
}

func BenchmarkRetainRelease(bm *testing.B) {
	for _, shared := range []bool{false, true} {
		bm.Run(map[bool]string{false: "alone", true: "parallel"}[shared], func(bm *testing.B) {
			b := open(bm, assets.Options{})
			b.src.SetText("a.txt", "a")
			h := b.retain("a")
			bm.ReportAllocs()
			bm.ResetTimer()
			if shared {
				bm.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						b.TryRetain(h)
						b.Release(h)
					}
				})
			} else {
				for bm.Loop() {
					b.TryRetain(h)
					b.Release(h)
				}
			}
			bm.StopTimer()
			b.Release(h)
		})
	}
}
