package meshfile

import (
	"encoding/binary"
	"fmt"
	"math"

	"sojourn/assets"
)

const (
	magic   = "SJM\n"
	version = 1

	headerBytes = 64
	alignBytes  = 16
	indexBytes  = 4

	atVersion       = 4
	atVertices      = 8
	atIndices       = 12
	atVerticesStart = 16
	atIndicesStart  = 20
	atBounds        = 24
)

// CoordinateMax bounds each coordinate's absolute value, in metres, so that
// squares of distances stay finite in 32 bits.
const CoordinateMax = 1e12

// FileBytesMax is the size of the largest file that [Decode] takes.
const FileBytesMax = (headerBytes+assets.MeshVerticesMax*assets.VertexBytes+alignBytes-1)/alignBytes*alignBytes +
	assets.MeshIndicesMax*indexBytes

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: mesh: %s", assets.ErrCorrupt, fmt.Sprintf(format, args...))
}

// checkCounts holds numbers of vertices and indices to their limits.
func checkCounts(vertices, indices int64) error {
	switch {
	case vertices > assets.MeshVerticesMax:
		return fmt.Errorf("%w: mesh: %d vertices, at most %d", assets.ErrTooLarge, vertices, assets.MeshVerticesMax)
	case indices > assets.MeshIndicesMax:
		return fmt.Errorf("%w: mesh: %d indices, at most %d", assets.ErrTooLarge, indices, assets.MeshIndicesMax)
	case vertices == 0 || indices == 0:
		return corrupt("no triangles: %d vertices, %d indices", vertices, indices)
	case indices%3 != 0:
		return corrupt("%d indices are not whole triangles", indices)
	}
	return nil
}

func indicesStart(vertices int64) int64 {
	return (headerBytes + vertices*assets.VertexBytes + alignBytes - 1) / alignBytes * alignBytes
}

func putBounds(dst []byte, b *assets.Bounds) {
	for i, f := range boundsFloats(b) {
		binary.LittleEndian.PutUint32(dst[i*4:], math.Float32bits(*f))
	}
}

func readBounds(src []byte) (assets.Bounds, error) {
	var b assets.Bounds
	for i, f := range boundsFloats(&b) {
		*f = math.Float32frombits(binary.LittleEndian.Uint32(src[i*4:]))
	}
	for axis := range 3 {
		lo, hi, c := b.Min[axis], b.Max[axis], b.Center[axis]
		if !(lo >= -CoordinateMax && hi <= CoordinateMax && lo <= c && c <= hi) {
			return b, corrupt("bounds of axis %d are %g..%g around %g", axis, lo, hi, c)
		}
	}
	if !(b.Radius >= 0 && b.Radius <= 4*CoordinateMax) {
		return b, corrupt("bounding radius %g", b.Radius)
	}
	return b, nil
}

func boundsFloats(b *assets.Bounds) [10]*float32 {
	return [...]*float32{
		&b.Min[0], &b.Min[1], &b.Min[2], &b.Max[0], &b.Max[1], &b.Max[2],
		&b.Center[0], &b.Center[1], &b.Center[2], &b.Radius,
	}
}
