package components

import (
	"sojourn/assets"
	"sojourn/gpu"
)

// Skybox shows a picture behind everything. One world draws the first that is
// ready.
type Skybox struct {
	texture assets.Handle
	Joined  gpu.TextureRef
}

// NewSkybox names the picture; scene.Spawner records it in the ledger.
func NewSkybox(texture assets.Handle) Skybox { return Skybox{texture: texture} }

// Texture is the picture's handle.
func (s *Skybox) Texture() assets.Handle { return s.texture }

// PendingSkybox marks a skybox whose picture is not joined yet.
type PendingSkybox struct{}
