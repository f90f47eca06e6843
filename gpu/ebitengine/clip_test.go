package ebitengine

import (
	"math/rand"
	"testing"

	"sojourn/gpu"
)

func testLens(width, height int) lens {
	return lensOf(&gpu.Camera{View: gpu.Mat4{0: 1, 5: 1, 10: 1, 15: 1}, FovYRad: 1, Near: 0.1, Far: 100}, width, height)
}

func cornerAt(l *lens, p vec) corner {
	c := corner{x: l.rows[0].at(p), y: l.rows[1].at(p), w: l.rows[2].at(p), u: p.x, v: p.z}
	c.classify(l)
	return c
}

func TestClipStaysInsideAndKeepsSharedEdges(t *testing.T) {
	l := testLens(320, 180)
	rng := rand.New(rand.NewSource(21))
	var c clipper
	random := func() vec { return vec{rng.Float32()*80 - 40, rng.Float32()*80 - 40, rng.Float32()*80 - 60} }
	cutAny := 0
	for round := range 3000 {
		// Two triangles of a quad that need not be flat: p-q is shared.
		p, q, r, s := cornerAt(&l, random()), cornerAt(&l, random()), cornerAt(&l, random()), cornerAt(&l, random())
		onEdge := map[[3]float32]int{}
		for side, tri := range [2][3]*corner{{&p, &q, &r}, {&q, &p, &s}} {
			polygon := c.cut(tri[0], tri[1], tri[2], &l)
			for i := range polygon {
				k := &polygon[i]
				if k.w < l.near*0.999 {
					t.Fatalf("seed 21, round %d: a corner behind the near plane: %+v", round, *k)
				}
				x, y := k.x/k.w, k.y/k.w
				if x < -322 || x > 642 || y < -182 || y > 362 {
					t.Fatalf("seed 21, round %d: a corner at (%v, %v)", round, x, y)
				}
				if k.w < l.near*1.0001 { // on the near plane: cut along an edge
					cutAny++
				}
				onEdge[[3]float32{k.x, k.y, k.w}] |= 1 << side
			}
		}
		// Where the near plane alone cuts the shared edge, both cut it alike.
		if all := p.beyond | q.beyond | r.beyond | s.beyond; all&(mustCut&^beyondNear) == 0 && (p.w < l.near) != (q.w < l.near) {
			shared := 0
			for _, sides := range onEdge {
				if sides == 3 {
					shared++
				}
			}
			if shared < 2 {
				t.Fatalf("seed 21, round %d: the shared edge was cut in two ways", round)
			}
		}
	}
	if cutAny == 0 {
		t.Error("nothing was cut")
	}
}

func TestMissesIsNeverWrong(t *testing.T) {
	rng := rand.New(rand.NewSource(31))
	missed := 0
	for range 50000 {
		base := point{rng.Float32()*4 + 10, rng.Float32()*4 + 10}
		at := func() point { return point{base.x + rng.Float32()*1.5, base.y + rng.Float32()*1.5} }
		a, b, c := at(), at(), at()
		if !misses(a, b, c) {
			continue
		}
		missed++
		for y := 9; y < 18; y++ {
			for x := 9; x < 18; x++ {
				m := point{float32(x) + 0.5, float32(y) + 0.5}
				e := func(p, q point) float32 { return (q.x-p.x)*(m.y-p.y) - (q.y-p.y)*(m.x-p.x) }
				u, v, w := e(a, b), e(b, c), e(c, a)
				if u >= 0 && v >= 0 && w >= 0 || u <= 0 && v <= 0 && w <= 0 {
					t.Fatalf("seed 31: %v %v %v covers %v", a, b, c, m)
				}
			}
		}
	}
	if missed == 0 {
		t.Error("no triangle was small enough")
	}
}

func TestCoverageMarksOnlyCoveredTiles(t *testing.T) {
	rng := rand.New(rand.NewSource(41))
	marked := 0
	for range 400 {
		var c coverage
		c.reset(320, 180)
		at := func() point { return point{rng.Float32()*960 - 320, rng.Float32()*540 - 180} }
		triangle := []point{at(), at(), at()}
		c.add(triangle)
		open := 0
		c.eachRun(func(left, top, right, bottom float32) { open += int((right-left)/c.tileWide + 0.5) })
		for ty := range tileRows {
			for tx := range tileColumns {
				if !c.covered(tx, ty) {
					open--
					continue
				}
				marked++
				for range 8 {
					m := point{(float32(tx) + rng.Float32()) * c.tileWide, (float32(ty) + rng.Float32()) * c.tileHigh}
					if !inTriangle(m, triangle) {
						t.Fatalf("seed 41: tile %d,%d is marked but %v is bare: %v", tx, ty, m, triangle)
					}
				}
			}
		}
		if open != 0 {
			t.Fatalf("the runs and the marks differ by %d tiles", open)
		}
	}
	if marked == 0 {
		t.Error("nothing was marked")
	}
}

func inTriangle(m point, t []point) bool {
	e := func(p, q point) float32 { return (q.x-p.x)*(m.y-p.y) - (q.y-p.y)*(m.x-p.x) }
	u, v, w := e(t[0], t[1]), e(t[1], t[2]), e(t[2], t[0])
	const s = 1 // rounding
	return u >= -s && v >= -s && w >= -s || u <= s && v <= s && w <= s
}
