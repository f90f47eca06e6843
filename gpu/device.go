package gpu

import (
	"errors"

	"sojourn/assets"
)

// Errors of devices.
var (
	// ErrStale is wrapped when a device handle's slot was freed or reused.
	ErrStale = errors.New("stale device handle")
	// ErrOutOfMemory is wrapped when the device has no room.
	ErrOutOfMemory = errors.New("device out of memory")
	// ErrBackpressure is wrapped when the device asks to try again next frame.
	ErrBackpressure = errors.New("device busy")
	// ErrLost is wrapped when an upload never reached the device.
	ErrLost = errors.New("upload lost")
)

// TextureID names an image on a device: slot in the low word, generation in
// the high word. The zero TextureID names nothing.
type TextureID uint64

// GeometryID names vertices and indices on a device, as [TextureID].
type GeometryID uint64

// TextureDesc describes an image that holds levels Base..Levels-1 of a chain.
// Width and Height are those of its finest level (Base), in texels.
type TextureDesc struct {
	Width, Height int
	Levels        int // number of levels in the image, at least one
}

// Bytes is what the levels take: RGBA, 8 bits each.
func (d TextureDesc) Bytes() int64 {
	total := int64(0)
	w, h := d.Width, d.Height
	for range d.Levels {
		total += int64(w) * int64(h) * 4
		w, h = max(1, w/2), max(1, h/2)
	}
	return total
}

// Strip is a run of whole rows of one level. Level 0 is the image's finest.
// Pixels is RGBA, premultiplied, Rows x level width x 4 bytes; the device
// copies it before it returns.
type Strip struct {
	Level, Y, Rows int
	Pixels         []byte
}

// Device holds images and geometry and draws them. Every method runs on the
// game goroutine. Destroy is immediate: callers age their frees through
// [Retirement] first, except on close.
type Device interface {
	// Name says which device this is, for the report.
	Name() string

	// FramesInFlight is how many presents may still use what was destroyed.
	FramesInFlight() int

	// CreateTexture makes an image with unspecified content.
	CreateTexture(TextureDesc) (TextureID, error)

	// WriteTexture uploads one strip and makes the device take it now (draws
	// one texel of it off screen), so that the first real use costs nothing.
	WriteTexture(TextureID, Strip) error

	// DestroyTexture frees an image. A stale id is refused with [ErrStale].
	DestroyTexture(TextureID) error

	// CreateGeometry copies vertices and indices. Bounds travel along for
	// culling.
	CreateGeometry(vertices []assets.Vertex, indices []uint32, bounds assets.Bounds) (GeometryID, error)

	// DestroyGeometry frees geometry. A stale id is refused with [ErrStale].
	DestroyGeometry(GeometryID) error

	// Present draws one frame. The frame and its slices are the caller's and
	// may be reused after the call. A headless device counts it. target is
	// the device's own kind of image (nil: none).
	Present(target any, frame *Frame) error

	// Stats are exact figures of live objects.
	Stats() DeviceStats

	// Close destroys everything still live. It reports nothing; leaks are the
	// owner's to find in Stats before.
	Close()
}

// DeviceStats counts what lives on a device.
type DeviceStats struct {
	Textures, Geometries         int
	TextureBytes, GeometryBytes  int64 // of live handles
	SpareTextureBytes            int64 // pooled images without a handle
	Presents                     int64
	DrawnItems, DrawnTriangles   int   // last frame
	DrawnQuads                   int   // last frame; their triangles count, too
	DrawCalls                    int   // last frame, for items and quads; 0 headless
	UploadedBytes                int64 // since the device was made
	RenderWidth, RenderHeight    int   // internal size, in pixels; 0 headless
	TextureCreates, TextureFrees int64
	GeometryCreates              int64
	TextureWrites                int64 // strips that came, each with its touch
}
