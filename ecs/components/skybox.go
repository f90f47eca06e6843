package components

import "sojourn/assets"

// Skybox shows a picture behind everything. One world draws the first that is
// ready.
type Skybox struct{ Picture }

// NewSkybox names the picture; scene.Spawner records it in the ledger.
func NewSkybox(texture assets.Handle) Skybox { return Skybox{NewPicture(texture)} }

// PendingSkybox marks a skybox whose picture is not joined yet.
type PendingSkybox struct{}

// Probe gives the light around its entity's place the colour of a picture,
// which shows what is seen from there. Of those whose radius has the camera,
// the nearest that is ready counts; without one, light is the camera's.
type Probe struct {
	Picture
	RadiusMetres float32
}

// PendingProbe marks a probe whose picture is not joined yet.
type PendingProbe struct{}

// LookUp grades the finished picture of a world: colours are looked up in a
// texture. One world uses the first that is ready, those of zones before
// others; without one, colours stay as they are. See [sojourn/gpu.Frame].
type LookUp struct{ Picture }

// PendingLookUp marks a look-up table that is not joined yet.
type PendingLookUp struct{}
