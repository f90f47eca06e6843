//go:build !headless

package ebitengine

import (
	"math"
	"math/rand"
	"testing"

	"github.com/hajimehoshi/ebiten/v2"

	"sojourn/gpu"
)

// raster paints the builder's triangles in their order into a small picture of
// batch-independent triangle numbers, and finds out with a depth buffer which
// pixels show something that ought to be hidden.
func raster(b *builder, width, height int) (wrong, drawn int) {
	top := make([]float32, width*height)   // 1/w of what was painted last
	front := make([]float32, width*height) // 1/w of the nearest
	for _, bt := range b.batches {
		v, idx := b.vertices[bt.vertices:bt.vertexEnd], b.indices[bt.indices:bt.indexEnd]
		for i := 0; i < len(idx); i += 3 {
			rasterTriangle(&v[idx[i]], &v[idx[i+1]], &v[idx[i+2]], width, height, func(at int, iw float32) {
				top[at] = iw
				front[at] = max(front[at], iw)
			})
		}
	}
	for i := range top {
		if front[i] == 0 {
			continue
		}
		drawn++
		if 1/top[i]-1/front[i] > 0.03 {
			wrong++
		}
	}
	return wrong, drawn
}

func rasterTriangle(a, b, c *ebiten.Vertex, width, height int, set func(at int, iw float32)) {
	area := (b.DstX-a.DstX)*(c.DstY-a.DstY) - (c.DstX-a.DstX)*(b.DstY-a.DstY)
	if area == 0 {
		return
	}
	x0, x1 := max(0, int(min(a.DstX, b.DstX, c.DstX))), min(width-1, int(max(a.DstX, b.DstX, c.DstX)))
	y0, y1 := max(0, int(min(a.DstY, b.DstY, c.DstY))), min(height-1, int(max(a.DstY, b.DstY, c.DstY)))
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			px, py := float32(x)+0.5, float32(y)+0.5
			wb := ((px-a.DstX)*(c.DstY-a.DstY) - (c.DstX-a.DstX)*(py-a.DstY)) / area
			wc := ((b.DstX-a.DstX)*(py-a.DstY) - (px-a.DstX)*(b.DstY-a.DstY)) / area
			if wa := 1 - wb - wc; wa >= 0 && wb >= 0 && wc >= 0 {
				set(y*width+x, wa*a.Custom2+wb*b.Custom2+wc*c.Custom2)
			}
		}
	}
}

// hall is a straight hall of cells turned by some angle, with things on its
// floor and in the air that do not reach into each other.
func hall(w *world, cells int, turn float64, rng *rand.Rand) {
	floor := w.geometry(quad(vec3{-4, 0, 4}, vec3{4, 0, 4}, vec3{4, 0, -4}, vec3{-4, 0, -4}, 1, 1))
	wall := w.geometry(quad(vec3{-4, 0, 4}, vec3{-4, 0, -4}, vec3{-4, 4, -4}, vec3{-4, 4, 4}, 1, 1))
	post := w.geometry(quad(vec3{-0.3, 0, 0}, vec3{0.3, 0, 0}, vec3{0.3, 0.6, 0}, vec3{-0.3, 0.6, 0}, 1, 1))
	props := []gpu.GeometryID{w.geometry(cube()), w.geometry(ball(6, 8)), w.geometry(drum(7))}
	materials := []uint32{w.material(gpu.NoMap, nil), w.material(gpu.NoMap, func(r *gpu.MaterialRow) { r.Factors[0] = 0.1; r.Factors[1] = 1 })}
	s, c := math.Sincos(turn)
	at := func(x, y, z, own, sx, sy, sz float64) gpu.Mat4 {
		return place(c*x+s*z, y, -s*x+c*z, turn+own, sx, sy, sz)
	}
	for n := range cells {
		z := -8 * float64(n)
		w.add(floor, materials[n%2], at(0, 0, z, 0, 1, 1, 1))
		w.add(floor, materials[n%2], at(0, 4, z, 0, -1, -1, 1)) // ceiling, upside down and mirrored
		w.add(wall, materials[n%2], at(0, 0, z, 0, 1, 1, 1))
		w.add(wall, materials[n%2], at(0, 0, z, math.Pi, 1, 1, 1))
		w.add(post, materials[n%2], at(-3.99, 1.5, z, math.Pi/2, 1, 1, 1)) // a picture, 1 cm off the wall
		for i := range 25 {                                                // a grid of 1.5 m, so that they stay apart
			x, dz := float64(i%5)*1.5-3, float64(i/5)*1.5-3
			if rng.Intn(3) == 0 {
				continue
			}
			size := 0.3 + 0.6*rng.Float64()
			y := -0.001 // a little sunk in
			if rng.Intn(5) == 0 {
				y = 1.2
			}
			w.add(props[rng.Intn(3)], materials[rng.Intn(2)], at(x, y, z+dz, 6*rng.Float64(), size, 0.5+2*rng.Float64(), size))
		}
	}
}

func TestDrawOrderHidesWhatIsBehind(t *testing.T) {
	const width, height, seeds = 160, 90, 8
	for seed := range seeds {
		rng := rand.New(rand.NewSource(int64(seed)))
		turn := float64(seed%4) * 0.4
		w := newWorld(t, Options{}, func(w *world) { hall(w, 10, turn, rng) })
		s, c := math.Sincos(turn)
		worst := 0.0
		for range 10 {
			x, y, z := 6*rng.Float64()-3, 0.3+3.3*rng.Float64(), 4-70*rng.Float64()
			eye := vec3{float32(c*x + s*z), float32(y), float32(-s*x + c*z)}
			w.look(eye, vec3{eye[0] + rng.Float32()*2 - 1, eye[1] + (rng.Float32() - 0.5), eye[2] + rng.Float32()*2 - 1})
			rng.Shuffle(len(w.frame.Items), func(i, j int) {
				w.frame.Items[i], w.frame.Items[j] = w.frame.Items[j], w.frame.Items[i]
			})
			b := &w.device.builder
			b.build(&w.frame, width, height, w.device.meshOf, w.device.faceOf)
			wrong, drawn := raster(b, width, height)
			if share := float64(wrong) / float64(max(1, drawn)); share > worst {
				worst = share
				if share > 0.0005 {
					t.Errorf("seed %d: %d of %d pixels show what ought to be hidden (eye %v)", seed, wrong, drawn, eye)
				}
			}
		}
	}
}

func TestOrderIsStable(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) { hall(w, 6, 0.3, rand.New(rand.NewSource(1))) })
	d := w.device
	serials := func() (out []uint32) {
		d.builder.build(&w.frame, 320, 180, d.meshOf, d.faceOf)
		for _, i := range d.builder.order.out {
			out = append(out, d.builder.sorted[i].serial)
		}
		return out
	}
	want := serials()
	rng := rand.New(rand.NewSource(2))
	for range 5 {
		rng.Shuffle(len(w.frame.Items), func(i, j int) {
			w.frame.Items[i], w.frame.Items[j] = w.frame.Items[j], w.frame.Items[i]
		})
		got := serials()
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("place %d: item %d, was %d in another order of the same items", i, got[i], want[i])
			}
		}
	}
}
