package scene

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/gpu"
	"sojourn/resources"
)

// readiness tells whether an entity has everything it is waiting for on the
// device. What failed for good counts as ready, degraded: a bad file never
// hangs a scene.
type readiness struct {
	world    *ecs.World
	geometry *gpu.Geometry
	textures *gpu.Textures

	primitives generic.Map[components.Primitive]
	failedMesh generic.Map[components.FailedMesh]
	materials  generic.Map[components.Material]
	pendMat    generic.Map[components.PendingMaterial]
	pendMaps   generic.Map[components.PendingMaps]
	pendSound  generic.Map[components.PendingSound]
	pictures   pictureStates
	models     generic.Map[components.ModelInstance]
	pendModel  generic.Map[components.PendingModel]
	rosters    *resources.Rosters
}

func newReadiness(w *ecs.World, g *gpu.Geometry, t *gpu.Textures) readiness {
	return readiness{
		world: w, geometry: g, textures: t,
		primitives: generic.NewMap[components.Primitive](w),
		failedMesh: generic.NewMap[components.FailedMesh](w),
		materials:  generic.NewMap[components.Material](w),
		pendMat:    generic.NewMap[components.PendingMaterial](w),
		pendMaps:   generic.NewMap[components.PendingMaps](w),
		pendSound:  generic.NewMap[components.PendingSound](w),
		pictures:   newPictureStates(w),
		models:     generic.NewMap[components.ModelInstance](w),
		pendModel:  generic.NewMap[components.PendingModel](w),
		rosters:    resources.Must(w).Rosters,
	}
}

func (r *readiness) entity(e ecs.Entity) bool {
	if !r.world.Alive(e) {
		return true
	}
	if r.primitives.Has(e) {
		return r.primitive(e)
	}
	if r.models.Has(e) {
		return r.model(e)
	}
	ref, pending := r.pictures.of(e)
	return !pending && r.texture(ref) && !r.pendSound.Has(e)
}

func (r *readiness) model(e ecs.Entity) bool {
	if r.pendModel.Has(e) {
		return false
	}
	roster := r.models.Get(e).Roster
	if roster < 0 {
		return true // it failed
	}
	members := r.rosters.Members(roster)
	for i := range members.Len() {
		part := *members.At(i)
		if !r.entity(part) {
			return false
		}
	}
	return true
}

func (r *readiness) primitive(e ecs.Entity) bool {
	p := r.primitives.Get(e)
	if !r.failedMesh.Has(e) {
		switch r.geometry.State(p.Geometry) {
		case gpu.GeometryResident, gpu.GeometryFailed:
		default:
			return false
		}
	}
	return r.material(p.Material())
}

func (r *readiness) material(e ecs.Entity) bool {
	if !r.world.Alive(e) || r.pendMat.Has(e) || r.pendMaps.Has(e) {
		return false
	}
	for slot, ref := range r.materials.Get(e).Joined {
		if drawn(assets.MapSlot(slot)) && !r.texture(ref) {
			return false
		}
	}
	return true
}

// drawn tells whether a device draws this map; the others are resident and
// accounted, and nobody waits for them.
func drawn(s assets.MapSlot) bool { return s <= assets.MapEmissive }

func (r *readiness) texture(ref gpu.TextureRef) bool {
	return ref == 0 || r.textures.Resident(ref) || r.textures.State(ref) == gpu.TextureFailed
}
