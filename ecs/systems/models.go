package systems

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// ModelsRow gives each model instance its parts, one a unit of work.
func ModelsRow() stages.Row {
	return stages.Row{
		Name: "models", Kinds: assets.Kinds(assets.KindModel), NeedsWarm: true, Open: openModels,
	}
}

type models struct {
	classes   scene.Classes
	store     *assets.Store
	set       *resources.Set
	residency *assets.Residency[assets.Model]
	spawner   *scene.Spawner
	instances generic.Map[components.ModelInstance]
	marker    generic.Map1[components.PendingModel]
	failed    generic.Map1[components.FailedModel]
	pending   Queue
}

func openModels(w *ecs.World, s stages.Services) (stages.Runner, error) {
	r := &models{
		store: s.Store, set: resources.Must(w),
		residency: assets.Of[assets.Model](s.Store, assets.KindModel),
		spawner:   scene.NewSpawner(w, s),
		instances: generic.NewMap[components.ModelInstance](w),
		marker:    generic.NewMap1[components.PendingModel](w),
		failed:    generic.NewMap1[components.FailedModel](w),
		classes:   scene.NewClasses(w),
	}
	r.pending = NewQueue(w, []ecs.ID{r.instances.ID(), ecs.ComponentID[components.PendingModel](w)})
	r.set.Room.Add(r.pending.Grower(resources.RoomModels))
	return r, nil
}

// Run makes parts until the slice runs out; an instance goes on where it
// stopped.
func (r *models) Run(s *stages.Slice) stages.Outcome {
	r.pending.Fill()
	for {
		e, ok := r.pending.Take()
		if !ok {
			return stages.Done
		}
		if !r.instances.Has(e) {
			continue
		}
		h := r.instances.Get(e).Model()
		s.SetClass(r.classes.Of(e))
		switch r.store.State(h) {
		case assets.StateResident:
			if !r.expand(s, e, h) {
				r.pending.PutBack()
				return stages.Yielded
			}
		case assets.StateFailed, assets.StateMissing, assets.StateStale:
			if !s.Begin(work.Of(work.EntityOps, 2)) {
				r.pending.PutBack()
				return stages.Yielded
			}
			r.marker.Remove(e)
			r.failed.Add(e)
			s.Commit()
		}
	}
}

func (r *models) expand(s *stages.Slice, e ecs.Entity, h assets.Handle) bool {
	id, holds := r.instances.ID(), &r.set.Holds
	if m := r.instances.Get(e); m.Roster < 0 {
		if !s.Begin(work.Of(work.EntityOps, 1)) {
			return false
		}
		if !r.store.TryRetain(h) {
			s.Fail()
			s.Owe()
			return true
		}
		m.Roster = r.set.Rosters.Open(r.parts(h))
		r.set.Ledger.Add(e, id, holds.Retain, uint64(h))
		r.set.Ledger.Add(e, id, holds.Roster, uint64(m.Roster))
		s.Commit()
	}
	model := r.residency.At(h)
	for int(r.instances.Get(e).Part) < len(model.Parts) {
		if !s.Begin(r.spawner.PrimitiveCost(model.Parts[r.instances.Get(e).Part].Material)) {
			return false
		}
		part, err := r.spawner.Part(e, model, int(r.instances.Get(e).Part))
		m := r.instances.Get(e)
		m.Part++
		if err == nil {
			r.set.Rosters.Add(m.Roster, part)
		}
		s.Commit()
	}
	r.marker.Remove(e)
	return true
}

// parts is how many a model has that was just retained.
func (r *models) parts(h assets.Handle) int { return len(r.residency.At(h).Parts) }

// CollectCold names models that nothing has asked for yet.
func (r *models) CollectCold(c *stages.Cold) {
	r.pending.Each(func(e ecs.Entity) bool { return c.Add(r.instances.Get(e).Model()) })
}
