package chunked_test

import (
	"testing"

	"sojourn/chunked"
)

// Lists that share chunks keep their elements apart, give everything back, and
// make chunks only where none is left.
func TestListsShareSpareChunks(t *testing.T) {
	const lists, each = 3, 3000
	var s chunked.Spare[uint64]
	s.Reserve(lists * each / 2)
	reserved := s.Places()
	var all [lists]chunked.List[uint64]
	for i := range all {
		all[i] = chunked.TakingFrom(&s)
	}
	round := func() {
		for n := range uint64(each) {
			for i := range all {
				all[i].Add(n * uint64(i+1))
			}
		}
		for i := range all {
			if all[i].Len() != each {
				t.Fatalf("list %d has %d elements", i, all[i].Len())
			}
			for n := range each {
				if got := *all[i].At(n); got != uint64(n*(i+1)) {
					t.Fatalf("element %d of list %d is %d", n, i, got)
				}
			}
		}
		if s.Lent() < lists*each || s.Places() != s.Lent() {
			t.Fatalf("%d places are lent of %d", s.Lent(), s.Places())
		}
		for i := range all {
			all[i].GiveBack()
		}
		if s.Lent() != 0 {
			t.Fatalf("%d places are lent by empty lists", s.Lent())
		}
	}
	round()
	made := s.Places()
	if made <= reserved {
		t.Fatalf("%d places, had %d before", made, reserved)
	}
	if n := testing.AllocsPerRun(10, round); n != 0 || s.Places() != made {
		t.Errorf("%v allocations with spare chunks; %d places, had %d", n, s.Places(), made)
	}
	if s.Reserve(made - 1); s.Places() != made {
		t.Errorf("%d places, had %d", s.Places(), made)
	}
}
