package assets_test

import (
	"errors"
	"strings"
	"testing"

	"sojourn/assets"
)

func TestPool_ReusesAndBounds(t *testing.T) {
	p := assets.NewPool(16 << 10)
	a := p.Get(5000)
	if a.Len() != 5000 || p.LiveBytes() != 5<<10 || a.Footprint().OwnedBytes != 5<<10 {
		t.Errorf("%d bytes, %d live", a.Len(), p.LiveBytes())
	}
	first := &a.Slice()[0]
	a.Free()
	a.Free()
	if p.LiveBytes() != 0 || p.SpareBytes() != 5<<10 || a.Len() != 0 {
		t.Errorf("%d live, %d spare", p.LiveBytes(), p.SpareBytes())
	}
	b := p.Get(4097)
	if &b.Slice()[0] != first {
		t.Error("a spare block was not reused")
	}
	big := p.Get(64 << 10)
	big.Free()
	if p.SpareBytes() != 0 {
		t.Errorf("%d spare over the bound", p.SpareBytes())
	}
	if n := testing.AllocsPerRun(20, func() { c := p.Get(100); c.Free() }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	b.Free()
}

// A block holds what was asked for and is little larger, and what comes back
// goes to the class it came from.
func TestPool_BlocksFit(t *testing.T) {
	p := assets.NewPool(1 << 30)
	for low := 12; low < 27; low++ {
		for _, n := range []int{1<<low - 1, 1 << low, 1<<low + 1, 5 << (low - 2), 5<<(low-2) + 1, 3 << (low - 1), 7<<(low-2) - 1} {
			b := p.Get(n)
			live := p.LiveBytes()
			if int64(b.Len()) != int64(n) || live < int64(n) || live > int64(max(4096, n+n/4+1)) || b.Footprint().OwnedBytes != live {
				t.Errorf("%d bytes in a block of %d", n, live)
			}
			first := &b.Slice()[0]
			b.Free()
			if b = p.Get(n); &b.Slice()[0] != first || p.LiveBytes() != live {
				t.Errorf("%d bytes: the block was not reused", n)
			}
			b.Free()
			if p.LiveBytes() != 0 {
				t.Fatalf("%d bytes live", p.LiveBytes())
			}
		}
	}
}

func TestPool_StaleCopyFreesNothing(t *testing.T) {
	p := assets.NewPool(1 << 20)
	a := p.Get(10)
	stale := a
	a.Free()
	b := p.Get(10) // the same block, another owner
	defer b.Free()
	defer func() {
		if panicked := recover() != nil; panicked != assets.InvariantsOn {
			t.Errorf("panicked: %v", panicked)
		}
		c := p.Get(10)
		defer c.Free()
		if &c.Slice()[0] == &b.Slice()[0] {
			t.Error("one block has two owners")
		}
	}()
	stale.Free()
}

func TestGuard_PassesOtherPanicsOn(t *testing.T) {
	why := errors.New("mine")
	defer func() {
		if recover() != why {
			t.Error("the panic was swallowed")
		}
	}()
	if err := assets.Guard(func() {}); err != nil {
		t.Error(err)
	}
	_ = assets.Guard(func() { panic(why) })
}

func FuzzCheckStem(f *testing.F) {
	for _, s := range []string{"a", "a/b#c", "A..B", "..", "a/../b", "/a", "a//b", "a\\b", "c:/x", "\x00", "\xff", "héllo"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, stem string) {
		err := assets.CheckStem(stem)
		if err != nil {
			if !errors.Is(err, assets.ErrBadStem) || len(err.Error()) > 4*assets.StemBytesMax+100 {
				t.Errorf("%q: %v", stem, err)
			}
			return
		}
		if strings.HasPrefix(stem, "/") || strings.Contains("/"+stem+"/", "/../") || strings.Contains("/"+stem+"/", "//") || strings.ContainsAny(stem, "\\:\x00") {
			t.Errorf("%q was let through", stem)
		}
		if family := assets.StemFamily(stem); !strings.HasPrefix(stem, family) || strings.Contains(family, "#") {
			t.Errorf("family %q of %q", family, stem)
		}
	})
}

// Panicking decoders give back what their payload had.
func TestDecoderPanic_NamesThePlaceAndFrees(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetMappable(true)
	b.src.SetText("a.txt", "!panic")
	_, err := b.Retain(ctx, key("a"))
	if !errors.Is(err, assets.ErrDecoderPanic) || !strings.Contains(err.Error(), "it says so (text.go:") {
		t.Error(err)
	}
	if n := b.src.Counts().Leases; n != 0 {
		t.Errorf("%d leases", n)
	}
}

func BenchmarkLoad(bm *testing.B) {
	b := open(bm, assets.Options{})
	b.src.Set("a.txt", make([]byte, 100<<10))
	h := b.name("a")
	batch := b.NewBatch(assets.BatchOptions{})
	bm.ReportAllocs()
	for bm.Loop() {
		batch.Add(h)
		batch.Submit()
		for !batch.Done() {
		}
		batch.Reset()
	}
	b.Forget(h)
}

// A store told to keep no freed blocks lends each afresh.
func TestPool_StoreWithoutSpareBlocks(t *testing.T) {
	for _, c := range []struct{ max, spare int64 }{{-1, 0}, {0, 8 << 10}, {4 << 10, 0}, {8 << 10, 8 << 10}} {
		s, err := assets.Open(assets.Options{SpareBytesMax: c.max, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		b := s.PoolForTest().Get(8 << 10)
		b.Free()
		if n := s.Stats().SpareBytes; n != c.spare {
			t.Errorf("SpareBytesMax %d: %d bytes are spare, want %d", c.max, n, c.spare)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
