package systems

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/stages"
)

// SkyboxRow joins what a world has around everything on the device: sky
// pictures, the pictures of probes, and look-up tables. One that failed leaves
// the clear colour, the camera's own light, or colours as they are.
func SkyboxRow() stages.Row {
	return stages.Row{
		Name: "skybox", Kinds: assets.Kinds(assets.KindTexture), NeedsWarm: true,
		Open: func(w *ecs.World, s stages.Services) (stages.Runner, error) {
			return &surroundings{[3]pictureUsers{
				newPictures[components.Skybox, components.PendingSkybox](w, s),
				newPictures[components.Probe, components.PendingProbe](w, s),
				newPictures[components.LookUp, components.PendingLookUp](w, s),
			}}, nil
		},
	}
}

// surroundings is the skybox row: one stage for three components.
type surroundings struct{ users [3]pictureUsers }

// Run joins pictures that have landed.
func (r *surroundings) Run(s *stages.Slice) stages.Outcome {
	outcome := stages.Done
	for _, u := range r.users { // all of them: a destination's may stand in any
		if u.Run(s) == stages.Yielded {
			outcome = stages.Yielded
		}
	}
	return outcome
}

// CollectCold names pictures that nothing has asked for yet.
func (r *surroundings) CollectCold(c *stages.Cold) {
	for _, u := range r.users {
		u.CollectCold(c)
	}
}

// Abandon takes pictures off the device; what stands in for them shows
// meanwhile.
func (r *surroundings) Abandon(match func(assets.Handle) bool) {
	for _, u := range r.users {
		u.Abandon(match)
	}
}

// Rearm lets those try again whose picture had failed.
func (r *surroundings) Rearm(match func(assets.Handle) bool) {
	for _, u := range r.users {
		u.Rearm(match)
	}
}
