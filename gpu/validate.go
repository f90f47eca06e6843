package gpu

import (
	"errors"
	"fmt"

	"sojourn/assets"
)

// ErrMalformed is wrapped when a device is handed something that makes no
// sense: a size out of range, a strip outside its level, an index past the
// vertices. Nothing on the device has changed then.
var ErrMalformed = errors.New("malformed device request")

// LevelSize is the size of one level in texels; level 0 is the finest that
// the image holds.
func (d TextureDesc) LevelSize(level int) (width, height int) {
	return max(1, d.Width>>level), max(1, d.Height>>level)
}

// Validate tells whether a device can hold such an image at all; the error
// wraps [ErrMalformed].
func (d TextureDesc) Validate() error {
	if d.Width < 1 || d.Height < 1 || d.Width > assets.TextureEdgeMax || d.Height > assets.TextureEdgeMax {
		return fmt.Errorf("%w: texture of %dx%d texels (1 to %d)", ErrMalformed, d.Width, d.Height, assets.TextureEdgeMax)
	}
	levels := 1
	for edge := max(d.Width, d.Height); edge > 1; edge >>= 1 {
		levels++
	}
	if d.Levels < 1 || d.Levels > levels {
		return fmt.Errorf("%w: %d levels of %dx%d texels (1 to %d)", ErrMalformed, d.Levels, d.Width, d.Height, levels)
	}
	return nil
}

// ValidateStrip tells whether a strip lies inside its level and has the
// pixels for it; the error wraps [ErrMalformed].
func (d TextureDesc) ValidateStrip(s Strip) error {
	if s.Level < 0 || s.Level >= d.Levels {
		return fmt.Errorf("%w: strip of level %d of %d", ErrMalformed, s.Level, d.Levels)
	}
	w, h := d.LevelSize(s.Level)
	if s.Rows < 1 || s.Y < 0 || s.Y > h-s.Rows {
		return fmt.Errorf("%w: strip of rows %d+%d in a level of %d rows", ErrMalformed, s.Y, s.Rows, h)
	}
	if len(s.Pixels) != w*s.Rows*4 {
		return fmt.Errorf("%w: strip of %d bytes for %d rows of %d texels", ErrMalformed, len(s.Pixels), s.Rows, w)
	}
	return nil
}

// ValidateGeometry tells whether the indices are whole triangles of the
// vertices; the error wraps [ErrMalformed].
func ValidateGeometry(vertices []assets.Vertex, indices []uint32) error {
	if len(vertices) == 0 || len(indices) == 0 || len(indices)%3 != 0 {
		return fmt.Errorf("%w: geometry of %d vertices and %d indices", ErrMalformed, len(vertices), len(indices))
	}
	n := uint32(len(vertices))
	for at, index := range indices {
		if index >= n {
			return fmt.Errorf("%w: index %d at %d of %d vertices", ErrMalformed, index, at, n)
		}
	}
	return nil
}

// GeometryBytes is what geometry is charged on every device.
func GeometryBytes(vertices, indices int) int64 {
	return int64(vertices)*assets.VertexBytes + int64(indices)*4
}
