package assets

// Vertex is one corner: 36 bytes, no padding, little-endian in files.
type Vertex struct {
	Pos    [3]float32
	Normal [3]float32
	UV     [2]float32
	Color  [4]uint8 // linear, straight alpha
}

// VertexBytes is the size of a [Vertex].
const VertexBytes = 36

// Limits on one mesh; larger ones are refused with [ErrTooLarge].
const (
	MeshVerticesMax = 4 << 20
	MeshIndicesMax  = 16 << 20
)

// Bounds is an axis-aligned box and a sphere around the same points.
type Bounds struct {
	Min, Max [3]float32
	Center   [3]float32
	Radius   float32
}

// Mesh is the CPU side of a cooked mesh: a list of triangles. Vertices and
// Indices are views into the mesh's own bytes and live exactly as long.
type Mesh struct {
	Vertices []Vertex
	Indices  []uint32 // three per triangle, counter-clockwise is the front
	Bounds   Bounds
	Data     Bytes // owns what the two views show
}

// PayloadBytes is what the device copy of this mesh takes.
func (m *Mesh) PayloadBytes() int64 {
	return int64(len(m.Vertices))*VertexBytes + int64(len(m.Indices))*4
}
