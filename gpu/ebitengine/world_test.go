//go:build !headless

package ebitengine

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/hajimehoshi/ebiten/v2"

	"sojourn/assets"
	"sojourn/gpu"
)

var update = flag.Bool("update", false, "rewrite the golden pictures")

// vec3 is how frames spell a vector.
type vec3 = [3]float32

func unit(a vec3) vec3 { return normalized(vecOf(a)).array() }

// world is a frame under construction, with the device it is for.
type world struct {
	device *Device
	frame  gpu.Frame
}

// newWorld makes a device, and what fill puts on it, on the game goroutine.
func newWorld(t testing.TB, o Options, fill func(*world)) *world {
	t.Helper()
	w := &world{}
	w.frame.Camera = gpu.Camera{
		FovYRad: 1, Near: 0.1, Far: 200, Ambient: vec3{1, 1, 1}, SunDir: vec3{0, 1, 0},
	}
	w.look(vec3{0, 1.6, 0}, vec3{0, 1.6, -1})
	inDraw(t, func(*ebiten.Image) error {
		w.device = New(o)
		fill(w)
		return nil
	})
	t.Cleanup(func() {
		inDraw(t, func(*ebiten.Image) error {
			w.device.Close()
			return nil
		})
	})
	return w
}

// look places the camera.
func (w *world) look(from, to vec3) {
	eye := vecOf(from)
	ahead := normalized(sub(vecOf(to), eye))
	right := normalized(cross(ahead, vec{0, 1, 0}))
	up := cross(right, ahead)
	w.frame.Camera.Pos = from
	w.frame.Camera.View = gpu.Mat4{
		right.x, up.x, -ahead.x, 0, right.y, up.y, -ahead.y, 0, right.z, up.z, -ahead.z, 0,
		-dot(right, eye), -dot(up, eye), dot(ahead, eye), 1,
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// texture uploads a square picture with a whole chain of levels.
func (w *world) texture(size int, texel func(u, v float64) [4]byte) uint32 {
	id := must(chain(w.device, size, size, texel))
	w.frame.Textures = append(w.frame.Textures, id)
	return uint32(len(w.frame.Textures) - 1)
}

// chain makes a texture whose smaller levels are averages of the larger.
func chain(d *Device, width, height int, texel func(u, v float64) [4]byte) (gpu.TextureID, error) {
	levels := 1
	for e := max(width, height); e > 1; e >>= 1 {
		levels++
	}
	id, err := d.CreateTexture(gpu.TextureDesc{Width: width, Height: height, Levels: levels})
	if err != nil {
		return 0, err
	}
	pix := make([]byte, width*height*4)
	for y := range height {
		for x := range width {
			c := texel((float64(x)+0.5)/float64(width), (float64(y)+0.5)/float64(height))
			copy(pix[(y*width+x)*4:], c[:])
		}
	}
	w, h := width, height
	for level := range levels {
		if err := d.WriteTexture(id, gpu.Strip{Level: level, Rows: h, Pixels: pix}); err != nil {
			return 0, err
		}
		pix, w, h = halved(pix, w, h)
	}
	return id, nil
}

func halved(pix []byte, w, h int) ([]byte, int, int) {
	nw, nh := max(1, w/2), max(1, h/2)
	out := make([]byte, nw*nh*4)
	for y := range nh {
		for x := range nw {
			for k := range 4 {
				sum := 0
				for _, o := range [4][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
					sum += int(pix[(min(h-1, 2*y+o[1])*w+min(w-1, 2*x+o[0]))*4+k])
				}
				out[(y*nw+x)*4+k] = byte((sum + 2) / 4)
			}
		}
	}
	return out, nw, nh
}

// material adds a plain row; change may alter it.
func (w *world) material(base uint32, change func(*gpu.MaterialRow)) uint32 {
	row := gpu.MaterialRow{BaseColor: [4]float32{1, 1, 1, 1}, Roughness: [4]float32{1, 0, 1, 1}}
	for i := range row.Maps {
		row.Maps[i] = gpu.NoMap
	}
	row.Maps[assets.MapBaseColor] = base
	if change != nil {
		change(&row)
	}
	w.frame.Materials = append(w.frame.Materials, row)
	return uint32(len(w.frame.Materials) - 1)
}

func (w *world) geometry(v []assets.Vertex, i []uint32) gpu.GeometryID {
	return must(w.device.CreateGeometry(v, i, assets.Bounds{}))
}

func (w *world) add(g gpu.GeometryID, material uint32, model gpu.Mat4) {
	w.frame.Items = append(w.frame.Items, gpu.Item{Geometry: g, Material: material, Model: model, Serial: uint32(len(w.frame.Items))})
}

// place is a model matrix: scale, then a turn about Y, then a move.
func place(x, y, z, turn, sx, sy, sz float64) gpu.Mat4 {
	s, c := math.Sincos(turn)
	return gpu.Mat4{
		float32(c * sx), 0, float32(-s * sx), 0, 0, float32(sy), 0, 0,
		float32(s * sz), 0, float32(c * sz), 0, float32(x), float32(y), float32(z), 1,
	}
}

// quad is a rectangle between four corners, counter-clockwise from the front,
// with its texture repeated.
func quad(a, b, c, d vec3, repeatU, repeatV float32) ([]assets.Vertex, []uint32) {
	n := normalized(cross(sub(vecOf(b), vecOf(a)), sub(vecOf(c), vecOf(a)))).array()
	white := [4]uint8{255, 255, 255, 255}
	return []assets.Vertex{
		{Pos: a, Normal: n, UV: [2]float32{0, repeatV}, Color: white},
		{Pos: b, Normal: n, UV: [2]float32{repeatU, repeatV}, Color: white},
		{Pos: c, Normal: n, UV: [2]float32{repeatU, 0}, Color: white},
		{Pos: d, Normal: n, UV: [2]float32{0, 0}, Color: white},
	}, []uint32{0, 1, 2, 0, 2, 3}
}

// cube is a box of edge 1 that stands on the origin.
func cube() (v []assets.Vertex, i []uint32) {
	for axis := range 3 {
		for _, sign := range []float32{-1, 1} {
			at := func(s, t float32) vec3 {
				var p vec3
				p[axis], p[(axis+1)%3], p[(axis+2)%3] = sign/2, s/2*sign, t/2
				p[1] += 0.5
				return p
			}
			qv, qi := quad(at(-1, -1), at(1, -1), at(1, 1), at(-1, 1), 1, 1)
			base := uint32(len(v))
			v = append(v, qv...)
			for _, n := range qi {
				i = append(i, base+n)
			}
		}
	}
	return v, i
}

// ball is a sphere of radius 1/2 that stands on the origin.
func ball(rings, sectors int) (v []assets.Vertex, i []uint32) {
	for r := range rings + 1 {
		for s := range sectors + 1 {
			st, ct := math.Sincos(math.Pi * float64(r) / float64(rings))
			sp, cp := math.Sincos(2 * math.Pi * float64(s) / float64(sectors))
			n := vec3{float32(st * sp), float32(ct), float32(st * cp)}
			v = append(v, assets.Vertex{
				Pos: vec3{n[0] / 2, n[1]/2 + 0.5, n[2] / 2}, Normal: n,
				UV:    [2]float32{2 * float32(s) / float32(sectors), float32(r) / float32(rings)},
				Color: [4]uint8{255, 255, 255, 255},
			})
		}
	}
	row := uint32(sectors + 1)
	for r := range uint32(rings) {
		for s := range uint32(sectors) {
			a := r*row + s
			i = append(i, a, a+row, a+1, a+1, a+row, a+row+1)
		}
	}
	return v, i
}

func checker(a, b [4]byte, cells float64) func(u, v float64) [4]byte {
	return func(u, v float64) [4]byte {
		if (int(u*cells)+int(v*cells))%2 == 0 {
			return a
		}
		return b
	}
}

// picture presents the world into an image of this size and reads it back.
func (w *world) picture(t testing.TB, width, height int) *image.RGBA {
	t.Helper()
	var out *image.RGBA
	inDraw(t, func(*ebiten.Image) error {
		target := ebiten.NewImageWithOptions(image.Rect(0, 0, width, height), &ebiten.NewImageOptions{Unmanaged: true})
		defer target.Deallocate()
		if err := w.device.Present(target, &w.frame); err != nil {
			return err
		}
		out = image.NewRGBA(target.Bounds())
		target.ReadPixels(out.Pix)
		return nil
	})
	return out
}

// golden compares a picture with testdata/NAME.png: the mean difference of
// all channels, and the share of pixels that are far off, must be small.
func golden(t *testing.T, name string, got *image.RGBA) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	if *update {
		var b bytes.Buffer
		if err := png.Encode(&b, got); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatalf("%v (go test -update makes it)", err)
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if want.Bounds() != got.Bounds() {
		t.Fatalf("%s: %v, want %v", name, got.Bounds(), want.Bounds())
	}
	sum, off, n := 0.0, 0, 0
	for y := range got.Bounds().Dy() {
		for x := range got.Bounds().Dx() {
			g := got.RGBAAt(x, y)
			r, gr, b, _ := want.At(x, y).RGBA()
			d := math.Abs(float64(g.R)-float64(r>>8)) + math.Abs(float64(g.G)-float64(gr>>8)) + math.Abs(float64(g.B)-float64(b>>8))
			sum += d / 3
			if d > 48 {
				off++
			}
			n++
		}
	}
	if mean, share := sum/float64(n), float64(off)/float64(n); mean > 1.5 || share > 0.01 {
		out := filepath.Join(os.TempDir(), "golden-"+name+".png")
		if b := new(bytes.Buffer); png.Encode(b, got) == nil {
			_ = os.WriteFile(out, b.Bytes(), 0o644)
		}
		t.Errorf("%s: mean difference %.2f, %.2f%% of pixels far off; see %s", name, mean, 100*share, out)
	}
}

func gray(v byte) [4]byte { return [4]byte{v, v, v, 255} }
