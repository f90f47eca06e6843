package art

import (
	"bytes"
	"image"
	"image/png"
	"math"
)

// rgb is a colour as it is shown (sRGB), each channel 0 to 1.
type rgb [3]float32

func (c rgb) times(k float32) rgb { return rgb{c[0] * k, c[1] * k, c[2] * k} }

func (c rgb) towards(to rgb, t float32) rgb {
	return rgb{lerp(c[0], to[0], t), lerp(c[1], to[1], t), lerp(c[2], to[2], t)}
}

func lerp(a, b, t float32) float32 { return a + (b-a)*t }

func clamp01(v float32) float32 { return min(max(v, 0), 1) }

// ramp goes from 0 to 1 as v goes from lo to hi.
func ramp(lo, hi, v float32) float32 {
	t := clamp01((v - lo) / (hi - lo))
	return t * t * (3 - 2*t)
}

// hsv gives a colour by hue (1 is once around), saturation and value.
func hsv(h, s, v float32) rgb {
	var c rgb
	for i, shift := range [3]float32{5, 3, 1} {
		k := float32(math.Mod(float64(shift+h*6), 6))
		c[i] = v - v*s*clamp01(min(k, 4-k))
	}
	return c
}

// surface is a square piece of material that wraps at its edges. A texel's
// height, roughness, metalness and openness go into its data maps.
type surface struct {
	edge   int
	color  []rgb
	height []float32 // texels; drives normals and shading
	rough  []float32
	metal  []float32
}

// paint says what one texel is.
type paint struct {
	color                rgb
	height, rough, metal float32
}

func newSurface(edge int, at func(x, y int) paint) *surface {
	n := edge * edge
	s := &surface{edge: edge, color: make([]rgb, n)}
	all := make([]float32, 3*n)
	s.height, s.rough, s.metal = all[:n], all[n:2*n], all[2*n:]
	for y := range edge {
		for x := range edge {
			p, i := at(x, y), y*edge+x
			s.color[i], s.height[i], s.rough[i], s.metal[i] = p.color, p.height, p.rough, p.metal
		}
	}
	return s
}

// slope is the height's rise to the right and downwards.
func (s *surface) slope(x, y int) (dx, dy float32) {
	m := s.edge - 1 // edges are powers of two
	row := y * s.edge
	dx = s.height[row+(x+1)&m] - s.height[row+(x-1)&m]
	dy = s.height[(y+1)&m*s.edge+x] - s.height[(y-1)&m*s.edge+x]
	return dx / 2, dy / 2
}

// shaded gives the colours with some light from above baked in.
func (s *surface) shaded(strength float32) *image.NRGBA {
	return s.picture(func(x, y int) rgb {
		dx, dy := s.slope(x, y)
		light := 1 + strength*min(max(0.4*dx+0.6*dy, -0.6), 0.6)
		return s.color[y*s.edge+x].times(light)
	})
}

func (s *surface) normals() *image.NRGBA {
	return s.picture(func(x, y int) rgb {
		dx, dy := s.slope(x, y)
		k := 1 / float32(math.Sqrt(float64(dx*dx+dy*dy+1)))
		return rgb{0.5 - 0.5*dx*k, 0.5 + 0.5*dy*k, 0.5 + 0.5*k}
	})
}

// orm is occlusion, roughness, metalness.
func (s *surface) orm() *image.NRGBA {
	return s.picture(func(x, y int) rgb {
		dx, dy := s.slope(x, y)
		i := y*s.edge + x
		return rgb{1 - 0.5*clamp01(dx*dx+dy*dy), s.rough[i], s.metal[i]}
	})
}

func (s *surface) picture(at func(x, y int) rgb) *image.NRGBA {
	return picture(s.edge, s.edge, at)
}

func picture(w, h int, at func(x, y int) rgb) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c, p := at(x, y), img.Pix[4*(y*w+x):]
			p[0], p[1], p[2], p[3] = channel(c[0]), channel(c[1]), channel(c[2]), 255
		}
	}
	return img
}

func channel(v float32) uint8 { return uint8(clamp01(v)*255 + 0.5) }

func writePNG(dir, stem string, img image.Image) error {
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, img); err != nil {
		return err
	}
	return write(dir, stem+".png", out.Bytes())
}
