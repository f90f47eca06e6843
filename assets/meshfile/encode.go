package meshfile

import (
	"encoding/binary"
	"math"

	"sojourn/assets"
)

// Encode makes the file of a list of triangles, with bounds of [BoundsOf]. The
// result is the caller's; equal meshes give equal bytes. What [Decode] would
// refuse is refused here: the error wraps [assets.ErrTooLarge] over
// [assets.MeshVerticesMax] or [assets.MeshIndicesMax], and [assets.ErrCorrupt]
// for no triangles, incomplete ones, an index without a vertex, or a number
// that is not finite or over [CoordinateMax].
func Encode(v []assets.Vertex, idx []uint32) ([]byte, error) {
	if err := checkCounts(int64(len(v)), int64(len(idx))); err != nil {
		return nil, err
	}
	if err := checkVertices(v, 0); err != nil {
		return nil, err
	}
	if err := checkIndices(idx, 0, uint32(len(v))); err != nil {
		return nil, err
	}
	start := indicesStart(int64(len(v)))
	out := make([]byte, start+int64(len(idx))*indexBytes)
	le := binary.LittleEndian
	copy(out, magic)
	le.PutUint32(out[atVersion:], version)
	le.PutUint32(out[atVertices:], uint32(len(v)))
	le.PutUint32(out[atIndices:], uint32(len(idx)))
	le.PutUint32(out[atVerticesStart:], headerBytes)
	le.PutUint32(out[atIndicesStart:], uint32(start))
	bounds := BoundsOf(v)
	putBounds(out[atBounds:], &bounds)
	for i := range v {
		putVertex(out[headerBytes+i*assets.VertexBytes:], &v[i])
	}
	for i, x := range idx {
		le.PutUint32(out[int(start)+i*indexBytes:], x)
	}
	return out, nil
}

func putVertex(dst []byte, v *assets.Vertex) {
	for i, f := range vertexFloats(v) {
		binary.LittleEndian.PutUint32(dst[i*4:], math.Float32bits(*f))
	}
	copy(dst[32:assets.VertexBytes], v.Color[:])
}

func readVertex(src []byte, v *assets.Vertex) {
	for i, f := range vertexFloats(v) {
		*f = math.Float32frombits(binary.LittleEndian.Uint32(src[i*4:]))
	}
	copy(v.Color[:], src[32:assets.VertexBytes])
}

func vertexFloats(v *assets.Vertex) [8]*float32 {
	return [...]*float32{
		&v.Pos[0], &v.Pos[1], &v.Pos[2], &v.Normal[0], &v.Normal[1], &v.Normal[2], &v.UV[0], &v.UV[1],
	}
}
