package components

import (
	"sojourn/assets"
	"sojourn/gpu"
)

// Picture is a texture that its entity uses by itself, not by way of a
// material. How large it will be on screen nobody can tell, so the whole chain
// of levels is asked for.
type Picture struct {
	texture assets.Handle
	// Joined is the device's copy, zero until bound. The entity's row owns it.
	Joined gpu.TextureRef
}

// NewPicture names a texture; scene.Spawner records it in the ledger.
func NewPicture(texture assets.Handle) Picture { return Picture{texture: texture} }

// Texture is the texture's handle.
func (p *Picture) Texture() assets.Handle { return p.texture }

// Self is the picture of what embeds one.
func (p *Picture) Self() *Picture { return p }
