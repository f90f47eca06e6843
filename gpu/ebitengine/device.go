//go:build !headless

package ebitengine

import (
	"errors"
	"fmt"
	"image"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"sojourn/assets"
	"sojourn/gpu"
)

// Options say how a device draws. The zero Options are fit for use.
type Options struct {
	// RenderWidthMax and RenderHeightMax bound the internal size, in pixels:
	// as many as their product are drawn, in the shape of the target. 0 stands
	// for 1280x720.
	RenderWidthMax, RenderHeightMax int
	// Adaptive makes the internal size follow the time between presents. Leave
	// it off where pictures have to be the same each time.
	Adaptive bool
	// FramesInFlight is how many presents may still use what was destroyed;
	// 0 stands for 2.
	FramesInFlight int
	// SpareBytesMax bounds pooled images without a handle; 0 stands for 64
	// MiB, negative for none. A few images a frame are freed above it.
	SpareBytesMax int64
}

// Device implements [gpu.Device] with Ebitengine. All methods run on the game
// goroutine. It may be made and filled before the game loop runs: Ebitengine
// puts off what it is told until then.
type Device struct {
	options    Options
	textures   gpu.Slots[gpu.TextureID, *texture]
	geometries gpu.Slots[gpu.GeometryID, *mesh]
	stats      gpu.DeviceStats
	pool       pool
	shaders    [shaderCount]*ebiten.Shader
	standIns   standIns
	builder    builder
	painter    painter
	adapter    adapter

	touchTarget   *ebiten.Image
	touchVertices [3]ebiten.Vertex
	touchIndices  [3]uint16
	touchOptions  ebiten.DrawTrianglesOptions

	// offscreen holds frames that are graded or scaled to their target, graded
	// those that are graded and then scaled; frame is the part in use, or the
	// target itself. It may be nil.
	offscreen, graded surface
	frame             *ebiten.Image
	lit               gpu.Frame // the caller's frame, in the light of its probe
	closed            bool

	// Bound once: a method value made anew each frame would allocate.
	meshOf meshLookup
	faceOf faceOf
}

var _ gpu.Device = (*Device)(nil)

var errClosed = errors.New("device is closed")

// New makes a device and compiles its shaders.
func New(o Options) *Device {
	if o.RenderWidthMax <= 0 || o.RenderHeightMax <= 0 {
		o.RenderWidthMax, o.RenderHeightMax = 1280, 720
	}
	if o.FramesInFlight <= 0 {
		o.FramesInFlight = 2
	}
	switch {
	case o.SpareBytesMax == 0:
		o.SpareBytesMax = 64 << 20
	case o.SpareBytesMax < 0:
		o.SpareBytesMax = 0
	}
	d := &Device{options: o, shaders: compileShaders(), adapter: newAdapter(o.Adaptive)}
	d.pool.bytesMax = o.SpareBytesMax
	d.touchIndices = [3]uint16{0, 1, 2}
	d.touchTarget = ebiten.NewImageWithOptions(image.Rect(0, 0, imageEdgeMin, imageEdgeMin), &ebiten.NewImageOptions{Unmanaged: true})
	d.makeStandIns()
	d.builder.quad = quadMesh()
	d.meshOf = func(id gpu.GeometryID) *mesh {
		if m := d.geometries.At(id); m != nil {
			return *m
		}
		return nil
	}
	d.faceOf = func(id gpu.TextureID) face {
		if t := d.textures.At(id); t != nil {
			return (*t).face
		}
		return face{}
	}
	d.warm()
	return d
}

// Name says which device this is.
func (d *Device) Name() string { return "ebitengine" }

// FramesInFlight is how many presents may still use what was destroyed.
func (d *Device) FramesInFlight() int { return d.options.FramesInFlight }

// CreateGeometry copies vertices and indices. Boxes for culling are taken from
// the vertices in use, which are never wrong; bounds are not needed.
func (d *Device) CreateGeometry(vertices []assets.Vertex, indices []uint32, _ assets.Bounds) (gpu.GeometryID, error) {
	if d.closed {
		return 0, fmt.Errorf("create geometry: %w", errClosed)
	}
	if err := gpu.ValidateGeometry(vertices, indices); err != nil {
		return 0, fmt.Errorf("create geometry: %w", err)
	}
	m := newMesh(vertices, indices)
	d.stats.GeometryBytes += m.bytes
	d.stats.UploadedBytes += m.bytes
	d.stats.GeometryCreates++
	return d.geometries.Add(m), nil
}

// DestroyGeometry frees geometry. A stale id is refused with [gpu.ErrStale].
func (d *Device) DestroyGeometry(id gpu.GeometryID) error {
	m, ok := d.geometries.Remove(id)
	if !ok {
		return fmt.Errorf("destroy geometry %#x: %w", uint64(id), gpu.ErrStale)
	}
	d.stats.GeometryBytes -= m.bytes
	return nil
}

// RenderSize is the internal size for a target of this size, in pixels. A
// window that takes it for its layout is drawn into directly, which saves a
// pass over the whole window.
func (d *Device) RenderSize(targetWidth, targetHeight int) (width, height int) {
	return d.adapter.sizeFor(max(1, targetWidth), max(1, targetHeight), d.options.RenderWidthMax, d.options.RenderHeightMax)
}

// Hurried tells whether the internal size has fallen so far that looks give way
// to time, see [Options.Adaptive]. Enlarging may then do without filtering.
func (d *Device) Hurried() bool { return d.adapter.haste() != unhurried }

// Present draws one frame into target, an *ebiten.Image; nil counts the frame
// and draws nothing. What names stale geometry or a material past the table
// is left out, what names a stale texture is drawn in its plain tint, and the
// error says so; the rest is drawn all the same.
func (d *Device) Present(target any, frame *gpu.Frame) error {
	if d.closed {
		return fmt.Errorf("present: %w", errClosed)
	}
	d.stats.Presents++
	d.stats.DrawnItems, d.stats.DrawnTriangles, d.stats.DrawnQuads, d.stats.DrawCalls = 0, 0, 0, 0
	d.pool.trim()
	dst, ok := target.(*ebiten.Image)
	if !ok && target != nil {
		return fmt.Errorf("present: %w: the target is a %T, not an *ebiten.Image", gpu.ErrMalformed, target)
	}
	if frame == nil {
		return fmt.Errorf("present: %w: no frame", gpu.ErrMalformed)
	}
	if dst == nil {
		return nil
	}
	refused := d.draw(dst, frame)
	// After the drawing: a window that asks for the size between two frames
	// then has the target that this device draws into.
	d.adapter.sample(time.Now())
	if refused > 0 {
		return fmt.Errorf("present: %d items name geometry that is gone or no material, or sprites no quads: %w", refused, gpu.ErrStale)
	}
	return d.checkTextures(frame)
}

func (d *Device) draw(target *ebiten.Image, frame *gpu.Frame) (refused int) {
	outer := target.Bounds()
	w, h := d.RenderSize(outer.Dx(), outer.Dy())
	d.stats.RenderWidth, d.stats.RenderHeight = w, h
	direct := w == outer.Dx() && h == outer.Dy()
	table := d.lookUp(frame)
	d.frame = target
	if !direct || table != nil {
		d.frame = d.offscreen.of(w, h, d.options.RenderWidthMax, d.options.RenderHeightMax)
	}
	d.lit = *frame
	d.lit.Camera.Ambient = probed(frame.Camera.Ambient, d.faceOf(frame.Probe))
	at := d.frame.Bounds().Min
	d.builder.origin = point{float32(at.X), float32(at.Y)}
	d.builder.looks.haste = d.adapter.haste()
	refused = d.builder.build(&d.lit, w, h, d.meshOf, d.faceOf)
	d.stats.DrawnItems, d.stats.DrawnTriangles = d.builder.drawnItems, d.builder.drawnTriangles
	d.stats.DrawnQuads, d.stats.DrawCalls = d.builder.drawnQuads, len(d.builder.batches)
	d.paint(&d.lit)
	d.lit = gpu.Frame{} // the slices are the caller's
	if table != nil {
		drawn := d.frame
		d.frame = target
		if !direct {
			d.frame = d.graded.of(w, h, d.options.RenderWidthMax, d.options.RenderHeightMax)
		}
		d.gradeTo(d.frame, drawn, table)
	}
	if !direct {
		d.painter.enlarge(target, d.frame)
	}
	return refused
}

func (d *Device) checkTextures(frame *gpu.Frame) error {
	for i, id := range frame.Textures {
		if id != 0 && d.textures.At(id) == nil {
			return fmt.Errorf("present: texture %d is %#x: %w", i, uint64(id), gpu.ErrStale)
		}
	}
	for _, one := range [...]struct {
		what string
		id   gpu.TextureID
	}{{"skybox", frame.Skybox}, {"probe", frame.Probe}, {"look-up table", frame.LookUp}} {
		if one.id != 0 && d.textures.At(one.id) == nil {
			return fmt.Errorf("present: %s is %#x: %w", one.what, uint64(one.id), gpu.ErrStale)
		}
	}
	for i := range frame.Sprites {
		if id := frame.Sprites[i].Texture; id != 0 && d.textures.At(id) == nil {
			return fmt.Errorf("present: sprites %d have %#x: %w", i, uint64(id), gpu.ErrStale)
		}
	}
	return nil
}

// ReadPixels copies the last frame, at its internal size. Where it was drawn
// straight into its target, that includes what was drawn there since. It waits
// for the device; call it in Update or Draw of the running game.
func (d *Device) ReadPixels() (*image.RGBA, error) {
	if d.frame == nil {
		return nil, errors.New("read pixels: nothing was presented yet")
	}
	out := image.NewRGBA(image.Rect(0, 0, d.frame.Bounds().Dx(), d.frame.Bounds().Dy()))
	d.frame.ReadPixels(out.Pix)
	return out, nil
}

// Stats are exact figures of live objects.
func (d *Device) Stats() gpu.DeviceStats {
	s := d.stats
	s.Textures, s.Geometries = d.textures.Len(), d.geometries.Len()
	s.SpareTextureBytes = d.pool.spareBytes
	return s
}

// Close frees every image. The device refuses work afterwards.
func (d *Device) Close() {
	if d.closed {
		return
	}
	d.closed = true
	d.textures.Each(func(id gpu.TextureID, _ **texture) { _ = d.DestroyTexture(id) })
	d.geometries.Each(func(id gpu.GeometryID, _ **mesh) { _ = d.DestroyGeometry(id) })
	for _, t := range d.standIns {
		t.image.Deallocate()
	}
	d.pool.close()
	d.offscreen.close()
	d.graded.close()
	d.touchTarget.Deallocate()
	for _, s := range d.shaders {
		s.Deallocate()
	}
	d.frame, d.builder, d.painter = nil, builder{}, painter{}
}
