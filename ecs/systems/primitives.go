package systems

import (
	"errors"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/gpu"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// PrimitivesRow binds meshes: a primitive takes its retain and joins the
// device's geometry of that mesh. It is the unit of work of the whole pass.
func PrimitivesRow() stages.Row {
	return stages.Row{
		Name: "primitives", Kinds: assets.Kinds(assets.KindMesh, assets.KindModel),
		NeedsWarm: true, Open: openPrimitives,
	}
}

type primitives struct {
	store    *assets.Store
	geometry *gpu.Geometry
	set      *resources.Set
	prims    generic.Map[components.Primitive]
	marker   generic.Map1[components.PendingMesh]
	failed   generic.Map1[components.FailedMesh]
	classes  scene.Classes
	pending  Queue
}

func openPrimitives(w *ecs.World, s stages.Services) (stages.Runner, error) {
	r := &primitives{
		store: s.Store, geometry: s.Geometry, set: resources.Must(w),
		prims:   generic.NewMap[components.Primitive](w),
		marker:  generic.NewMap1[components.PendingMesh](w),
		failed:  generic.NewMap1[components.FailedMesh](w),
		classes: scene.NewClasses(w),
	}
	r.pending = NewQueue(w, []ecs.ID{r.prims.ID(), ecs.ComponentID[components.PendingMesh](w)})
	r.set.Room.Add(r.pending.Grower(resources.RoomPrimitives))
	return r, nil
}

// Run binds what is in memory. What is still on its way is left to its wake.
func (r *primitives) Run(s *stages.Slice) stages.Outcome {
	r.pending.Fill()
	for share := newShare(s, &r.classes); ; {
		e, ok := r.pending.Take()
		if !ok {
			return share.outcome()
		}
		if !r.prims.Has(e) {
			continue
		}
		class := r.classes.Of(e)
		state := r.store.State(r.prims.Get(e).Mesh())
		if !state.Settled() {
			continue
		}
		switch share.begin(class, work.Of(work.EntityOps, 1)) {
		case leave:
			continue
		case endTurn:
			r.pending.PutBack()
			return stages.Yielded
		}
		if state == assets.StateResident {
			r.bind(s, e, class)
			continue
		}
		r.marker.Remove(e)
		r.failed.Add(e)
		s.Commit()
	}
}

// bind takes the primitive's own retain before anything else lets go.
func (r *primitives) bind(s *stages.Slice, e ecs.Entity, class work.Class) {
	mesh := r.prims.Get(e).Mesh()
	if !r.store.TryRetain(mesh) {
		s.Fail()
		s.Owe()
		return
	}
	ref, err := r.geometry.Join(mesh)
	if err != nil {
		r.store.Release(mesh)
		s.Fail()
		if errors.Is(err, gpu.ErrCapacity) {
			s.Owe() // room comes by frees, which no wake names
			return
		}
		r.marker.Remove(e)
		r.failed.Add(e)
		return
	}
	if class == work.Destination {
		r.geometry.SetClass(ref, class) // never back: another may wait for it, too
	}
	r.prims.Get(e).Geometry = ref
	id, holds := r.prims.ID(), &r.set.Holds
	r.set.Ledger.Add(e, id, holds.Retain, uint64(mesh))
	r.set.Ledger.Add(e, id, holds.Geometry, uint64(ref))
	r.marker.Remove(e)
	s.Commit()
}

// CollectCold names meshes that nothing has asked for yet.
func (r *primitives) CollectCold(c *stages.Cold) {
	r.pending.Each(func(e ecs.Entity) bool { return c.Add(r.prims.Get(e).Mesh()) })
}
