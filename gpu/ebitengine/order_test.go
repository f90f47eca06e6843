package ebitengine

import (
	"cmp"
	"math/rand"
	"slices"
	"testing"

	"sojourn/assets"
	"sojourn/gpu"
)

func testBox(l *lens, center, half vec, serial uint32) box {
	var b box
	if !boxOf(vec{}, half, &gpu.Mat4{0: 1, 5: 1, 10: 1, 12: center.x, 13: center.y, 14: center.z, 15: 1}, l, &b) {
		panic("no box")
	}
	b.project(l)
	b.serial = serial
	return b
}

func TestPrecede(t *testing.T) {
	l := testLens(320, 180) // at the origin, looking along -Z
	at := func(x, y, z, hx, hy, hz float32, serial uint32) box {
		return testBox(&l, vec{x, y, z}, vec{hx, hy, hz}, serial)
	}
	solid := func(b box) box {
		b.mesh = &mesh{solid: true}
		return b
	}
	tests := []struct {
		name string
		a, b box
		want precedence
	}{
		{"far before near", at(0, 0, -10, 1, 1, 1, 0), at(0, 0, -5, 1, 1, 1, 1), firstBelow},
		{"near after far", at(0, 0, -5, 1, 1, 1, 0), at(0, 0, -10, 1, 1, 1, 1), secondBelow},
		{"floor before what stands on it, though its middle is nearer", at(0, -1, -6, 5, 0, 6, 0), at(0, 0, -10, 1, 1, 1, 1), firstBelow},
		{"a little sunk in", at(0, -1, -6, 5, 0, 6, 0), at(0, 0, -10, 1, 1.015, 1, 1), firstBelow},
		{"wall before what leans on it", at(2, 0, -6, 0, 3, 6, 0), at(1, 0, -11, 1, 1, 1, 1), firstBelow},
		{"floor and wall are free", at(0, -1, -6, 2, 0, 6, 0), at(2, 1, -6, 0, 2, 6, 1), free},
		{"side by side on both sides of the eye", at(-2, 0, -6, 1, 1, 1, 0), at(2, 0, -6, 1, 1, 1, 1), free},
		{"shell before its content", at(0, 0, -6, 4, 3, 6, 0), at(0, 0, -5, 1, 1, 1, 1), firstBelow},
		{"content after its shell", at(0, 0, -5, 1, 1, 1, 0), at(0, 0, -6, 4, 3, 6, 1), secondBelow},
		{"solid after its content", solid(at(0, 0, -6, 4, 3, 6, 0)), at(0, 0, -5, 1, 1, 1, 1), secondBelow},
		{"in one plane by serial", at(0, 0, -6, 2, 2, 0, 5), at(0, 0, -6, 1, 1, 0, 4), secondBelow},
		{"a hair in front", at(0, 0, -6, 2, 2, 0, 5), at(0, 0, -5.999, 1, 1, 0, 4), firstBelow},
		{"side by side in one plane", at(-1.5, -1, -6, 1, 0, 6, 5), at(1.5, -1, -6, 1, 0, 6, 4), free},
		{"poster through the wall a little", at(1, 0, -6, 0, 3, 6, 0), at(1, 0, -9, 0.05, 1, 1, 1), firstBelow},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := precede(&tt.a, &tt.b); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestOrderKeepsEveryConstraint(t *testing.T) {
	rng := rand.New(rand.NewSource(51))
	l := testLens(320, 180)
	var o order
	for round := range 60 {
		n := 1 + rng.Intn(120)
		var boxes []box
		for i := range n { // on a grid, so that they do not meet
			p := vec{float32(rng.Intn(12)) - 6, float32(rng.Intn(4)) - 2, -1 - float32(i)}
			boxes = append(boxes, testBox(&l, p, vec{0.45, 0.45, 0.45}, uint32(i)))
		}
		slices.SortFunc(boxes, func(a, b box) int { return cmp.Compare(b.depth, a.depth) })
		states := make([]int32, n)
		for i := range states {
			states[i] = int32(rng.Intn(5))
		}
		got := o.sort(boxes, states, 5)
		place := make([]int, n)
		for i := range place {
			place[i] = -1
		}
		for at, i := range got {
			if place[i] >= 0 {
				t.Fatalf("seed 51, round %d: box %d comes twice", round, i)
			}
			place[i] = at
		}
		if len(got) != n {
			t.Fatalf("seed 51, round %d: %d of %d boxes", round, len(got), n)
		}
		for i := range boxes {
			for j := i + 1; j < n; j++ {
				a, b := &boxes[i].rect, &boxes[j].rect
				if a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] || b[1] >= a[3] {
					continue
				}
				p := precede(&boxes[i], &boxes[j])
				if p == firstBelow && place[i] > place[j] || p == secondBelow && place[i] < place[j] {
					t.Fatalf("seed 51, round %d: boxes %d and %d are drawn the wrong way round", round, i, j)
				}
			}
		}
	}
}

func TestOrderSurvivesCycles(t *testing.T) {
	var o order
	o.out = o.out[:0]
	o.edges = []edge{{0, 1}, {1, 2}, {2, 0}, {2, 3}}
	o.index(4)
	o.walk([]int32{0, 1, 0, 1}, 2)
	if len(o.out) != 4 || o.out[0] != 0 {
		t.Errorf("a cycle was drawn as %v, want all four, the farthest first", o.out)
	}
}

func TestOrderStaysWithAState(t *testing.T) {
	l := testLens(320, 180)
	var boxes []box
	var states []int32
	for i := range 20 { // side by side: no constraints at all
		boxes = append(boxes, testBox(&l, vec{float32(i)*2 - 20, 0, -40}, vec{0.5, 0.5, 0.5}, uint32(i)))
		states = append(states, int32(i%2))
	}
	var o order
	changes, last := 0, int32(-1)
	for _, i := range o.sort(boxes, states, 2) {
		if states[i] != last {
			changes++
		}
		last = states[i]
	}
	if changes != 2 {
		t.Errorf("%d runs of equal state, want 2", changes)
	}
}

func TestMeshKnowsItsShape(t *testing.T) {
	v, i := tetrahedron()
	inverted := slices.Clone(i)
	for t := 0; t < len(inverted); t += 3 {
		inverted[t], inverted[t+1] = inverted[t+1], inverted[t]
	}
	tests := []struct {
		name            string
		indices         []uint32
		orderFree, body bool
	}{
		{"closed", i, true, true},
		{"room", inverted, true, false},
		{"flat", []uint32{0, 2, 1}, true, false},
		{"both sides", append(slices.Clone(i), inverted...), false, false},
	}
	for _, tt := range tests {
		used := v
		if len(tt.indices) == 3 {
			used = v[:3]
		}
		if m := newMesh(used, tt.indices); m.orderFree != tt.orderFree || m.solid != tt.body {
			t.Errorf("%s: order free %v, solid %v", tt.name, m.orderFree, m.solid)
		}
	}
}

func tetrahedron() ([]assets.Vertex, []uint32) {
	return []assets.Vertex{
		{Pos: [3]float32{0, 0, 0}}, {Pos: [3]float32{1, 0, 0}}, {Pos: [3]float32{0, 1, 0}}, {Pos: [3]float32{0, 0, 1}},
	}, []uint32{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}
}
