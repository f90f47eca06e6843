package systems

import (
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

// SkyboxRow joins sky pictures on the device.
func SkyboxRow() stages.Row {
	return stages.Row{
		Name: "skybox", Kinds: assets.Kinds(assets.KindTexture), NeedsWarm: true, Open: openSkybox,
	}
}

type skyboxes struct {
	store    *assets.Store
	textures *gpu.Textures
	set      *resources.Set
	skies    generic.Map[components.Skybox]
	marker   generic.Map1[components.PendingSkybox]
	classes  scene.Classes
	pending  Queue
}

func openSkybox(w *ecs.World, s stages.Services) (stages.Runner, error) {
	r := &skyboxes{
		store: s.Store, textures: s.Textures, set: resources.Must(w),
		skies:   generic.NewMap[components.Skybox](w),
		marker:  generic.NewMap1[components.PendingSkybox](w),
		classes: scene.NewClasses(w),
	}
	r.pending = NewQueue(w, []ecs.ID{r.skies.ID(), ecs.ComponentID[components.PendingSkybox](w)})
	return r, nil
}

// Run joins pictures that have landed; a failed one leaves the clear colour.
func (r *skyboxes) Run(s *stages.Slice) stages.Outcome {
	r.pending.Fill()
	for {
		e, ok := r.pending.Take()
		if !ok {
			return stages.Done
		}
		if !r.skies.Has(e) {
			continue
		}
		h := r.skies.Get(e).Texture()
		state := r.store.State(h)
		if !state.Settled() {
			continue
		}
		s.SetClass(r.classes.Of(e))
		if !s.Begin(work.Of(work.EntityOps, 1)) {
			r.pending.PutBack()
			return stages.Yielded
		}
		if state != assets.StateResident {
			r.marker.Remove(e)
			s.Commit()
			continue
		}
		r.join(s, e, h)
	}
}

func (r *skyboxes) join(s *stages.Slice, e ecs.Entity, h assets.Handle) {
	if !r.store.TryRetain(h) {
		s.Fail()
		s.Owe()
		return
	}
	ref, err := r.textures.Join(h)
	if err != nil {
		r.store.Release(h)
		s.Fail()
		s.Owe()
		return
	}
	r.set.Ledger.Add(e, r.skies.ID(), r.set.Holds.Retain, uint64(h))
	r.set.Ledger.Add(e, r.skies.ID(), r.set.Holds.Texture, uint64(ref))
	r.skies.Get(e).Joined = ref
	r.marker.Remove(e)
	s.Commit()
}

// CollectCold names pictures that nothing has asked for yet.
func (r *skyboxes) CollectCold(c *stages.Cold) {
	r.pending.Each(func(e ecs.Entity) bool { return c.Add(r.skies.Get(e).Texture()) })
}
