package systems

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/stages"
)

// DecalsRow joins the pictures of decals on the device. One that failed is not
// drawn.
func DecalsRow() stages.Row {
	return stages.Row{
		Name: "decals", Kinds: assets.Kinds(assets.KindTexture), NeedsWarm: true,
		Open: func(w *ecs.World, s stages.Services) (stages.Runner, error) {
			return newPictures[components.Decal, components.PendingDecal](w, s), nil
		},
	}
}
