package assets_test

import (
	"testing"

	"sojourn/assets"
)

// Every retain is counted, in whatever way it was taken, and stays counted when
// its slot goes to another asset.
func TestStats_CountsEveryRetain(t *testing.T) {
	b := open(t, assets.Options{})
	want := uint64(0)
	for i, stem := range []string{"a", "b", "c"} {
		b.src.SetText(stem+".txt", stem)
		h := b.retain(stem)
		n := 14 + 5*i
		if i == 2 {
			n = 1<<9 + 1 // more than a strand's tally holds
		}
		for range n {
			if !b.TryRetain(h) {
				t.Fatal("a resident asset was refused")
			}
		}
		want += uint64(1 + n)
		if st := b.Stats(); st.Retains != want || int(st.Retains-st.Releases) != 1+n || b.Refs(h) != 1+n {
			t.Errorf("%s: %d retains, %d releases, %d refs; want %d retains", stem, st.Retains, st.Releases, b.Refs(h), want)
		}
		for range 1 + n {
			b.Release(h)
		}
		if b.State(h) != assets.StateStale {
			t.Fatalf("the slot is not free: %v", b.State(h))
		}
	}
	if st := b.Stats(); st.Retains != want || st.Releases != want {
		t.Errorf("%d retains and %d releases, want %d", st.Retains, st.Releases, want)
	}
}

// More retains than one goroutine's stripe can count go to the base, and each is
// given back.
func TestInvariant01_MoreRetainsThanAStripeCounts(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "a")
	h := b.retain("a")
	n := assets.StripeRetainsMax + 3
	for range n {
		if !b.TryRetain(h) {
			t.Fatal("a resident asset was refused")
		}
	}
	if st := b.Stats(); b.Refs(h) != 1+n || st.Retains-st.Releases != uint64(1+n) {
		t.Errorf("%d refs, %d retains, %d releases", b.Refs(h), st.Retains, st.Releases)
	}
	for range n {
		b.Release(h)
	}
	if b.Refs(h) != 1 || !b.Has(h) {
		t.Errorf("%d refs are left", b.Refs(h))
	}
	b.Release(h)
	if st := b.Stats(); b.State(h) != assets.StateStale || st.Retains != st.Releases || st.OverReleases != 0 {
		t.Errorf("%v, %d retains, %d releases", b.State(h), st.Retains, st.Releases)
	}
}

// A handle beyond every slot, near and far, is refused.
func TestHandle_OfNoSlotIsRefused(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "a")
	h := b.retain("a")
	for _, slot := range []assets.Handle{1 << 13, 1<<20 - 1, 1 << 20, 1 << 25, 1<<26 - 1, 1 << 26, 1 << 31, 1<<32 - 1} {
		bad := h&^(1<<32-1) | slot
		if b.TryRetain(bad) || b.Has(bad) || b.Refs(bad) != 0 || b.State(bad) != assets.StateStale {
			t.Errorf("slot %d: taken for an asset", slot)
		}
	}
	b.Release(h)
}

// A slot whose generations are used up serves no more: its handles stay stale.
func TestHandle_OfALastGenerationIsNotReused(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "a")
	b.AgeFreeSlots()
	last := b.retain("a")
	b.Release(last)
	for range 3 {
		h := b.retain("a")
		if h.Slot() == last.Slot() || b.State(last) != assets.StateStale || b.Has(last) {
			t.Errorf("%#x serves again as %#x", last, h)
		}
		b.Release(h)
	}
	if next := b.retain("a"); !next.Valid() || !b.Has(next) {
		t.Errorf("%#x of a fresh slot is refused", next)
	} else {
		b.Release(next)
	}
}

// Many retains at once are all or none.
func TestTryRetainAll(t *testing.T) {
	b := open(t, assets.Options{})
	var hs []assets.Handle
	for _, stem := range []string{"a", "b", "c"} {
		b.src.SetText(stem+".txt", stem)
		hs = append(hs, b.retain(stem))
	}
	hs = append(hs, hs[0]) // twice
	if refused := b.TryRetainAll(hs); refused != -1 {
		t.Errorf("%d refused", refused)
	}
	gone := b.name("d")
	for i := range hs {
		with := append(append(append([]assets.Handle(nil), hs[:i]...), gone), hs[i:]...)
		if refused := b.TryRetainAll(with); refused != i {
			t.Errorf("%d refused, want %d", refused, i)
		}
	}
	for i, want := range []int{3, 2, 2} {
		if n := b.Refs(hs[i]); n != want {
			t.Errorf("asset %d: %d retains, want %d", i, n, want)
		}
	}
	b.ReleaseAll(hs)
	b.ReleaseAll(hs[:3])
	if refused := b.TryRetainAll(hs); refused != 0 || b.TryRetainAll(nil) != -1 {
		t.Errorf("%d refused of assets that are gone", refused)
	}
}
