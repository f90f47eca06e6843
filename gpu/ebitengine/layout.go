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

// layout says where the levels of a texture lie in its image: the finest in
// the corner, the smaller ones in a column on its right, or in a row below it
// if it is wider than high. Level n begins at start + span * (1 - 2^(1-n)),
// which a shader can compute for any size and no two levels share.
type layout struct {
	width, height int         // of the finest level
	start, span   image.Point // span is a power of two one way, zero the other
	levels        int
}

func layoutOf(d gpu.TextureDesc) layout {
	l := layout{width: d.Width, height: d.Height, levels: d.Levels}
	if d.Width > d.Height {
		l.start.Y, l.span.X = d.Height, ceilPow2(d.Width)
	} else {
		l.start.X, l.span.Y = d.Width, ceilPow2(d.Height)
	}
	return l
}

// level is the rectangle of one level, in texels.
func (l layout) level(n int) image.Rectangle {
	r := image.Rect(0, 0, max(1, l.width>>n), max(1, l.height>>n))
	if n == 0 {
		return r
	}
	return r.Add(l.start).Add(image.Pt(l.span.X-l.span.X>>(n-1), l.span.Y-l.span.Y>>(n-1)))
}

// size is the image the levels need.
func (l layout) size() (width, height int) {
	bounds := l.level(0)
	for n := 1; n < l.levels; n++ {
		bounds = bounds.Union(l.level(n))
	}
	return bounds.Dx(), bounds.Dy()
}

// uniform is the layout as shaders take it: two vectors.
func (l layout) uniform() [8]float32 {
	return [8]float32{
		float32(l.width), float32(l.height), float32(l.levels - 1), 0,
		float32(l.start.X), float32(l.start.Y), float32(l.span.X), float32(l.span.Y),
	}
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
