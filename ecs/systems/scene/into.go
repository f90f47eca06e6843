package scene

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/gpu"
	"sojourn/resources"
)

// SpawnInto puts a model into a layer: it is withheld, shown and let go of with
// it, and comes back, where it was last, when the document is loaded again. The
// layer must have its entities already. The error wraps [ErrNoLayer] or
// assets.ErrBadStem.
func (l *Layers) SpawnInto(s *Spawner, layer ecs.Entity, model string, at gpu.Mat4) (ecs.Entity, error) {
	c, err := l.get(layer)
	if err != nil {
		return ecs.Entity{}, err
	}
	if c.Roster < 0 || c.State == components.LayerSpawning {
		return ecs.Entity{}, fmt.Errorf("%w: entity %d is %s: its entities are not there yet", ErrNoLayer, layer.ID(), c.State)
	}
	roster := c.Roster
	withheld := c.State != components.LayerPresented && c.Policy != components.PresentImmediate
	e, err := s.model(model, place{world: at, layer: layer, withheld: withheld})
	if err != nil {
		return ecs.Entity{}, err
	}
	l.set.Rosters.Add(roster, e)
	return e, nil
}

// dormant is the record of a living member of a layer, if the game put it there.
func dormant(store *assets.Store, models *generic.Map[components.ModelInstance], places *generic.Map[components.Transform], e ecs.Entity) (d resources.DormantSpawn, ok bool) {
	if !models.Has(e) || models.Get(e).OfDocument || !places.Has(e) {
		return d, false
	}
	model, _ := store.KeyOf(models.Get(e).Model())
	return resources.DormantSpawn{Model: model.Stem, World: places.Get(e).World}, true
}
