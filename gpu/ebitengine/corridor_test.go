//go:build !headless

package ebitengine

import (
	"math"
	"math/rand"

	"sojourn/assets"
	"sojourn/gpu"
)

// corridor is a hall of cells, 8 m long and wide and 4 m high, with things
// standing about: what the demos are made of.
func corridor(w *world, cells, propsPerCell, textures int) {
	rng := rand.New(rand.NewSource(5))
	wide, high, long := float32(4), float32(4), float32(8)
	floor := w.geometry(quad(vec3{-wide, 0, long / 2}, vec3{wide, 0, long / 2}, vec3{wide, 0, -long / 2}, vec3{-wide, 0, -long / 2}, 4, 4))
	ceiling := w.geometry(quad(vec3{-wide, high, -long / 2}, vec3{wide, high, -long / 2}, vec3{wide, high, long / 2}, vec3{-wide, high, long / 2}, 4, 4))
	left := w.geometry(quad(vec3{-wide, 0, long / 2}, vec3{-wide, 0, -long / 2}, vec3{-wide, high, -long / 2}, vec3{-wide, high, long / 2}, 4, 2))
	right := w.geometry(quad(vec3{wide, 0, -long / 2}, vec3{wide, 0, long / 2}, vec3{wide, high, long / 2}, vec3{wide, high, -long / 2}, 4, 2))
	box := w.geometry(cube())
	sphere := w.geometry(ball(8, 12))
	column := w.geometry(drum(10))

	var floors, walls, props []uint32
	for i := range textures {
		hue := func(k float64) byte {
			return byte(110 + 70*math.Sin(float64(i)*1.7+k))
		}
		a := [4]byte{hue(0), hue(2), hue(4), 255}
		b := [4]byte{a[0] / 2, a[1] / 2, a[2] / 2, 255}
		floors = append(floors, w.material(w.texture(128, checker(a, b, 4)), nil))
		walls = append(walls, w.material(w.texture(128, bricks(b, a)), nil))
		props = append(props, w.material(w.texture(64, arrow(a, gray(230))), nil))
	}
	for c := range cells {
		z := -float64(long) * (float64(c) + 0.25)
		n := c % textures
		at := place(0, 0, z, 0, 1, 1, 1)
		w.add(floor, floors[n], at)
		w.add(ceiling, walls[(n+1)%textures], at)
		w.add(left, walls[n], at)
		w.add(right, walls[n], at)
		for p := range propsPerCell {
			x, dz := rng.Float64()*6.6-3.3, rng.Float64()*7-3.5
			s := 0.3 + rng.Float64()*0.5
			g := []gpu.GeometryID{box, sphere, column}[p%3]
			y := 0.0
			if p%7 == 6 {
				y = 1 + rng.Float64()*2
			}
			w.add(g, props[rng.Intn(textures)], place(x, y, z+dz, rng.Float64()*6, s, s*(1+rng.Float64()), s))
		}
	}
	w.frame.Camera.Ambient = vec3{0.55, 0.55, 0.6}
	w.frame.Camera.SunDir = unit(vec3{0.5, 0.8, 0.35})
	w.frame.Camera.SunColor = vec3{0.7, 0.65, 0.55}
	w.frame.Camera.FogColor, w.frame.Camera.FogStart, w.frame.Camera.FogEnd = vec3{0.1, 0.12, 0.16}, 40, 130
	w.frame.Camera.ClearColor = vec3{0.1, 0.12, 0.16}
}

// drum is an upright cylinder of diameter 1 and height 1.
func drum(sides int) (v []assets.Vertex, i []uint32) {
	white := [4]uint8{255, 255, 255, 255}
	for s := range sides + 1 {
		sn, cs := math.Sincos(2 * math.Pi * float64(s) / float64(sides))
		n := vec3{float32(sn), 0, float32(cs)}
		u := float32(s) / float32(sides) * 3
		v = append(v,
			assets.Vertex{Pos: vec3{n[0] / 2, 0, n[2] / 2}, Normal: n, UV: [2]float32{u, 1}, Color: white},
			assets.Vertex{Pos: vec3{n[0] / 2, 1, n[2] / 2}, Normal: n, UV: [2]float32{u, 0}, Color: white})
	}
	for s := range uint32(sides) {
		a := 2 * s
		i = append(i, a, a+2, a+1, a+1, a+2, a+3)
	}
	top := uint32(len(v))
	for s := range sides {
		p := v[2*s+1]
		p.Normal = vec3{0, 1, 0}
		p.UV = [2]float32{p.Pos[0] + 0.5, p.Pos[2] + 0.5}
		v = append(v, p)
	}
	for s := uint32(1); s+1 < uint32(sides); s++ {
		i = append(i, top, top+s, top+s+1)
	}
	return v, i
}

func bricks(mortar, brick [4]byte) func(u, v float64) [4]byte {
	return func(u, v float64) [4]byte {
		row := math.Floor(v * 8)
		x := u*4 + math.Mod(row, 2)/2
		if math.Mod(v*8, 1) < 0.12 || math.Mod(x, 1) < 0.06 {
			return mortar
		}
		shade := 0.85 + 0.15*math.Sin(row*12.9+math.Floor(x)*78.2)
		return [4]byte{byte(float64(brick[0]) * shade), byte(float64(brick[1]) * shade), byte(float64(brick[2]) * shade), 255}
	}
}

// arrow points up, so that a picture shows what is upside down or mirrored:
// its head leans to the right.
func arrow(ground, ink [4]byte) func(u, v float64) [4]byte {
	return func(u, v float64) [4]byte {
		switch {
		case u < 0.04 || v < 0.04 || u > 0.96 || v > 0.96:
			return gray(40)
		case v > 0.4 && v < 0.9 && math.Abs(u-0.5) < 0.08:
			return ink
		case v > 0.1 && v <= 0.4 && u > 0.5-(v-0.1)*0.5 && u < 0.5+(v-0.1):
			return ink
		}
		return ground
	}
}
