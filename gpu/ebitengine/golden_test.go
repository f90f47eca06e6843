//go:build !headless

package ebitengine

import (
	"image/color"
	"math"
	"testing"

	"sojourn/assets"
	"sojourn/gpu"
)

func TestGoldenCorridor(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) { corridor(w, 15, 36, 5) })
	w.look(vec3{0.5, 1.7, 1}, vec3{0, 1.4, -10})
	golden(t, "corridor", w.picture(t, 640, 360))
}

// floorQuad lies at height 0 from z = 0 to z = -long.
func (w *world) floorQuad(material uint32, long, repeat float32) {
	g := w.geometry(quad(vec3{-long / 2, 0, 0}, vec3{long / 2, 0, 0}, vec3{long / 2, 0, -long}, vec3{-long / 2, 0, -long}, repeat, repeat))
	w.add(g, material, place(0, 0, 0, 0, 1, 1, 1))
}

func TestGoldenFloorInPerspective(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) {
		w.floorQuad(w.material(w.texture(64, checker(gray(40), gray(220), 2)), nil), 8, 4)
	})
	w.frame.Camera.ClearColor = vec3{0.05, 0.1, 0.3}
	got := w.picture(t, 320, 180)
	golden(t, "floor", got)

	// The checks are a metre wide: they appear where division by distance
	// says, not where an even division of the screen would.
	l := lensOf(&w.frame.Camera, 320, 180)
	for n := range 4 {
		z := -3.5 - float32(n)
		at := vec{0.25, 0, z}
		x, y := int(l.rows[0].at(at)/l.rows[2].at(at)), int(l.rows[1].at(at)/l.rows[2].at(at))
		if bright, want := got.RGBAAt(x, y).R > 128, n%2 == 1; bright != want {
			t.Errorf("check %d at (%d, %d): bright is %v", n, x, y, bright)
		}
	}
}

func TestGoldenNearClip(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) {
		m := w.material(w.texture(64, checker(gray(60), gray(200), 4)), func(r *gpu.MaterialRow) { r.Factors[2] = 1 })
		// From far behind the camera, past its shoulder, to far ahead.
		v, i := quad(vec3{-1, 0, 20}, vec3{1, 0, 20}, vec3{1, 0, -20}, vec3{-1, 0, -20}, 1, 20)
		w.add(w.geometry(v, i), m, place(0, 0, 0, 0, 1, 1, 1))
		v, i = quad(vec3{2, -3, 3}, vec3{2, -3, -5}, vec3{2, 5, -5}, vec3{2, 5, 3}, 4, 4)
		w.add(w.geometry(v, i[:3]), m, place(0, 0, 0, 0, 1, 1, 1))
	})
	golden(t, "nearclip", w.picture(t, 320, 180))
}

func TestGoldenBackFaces(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) {
		base := w.texture(64, arrow([4]byte{90, 120, 160, 255}, gray(240)))
		oneSided := w.material(base, nil)
		twoSided := w.material(base, func(r *gpu.MaterialRow) { r.Factors[2] = 1 })
		v, i := quad(vec3{-0.5, 0, 0}, vec3{0.5, 0, 0}, vec3{0.5, 1, 0}, vec3{-0.5, 1, 0}, 1, 1)
		g := w.geometry(v, i)
		mirror := place(0, 0, 0, 0, -1, 1, 1)
		at := func(x, y float64, m gpu.Mat4) gpu.Mat4 {
			m[12], m[13], m[14] = float32(x), float32(y), -3
			return m
		}
		front, back := place(0, 0, 0, 0, 1, 1, 1), place(0, 0, 0, math.Pi, 1, 1, 1)
		w.add(g, oneSided, at(-1.8, 1.6, front))
		w.add(g, oneSided, at(-0.6, 1.6, back)) // not seen
		w.add(g, oneSided, at(0.6, 1.6, mirror))
		w.add(g, twoSided, at(1.8, 1.6, back)) // seen from behind: mirrored
		// A mirrored closed box shows its outside.
		b := w.geometry(cube())
		w.add(b, oneSided, at(-0.7, 0.3, place(0, 0, 0, 0.5, 0.8, 0.8, 0.8)))
		w.add(b, oneSided, at(0.7, 0.3, place(0, 0, 0, 0.5, -0.8, 0.8, 0.8)))
	})
	golden(t, "backfaces", w.picture(t, 320, 180))
}

func TestGoldenMipBlend(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) {
		w.floorQuad(w.material(w.texture(128, checker(gray(0), gray(255), 8)), nil), 180, 180)
	})
	got := w.picture(t, 320, 180)
	golden(t, "mips", got)
	// Far off, checks are much smaller than pixels: all that is left is their
	// average. The square of half brightness is what shading sees.
	sum, squares, n := 0.0, 0.0, 0.0
	for y := 93; y < 98; y++ {
		for x := range 320 {
			v := float64(got.RGBAAt(x, y).R)
			sum, squares, n = sum+v, squares+v*v, n+1
		}
	}
	mean := sum / n
	if deviation := math.Sqrt(squares/n - mean*mean); mean < 120 || mean > 136 || deviation > 8 {
		t.Errorf("far checks have mean %.1f and deviation %.1f", mean, deviation)
	}
}

func TestGoldenFogAndTint(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) {
		g := w.geometry(cube())
		for i, tint := range [][4]float32{{1, 1, 1, 1}, {1, 0.2, 0.1, 1}, {0.1, 0.7, 0.2, 1}, {0.2, 0.3, 1, 1}} {
			m := w.material(gpu.NoMap, func(r *gpu.MaterialRow) { r.BaseColor = tint })
			for k := range 4 {
				w.add(g, m, place(float64(i)*1.6-2.4, 0, -4-4*float64(k), 0.4, 1, 1, 1))
			}
		}
	})
	c := &w.frame.Camera
	c.FogColor, c.FogStart, c.FogEnd, c.ClearColor = vec3{0.5, 0.5, 0.5}, 3, 15, vec3{0.5, 0.5, 0.5}
	c.Ambient, c.SunColor, c.SunDir = vec3{0.3, 0.3, 0.3}, vec3{0.7, 0.7, 0.7}, unit(vec3{-1, 1, 1})
	golden(t, "fog", w.picture(t, 320, 180))
}

func TestGoldenSortedBoxes(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) {
		w.floorQuad(w.material(w.texture(64, checker(gray(90), gray(150), 2)), nil), 12, 6)
		g := w.geometry(cube())
		for i := range 40 {
			x, z := float64(i%8)-3.5, -2.5-float64(i/8)*1.2
			m := w.material(gpu.NoMap, func(r *gpu.MaterialRow) {
				r.BaseColor = [4]float32{float32(i%3) / 2, float32(i%5) / 4, float32(i%7) / 6, 1}
			})
			w.add(g, m, place(x, 0, z, float64(i), 0.6, 0.4+0.1*float64(i%6), 0.6))
		}
	})
	c := &w.frame.Camera
	c.Ambient, c.SunColor, c.SunDir = vec3{0.3, 0.3, 0.3}, vec3{0.7, 0.7, 0.7}, unit(vec3{-1, 2, 1})
	golden(t, "boxes", w.picture(t, 320, 180))
}

// skyTexel has a sun to the east (+X), ink dots on the horizon every 30
// degrees, blue above and brown below.
func skyTexel(u, v float64) [4]byte {
	switch {
	case math.Hypot((u-0.75)*2, v-0.4) < 0.03:
		return [4]byte{255, 240, 180, 255}
	case math.Abs(v-0.5) < 0.01 && math.Mod(u*12+0.5, 1) > 0.4 && math.Mod(u*12+0.5, 1) < 0.6:
		return gray(20)
	case v < 0.5:
		return [4]byte{byte(90 + 120*v), byte(130 + 120*v), 230, 255}
	}
	return [4]byte{110, 90, 70, 255}
}

func TestGoldenSkybox(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) {
		w.frame.Skybox = must(chain(w.device, 512, 256, skyTexel))
		v, i := quad(vec3{2, 0, -4}, vec3{5, 0, -4}, vec3{5, 1.5, -4}, vec3{2, 1.5, -4}, 1, 1)
		w.add(w.geometry(v, i), w.material(gpu.NoMap, nil), place(0, 0, 0, 0, 1, 1, 1))
	})
	w.look(vec3{0, 1.6, 0}, vec3{1, 2, -0.6})
	east := w.picture(t, 320, 180)
	golden(t, "skybox", east)
	l := lensOf(&w.frame.Camera, 320, 180)
	s, c := math.Sincos(0.1 * math.Pi) // how high the sun stands
	d := vec{float32(c), float32(s), 0}
	x, y := int(dot(l.rows[0].n, d)/dot(l.rows[2].n, d)), int(dot(l.rows[1].n, d)/dot(l.rows[2].n, d))
	sun := color.RGBA{255, 240, 180, 255}
	if east.RGBAAt(x, y) != sun {
		t.Errorf("no sun at (%d, %d)", x, y)
	}
}

func TestGoldenMaps(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) {
		base := w.texture(64, func(u, v float64) [4]byte { return [4]byte{170, 150, 130, 255} })
		dome := w.texture(64, func(u, v float64) [4]byte {
			// Four domes: their light side is where the light comes from.
			x, y := math.Mod(u*2, 1)*2-1, math.Mod(v*2, 1)*2-1
			if x*x+y*y > 0.8 {
				return [4]byte{128, 128, 255, 255}
			}
			z := math.Sqrt(1 - x*x - y*y)
			return [4]byte{byte(128 + 127*x), byte(128 - 127*y), byte(128 + 127*z), 255}
		})
		orm := w.texture(64, func(u, v float64) [4]byte { return [4]byte{255, byte(40 + 200*u), byte(255 * math.Round(v)), 255} })
		glow := w.texture(64, checker(gray(0), [4]byte{0, 255, 80, 255}, 2))
		maps := func(normal, ormMap, emissive uint32) func(*gpu.MaterialRow) {
			return func(r *gpu.MaterialRow) {
				r.Maps[assets.MapNormal], r.Maps[assets.MapORM], r.Maps[assets.MapEmissive] = normal, ormMap, emissive
				r.Roughness = [4]float32{1, 1, 1, 1}
				if ormMap == gpu.NoMap {
					r.Roughness[1] = 0
				}
				if emissive != gpu.NoMap {
					r.Emissive = [4]float32{1, 1, 1, 1}
				}
			}
		}
		v, i := quad(vec3{-0.5, 0, 0}, vec3{0.5, 0, 0}, vec3{0.5, 1, 0}, vec3{-0.5, 1, 0}, 1, 1)
		panel, sphere := w.geometry(v, i), w.geometry(ball(24, 32))
		for n, change := range []func(*gpu.MaterialRow){
			maps(gpu.NoMap, gpu.NoMap, gpu.NoMap), maps(dome, gpu.NoMap, gpu.NoMap),
			maps(gpu.NoMap, orm, gpu.NoMap), maps(gpu.NoMap, gpu.NoMap, glow), maps(dome, orm, glow),
		} {
			m := w.material(base, change)
			x := float64(n)*1.1 - 2.2
			w.add(panel, m, place(x, 1.7, -3.4, 0, 1, 1, 1))
			w.add(sphere, m, place(x, 0.5, -3.4, 0, 1, 1, 1))
		}
	})
	c := &w.frame.Camera
	c.Ambient, c.SunColor, c.SunDir = vec3{0.25, 0.25, 0.25}, vec3{0.8, 0.8, 0.8}, unit(vec3{-0.6, 1, 0.7})
	golden(t, "maps", w.picture(t, 480, 270))
}

func TestGoldenAlpha(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) {
		ring := w.texture(64, func(u, v float64) [4]byte {
			if r := math.Hypot(u-0.5, v-0.5); r > 0.45 || r < 0.2 {
				return [4]byte{}
			}
			return [4]byte{200, 180, 40, 255}
		})
		glass := w.texture(64, func(u, v float64) [4]byte { return [4]byte{0, 40, 80, 100} })
		cut := w.material(ring, func(r *gpu.MaterialRow) { r.Factors[0] = 0.5 })
		pane := w.material(glass, func(r *gpu.MaterialRow) { r.Factors[1] = 1 })
		tinted := w.material(gpu.NoMap, func(r *gpu.MaterialRow) {
			r.Factors[1], r.BaseColor = 1, [4]float32{0.8, 0.1, 0.1, 0.5}
		})
		w.floorQuad(w.material(w.texture(64, checker(gray(60), gray(190), 2)), nil), 12, 6)
		v, i := quad(vec3{-0.5, 0, 0}, vec3{0.5, 0, 0}, vec3{0.5, 1, 0}, vec3{-0.5, 1, 0}, 1, 1)
		g := w.geometry(v, i)
		for n, m := range []uint32{cut, pane, tinted} {
			for k := range 3 {
				w.add(g, m, place(float64(n)*1.3-1.6+0.3*float64(k), 0.3, -3-0.8*float64(k), 0.2, 1, 1, 1))
			}
		}
	})
	golden(t, "alpha", w.picture(t, 320, 180))
}
