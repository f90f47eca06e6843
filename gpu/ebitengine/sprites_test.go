//go:build !headless

package ebitengine

import (
	"errors"
	"image/color"
	"testing"

	"github.com/hajimehoshi/ebiten/v2"

	"sojourn/gpu"
)

// wallAt adds a grey wall across the view, so far ahead.
func (w *world) wallAt(z float32, shade byte) {
	m := w.material(w.texture(16, func(u, v float64) [4]byte { return gray(shade) }), nil)
	g := w.geometry(quad(vec3{-4, -4, z}, vec3{4, -4, z}, vec3{4, 8, z}, vec3{-4, 8, z}, 1, 1))
	w.add(g, m, place(0, 0, 0, 0, 1, 1, 1))
}

// sprite adds a group of upright squares of edge one, at these places.
func (w *world) sprite(texture gpu.TextureID, c [4]float32, at ...vec3) {
	w.frame.Sprites = append(w.frame.Sprites, gpu.Sprites{
		Texture: texture, First: int32(len(w.frame.Quads)), Count: int32(len(at)), Serial: uint32(100 + len(w.frame.Sprites)),
	})
	for _, p := range at {
		w.frame.Quads = append(w.frame.Quads, gpu.Quad{Center: p, Right: vec3{0.5, 0, 0}, Up: vec3{0, 0.5, 0}, Color: c})
	}
}

func near(got color.RGBA, r, g, b, slack int) bool {
	off := func(x uint8, y int) int { return max(int(x)-y, y-int(x)) }
	return off(got.R, r) <= slack && off(got.G, g) <= slack && off(got.B, b) <= slack
}

func TestSprites_AreHiddenByWhatIsBeforeThem(t *testing.T) {
	red, plain := [4]float32{1, 0, 0, 1}, func(u, v float64) [4]byte { return gray(255) }
	for _, tt := range []struct {
		name    string
		z       float32
		r, g, b int
	}{
		{"before the wall", -3, 255, 0, 0},
		{"behind it", -7, 100, 100, 100},
		{"on it, as a decal", -5, 255, 0, 0},
	} {
		for _, textured := range []bool{false, true} {
			w := newWorld(t, Options{}, func(w *world) { w.wallAt(-5, 100) })
			var id gpu.TextureID
			inDraw(t, func(*ebiten.Image) (err error) {
				id, err = chain(w.device, 8, 8, plain)
				return err
			})
			if !textured {
				id = 0
			}
			w.look(vec3{0, 1, 0}, vec3{0, 1, -1})
			w.sprite(id, red, vec3{0, 1, tt.z})
			got := w.picture(t, 160, 90).RGBAAt(80, 45)
			if !near(got, tt.r, tt.g, tt.b, 3) {
				t.Errorf("%s, textured %v: %v", tt.name, textured, got)
			}
		}
	}
}

// A group is drawn far to near, whatever the order of its quads.
func TestSprites_OfOneGroupHideEachOther(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) { w.wallAt(-9, 100) })
	w.look(vec3{0, 1, 0}, vec3{0, 1, -1})
	w.sprite(0, [4]float32{1, 0, 0, 1}, vec3{0, 1, -3}, vec3{0, 1, -6}, vec3{0, 1, -4})
	w.frame.Quads[1].Color = [4]float32{0, 1, 0, 1}
	w.frame.Quads[2].Color = [4]float32{0, 0, 1, 0.5}
	if got := w.picture(t, 160, 90).RGBAAt(80, 45); !near(got, 255, 0, 0, 2) {
		t.Errorf("%v, want the nearest", got)
	}
	w.frame.Quads[0].Center = vec3{20, 1, -3}
	if got := w.picture(t, 160, 90).RGBAAt(80, 45); got.B < 100 || got.G < 100 || got.R > 20 {
		t.Errorf("%v, want half blue over green", got)
	}
	inDraw(t, func(*ebiten.Image) error {
		if n := w.device.Stats().DrawnQuads; n != 2 {
			t.Errorf("%d quads were drawn, want 2 and one out of view", n)
		}
		return nil
	})
}

func TestSprites_BadOnesAreLeftOut(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) { w.wallAt(-5, 100) })
	inDraw(t, func(screen *ebiten.Image) error {
		for _, s := range []gpu.Sprites{{Count: 1}, {First: -1, Count: 1}, {First: 1, Count: -1}} {
			w.frame.Sprites = []gpu.Sprites{s}
			if err := w.device.Present(screen, &w.frame); !errors.Is(err, gpu.ErrStale) {
				t.Errorf("%+v: %v", s, err)
			}
		}
		w.frame.Quads, w.frame.Sprites = make([]gpu.Quad, 1), []gpu.Sprites{{Texture: 1<<32 | 77, Count: 1}}
		if err := w.device.Present(screen, &w.frame); !errors.Is(err, gpu.ErrStale) {
			t.Errorf("stale texture: %v", err)
		}
		w.frame.Sprites, w.frame.Probe, w.frame.LookUp = nil, 0, 1<<32|77
		if err := w.device.Present(screen, &w.frame); !errors.Is(err, gpu.ErrStale) {
			t.Errorf("stale look-up table: %v", err)
		}
		w.frame.Probe, w.frame.LookUp = 1<<32|77, 0
		if err := w.device.Present(screen, &w.frame); !errors.Is(err, gpu.ErrStale) {
			t.Errorf("stale probe: %v", err)
		}
		return nil
	})
}

// The light takes a probe's colour and keeps its brightness.
func TestProbe_TintsAmbientLight(t *testing.T) {
	var probe gpu.TextureID
	w := newWorld(t, Options{}, func(w *world) {
		w.wallAt(-5, 255)
		probe = must(chain(w.device, 32, 16, func(u, v float64) [4]byte { return [4]byte{200, 100, 100, 255} }))
	})
	w.look(vec3{0, 1, 0}, vec3{0, 1, -1})
	w.frame.Camera.Ambient = vec3{0.3, 0.3, 0.3}
	plain := w.picture(t, 160, 90).RGBAAt(80, 45)
	w.frame.Probe = probe
	warm := w.picture(t, 160, 90).RGBAAt(80, 45)
	if plain.R != plain.G || warm.R <= plain.R+20 || warm.G >= plain.G-20 || warm.G != warm.B {
		t.Errorf("%v without a probe, %v with a red one", plain, warm)
	}
}

// A table of 16 squares that changes nothing, and one that inverts.
func TestLookUp_GradesTheFinishedPicture(t *testing.T) {
	const edge = 16
	var same, inverse, wrong gpu.TextureID
	w := newWorld(t, Options{}, func(w *world) {
		w.floorQuad(w.material(w.texture(64, checker([4]byte{200, 40, 90, 255}, gray(220), 2)), nil), 8, 4)
		table := func(invert bool) func(u, v float64) [4]byte {
			return func(u, v float64) [4]byte {
				x, y := int(u*edge*edge), int(v*edge)
				c := [4]byte{byte(x % edge * 17), byte(y * 17), byte(x / edge * 17), 255}
				for k := range 3 {
					if invert {
						c[k] = 255 - c[k]
					}
				}
				return c
			}
		}
		same = must(chain(w.device, edge*edge, edge, table(false)))
		inverse = must(chain(w.device, edge*edge, edge, table(true)))
		wrong = must(chain(w.device, 64, 64, table(true)))
	})
	w.frame.Camera.ClearColor = vec3{0.05, 0.1, 0.3}
	for _, size := range [][2]int{{320, 180}, {1600, 900}} { // straight to the target, and enlarged
		plain := w.picture(t, size[0], size[1])
		for name, c := range map[string]struct {
			id   gpu.TextureID
			want func(uint8) int
		}{
			"same":        {same, func(v uint8) int { return int(v) }},
			"inverse":     {inverse, func(v uint8) int { return 255 - int(v) }},
			"not a table": {wrong, func(v uint8) int { return int(v) }},
		} {
			w.frame.LookUp = c.id
			got := w.picture(t, size[0], size[1])
			for _, at := range [][2]int{{size[0] / 2, size[1] / 8}, {size[0] / 2, size[1] * 7 / 8}, {size[0] / 3, size[1] * 3 / 4}, {1, 1}} {
				p, g := plain.RGBAAt(at[0], at[1]), got.RGBAAt(at[0], at[1])
				if !near(g, c.want(p.R), c.want(p.G), c.want(p.B), 3) {
					t.Errorf("%s at %v of %v: %v became %v", name, at, size, p, g)
				}
			}
		}
		w.frame.LookUp = 0
	}
}
