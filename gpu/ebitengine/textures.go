//go:build !headless

package ebitengine

import (
	"fmt"
	"image"

	"github.com/hajimehoshi/ebiten/v2"

	"sojourn/gpu"
)

// texture is a chain of levels in one pooled image.
type texture struct {
	desc   gpu.TextureDesc
	layout layout
	class  class
	image  *ebiten.Image
	face   face
}

// stripBytesMax is the most one write may carry; larger levels come in strips.
const stripBytesMax = 2 << 20

// averageTexelsMax bounds the level that stands for a texture's average.
const averageTexelsMax = 64

// CreateTexture takes an image from the pool, or makes one. Its content is
// unspecified. An image that no device holds is refused with
// [gpu.ErrOutOfMemory], so that callers settle for a smaller level.
func (d *Device) CreateTexture(desc gpu.TextureDesc) (gpu.TextureID, error) {
	if d.closed {
		return 0, fmt.Errorf("create texture: %w", errClosed)
	}
	if err := desc.Validate(); err != nil {
		return 0, fmt.Errorf("create texture: %w", err)
	}
	l := layoutOf(desc)
	w, h := l.size()
	if w > packedEdgeMax || h > packedEdgeMax {
		return 0, fmt.Errorf("create texture of %dx%d texels: %w: %dx%d with its levels, the largest edge is %d",
			desc.Width, desc.Height, gpu.ErrOutOfMemory, w, h, packedEdgeMax)
	}
	t := &texture{desc: desc, layout: l, class: classOf(w, h), face: face{alive: true}}
	t.image = d.pool.take(t.class)
	d.stats.TextureBytes += desc.Bytes()
	d.stats.TextureCreates++
	return d.textures.Add(t), nil
}

// WriteTexture writes a strip and draws one texel of it off screen, which
// makes Ebitengine upload it in this frame and not at its first use. Before
// the game loop runs, Ebitengine copies the strip and writes it when it does.
func (d *Device) WriteTexture(id gpu.TextureID, s gpu.Strip) error {
	t := d.textures.At(id)
	if t == nil {
		return fmt.Errorf("write texture %#x: %w", uint64(id), gpu.ErrStale)
	}
	if err := (*t).desc.ValidateStrip(s); err != nil {
		return fmt.Errorf("write texture %#x: %w", uint64(id), err)
	}
	if len(s.Pixels) > stripBytesMax && s.Rows > 1 {
		return fmt.Errorf("write texture %#x: %w: strip of %d bytes, at most %d", uint64(id), gpu.ErrMalformed, len(s.Pixels), stripBytesMax)
	}
	d.write(*t, s)
	(*t).face.note((*t).desc, s)
	d.stats.UploadedBytes += int64(len(s.Pixels))
	d.stats.TextureWrites++
	return nil
}

// note takes the average colour from the smallest level, if that is small
// enough to come in one strip.
func (f *face) note(d gpu.TextureDesc, s gpu.Strip) {
	w, h := d.LevelSize(d.Levels - 1)
	if s.Level != d.Levels-1 || s.Rows != h || w*h > averageTexelsMax {
		return
	}
	var sums [4]float64
	for at, v := range s.Pixels {
		sums[at%4] += float64(v)
	}
	n := 255 * float64(w*h)
	for k := range 3 {
		f.average[k] = float32(sums[k] * sums[k] / (n * n)) // sRGB to linear, nearly
	}
	f.average[3], f.averaged = float32(sums[3]/n), true
}

func (d *Device) write(t *texture, s gpu.Strip) {
	r := t.layout.level(s.Level)
	r = image.Rect(r.Min.X, r.Min.Y+s.Y, r.Max.X, r.Min.Y+s.Y+s.Rows)
	t.image.SubImage(r).(*ebiten.Image).WritePixels(s.Pixels)
	d.touchTexel(t.image, r.Min)
}

// touchTexel draws one texel of an image where nobody sees it.
func (d *Device) touchTexel(img *ebiten.Image, at image.Point) {
	x, y := float32(at.X), float32(at.Y)
	d.touchVertices = [3]ebiten.Vertex{
		{SrcX: x, SrcY: y, ColorR: 1, ColorG: 1, ColorB: 1, ColorA: 1},
		{DstX: 2, SrcX: x + 2, SrcY: y, ColorR: 1, ColorG: 1, ColorB: 1, ColorA: 1},
		{DstY: 2, SrcX: x, SrcY: y + 2, ColorR: 1, ColorG: 1, ColorB: 1, ColorA: 1},
	}
	d.touchTarget.DrawTriangles(d.touchVertices[:], d.touchIndices[:], img, &d.touchOptions)
}

// DestroyTexture gives the image back to the pool. A stale id is refused with
// [gpu.ErrStale].
func (d *Device) DestroyTexture(id gpu.TextureID) error {
	t, ok := d.textures.Remove(id)
	if !ok {
		return fmt.Errorf("destroy texture %#x: %w", uint64(id), gpu.ErrStale)
	}
	d.pool.give(t.class, t.image)
	d.stats.TextureBytes -= t.desc.Bytes()
	d.stats.TextureFrees++
	return nil
}

// standIns are what a look without some map draws with.
type standIns [imagesPerDraw]*texture

func (d *Device) makeStandIns() {
	pixels := [imagesPerDraw][4]byte{{255, 255, 255, 255}, {128, 128, 255, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}}
	for i := range d.standIns {
		desc := gpu.TextureDesc{Width: 1, Height: 1, Levels: 1}
		t := &texture{desc: desc, layout: layoutOf(desc), class: classOf(1, 1)}
		t.image = d.pool.take(t.class)
		d.standIns[i] = t
		d.write(t, gpu.Strip{Rows: 1, Pixels: pixels[i][:]})
	}
}
