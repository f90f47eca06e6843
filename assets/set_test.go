package assets_test

import (
	"context"
	"errors"
	"testing"

	"sojourn/assets"
)

func waitSet(t *testing.T, s *assets.Set) assets.SetStatus {
	t.Helper()
	var st assets.SetStatus
	until(t, "the set", func() bool { st = s.Poll(); return st.Ready })
	return st
}

func TestSet_RequestPollRelease(t *testing.T) {
	b := open(t, assets.Options{InFlightBytesMax: 3})
	b.src.SetText("a.txt", "aa\n> c")
	b.src.SetText("b.txt", "!corrupt")
	b.src.SetText("c.txt", "cc")
	set, err := b.RequestSet("menu", 0, key("a"), key("b"), key("nope"), key("a"))
	if err != nil {
		t.Fatal(err)
	}
	if st := waitSet(t, set); st != (assets.SetStatus{Ready: true, Total: 4, Loaded: 2, Failed: 2}) {
		t.Errorf("%+v", st)
	}
	if f := set.Failures(); len(f) != 2 {
		t.Errorf("failures %v", f)
	}
	c, ok := b.Find(key("c"))
	if h := set.Handles()[0]; b.Refs(h) != 1 || !ok || b.Refs(c) != 1 {
		t.Errorf("%d retains, of what it needs %d", b.Refs(h), b.Refs(c))
	}
	set.Release()
	set.Release()
	if st := set.Poll(); st != (assets.SetStatus{}) || set.Wait(ctx) == nil || b.Stats().Entries != 0 {
		t.Errorf("%+v, %d entries", st, b.Stats().Entries)
	}
	if _, err := b.RequestSet("menu", 0, key("a"), key("../b")); !errors.Is(err, assets.ErrBadStem) || b.Stats().Entries != 0 {
		t.Errorf("%v, %d entries", err, b.Stats().Entries)
	}
}

// A reload, also one that mends or breaks, and a source that comes make the
// set wait again.
func TestSet_AsksAgain(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "old")
	b.src.SetText("b.txt", "!corrupt")
	set, err := b.RequestSet("menu", 0, key("a"), key("b"), key("late"))
	if err != nil {
		t.Fatal(err)
	}
	waitSet(t, set)
	b.src.SetText("a.txt", "new")
	b.src.SetText("b.txt", "mended")
	b.src.Hold("a.txt")
	b.Reload("a", assets.AllKinds)
	b.Reload("b", assets.AllKinds)
	if st := set.Poll(); st.Ready {
		t.Errorf("ready without the new version: %+v", st)
	}
	b.src.LetGo("a.txt")
	if st := waitSet(t, set); st.Loaded != 2 || st.Failed != 1 {
		t.Errorf("%+v", st)
	}
	b.wantText(set.Handles()[0], "new")
	late := newSource("late.pack", "late.txt", "here")
	if err := b.AddSource(late); err != nil {
		t.Fatal(err)
	}
	if st := waitSet(t, set); st.Loaded != 3 || st.Failed != 0 {
		t.Errorf("%+v", st)
	}
	if n := b.Refs(set.Handles()[0]); n != 1 {
		t.Errorf("%d retains", n)
	}
	set.Release()
}

// The end of a context ends the wait and, when nobody else waits, the decode.
func TestSet_ContextEndsTheWait(t *testing.T) {
	for _, others := range []bool{false, true} {
		b := open(t, assets.Options{Workers: 1})
		b.src.Set("big.txt", make([]byte, 4*assets.ChunkBytesMax))
		b.src.Hold("big.txt")
		set, err := b.RequestSet("menu", 0, key("big"))
		if err != nil {
			t.Fatal(err)
		}
		h := b.name("big")
		batch := b.NewBatch(assets.BatchOptions{})
		if others {
			batch.Add(h)
			batch.Submit()
		}
		b.src.WaitHeld("big.txt")
		why := errors.New("the player left")
		ctx, cancel := context.WithCancelCause(ctx)
		cancel(why)
		if err := set.Wait(ctx); !errors.Is(err, why) {
			t.Error(err)
		}
		b.src.LetGo("big.txt")
		until(t, "the end", func() bool { return !b.Busy() && batch.Done() })
		reads, want := len(b.src.Ranges("big.txt")), 1
		if others {
			want = 4
		}
		if reads != want || b.Has(h) != others {
			t.Errorf("others %v: %d reads, want %d; in memory %v", others, reads, want, b.Has(h))
		}
		batch.Reset()
		b.Forget(h)
	}
}
