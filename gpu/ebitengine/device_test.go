//go:build !headless

package ebitengine

import (
	"errors"
	"fmt"
	"image"
	"testing"

	"github.com/hajimehoshi/ebiten/v2"

	"sojourn/assets"
	"sojourn/gpu"
)

// early is a device that is made and filled before the game loop runs.
var early *world

const earlyTextures = 50

func beforeLoop() {
	early = &world{device: New(Options{})}
	for i := range earlyTextures {
		shade := byte(5 * i)
		early.texture(16, func(u, v float64) [4]byte { return gray(shade) })
	}
}

// presentTexel shows texture i as it is and answers a pixel of it.
func (w *world) presentTexel(t *testing.T, id gpu.TextureID) byte {
	t.Helper()
	frame := gpu.Frame{
		Camera:    gpu.Camera{View: gpu.Mat4{0: 1, 5: 1, 10: 1, 15: 1}, FovYRad: 1, Near: 0.1, Far: 10, Ambient: vec3{1, 1, 1}},
		Materials: []gpu.MaterialRow{{BaseColor: [4]float32{1, 1, 1, 1}}},
		Textures:  []gpu.TextureID{id},
	}
	for i := range frame.Materials[0].Maps {
		frame.Materials[0].Maps[i] = gpu.NoMap
	}
	frame.Materials[0].Maps[assets.MapBaseColor] = 0
	old := w.frame
	defer func() { w.frame = old }()
	w.frame = frame
	var g gpu.GeometryID
	inDraw(t, func(*ebiten.Image) error {
		v, i := quad(vec3{-1, -1, -1}, vec3{1, -1, -1}, vec3{1, 1, -1}, vec3{-1, 1, -1}, 1, 1)
		g = w.geometry(v, i)
		return nil
	})
	w.frame.Items = []gpu.Item{{Geometry: g, Model: place(0, 0, 0, 0, 1, 1, 1)}}
	p := w.picture(t, 64, 64).RGBAAt(32, 32)
	inDraw(t, func(*ebiten.Image) error { return w.device.DestroyGeometry(g) })
	return p.R
}

func TestCaseA20_TexturesBeforeTheLoopRuns(t *testing.T) {
	for i, id := range early.frame.Textures {
		if i%7 != 0 {
			continue
		}
		want := 5 * i
		if got := int(early.presentTexel(t, id)); got < want-2 || got > want+2 {
			t.Errorf("texture %d shows %d, want %d", i, got, want)
		}
	}
	inDraw(t, func(*ebiten.Image) error {
		if n := early.device.Stats().Textures; n != earlyTextures {
			return fmt.Errorf("%d textures, want %d", n, earlyTextures)
		}
		early.device.Close()
		return nil
	})
}

func TestCaseA20_DevicesOneAfterAnother(t *testing.T) {
	for range 3 {
		w := newWorld(t, Options{}, func(w *world) { w.texture(16, func(u, v float64) [4]byte { return gray(77) }) })
		if got := w.presentTexel(t, w.frame.Textures[0]); got < 75 || got > 79 {
			t.Errorf("got %d, want 77", got)
		}
	}
}

func TestInvariant32_StaleHandlesAreRefused(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) {})
	d := w.device
	inDraw(t, func(screen *ebiten.Image) error {
		tex := must(d.CreateTexture(gpu.TextureDesc{Width: 4, Height: 4, Levels: 1}))
		v, i := quad(vec3{-1, 0, -3}, vec3{1, 0, -3}, vec3{1, 1, -3}, vec3{-1, 1, -3}, 1, 1)
		geo := must(d.CreateGeometry(v, i, assets.Bounds{}))
		if err := errors.Join(d.DestroyTexture(tex), d.DestroyGeometry(geo)); err != nil {
			return err
		}
		tex2 := must(d.CreateTexture(gpu.TextureDesc{Width: 4, Height: 4, Levels: 1}))
		geo2 := must(d.CreateGeometry(v, i, assets.Bounds{}))
		frame := func(g gpu.GeometryID, t, sky gpu.TextureID) *gpu.Frame {
			return &gpu.Frame{
				Camera: w.frame.Camera, Items: []gpu.Item{{Geometry: g, Model: place(0, 0, 0, 0, 1, 1, 1)}},
				Materials: make([]gpu.MaterialRow, 1), Textures: []gpu.TextureID{t}, Skybox: sky,
			}
		}
		for what, err := range map[string]error{
			"write":            d.WriteTexture(tex, gpu.Strip{Rows: 1, Pixels: make([]byte, 16)}),
			"destroy texture":  d.DestroyTexture(tex),
			"destroy geometry": d.DestroyGeometry(geo),
			"draw geometry":    d.Present(screen, frame(geo, tex2, 0)),
			"draw texture":     d.Present(screen, frame(geo2, tex, 0)),
			"draw skybox":      d.Present(screen, frame(geo2, tex2, tex)),
		} {
			if !errors.Is(err, gpu.ErrStale) {
				t.Errorf("%s: %v", what, err)
			}
		}
		return d.Present(screen, frame(geo2, tex2, tex2))
	})
}

func TestInvariant28_BytesAreTheSumOverLiveHandles(t *testing.T) {
	w := newWorld(t, Options{SpareBytesMax: 1 << 20}, func(w *world) {})
	d := w.device
	inDraw(t, func(screen *ebiten.Image) error {
		var ids []gpu.TextureID
		total := int64(0)
		for i := range 12 {
			desc := gpu.TextureDesc{Width: 100 + 30*i, Height: 200, Levels: 1 + i%4}
			ids = append(ids, must(d.CreateTexture(desc)))
			total += desc.Bytes()
		}
		if s := d.Stats(); s.Textures != 12 || s.TextureBytes != total || s.SpareTextureBytes != 0 {
			return fmt.Errorf("after creates: %+v, want %d bytes", s, total)
		}
		for _, id := range ids {
			if err := d.DestroyTexture(id); err != nil {
				return err
			}
		}
		s := d.Stats()
		if s.Textures != 0 || s.TextureBytes != 0 || s.TextureFrees != 12 || s.SpareTextureBytes < total {
			return fmt.Errorf("after destroys: %+v", s)
		}
		// Spares go a few a frame, down to what Options allow.
		for presents := 0; d.Stats().SpareTextureBytes > 1<<20; presents++ {
			before := d.pool.count()
			if err := d.Present(nil, &w.frame); err != nil {
				return err
			}
			if freed := before - d.pool.count(); freed > trimMax || presents > 12 {
				return fmt.Errorf("%d images freed in one frame, %d frames", freed, presents)
			}
		}
		// An image of the class is used again.
		spare := d.Stats().SpareTextureBytes
		id := must(d.CreateTexture(gpu.TextureDesc{Width: 100, Height: 200, Levels: 1}))
		if d.Stats().SpareTextureBytes >= spare {
			return fmt.Errorf("%d spare bytes and still %d after a create", spare, d.Stats().SpareTextureBytes)
		}
		return d.DestroyTexture(id)
	})
}

func (p *pool) count() (n int) {
	for c := range p.spares {
		n += len(p.spares[c])
	}
	return n
}

func TestPooledImageShowsOnlyNewContent(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) {
		w.texture(32, func(u, v float64) [4]byte { return gray(250) })
		if err := w.device.DestroyTexture(w.frame.Textures[0]); err != nil {
			panic(err)
		}
		w.frame.Textures = w.frame.Textures[:0]
		w.texture(32, func(u, v float64) [4]byte { return gray(90) })
	})
	if got := w.presentTexel(t, w.frame.Textures[0]); got < 88 || got > 92 {
		t.Errorf("got %d, want 90", got)
	}
}

func TestMalformedRequestsChangeNothing(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) {})
	d := w.device
	inDraw(t, func(screen *ebiten.Image) error {
		id := must(d.CreateTexture(gpu.TextureDesc{Width: 8, Height: 4, Levels: 4}))
		before := d.Stats()
		_, tooMany := d.CreateTexture(gpu.TextureDesc{Width: 4, Height: 4, Levels: 9})
		_, none := d.CreateGeometry(nil, nil, assets.Bounds{})
		_, past := d.CreateGeometry(make([]assets.Vertex, 3), []uint32{0, 1, 3}, assets.Bounds{})
		for what, err := range map[string]error{
			"levels": tooMany, "no vertices": none, "index": past,
			"level":  d.WriteTexture(id, gpu.Strip{Level: 4, Rows: 1, Pixels: make([]byte, 4)}),
			"pixels": d.WriteTexture(id, gpu.Strip{Rows: 1, Pixels: make([]byte, 31)}),
			"rows":   d.WriteTexture(id, gpu.Strip{Y: 4, Rows: 1, Pixels: make([]byte, 32)}),
		} {
			if !errors.Is(err, gpu.ErrMalformed) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if after := d.Stats(); after != before {
			t.Errorf("changed %+v to %+v", before, after)
		}
		if _, err := d.CreateTexture(gpu.TextureDesc{Width: 16384, Height: 16384, Levels: 2}); !errors.Is(err, gpu.ErrOutOfMemory) {
			t.Errorf("an image wider than devices take: %v", err)
		}
		if err := d.Present("screen", &w.frame); !errors.Is(err, gpu.ErrMalformed) {
			t.Errorf("a target that is no image: %v", err)
		}
		if err := d.Present(screen, nil); !errors.Is(err, gpu.ErrMalformed) {
			t.Errorf("no frame: %v", err)
		}
		return nil
	})
}

func TestPresentScalesToItsTarget(t *testing.T) {
	w := newWorld(t, Options{RenderWidthMax: 160, RenderHeightMax: 90}, func(w *world) { corridor(w, 3, 4, 2) })
	large := w.picture(t, 320, 180)
	if s := w.device.Stats(); s.RenderWidth != 160 || s.RenderHeight != 90 {
		t.Errorf("drawn at %dx%d", s.RenderWidth, s.RenderHeight)
	}
	var inner *image.RGBA
	inDraw(t, func(*ebiten.Image) (err error) {
		inner, err = w.device.ReadPixels()
		return err
	})
	if inner.Bounds().Dx() != 160 {
		t.Fatalf("read back %v", inner.Bounds())
	}
	diff := 0.0
	for y := range 90 {
		for x := range 160 {
			a, b := inner.RGBAAt(x, y), large.RGBAAt(2*x, 2*y)
			diff += float64(max(a.R, b.R) - min(a.R, b.R))
		}
	}
	if mean := diff / (160 * 90); mean > 8 {
		t.Errorf("the enlarged frame differs from the frame by %.1f", mean)
	}
	inDraw(t, func(*ebiten.Image) error {
		before := w.device.Stats().Presents
		if err := w.device.Present(nil, &w.frame); err != nil {
			return err
		}
		if s := w.device.Stats(); s.Presents != before+1 || s.DrawnItems != 0 {
			return fmt.Errorf("without a target: %+v", s)
		}
		return nil
	})
}

func TestPresentIntoPartOfAnImage(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) { corridor(w, 3, 4, 2) })
	whole := w.picture(t, 160, 90)
	inDraw(t, func(*ebiten.Image) error {
		img := ebiten.NewImage(320, 180)
		defer img.Deallocate()
		part := img.SubImage(image.Rect(70, 40, 230, 130)).(*ebiten.Image)
		if err := w.device.Present(part, &w.frame); err != nil {
			return err
		}
		got, err := w.device.ReadPixels()
		if err != nil {
			return err
		}
		off := 0
		for i := range got.Pix {
			if d := int(got.Pix[i]) - int(whole.Pix[i]); d < -8 || d > 8 {
				off++
			}
		}
		if off > len(got.Pix)/50 {
			return fmt.Errorf("%d of %d bytes differ from the frame drawn alone", off, len(got.Pix))
		}
		if _, _, _, a := img.At(10, 10).RGBA(); a != 0 {
			return errors.New("drawn outside of the part")
		}
		return nil
	})
}

func TestBrokenPlacementsAreLeftOut(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) { corridor(w, 2, 2, 1) })
	nan := float32(0)
	nan /= nan
	w.frame.Items[3].Model[12] = nan
	w.frame.Items[4].Model = gpu.Mat4{}
	w.frame.Items[5].Model[0] *= 1e30
	w.picture(t, 160, 90)
	if s := w.device.Stats(); s.DrawnItems == 0 || s.DrawnItems > len(w.frame.Items)-2 {
		t.Errorf("%d of %d items", s.DrawnItems, len(w.frame.Items))
	}
	w.frame.Items[0].Material = 999
	inDraw(t, func(screen *ebiten.Image) error {
		if err := w.device.Present(screen, &w.frame); !errors.Is(err, gpu.ErrStale) {
			return fmt.Errorf("a material past the table: %v", err)
		}
		return nil
	})
}

func TestSteadyBuildAllocatesNothing(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) { corridor(w, 10, 30, 5) })
	w.frame.Items[40].Model[0] = -w.frame.Items[40].Model[0]
	inDraw(t, func(*ebiten.Image) error {
		d, angle := w.device, 0.0
		w.look(vec3{0, 1.7, 0}, vec3{0, 1.5, -10})
		if n := testing.AllocsPerRun(20, func() {
			angle += 1e-4
			w.frame.Items[30].Model = place(0, 0, -5, angle, 1, 1, 1)
			d.builder.build(&w.frame, 640, 360, d.meshOf, d.faceOf)
		}); n != 0 {
			t.Errorf("%v allocations to build a frame", n)
		}
		return nil
	})
}

// The rest of Present is Ebitengine's: what it allocates for its own draw
// calls is bounded by their number.
func TestSteadyPresentAllocatesLittle(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) { corridor(w, 10, 30, 5) })
	inDraw(t, func(screen *ebiten.Image) error {
		d := w.device
		present := func() {
			if err := d.Present(screen, &w.frame); err != nil {
				t.Error(err)
			}
		}
		n := testing.AllocsPerRun(20, present)
		t.Logf("%v allocations for %d draw calls", n, len(d.builder.batches)+1)
		if n > float64(6*(len(d.builder.batches)+2)) {
			t.Errorf("%v allocations for %d draw calls", n, len(d.builder.batches)+1)
		}
		return nil
	})
}

func TestClosedDeviceRefusesWork(t *testing.T) {
	w := newWorld(t, Options{}, func(w *world) { corridor(w, 1, 2, 1) })
	inDraw(t, func(screen *ebiten.Image) error {
		d := w.device
		if err := d.Present(screen, &w.frame); err != nil {
			return err
		}
		d.Close()
		d.Close()
		if s := d.Stats(); s.Textures != 0 || s.Geometries != 0 || s.TextureBytes != 0 || s.GeometryBytes != 0 || s.SpareTextureBytes != 0 {
			return fmt.Errorf("after Close: %+v", s)
		}
		if err := d.Present(screen, &w.frame); err == nil {
			return errors.New("a closed device presents")
		}
		if _, err := d.CreateTexture(gpu.TextureDesc{Width: 1, Height: 1, Levels: 1}); err == nil {
			return errors.New("a closed device makes textures")
		}
		if _, err := d.ReadPixels(); err == nil {
			return errors.New("a closed device has pixels")
		}
		return nil
	})
}
