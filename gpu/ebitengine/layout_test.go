package ebitengine

import (
	"math/rand"
	"testing"

	"sojourn/assets"
	"sojourn/gpu"
)

func TestLayoutKeepsLevelsApart(t *testing.T) {
	rng := rand.New(rand.NewSource(11))
	check := func(w, h, levels int) {
		t.Helper()
		l := layoutOf(gpu.TextureDesc{Width: w, Height: h, Levels: levels})
		imageW, imageH := l.size()
		for a := range levels {
			r := l.level(a)
			if r.Dx() != max(1, w>>a) || r.Dy() != max(1, h>>a) {
				t.Fatalf("%dx%d level %d is %v", w, h, a, r)
			}
			if r.Min.X < 0 || r.Min.Y < 0 || r.Max.X > imageW || r.Max.Y > imageH {
				t.Fatalf("%dx%d level %d at %v is outside of %dx%d", w, h, a, r, imageW, imageH)
			}
			for b := range a {
				if r.Overlaps(l.level(b)) {
					t.Fatalf("%dx%d: level %d at %v overlaps level %d at %v", w, h, a, r, b, l.level(b))
				}
			}
			// What the shader computes from the uniform.
			u := l.uniform()
			s := 1 / float32(int(1)<<a)
			if a > 0 && (r.Min.X != int(u[4]+u[6]*(1-2*s)+0.5) || r.Min.Y != int(u[5]+u[7]*(1-2*s)+0.5)) {
				t.Fatalf("%dx%d level %d lies at %v, a shader looks elsewhere", w, h, a, r.Min)
			}
			if int(u[0]*s*1.00002) != r.Dx() && r.Dx() != 1 || int(u[1]*s*1.00002) != r.Dy() && r.Dy() != 1 {
				t.Fatalf("%dx%d level %d: a shader takes it for %vx%v", w, h, a, u[0]*s, u[1]*s)
			}
		}
		c := classOf(imageW, imageH)
		if cw, ch := c.size(); cw < imageW || ch < imageH || cw > max(16, 2*imageW) || ch > max(16, 2*imageH) {
			t.Fatalf("%dx%d is kept in %dx%d", imageW, imageH, cw, ch)
		}
	}
	chainLength := func(w, h int) int {
		n := 1
		for e := max(w, h); e > 1; e >>= 1 {
			n++
		}
		return n
	}
	for _, size := range [][2]int{{1, 1}, {1, 8192}, {8192, 1}, {1024, 1024}, {1023, 513}, {5, 7}, {assets.TextureEdgeMax, 3}} {
		check(size[0], size[1], chainLength(size[0], size[1]))
		check(size[0], size[1], 1)
	}
	if w, h := layoutOf(gpu.TextureDesc{Width: 8192, Height: 1, Levels: 14}).size(); w*h > 2*8192 {
		t.Errorf("a line of 8192 texels takes %dx%d", w, h)
	}
	for range 500 {
		w, h := 1+rng.Intn(2048), 1+rng.Intn(2048)
		check(w, h, 1+rng.Intn(chainLength(w, h)))
	}
}
