package art

import "slices"

const grainEdge = 512

// grain is noise made once and used everywhere, at different offsets. Both
// tiles wrap and are within 0..1.
type grain struct {
	seed         uint64
	fine, coarse []float32
}

func newGrain(seed uint64) *grain {
	g := &grain{seed: seed}
	g.fine = tile(seed, 64, 4)
	g.coarse = tile(seed+1, 6, 5)
	return g
}

// at gives fine noise, coarseAt clouds.
func (g *grain) at(x, y int) float32       { return g.fine[grainIndex(x, y)] }
func (g *grain) coarseAt(x, y int) float32 { return g.coarse[grainIndex(x, y)] }

func grainIndex(x, y int) int {
	const m = grainEdge - 1
	return y&m*grainEdge + x&m
}

// tile sums octaves of value noise, the first with so many lattice cells.
func tile(seed uint64, cells, octaves int) []float32 {
	t := make([]float32, grainEdge*grainEdge)
	amplitude := float32(1)
	for o := range octaves {
		addNoise(t, seed+uint64(o), cells, amplitude)
		amplitude, cells = amplitude/2, cells*2
	}
	low, high := slices.Min(t), slices.Max(t)
	for i, v := range t {
		t[i] = (v - low) / (high - low)
	}
	return t
}

// addNoise adds noise that is smooth between the points of a lattice.
func addNoise(t []float32, seed uint64, cells int, amplitude float32) {
	lattice := make([]float32, cells*cells)
	for i := range lattice {
		lattice[i] = amplitude * chance(seed, i%cells, i/cells)
	}
	var left, right [grainEdge]int
	var share [grainEdge]float32
	for i := range grainEdge {
		at := float32(i*cells) / grainEdge
		left[i] = int(at)
		right[i] = (left[i] + 1) % cells
		share[i] = ramp(0, 1, at-float32(left[i]))
	}
	for y := range grainEdge {
		upper, lower := lattice[left[y]*cells:], lattice[right[y]*cells:]
		row := t[y*grainEdge:][:grainEdge]
		for x := range row {
			l, r := left[x], right[x]
			row[x] += lerp(lerp(upper[l], upper[r], share[x]), lerp(lower[l], lower[r], share[x]), share[y])
		}
	}
}

// chance is a number in 0..1 that depends on its arguments alone.
func chance(seed uint64, x, y int) float32 {
	h := seed*0x9E3779B97F4A7C15 + uint64(x)*0xBF58476D1CE4E5B9 + uint64(y)*0x94D049BB133111EB
	h ^= h >> 29
	h *= 0xBF58476D1CE4E5B9
	h ^= h >> 32
	h *= 0x94D049BB133111EB
	h ^= h >> 29
	return float32(h>>40) / (1 << 24)
}
