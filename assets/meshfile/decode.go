package meshfile

import (
	"encoding/binary"
	"math"
	"unsafe"

	"sojourn/assets"
)

// Decode opens a mesh file. On success the mesh owns data: its vertices and
// indices are views into those bytes, without a copy, where the machine is
// little-endian and the bytes are aligned to four; otherwise they are copied
// and data is freed. On failure data stays the caller's.
//
// Everything is checked: counts against [assets.MeshVerticesMax] and
// [assets.MeshIndicesMax], every index against the number of vertices, every
// number for being finite, every position against the bounds. The error wraps
// [assets.ErrTooLarge] or [assets.ErrCorrupt].
func Decode(data assets.Bytes) (assets.Mesh, error) {
	return DecodeChunks(data, func() error { return nil })
}

// DecodeChunks is [Decode] for a worker: it calls yield between chunks of
// [assets.ChunkBytesMax] and returns yield's error.
func DecodeChunks(data assets.Bytes, yield func() error) (assets.Mesh, error) {
	var m assets.Mesh
	var spans spans
	b := data.Slice()
	var err error
	if fault := assets.Guard(func() { m.Bounds, spans, err = readHeader(b) }); fault != nil {
		err = fault
	}
	if err != nil {
		return assets.Mesh{}, err
	}
	vertices, indices := b[headerBytes:spans.verticesEnd], b[spans.indicesStart:]
	copied := !viewable(b)
	if copied {
		m.Data, err = copyMesh(&m, vertices, indices, yield)
		if err != nil {
			return assets.Mesh{}, err
		}
	} else {
		m.Vertices = unsafe.Slice((*assets.Vertex)(unsafe.Pointer(&vertices[0])), len(vertices)/assets.VertexBytes)
		m.Indices = unsafe.Slice((*uint32)(unsafe.Pointer(&indices[0])), len(indices)/indexBytes)
	}
	if err := check(&m, yield); err != nil {
		return assets.Mesh{}, err
	}
	if copied {
		data.Free()
	} else {
		m.Data = data
	}
	return m, nil
}

type spans struct{ verticesEnd, indicesStart int64 }

// readHeader checks the header against the number of bytes there are.
func readHeader(b []byte) (bounds assets.Bounds, s spans, err error) {
	if len(b) < headerBytes {
		return bounds, s, corrupt("%d bytes, the header alone is %d", len(b), headerBytes)
	}
	le := binary.LittleEndian
	if string(b[:len(magic)]) != magic {
		return bounds, s, corrupt("this is not a mesh file")
	}
	if v := le.Uint32(b[atVersion:]); v != version {
		return bounds, s, corrupt("version %d, want %d", v, version)
	}
	vertices, indices := int64(le.Uint32(b[atVertices:])), int64(le.Uint32(b[atIndices:]))
	if err := checkCounts(vertices, indices); err != nil {
		return bounds, s, err
	}
	s = spans{verticesEnd: headerBytes + vertices*assets.VertexBytes, indicesStart: indicesStart(vertices)}
	if v, i := int64(le.Uint32(b[atVerticesStart:])), int64(le.Uint32(b[atIndicesStart:])); v != headerBytes || i != s.indicesStart {
		return bounds, s, corrupt("vertices at %d and indices at %d, want %d and %d", v, i, headerBytes, s.indicesStart)
	}
	if want := s.indicesStart + indices*indexBytes; int64(len(b)) != want {
		return bounds, s, corrupt("%d bytes, want %d for %d vertices and %d indices", len(b), want, vertices, indices)
	}
	for _, x := range b[s.verticesEnd:s.indicesStart] {
		if x != 0 {
			return bounds, s, corrupt("the padding is not zero")
		}
	}
	bounds, err = readBounds(b[atBounds:])
	return bounds, s, err
}

// viewable tells whether the bytes can be shown as vertices and indices as
// they lie.
func viewable(b []byte) bool {
	little := binary.NativeEndian.Uint16([]byte{1, 0}) == 1
	return little && uintptr(unsafe.Pointer(&b[0]))%unsafe.Alignof(uint32(0)) == 0
}

const (
	verticesPerChunk = assets.ChunkBytesMax / assets.VertexBytes
	indicesPerChunk  = assets.ChunkBytesMax / indexBytes
)

// copyMesh fills m's views with memory of their own and returns its owner.
func copyMesh(m *assets.Mesh, vertices, indices []byte, yield func() error) (assets.Bytes, error) {
	nv, ni := len(vertices)/assets.VertexBytes, len(indices)/indexBytes
	// One block of words holds both, so that one Bytes owns them.
	words := make([]uint32, nv*assets.VertexBytes/4+ni)
	m.Vertices = unsafe.Slice((*assets.Vertex)(unsafe.Pointer(&words[0])), nv)
	m.Indices = words[len(words)-ni:]
	for at := 0; at < nv; at += verticesPerChunk {
		if err := yieldGuarded(yield, func() {
			for i := at; i < min(at+verticesPerChunk, nv); i++ {
				readVertex(vertices[i*assets.VertexBytes:], &m.Vertices[i])
			}
		}); err != nil {
			return assets.Bytes{}, err
		}
	}
	for at := 0; at < ni; at += indicesPerChunk {
		if err := yieldGuarded(yield, func() {
			for i := at; i < min(at+indicesPerChunk, ni); i++ {
				m.Indices[i] = binary.LittleEndian.Uint32(indices[i*indexBytes:])
			}
		}); err != nil {
			return assets.Bytes{}, err
		}
	}
	return assets.OwnBytes(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*4)), nil
}

func yieldGuarded(yield func() error, f func()) error {
	if err := yield(); err != nil {
		return err
	}
	return assets.Guard(f)
}

// check walks both views in chunks.
func check(m *assets.Mesh, yield func() error) error {
	var err error
	for at := 0; at < len(m.Vertices); at += verticesPerChunk {
		chunk := m.Vertices[at:min(at+verticesPerChunk, len(m.Vertices))]
		fault := yieldGuarded(yield, func() {
			if err = checkVertices(chunk, at); err == nil {
				err = checkInside(chunk, at, &m.Bounds)
			}
		})
		if fault != nil {
			return fault
		}
		if err != nil {
			return err
		}
	}
	for at := 0; at < len(m.Indices); at += indicesPerChunk {
		chunk := m.Indices[at:min(at+indicesPerChunk, len(m.Indices))]
		fault := yieldGuarded(yield, func() { err = checkIndices(chunk, at, uint32(len(m.Vertices))) })
		if fault != nil {
			return fault
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkVertices refuses numbers that are not finite; first is the number of
// the chunk's first vertex, for the text.
func checkVertices(v []assets.Vertex, first int) error {
	for i := range v {
		p := &v[i]
		for axis, x := range p.Pos {
			if !(x >= -CoordinateMax && x <= CoordinateMax) {
				return corrupt("vertex %d: position %g on axis %d is not a number within %g", first+i, x, axis, float64(CoordinateMax))
			}
		}
		if !(finite(p.Normal[0]) && finite(p.Normal[1]) && finite(p.Normal[2]) && finite(p.UV[0]) && finite(p.UV[1])) {
			return corrupt("vertex %d: normal %g or texture coordinates %g are not finite", first+i, p.Normal, p.UV)
		}
	}
	return nil
}

func finite(x float32) bool {
	const exponent = 0x7F800000
	return math.Float32bits(x)&exponent != exponent
}

// checkInside refuses vertices outside the declared bounds: they would vanish
// while they should be seen.
func checkInside(v []assets.Vertex, first int, b *assets.Bounds) error {
	// The sphere is compared with the room that rounding needs.
	reach := float64(b.Radius) * (1 + 1e-6)
	for i := range v {
		p := &v[i].Pos
		for axis, x := range p {
			if x < b.Min[axis] || x > b.Max[axis] {
				return corrupt("vertex %d: %g on axis %d is outside the bounds %g..%g", first+i, x, axis, b.Min[axis], b.Max[axis])
			}
		}
		if squareDistance(p, &b.Center) > reach*reach {
			return corrupt("vertex %d is outside the bounding sphere of radius %g", first+i, b.Radius)
		}
	}
	return nil
}

func checkIndices(idx []uint32, first int, vertices uint32) error {
	for i, x := range idx {
		if x >= vertices {
			return corrupt("index %d names vertex %d of %d", first+i, x, vertices)
		}
	}
	return nil
}
