// Package meshfile writes and reads cooked meshes: one aligned little-endian
// binary that a mapping shows as it is, without copying.
//
// A file is a header of 64 bytes, the vertices ([assets.Vertex], 36 bytes
// each) from byte 64 on, zeros up to a multiple of 16, and the indices
// (uint32). The header:
//
//	 0  magic "SJM\n"
//	 4  version
//	 8  number of vertices
//	12  number of indices, three per triangle
//	16  offset of the vertices, in bytes
//	20  offset of the indices, in bytes
//	24  bounds: box minimum, box maximum, sphere centre (3 x float32 each),
//	    sphere radius (float32)
//
// Nothing in a file is optional and nothing may follow the indices.
package meshfile
