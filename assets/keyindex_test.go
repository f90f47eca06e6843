package assets_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"sojourn/assets"
)

// Keys that come and go are found while they are there and only then, and what
// is found is theirs, also beside many others and while tables are made anew.
func TestFind_BesideComingAndGoing(t *testing.T) {
	b := open(t, assets.Options{})
	const stay, churn, rounds = 300, 2000, 20
	var kept []assets.Handle
	for i := range stay {
		kept = append(kept, b.name(fmt.Sprintf("stay/%d", i)))
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { findAgainAndAgain(b, kept, churn, &stop) })
	}
	for round := range rounds {
		var handles []assets.Handle
		for i := range churn {
			handles = append(handles, b.name(fmt.Sprintf("churn/%d", i)))
		}
		for i, h := range handles {
			k := key(fmt.Sprintf("churn/%d", i))
			if got, ok := b.Find(k); !ok || got != h {
				t.Errorf("round %d: %v is found as %#x, %v", round, k, uint64(got), ok)
			}
			b.Forget(h)
			if _, ok := b.Find(k); ok {
				t.Errorf("round %d: %v is found after it went", round, k)
			}
		}
	}
	stop.Store(true)
	wg.Wait()
	for i, h := range kept {
		if _, ok := b.Find(assets.Key{Stem: fmt.Sprintf("stay/%d", i), Kind: other}); ok {
			t.Error("found under another kind")
		}
		b.Forget(h)
	}
}

func findAgainAndAgain(b *bench, kept []assets.Handle, churn int, stop *atomic.Bool) {
	for i := 0; !stop.Load(); i++ {
		at := i % len(kept)
		if h, ok := b.Find(key(fmt.Sprintf("stay/%d", at))); !ok || h != kept[at] {
			b.t.Errorf("stay/%d is found as %#x, %v", at, uint64(h), ok)
			return
		}
		k := key(fmt.Sprintf("churn/%d", i%churn))
		if h, ok := b.Find(k); ok {
			if got, live := b.KeyOf(h); live && got != k {
				b.t.Errorf("%v leads to %v", k, got)
				return
			}
		}
		if _, ok := b.Find(key("never")); ok {
			b.t.Error("a key that was never named is found")
			return
		}
	}
}

// Asking by name allocates nothing and does not wait for the lock.
func TestFind_TakesNoLock(t *testing.T) {
	b := open(t, assets.Options{})
	h := b.name("a")
	if n := testing.AllocsPerRun(100, func() { b.Find(key("a")) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	b.WhileLocked(func() {
		if got, ok := b.Find(key("a")); !ok || got != h {
			t.Errorf("%#x, %v", uint64(got), ok)
		}
	})
	b.Forget(h)
}
