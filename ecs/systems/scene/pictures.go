package scene

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/ecs/components"
	"sojourn/gpu"
)

// pictureStates tells how far the picture of an entity is, whatever shows it.
type pictureStates struct {
	world   *ecs.World
	pending ecs.Mask
	skies   generic.Map[components.Skybox]
	probes  generic.Map[components.Probe]
	lookUps generic.Map[components.LookUp]
	decals  generic.Map[components.Decal]
	sources generic.Map[components.ParticleSource]
}

func newPictureStates(w *ecs.World) pictureStates {
	return pictureStates{
		world: w,
		pending: ecs.All(
			ecs.ComponentID[components.PendingSkybox](w), ecs.ComponentID[components.PendingProbe](w),
			ecs.ComponentID[components.PendingLookUp](w),
			ecs.ComponentID[components.PendingDecal](w), ecs.ComponentID[components.PendingParticles](w),
			ecs.ComponentID[components.PendingZone](w),
		),
		skies:   generic.NewMap[components.Skybox](w),
		probes:  generic.NewMap[components.Probe](w),
		lookUps: generic.NewMap[components.LookUp](w),
		decals:  generic.NewMap[components.Decal](w),
		sources: generic.NewMap[components.ParticleSource](w),
	}
}

// of is an entity's joined picture, 0 where it has none, and whether that or
// anything else of it is still to come.
func (p *pictureStates) of(e ecs.Entity) (ref gpu.TextureRef, pending bool) {
	mask := p.world.Mask(e)
	if mask.ContainsAny(&p.pending) {
		return 0, true
	}
	switch {
	case p.skies.Has(e):
		return p.skies.Get(e).Joined, false
	case p.probes.Has(e):
		return p.probes.Get(e).Joined, false
	case p.lookUps.Has(e):
		return p.lookUps.Get(e).Joined, false
	case p.decals.Has(e):
		return p.decals.Get(e).Joined, false
	case p.sources.Has(e):
		return p.sources.Get(e).Joined, false
	}
	return 0, false
}
