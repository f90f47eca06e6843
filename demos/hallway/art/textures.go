package art

import (
	"image"
	"math"
)

// shared is one of the textures that every cell uses. Maps besides colour get
// their own files, whose names tell the cook that they hold data.
type shared struct {
	name          string
	edge          int
	normal, orm   bool
	shadeStrength float32
	at            func(g *grain, x, y int) paint
}

func sharedTextures() []shared {
	return []shared{
		{"floor", 512, true, true, 0.8, floor},
		{"ceiling", 256, false, false, 1, ceiling},
		{"trim", 256, false, false, 1, trim},
		{"metal", 256, true, true, 0.6, metal},
		{"crate", 256, true, false, 1, crate},
		{"barrel", 256, false, false, 1, barrel},
		{"wood", 256, false, false, 1, wood},
		{"pipe", 128, false, false, 1, pipe},
		{"console", 256, true, true, 0.8, console},
		{"screen", 256, false, false, 0, screen},
		{"lamp", 64, false, false, 0, lamp},
	}
}

func textureSteps(g *grain, seed uint64) []step {
	steps := []step{func(dir string) error {
		return writePNG(dir, Skybox, sky(g))
	}}
	for _, t := range sharedTextures() {
		steps = append(steps, func(dir string) error { return t.write(dir, g) })
	}
	return steps
}

func (t *shared) write(dir string, g *grain) error {
	s := newSurface(t.edge, func(x, y int) paint { return t.at(g, x, y) })
	name := "textures/" + t.name
	err := writePNG(dir, name, s.shaded(t.shadeStrength))
	if err == nil && t.normal {
		err = writePNG(dir, name+"_normal", s.normals())
	}
	if err == nil && t.orm {
		err = writePNG(dir, name+"_orm", s.orm())
	}
	return err
}

// The grain repeats every 512 texels; smaller surfaces step through it so that
// they wrap too.

func floor(g *grain, x, y int) paint {
	in := edge(x%128, y%128, 128, 128, 4)
	tone := chance(g.seed, x/128+100, y/128)
	fine, cloud := g.at(x, y), g.coarseAt(x, y)
	worn := ramp(0.5, 0.8, cloud)
	c := rgb{0.42, 0.42, 0.44}
	if (x/128+y/128)%2 == 1 {
		c = rgb{0.33, 0.34, 0.37}
	}
	c = c.times(lerp(0.5, 0.9+0.15*tone+0.12*fine, in) * (1 - 0.2*worn))
	return paint{c, 1.5*in + 0.4*fine, 0.35 + 0.3*worn + 0.3*(1-in), 0}
}

func ceiling(g *grain, x, y int) paint {
	in := edge(x%128, y%128, 128, 128, 5)
	dx, dy := x%16-8, y%16-8
	hole := (1 - ramp(3, 9, float32(dx*dx+dy*dy))) * in
	c := rgb{0.72, 0.71, 0.67}.times(lerp(0.55, 0.95+0.08*g.at(2*x, 2*y), in) * (1 - 0.45*hole))
	return paint{color: c, height: in - 0.6*hole, rough: 0.9}
}

func trim(g *grain, x, y int) paint {
	fine := g.at(2*x, 2*y)
	c := rgb{0.30, 0.32, 0.36}
	if y >= 104 && y < 152 { // a hazard band; it repeats every 64 texels
		c = rgb{0.85, 0.65, 0.15}
		if (x+y)%64 < 32 {
			c = rgb{0.12, 0.12, 0.13}
		}
	}
	in := edge(x%256, y%128, 256, 128, 3)
	worn := ramp(0.55, 0.75, g.coarseAt(2*x, 2*y))
	c = c.towards(rgb{0.4, 0.38, 0.36}, 0.5*worn).times((0.9 + 0.15*fine) * lerp(0.7, 1, in))
	return paint{color: c, height: in, rough: 0.6, metal: 0.5}
}

func metal(g *grain, x, y int) paint {
	brushed := g.at(x/4*2, 4*y)
	px, py := x%64, y%64
	// Raised lozenges, every other one turned.
	u, v := float32(px%32-16), float32(py%32-16)
	if (px/32+py/32)%2 == 1 {
		u, v = v, u
	}
	d := (u+v)*(u+v)/160 + (u-v)*(u-v)/14
	tread := 1 - ramp(0.6, 1.4, d)
	scratched := ramp(0.6, 0.9, g.coarseAt(2*x, 2*y))
	c := rgb{0.50, 0.52, 0.55}.times(0.8 + 0.2*brushed + 0.15*tread - 0.12*scratched)
	return paint{c, 2*tread + 0.2*brushed, 0.35 + 0.25*brushed, 0.9}
}

func crate(g *grain, x, y int) paint {
	px, py := x%256, y%256
	frame := 1 - edge(px-22, py-22, 212, 212, 3)
	brace := 1 - ramp(12, 15, float32(abs(px-py)))
	plank := edge(px, py%43, 256, 43, 3)
	fibre := g.at(x/4*2, 2*y)
	raised := max(frame, brace)
	if frame > 0.5 && (px < 22 || px >= 234) {
		fibre = g.at(2*x, y/4*2)
	}
	bright := lerp(lerp(0.45, 0.8, plank), 1, raised) * (0.75 + 0.4*fibre)
	c := rgb{0.62, 0.44, 0.26}.times(bright)
	outline := edge(px, py, 256, 256, 4)
	return paint{c.times(lerp(0.6, 1, outline)), 3*raised + 1.2*plank + 0.4*fibre, 0.8, 0}
}

func barrel(g *grain, x, y int) paint {
	fine, cloud := g.at(2*x, 2*y), g.coarseAt(2*x, 2*y)
	c := rgb{0.75, 0.75, 0.76} // tinted by its material
	if y >= 108 && y < 148 {
		c = rgb{0.95, 0.95, 0.9}
	}
	rust := ramp(0.58, 0.75, cloud)
	c = c.times(0.9+0.15*fine).towards(rgb{0.42, 0.24, 0.13}.times(0.7+0.6*fine), 0.9*rust)
	return paint{c, 0.35*fine + rust, lerp(0.4, 0.95, rust), lerp(0.7, 0, rust)}
}

func wood(g *grain, x, y int) paint {
	in := edge(20, y%64, 64, 64, 3)
	shift := int(512 * chance(g.seed, 5, y/64))
	fibre := g.at(x/4*2+shift, 2*y)
	c := rgb{0.55, 0.38, 0.22}.times(lerp(0.5, 0.75+0.4*fibre, in))
	return paint{c, in + 0.3*fibre, 0.7, 0}
}

func pipe(g *grain, x, y int) paint {
	fine := g.at(4*x, 4*y)
	c := rgb{0.60, 0.58, 0.54}.times(0.8 + 0.25*fine)
	if y < 14 {
		c = rgb{0.75, 0.30, 0.22}
	}
	return paint{c, fine, 0.5, 0.6}
}

func console(g *grain, x, y int) paint {
	fine := g.at(2*x, 2*y)
	in := edge(x%128, y%64, 128, 64, 4)
	c := rgb{0.34, 0.37, 0.42}.times(lerp(0.5, 0.9+0.15*fine, in))
	height := 2 * in
	slot := x%128 > 76 && x%128 < 116 && y%64 > 14 && y%64 < 50 && y%8 < 4
	knob := 1 - ramp(70, 110, float32((x%128-32)*(x%128-32)+(y%64-32)*(y%64-32)))
	if slot {
		c, height = c.times(0.3), 0.5
	}
	c = c.towards(hsv(chance(g.seed, x/128+50, y/64), 0.6, 0.8), knob)
	return paint{c, height + 2*knob, 0.45, 0.4}
}

func screen(g *grain, x, y int) paint {
	row := y / 16
	lit := chance(g.seed, x/8+int(40*chance(g.seed, row, 3)), row+300) > 0.45
	length := int(240 * chance(g.seed, row, 301))
	c := rgb{0.03, 0.10, 0.09}
	if y%16 > 4 && y%16 < 12 && lit && x > 12 && x < 16+length {
		c = rgb{0.25, 0.95, 0.65}
	}
	if y%4 == 0 {
		c = c.times(0.7)
	}
	return paint{color: c.times(edge(x, y, 256, 256, 12))}
}

func lamp(_ *grain, x, y int) paint {
	in := edge(x, y, 64, 64, 10)
	return paint{color: rgb{1, 0.95, 0.82}.times(lerp(0.6, 1, in))}
}

// sky is an equirectangular dusk: twice as wide as high, up in row 0.
func sky(g *grain) *image.NRGBA {
	const w, h = 1024, 512
	return picture(w, h, func(x, y int) rgb {
		up := 1 - 2*float32(y)/h // 1 overhead, 0 at the horizon
		c := rgb{0.93, 0.62, 0.42}.towards(rgb{0.45, 0.47, 0.68}, ramp(0, 0.35, up))
		c = c.towards(rgb{0.10, 0.13, 0.30}, ramp(0.25, 0.95, up))
		if up < 0 {
			c = rgb{0.93, 0.62, 0.42}.towards(rgb{0.16, 0.13, 0.15}, ramp(0, 0.08, -up))
		}
		sunX, sunY := float32(x-w/2)/h*2, up-0.12
		sun := float32(math.Exp(-float64(sunX*sunX+sunY*sunY) * 18))
		c = c.towards(rgb{1, 0.86, 0.6}, 0.85*sun)
		cloud := ramp(0.48, 0.78, g.coarseAt(x, y*2)) * ramp(0, 0.12, up) * (1 - ramp(0.5, 0.9, up))
		c = c.towards(rgb{0.98, 0.72, 0.62}.towards(rgb{0.4, 0.38, 0.5}, ramp(0.1, 0.5, up)), 0.75*cloud)
		if star := chance(g.seed, x+900, y); star > 0.9985 && up > 0.35 {
			c = c.towards(rgb{1, 1, 1}, ramp(0.35, 0.7, up)*0.9)
		}
		return c
	})
}
