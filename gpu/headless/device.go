package headless

import (
	"fmt"

	"sojourn/assets"
	"sojourn/gpu"
)

// defaultFramesInFlight is how far real devices run behind.
const defaultFramesInFlight = 2

// Options say how a device behaves. The zero Options are a device with two
// frames in flight and no limit.
type Options struct {
	// FramesInFlight is how many presents may still use what was destroyed;
	// 0 stands for 2, negative for none.
	FramesInFlight int
	// BytesMax bounds texture and geometry bytes together; 0: no limit.
	BytesMax int64
	// Checksum keeps one 64-bit sum for each row of each texture, for
	// [Device.Checksum] and [Device.Complete].
	Checksum bool
}

// Device implements [gpu.Device] without drawing. All methods, those of
// faults too, run on the game goroutine.
type Device struct {
	options    Options
	textures   gpu.Slots[gpu.TextureID, texture]
	geometries gpu.Slots[gpu.GeometryID, geometry]
	stats      gpu.DeviceStats
	faults     faults
	earlyFrees int64
	drawHash   uint64
	closed     bool
}

type texture struct {
	desc     gpu.TextureDesc
	bytes    int64
	lastUsed int64    // present that showed it last, 0: none
	rowSums  []uint64 // all levels' rows, finest first; 0: never written
}

type geometry struct {
	bytes     int64
	triangles int
	lastUsed  int64
}

var _ gpu.Device = (*Device)(nil)

// New makes a device.
func New(o Options) *Device {
	switch {
	case o.FramesInFlight == 0:
		o.FramesInFlight = defaultFramesInFlight
	case o.FramesInFlight < 0:
		o.FramesInFlight = 0
	}
	return &Device{options: o}
}

// Name says which device this is.
func (d *Device) Name() string { return "headless" }

// FramesInFlight is how many presents may still use what was destroyed.
func (d *Device) FramesInFlight() int { return d.options.FramesInFlight }

// CreateTexture counts an image. It fails as told by [Device.FailCreate] and
// its kin, and with [gpu.ErrOutOfMemory] at BytesMax.
func (d *Device) CreateTexture(desc gpu.TextureDesc) (gpu.TextureID, error) {
	if err := desc.Validate(); err != nil {
		return 0, fmt.Errorf("create texture: %w", err)
	}
	if err := d.admitCreate(desc.Bytes()); err != nil {
		return 0, fmt.Errorf("create texture of %dx%d texels: %w", desc.Width, desc.Height, err)
	}
	t := texture{desc: desc, bytes: desc.Bytes()}
	if d.options.Checksum {
		t.rowSums = make([]uint64, rowsOf(desc, desc.Levels))
	}
	d.stats.TextureBytes += t.bytes
	d.stats.TextureCreates++
	return d.textures.Add(t), nil
}

// WriteTexture counts one strip; nothing but sums is kept of it.
func (d *Device) WriteTexture(id gpu.TextureID, s gpu.Strip) error {
	t := d.textures.At(id)
	if t == nil {
		return fmt.Errorf("write texture %#x: %w", uint64(id), gpu.ErrStale)
	}
	if err := t.desc.ValidateStrip(s); err != nil {
		return fmt.Errorf("write texture %#x: %w", uint64(id), err)
	}
	if err := d.admitUpload(); err != nil {
		return fmt.Errorf("write texture %#x: %w", uint64(id), err)
	}
	d.stats.UploadedBytes += int64(len(s.Pixels))
	d.stats.TextureWrites++
	if t.rowSums != nil {
		t.sumRows(s)
	}
	return nil
}

// DestroyTexture frees an image. A stale id is refused with [gpu.ErrStale].
func (d *Device) DestroyTexture(id gpu.TextureID) error {
	t, ok := d.textures.Remove(id)
	if !ok {
		return fmt.Errorf("destroy texture %#x: %w", uint64(id), gpu.ErrStale)
	}
	d.stats.TextureBytes -= t.bytes
	d.stats.TextureFrees++
	d.noteFree(t.lastUsed)
	return nil
}

// CreateGeometry counts geometry; it keeps neither vertices nor indices. It
// fails as [Device.CreateTexture] does.
func (d *Device) CreateGeometry(vertices []assets.Vertex, indices []uint32, _ assets.Bounds) (gpu.GeometryID, error) {
	if err := gpu.ValidateGeometry(vertices, indices); err != nil {
		return 0, fmt.Errorf("create geometry: %w", err)
	}
	bytes := gpu.GeometryBytes(len(vertices), len(indices))
	if err := d.admitCreate(bytes); err != nil {
		return 0, fmt.Errorf("create geometry of %d vertices: %w", len(vertices), err)
	}
	d.stats.GeometryBytes += bytes
	d.stats.UploadedBytes += bytes
	d.stats.GeometryCreates++
	return d.geometries.Add(geometry{bytes: bytes, triangles: len(indices) / 3}), nil
}

// DestroyGeometry frees geometry. A stale id is refused with [gpu.ErrStale].
func (d *Device) DestroyGeometry(id gpu.GeometryID) error {
	g, ok := d.geometries.Remove(id)
	if !ok {
		return fmt.Errorf("destroy geometry %#x: %w", uint64(id), gpu.ErrStale)
	}
	d.stats.GeometryBytes -= g.bytes
	d.noteFree(g.lastUsed)
	return nil
}

// Present counts one frame. The target is not looked at. A frame that names a
// destroyed texture or geometry, or a material row, texture index or quad past
// its table, is counted up to that point and answered with an error ([gpu.ErrStale]
// or [gpu.ErrMalformed]).
func (d *Device) Present(_ any, frame *gpu.Frame) error {
	d.stats.Presents++
	d.stats.DrawnItems, d.stats.DrawnTriangles, d.stats.DrawnQuads = 0, 0, 0
	if frame == nil {
		return fmt.Errorf("present: %w: no frame", gpu.ErrMalformed)
	}
	if d.faults.stalledPresents > 0 {
		d.faults.stalledPresents--
	}
	if err := d.useTextures(frame); err != nil {
		return err
	}
	if err := d.useItems(frame); err != nil {
		return err
	}
	if err := d.useSprites(frame); err != nil {
		return err
	}
	d.drawHash = hashFrame(frame)
	return nil
}

func (d *Device) useTextures(frame *gpu.Frame) error {
	for i, id := range frame.Textures {
		if id == 0 {
			continue
		}
		t := d.textures.At(id)
		if t == nil {
			return fmt.Errorf("present: texture %d is %#x: %w", i, uint64(id), gpu.ErrStale)
		}
		t.lastUsed = d.stats.Presents
	}
	for _, one := range [...]struct {
		what string
		id   gpu.TextureID
	}{{"skybox", frame.Skybox}, {"probe", frame.Probe}, {"look-up table", frame.LookUp}} {
		if err := d.useTexture(one.what, one.id); err != nil {
			return err
		}
	}
	for row := range frame.Materials {
		for slot, index := range frame.Materials[row].Maps {
			if index != gpu.NoMap && uint64(index) >= uint64(len(frame.Textures)) {
				return fmt.Errorf("present: material %d, map %v is texture %d of %d: %w",
					row, assets.MapSlot(slot), index, len(frame.Textures), gpu.ErrMalformed)
			}
		}
	}
	return nil
}

func (d *Device) useTexture(what string, id gpu.TextureID) error {
	if id == 0 {
		return nil
	}
	t := d.textures.At(id)
	if t == nil {
		return fmt.Errorf("present: %s is %#x: %w", what, uint64(id), gpu.ErrStale)
	}
	t.lastUsed = d.stats.Presents
	return nil
}

// useSprites counts quads as two triangles each.
func (d *Device) useSprites(frame *gpu.Frame) error {
	for i := range frame.Sprites {
		s := &frame.Sprites[i]
		if err := d.useTexture("sprite", s.Texture); err != nil {
			return err
		}
		if s.First < 0 || s.Count < 0 || int64(s.First)+int64(s.Count) > int64(len(frame.Quads)) {
			return fmt.Errorf("present: sprites %d are quads %d and %d more of %d: %w",
				i, s.First, s.Count, len(frame.Quads), gpu.ErrMalformed)
		}
		d.stats.DrawnQuads += int(s.Count)
		d.stats.DrawnTriangles += 2 * int(s.Count)
	}
	return nil
}

func (d *Device) useItems(frame *gpu.Frame) error {
	for i := range frame.Items {
		item := &frame.Items[i]
		g := d.geometries.At(item.Geometry)
		if g == nil {
			return fmt.Errorf("present: item %d has geometry %#x: %w", i, uint64(item.Geometry), gpu.ErrStale)
		}
		if uint64(item.Material) >= uint64(len(frame.Materials)) {
			return fmt.Errorf("present: item %d has material %d of %d: %w", i, item.Material, len(frame.Materials), gpu.ErrMalformed)
		}
		g.lastUsed = d.stats.Presents
		d.stats.DrawnItems++
		d.stats.DrawnTriangles += g.triangles
	}
	return nil
}

// Stats are exact figures of live objects. Every item of a frame counts as
// drawn: there is no view to be outside of.
func (d *Device) Stats() gpu.DeviceStats {
	s := d.stats
	s.Textures, s.Geometries = d.textures.Len(), d.geometries.Len()
	return s
}

// EarlyFrees counts destroys that came fewer than FramesInFlight presents
// after the object was last shown. Close counts none.
func (d *Device) EarlyFrees() int64 { return d.earlyFrees }

// DrawHash sums up the last frame that was presented without error: camera,
// items and sprites in order, materials, textures. Equal frames have equal sums.
func (d *Device) DrawHash() uint64 { return d.drawHash }

// Close destroys everything still live. Creates fail afterwards.
func (d *Device) Close() {
	d.stats.TextureFrees += int64(d.textures.Len())
	d.textures.Each(func(id gpu.TextureID, _ *texture) { d.textures.Remove(id) })
	d.geometries.Each(func(id gpu.GeometryID, _ *geometry) { d.geometries.Remove(id) })
	d.stats.TextureBytes, d.stats.GeometryBytes = 0, 0
	d.closed = true
}

func (d *Device) noteFree(lastUsed int64) {
	if lastUsed > 0 && d.stats.Presents-lastUsed < int64(d.options.FramesInFlight) {
		d.earlyFrees++
	}
}
