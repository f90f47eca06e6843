package assets_test

import (
	"errors"
	"testing"

	"sojourn/assets"
)

// Two decode the same asset: the first to finish wins, the other adopts it.
func TestRace_LoserAdoptsTheWinner(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "a")
	h := b.name("a")
	b.src.Hold("a.txt")
	batch := b.batch(assets.BatchOptions{}, h)
	b.src.WaitHeld("a.txt")
	type result struct {
		h   assets.Handle
		err error
	}
	done := make(chan result)
	go func() {
		h, err := b.Retain(ctx, key("a"))
		done <- result{h, err}
	}()
	until(t, "the second decode", func() bool { return b.src.Held("a.txt") == 2 })
	b.wantState(h, assets.StateDecoding)
	b.src.LetGo("a.txt")
	r := <-done
	waitBatch(t, batch)
	if r.err != nil || r.h != h || b.Refs(h) != 2 {
		t.Errorf("%v, %d refs", r, b.Refs(h))
	}
	if st := b.Stats(); st.DuplicateDecodes != 1 || st.Decodes != 2 || st.Resident != 1 || st.CPUBytes != 1 {
		t.Errorf("%d duplicates, %d decodes, %d resident", st.DuplicateDecodes, st.Decodes, st.Resident)
	}
	b.Release(h)
	batch.Cancel()
	b.Forget(h)
}

// A reload in the middle of a blocking decode: its result is thrown away.
func TestRace_ReloadDuringRetain(t *testing.T) {
	b := open(t, assets.Options{})
	name := b.name("a")
	defer b.Forget(name)
	for _, text := range []string{"old", "!corrupt"} {
		b.src.SetText("a.txt", text)
		b.src.Hold("a.txt")
		done := make(chan error)
		go func() {
			_, err := b.Retain(ctx, key("a"))
			done <- err
		}()
		b.src.WaitHeld("a.txt")
		b.src.SetText("a.txt", "new")
		if n := b.Reload("a", assets.AllKinds); n != 1 {
			t.Errorf("reload touched %d", n)
		}
		b.src.LetGo("a.txt")
		if err := <-done; !errors.Is(err, assets.ErrNotReady) {
			t.Errorf("%q: %v", text, err)
		}
		b.wantState(name, assets.StateUnloaded)
		h := b.retain("a")
		b.wantText(h, "new")
		b.Release(h)
	}
	if n := b.Stats().FailedCount; n != 0 {
		t.Errorf("a stale failure was recorded: %d", n)
	}
}

// The same on a worker: the batch still wants the asset and gets the new one.
func TestRace_ReloadDuringBatch(t *testing.T) {
	b := open(t, assets.Options{})
	h := b.name("a")
	for _, text := range []string{"old", "!corrupt"} {
		b.src.SetText("a.txt", text)
		b.src.Hold("a.txt")
		batch := b.batch(assets.BatchOptions{}, h)
		b.src.WaitHeld("a.txt")
		b.src.SetText("a.txt", "new")
		b.Reload("a", assets.AllKinds)
		b.src.LetGo("a.txt")
		waitBatch(t, batch)
		if f := batch.Failures(); len(f) != 0 {
			t.Fatal(f)
		}
		b.wantText(h, "new")
		batch.Cancel()
		b.wantState(h, assets.StateUnloaded)
	}
	b.Forget(h)
}

// A source comes while a decode searches the old ones: the failure is outdated.
func TestRace_SourceAddedDuringFailure(t *testing.T) {
	b := open(t, assets.Options{})
	h := b.name("a")
	b.src.SetText("a.txt", "!corrupt")
	b.src.Hold("a.txt")
	batch := b.batch(assets.BatchOptions{}, h)
	b.src.WaitHeld("a.txt")
	patch := newSource("patch.pack", "a.txt", "patched")
	if err := b.AddSource(patch); err != nil {
		t.Fatal(err)
	}
	b.src.LetGo("a.txt")
	waitBatch(t, batch)
	b.wantText(h, "patched")
	batch.Cancel()
	b.Forget(h)
	if why, ok := b.Why(key("a")); ok || why.LastFreed == nil {
		t.Errorf("%v", why)
	}
}

func TestRace_CancelDuringDecode(t *testing.T) {
	b := open(t, assets.Options{Workers: 1})
	b.src.Set("big.txt", make([]byte, 4*assets.ChunkBytesMax))
	b.src.SetText("next.txt", "n")
	big, next := b.name("big"), b.name("next")
	b.src.Hold("big.txt")
	one := b.batch(assets.BatchOptions{}, big, next)
	two := b.batch(assets.BatchOptions{}, next)
	b.src.WaitHeld("big.txt")
	one.Cancel()
	if !one.Done() || one.Adopt(assets.NewScope(b.Store)) != 0 {
		t.Error("a cancelled batch has something")
	}
	b.src.LetGo("big.txt")
	waitBatch(t, two)
	if n := len(b.src.Ranges("big.txt")); n != 1 {
		t.Errorf("%d reads of a cancelled load", n)
	}
	b.wantState(big, assets.StateUnloaded)
	b.wantState(next, assets.StateResident)
	if n := b.Refs(next); n != 1 {
		t.Errorf("%d refs: cancelling dropped another's receipt", n)
	}
	two.Cancel()
	if st := b.Stats(); st.CPUBytes != 0 || st.FailedCount != 0 || st.InFlightBytes+st.UnadoptedBytes != 0 {
		t.Errorf("%+v", st)
	}
	b.Forget(big)
	b.Forget(next)
}

// A load that was cancelled and is wanted again before it noticed goes on, or
// is begun anew; either way it ends.
func TestRace_CancelAndAskAgain(t *testing.T) {
	b := open(t, assets.Options{Workers: 1})
	b.src.Set("big.txt", make([]byte, 4*assets.ChunkBytesMax))
	h := b.name("big")
	for range 20 {
		b.src.Hold("big.txt")
		one := b.batch(assets.BatchOptions{}, h)
		b.src.WaitHeld("big.txt")
		one.Cancel()
		two := b.batch(assets.BatchOptions{}, h)
		b.src.LetGo("big.txt")
		three := b.batch(assets.BatchOptions{}, h)
		waitBatch(t, two)
		waitBatch(t, three)
		if b.Refs(h) != 2 {
			t.Fatalf("%d refs", b.Refs(h))
		}
		two.Cancel()
		three.Cancel()
	}
	b.Forget(h)
}

// A cancel while the needs of a parent are followed.
func TestRace_CancelDuringClosure(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("p.txt", "> c1\n> c2\n> c3")
	for _, c := range []string{"c1", "c2", "c3"} {
		b.src.SetText(c+".txt", "> p")
	}
	h := b.name("p")
	for range 200 {
		batch := b.batch(assets.BatchOptions{Closure: true}, h)
		for range 3 {
			batch.Progress()
		}
		batch.Reset()
		if st := b.Refs(h); st > 1 { // the worker may still look at it
			t.Fatalf("%d refs", st)
		}
	}
	until(t, "quiet", func() bool { return !b.Busy() && b.Refs(h) == 0 })
	b.Forget(h)
	until(t, "quiet", func() bool { return b.Stats().Entries == 0 })
}
