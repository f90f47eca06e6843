package scene

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

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

// dormant is the record of a layer's member, if the game put it there.
func (s *Spawner) dormant(e ecs.Entity) (d resources.DormantSpawn, ok bool) {
	if !s.world.Alive(e) || !s.models.Has(e) || s.models.Get(e).OfDocument || !s.transforms.Has(e) {
		return d, false
	}
	model, _ := s.store.KeyOf(s.models.Get(e).Model())
	return resources.DormantSpawn{Model: model.Stem, World: s.transforms.Get(e).World}, true
}
