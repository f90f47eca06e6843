//go:build !headless

package ebitengine

import (
	"image"
	"testing"

	"sojourn/gpu"
)

// farScene is a floor of three cells that adjoin, with a few things on it and
// quads above it, so far along Z.
func farScene(t *testing.T, z float32) *image.RGBA {
	w := newWorld(t, Options{}, func(w *world) {
		floor := w.geometry(quad(vec3{-20, 0, 0}, vec3{20, 0, 0}, vec3{20, 0, -16}, vec3{-20, 0, -16}, 1, 1))
		thing := w.geometry(ball(8, 12))
		plain := w.material(gpu.NoMap, func(r *gpu.MaterialRow) { r.BaseColor = [4]float32{0.2, 0.5, 0.3, 1} })
		red := w.material(gpu.NoMap, func(r *gpu.MaterialRow) { r.BaseColor = [4]float32{0.8, 0.2, 0.1, 1} })
		for k := range 3 {
			w.add(floor, plain, place(0, 0, float64(z)-16*float64(k), 0, 1, 1, 1))
			for i := range 5 {
				w.add(thing, red, place(float64(2*i)-4, 0, float64(z)-16*float64(k)-6-float64(i), 0, 1, 1, 1))
			}
		}
		for i := range 3 {
			w.frame.Quads = append(w.frame.Quads, gpu.Quad{
				Center: vec3{float32(i) - 1, 2, z - 8}, Right: vec3{0.25, 0, 0}, Up: vec3{0, 0.25, 0}, Color: [4]float32{1, 1, 0, 1},
			})
		}
		w.frame.Sprites = []gpu.Sprites{{Count: 3}}
	})
	w.frame.Camera.ClearColor = vec3{0, 0, 1}
	w.look(vec3{0, 1.75, z - 1.5}, vec3{0, 1.75, z - 20})
	return w.picture(t, 320, 180)
}

// What is drawn does not depend on how far it is from the world's origin: at
// three hundred kilometres a float32 tells three centimetres apart, and there
// used to be gaps of a pixel and more between floors that adjoin.
func TestFarFromTheOrigin(t *testing.T) {
	near, far := farScene(t, 0), farScene(t, 300_000)
	differ := 0
	for i := 0; i < len(near.Pix); i += 4 {
		if [3]byte(near.Pix[i:i+3]) != [3]byte(far.Pix[i:i+3]) {
			differ++
		}
	}
	if differ > 0 {
		t.Errorf("%d of %d pixels are not as near the origin", differ, len(near.Pix)/4)
	}
}
