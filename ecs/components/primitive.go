package components

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/gpu"
)

// Primitive is one mesh with one material: the unit of binding and drawing.
// A model of many parts is many primitives.
type Primitive struct {
	mesh     assets.Handle
	material ecs.Entity

	// Geometry is the device copy, zero until bound. The primitives row owns
	// it.
	Geometry gpu.GeometryRef
	// Row is the material's row in the world's table.
	Row uint32
}

// NewPrimitive names a mesh and a material entity. The caller must record both
// in the world's ledger; the scene package's Spawner does both.
func NewPrimitive(mesh assets.Handle, material ecs.Entity, row uint32) Primitive {
	return Primitive{mesh: mesh, material: material, Row: row}
}

// Mesh is the mesh this primitive is to show.
func (p *Primitive) Mesh() assets.Handle { return p.mesh }

// Material is the entity that carries its [Material].
func (p *Primitive) Material() ecs.Entity { return p.material }

// PendingMesh marks a primitive whose mesh is not bound yet. It holds no
// retain on the mesh until it is.
type PendingMesh struct{}

// FailedMesh marks a primitive whose mesh could not be loaded; it is not
// drawn. A reload takes the marker away.
type FailedMesh struct{}
