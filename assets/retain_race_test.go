package assets_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

// Retains by handle, good and stale ones, race with eviction, flushes and
// reloads, and are given back by whoever: what a retain was given for is there until it is given back, and in
// the end every retain was given back and nothing is left.
func TestInvariant01_RetainsRaceWithEviction(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const stems, rounds = 4, 600
	names := []string{"a", "b", "c", "d"}
	b := open(t, assets.Options{Workers: 1, KeepAliveBytesMax: 40})
	var handles [stems]atomic.Uint64
	for i, stem := range names {
		b.src.SetText(stem+".txt", "the text of "+stem)
		h := b.retain(stem)
		handles[i].Store(uint64(h))
		b.Release(h)
	}
	texts := assets.Of[assetstest.Text](b.Store, text)
	var wg sync.WaitGroup
	passed := make(chan assets.Handle, 16)
	var taken atomic.Int64
	var over atomic.Bool
	for g := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, g))
			for !over.Load() {
				i := r.IntN(stems)
				h := assets.Handle(handles[i].Load())
				if r.IntN(8) == 0 {
					h -= 1 << 32 // of a generation before
				}
				if !b.TryRetain(h) {
					continue
				}
				taken.Add(1)
				if p := texts.At(h); p == nil || p.String() != "the text of "+names[i] {
					t.Errorf("%#x is retained and has not its text", h)
				}
				give := h
				if r.IntN(2) == 0 { // somebody else gives it back
					select {
					case passed <- h:
						continue
					case give = <-passed:
						b.Release(h)
					default:
					}
				}
				b.Release(give)
			}
		})
	}
	wg.Go(func() {
		defer over.Store(true)
		r := rand.New(rand.NewPCG(seed, 99))
		for round := 0; round < rounds || taken.Load() == 0; round++ {
			i := r.IntN(stems)
			switch r.IntN(6) {
			case 0:
				b.SetKeepAlive(int64(r.IntN(3)) * 20)
			case 1:
				b.Reload(names[i], assets.AllKinds)
			case 2:
				b.Trim()
			default:
				h, err := b.Retain(ctx, assets.Key{Stem: names[i], Kind: text})
				if err != nil {
					continue // reloaded meanwhile, or the old version is still held
				}
				handles[i].Store(uint64(h))
				b.Release(h)
			}
		}
	})
	wg.Wait()
	for len(passed) > 0 {
		b.Release(<-passed)
	}
	b.SetKeepAlive(0)
	if st := b.Stats(); st.Retains != st.Releases || st.CPUBytes != 0 || st.ColdEntries != 0 || st.Resident != 0 || st.Entries != 0 || st.OverReleases != 0 {
		t.Errorf("%+v", st)
	}
}

// What may come between a retain's finding its asset held and its finding that
// it is not any more: the count is one too high for that long, and nothing else
// may be wrong afterwards.
func TestInvariant01_ARefusedRetainLeavesNothingBehind(t *testing.T) {
	retain := func(b *bench, h assets.Handle) {
		if !b.TryRetain(h) {
			b.t.Error("refused")
		}
	}
	for name, c := range map[string]struct {
		keepAlive            int64
		between              func(b *bench, h assets.Handle)
		cold, resident, refs int
	}{
		"a retain":                               {between: retain, resident: 1, refs: 2},
		"the last release":                       {between: (*bench).Release},
		"the last release, kept alive":           {keepAlive: 1000, between: (*bench).Release, cold: 1, resident: 1},
		"the last release, and another retain":   {between: func(b *bench, h assets.Handle) { b.Release(h); retain(b, h) }, resident: 1, refs: 1},
		"folding and the last release":           {between: func(b *bench, h assets.Handle) { b.FoldForTest(h); b.Release(h) }},
		"folding, the last release, a flush":     {keepAlive: 1000, between: func(b *bench, h assets.Handle) { b.FoldForTest(h); b.Release(h); b.SetKeepAlive(0) }},
		"the last release, and a pin":            {between: func(b *bench, h assets.Handle) { b.FoldForTest(h); b.Release(h); b.Pin(h) }, resident: 1},
		"a reload":                               {keepAlive: 1000, between: func(b *bench, h assets.Handle) { b.Reload("a", assets.AllKinds); b.Release(h) }},
		"folding, a reload and the last release": {between: func(b *bench, h assets.Handle) { b.FoldForTest(h); b.Reload("a", assets.AllKinds); b.Release(h) }},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, assets.Options{Workers: 1})
			b.src.SetText("a.txt", "the text of a")
			h := b.retain("a")
			b.SetKeepAlive(c.keepAlive)
			end := b.BeginRetain(h)
			c.between(b, h)
			end()
			st := b.Stats()
			if st.ColdEntries != c.cold || st.Resident != c.resident || st.Retains-st.Releases != uint64(c.refs) || b.Refs(h) != c.refs {
				t.Errorf("cold %d, resident %d, retains %d, releases %d, refs %d", st.ColdEntries, st.Resident, st.Retains, st.Releases, b.Refs(h))
			}
			for range c.refs {
				b.Release(h)
			}
			b.Unpin(h)
			if st = b.Stats(); st.OverReleases != 0 || st.Resident != c.cold {
				t.Errorf("%+v", st)
			}
		})
	}
}

// A retain may begin at one asset and end at the next in the same slot.
func TestInvariant32_ARefusedRetainCrossesALifeOfItsSlot(t *testing.T) {
	b := open(t, assets.Options{Workers: 1})
	b.src.SetText("a.txt", "the text of a")
	b.src.SetText("b.txt", "the text of b")
	for name, between := range map[string]func(h assets.Handle){
		"it is held":               func(assets.Handle) {},
		"it was held":              b.Release,
		"it was held and retained": func(h assets.Handle) { b.TryRetain(h); b.Release(h) },
		"it was held often":        func(h assets.Handle) { b.TryRetain(h); b.TryRetain(h); b.Release(h); b.Release(h); b.Release(h) },
	} {
		old := b.retain("a")
		b.Release(old)
		end := b.BeginRetain(old)
		h := b.retain("b")
		if h.Slot() != old.Slot() {
			t.Fatalf("slots %d and %d", h.Slot(), old.Slot())
		}
		between(h)
		end()
		if name == "it is held" || name == "it was held and retained" {
			if n := b.Refs(h); n != 1 {
				t.Errorf("%s: %d retains", name, n)
			}
			b.Release(h)
		}
		if st := b.Stats(); st.Resident != 0 || st.Entries != 0 || st.Retains != st.Releases || st.OverReleases != 0 {
			t.Errorf("%s: %+v", name, st)
		}
	}
}

// However deep a goroutine's stack is: the strand where it retains is the one
// that grants the next.
func TestTryRetain_GrantsAtAnyDepth(t *testing.T) {
	b := open(t, assets.Options{Workers: 1})
	b.src.SetText("a.txt", "the text of a")
	for depth := range 200 {
		h := b.retain("a")
		atDepth(depth, func() {
			if !b.TryRetain(h) || b.Ungranted(h) != 0 {
				t.Errorf("at depth %d the strand in use does not grant", depth)
			}
			b.Release(h)
		})
		b.Release(h)
	}
}

//go:noinline
func atDepth(n int, f func()) byte {
	var frame [48]byte
	if n == 0 {
		f()
		return frame[0]
	}
	frame[n%48] = atDepth(n-1, f)
	return frame[0]
}
