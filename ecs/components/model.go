package components

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/gpu"
)

// ModelInstance puts a model into the world by name. Once the model is in
// memory, the models row gives it one [Primitive] for each part.
type ModelInstance struct {
	model assets.Handle

	Roster int32 // of its parts; -1 before any
	Part   int32 // the next part to make
	// OfDocument says that a scene document names it, not the game: it is not
	// kept on record when its layer leaves.
	OfDocument bool
}

// NewModelInstance names the model; scene.Spawner records it in the ledger.
func NewModelInstance(model assets.Handle) ModelInstance {
	return ModelInstance{model: model, Roster: -1}
}

// Model is the model's handle.
func (m *ModelInstance) Model() assets.Handle { return m.model }

// PendingModel marks an instance with parts still to make.
type PendingModel struct{}

// FailedModel marks an instance whose model could not be loaded.
type FailedModel struct{}

// Attached moves an entity with another: its place is Local in Root's space.
type Attached struct {
	Root  ecs.Entity
	Local gpu.Mat4
}
