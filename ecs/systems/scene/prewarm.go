package scene

import (
	"slices"

	"github.com/mlange-42/arche/ecs"

	"sojourn/ecs/components"
)

// Prewarm makes the tables of every set of components that the engine's
// entities pass through. Arche makes a table when the first entity needs it,
// in whatever frame that happens to be; for a presized world that is megabytes
// in one step. Call it before anything else is spawned.
func (s *Spawner) Prewarm() {
	w := s.world
	pendingMesh, failedMesh := ecs.ComponentID[components.PendingMesh](w), ecs.ComponentID[components.FailedMesh](w)
	pendingSound, muted := ecs.ComponentID[components.PendingSound](w), ecs.ComponentID[components.Muted](w)
	pendingMaterial, pendingMaps := ecs.ComponentID[components.PendingMaterial](w), ecs.ComponentID[components.PendingMaps](w)
	pendingModel, failedModel := ecs.ComponentID[components.PendingModel](w), ecs.ComponentID[components.FailedModel](w)
	pendingSky := ecs.ComponentID[components.PendingSkybox](w)

	for _, ids := range [][]ecs.ID{s.ids.primitive.loose, s.ids.primitive.shown, s.ids.primitive.withheld, s.ids.attached.loose} {
		s.walk(ids, pendingMesh, failedMesh)
	}
	for _, ids := range [][]ecs.ID{s.ids.sound.loose, s.ids.sound.shown, s.ids.sound.withheld} {
		s.walk(ids, pendingSound, muted)
	}
	for _, sort := range []struct {
		v       *variants
		pending ecs.ID
	}{
		{&s.ids.skybox, pendingSky},
		{&s.ids.probe, ecs.ComponentID[components.PendingProbe](w)},
		{&s.ids.lookUp, ecs.ComponentID[components.PendingLookUp](w)},
		{&s.ids.decal, ecs.ComponentID[components.PendingDecal](w)},
		{&s.ids.particles, ecs.ComponentID[components.PendingParticles](w)},
		{&s.ids.zone, ecs.ComponentID[components.PendingZone](w)},
	} {
		for _, ids := range [][]ecs.ID{sort.v.loose, sort.v.shown, sort.v.withheld} {
			s.walk(ids, sort.pending)
		}
	}
	s.walk(s.ids.material, pendingMaterial, pendingMaps)
	s.walk(s.ids.model.loose, pendingModel, failedModel)
	s.zoneTables()
	for _, alone := range []ecs.ID{ecs.ComponentID[components.Layer](w), ecs.ComponentID[components.StreamCell](w)} {
		w.RemoveEntity(w.NewEntity(alone))
	}
}

// walk takes one entity from its first state through a change of its marker,
// to having none.
func (s *Spawner) walk(ids []ecs.ID, first ecs.ID, then ...ecs.ID) {
	e := s.world.NewEntity(ids...)
	s.world.Remove(e, first)
	for _, marker := range then {
		s.world.Add(e, marker)
		s.world.Remove(e, marker)
	}
	s.world.RemoveEntity(e)
}

// zoneTables makes those of occupied zones. A zone's sound and its look-up table
// are bound by their own rows, in any order and as late as they like.
func (s *Spawner) zoneTables() {
	w := s.world
	sound := []ecs.ID{s.sounds.ID(), ecs.ComponentID[components.PendingSound](w)}
	muted := []ecs.ID{s.sounds.ID(), ecs.ComponentID[components.Muted](w)}
	grade := []ecs.ID{s.lookUps.ID(), ecs.ComponentID[components.PendingLookUp](w)}
	for _, zone := range [][]ecs.ID{s.ids.zone.loose, s.ids.zone.shown, s.ids.zone.withheld} {
		pending := slices.Index(zone, ecs.ComponentID[components.PendingZone](w))
		for _, zone := range [][]ecs.ID{zone, slices.Delete(slices.Clone(zone), pending, pending+1)} {
			for _, sound := range [][]ecs.ID{nil, sound[:1], sound, muted} {
				for _, grade := range [][]ecs.ID{nil, grade[:1], grade} {
					w.RemoveEntity(w.NewEntity(slices.Concat(zone, sound, grade)...))
				}
			}
		}
	}
}
