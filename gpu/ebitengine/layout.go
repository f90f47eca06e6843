package ebitengine

import (
	"image"
	"math/bits"

	"sojourn/gpu"
)

// packedEdgeMax is the largest edge of an image on the device, in texels. The
// finest level and the column of smaller ones share it.
const packedEdgeMax = 16384

// imageEdgeMin is the smallest edge Ebitengine allocates.
const imageEdgeMin = 16

// layout says where the levels of a texture lie in its image: the finest on
// the left, the smaller ones in a column on its right. Level n of the column
// starts at columnHeight * (1 - 2^(1-n)), which a shader can compute for any
// size and no two levels share.
type layout struct {
	width, height int // of the finest level
	columnHeight  int // height rounded up to a power of two
	levels        int
}

func layoutOf(d gpu.TextureDesc) layout {
	return layout{width: d.Width, height: d.Height, columnHeight: ceilPow2(d.Height), levels: d.Levels}
}

// level is the rectangle of one level, in texels.
func (l layout) level(n int) image.Rectangle {
	w, h := max(1, l.width>>n), max(1, l.height>>n)
	if n == 0 {
		return image.Rect(0, 0, w, h)
	}
	y := l.columnHeight - l.columnHeight>>(n-1)
	return image.Rect(l.width, y, l.width+w, y+h)
}

// size is the image the levels need.
func (l layout) size() (width, height int) {
	bounds := l.level(0)
	for n := 1; n < l.levels; n++ {
		bounds = bounds.Union(l.level(n))
	}
	return bounds.Dx(), bounds.Dy()
}

// uniform is the layout as shaders take it.
func (l layout) uniform() [4]float32 {
	return [4]float32{float32(l.width), float32(l.height), float32(l.columnHeight), float32(l.levels - 1)}
}

// class is a size of pooled images: binary logarithms of width and height.
// Ebitengine rounds images up to powers of two, so these are what it costs.
type class uint8

func classOf(width, height int) class {
	return class(log2Ceil(max(width, imageEdgeMin))<<4 | log2Ceil(max(height, imageEdgeMin)))
}

func (c class) size() (width, height int) { return 1 << (c >> 4), 1 << (c & 15) }

func (c class) bytes() int64 {
	w, h := c.size()
	return int64(w) * int64(h) * 4
}

func log2Ceil(n int) int { return bits.Len(uint(n - 1)) }

func ceilPow2(n int) int { return 1 << log2Ceil(n) }
