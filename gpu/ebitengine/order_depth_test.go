package ebitengine

import (
	"cmp"
	"math/rand"
	"slices"
	"testing"
)

// crowd is more boxes than the exact order takes: small ones on three floors
// that adjoin, of a few states, sorted far to near.
func crowd(rng *rand.Rand) (boxes []box, states []int32) {
	l := testLens(320, 180)
	for k := range 3 {
		boxes = append(boxes, testBox(&l, vec{0, -1.7, -8 - 16*float32(k)}, vec{20, 0, 8}, uint32(k)))
	}
	for len(boxes) <= orderBoxesMax {
		size := 0.05 + 0.1*rng.Float32()
		p := vec{30*rng.Float32() - 15, -1.7 + size, -1 - 47*rng.Float32()}
		boxes = append(boxes, testBox(&l, p, vec{size, size, size}, uint32(len(boxes))))
	}
	slices.SortFunc(boxes, func(a, b box) int { return cmp.Compare(b.depth, a.depth) })
	for range boxes {
		states = append(states, int32(rng.Intn(4)))
	}
	return boxes, states
}

func apart(a, b *box) bool {
	return a.rect[0] >= b.rect[2] || b.rect[0] >= a.rect[2] || a.rect[1] >= b.rect[3] || b.rect[1] >= a.rect[3]
}

// TestCrowdsStandOnTheirFloor: past the exact order's limit, floors are still
// drawn before what stands on them and after what they hide, and small things
// that share pixels far to near.
func TestCrowdsStandOnTheirFloor(t *testing.T) {
	boxes, states := crowd(rand.New(rand.NewSource(7)))
	var o order
	got := o.sort(boxes, states, 4)
	place := make([]int, len(boxes))
	for i := range place {
		place[i] = -1
	}
	for at, i := range got {
		if place[i] >= 0 {
			t.Fatalf("box %d comes twice", i)
		}
		place[i] = at
	}
	if len(got) != len(boxes) {
		t.Fatalf("%d of %d boxes", len(got), len(boxes))
	}
	floors, smalls := 0, 0
	for i := range boxes {
		for j := i + 1; j < len(boxes); j++ {
			a, b := &boxes[i], &boxes[j]
			if apart(a, b) {
				continue
			}
			onFloor := a.halves[0].x == 20 || b.halves[0].x == 20
			switch p := precede(a, b); {
			case p == free:
			case onFloor:
				floors++
				if p == firstBelow != (place[i] < place[j]) {
					t.Fatalf("boxes %d and %d, one a floor, are drawn the wrong way round", i, j)
				}
			case a.near >= b.far: // deeper as a whole
				smalls++
				if place[i] > place[j] {
					t.Fatalf("box %d is drawn before %d, which it hides", j, i)
				}
			}
		}
	}
	if floors < orderBoxesMax/2 || smalls < 1000 {
		t.Errorf("%d pairs with a floor, %d of small things", floors, smalls)
	}
	changes := 0
	for at := 1; at < len(got); at++ {
		if states[got[at]] != states[got[at-1]] {
			changes++
		}
	}
	// As they come, three of four change the state.
	if changes > len(boxes)/4 {
		t.Errorf("%d changes of state among %d boxes", changes, len(boxes))
	}
}

// In a cycle, everything is still drawn once, the farthest first.
func TestCrowdsSurviveCycles(t *testing.T) {
	var o order
	o.edges = []edge{{1, 2}, {2, 3}, {3, 1}, {3, 0}}
	o.index(5)
	o.walkByDepth(5)
	if want := []int32{4, 0, 1, 2, 3}; !slices.Equal(o.out, want) {
		t.Errorf("drawn as %v, want %v", o.out, want)
	}
}

func TestCrowdsAllocateNothing(t *testing.T) {
	boxes, states := crowd(rand.New(rand.NewSource(8)))
	var o order
	o.sort(boxes, states, 4)
	if n := testing.AllocsPerRun(3, func() { o.sort(boxes, states, 4) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
