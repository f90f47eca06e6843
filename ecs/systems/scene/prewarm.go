package scene

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/ecs/components"
)

// Prewarm makes the tables of every set of components that the engine's
// entities pass through. Arche makes a table when the first entity needs it,
// in whatever frame that happens to be; for a presized world that is megabytes
// in one step. Call it before anything else is spawned.
func (s *Spawner) Prewarm() {
	w := s.world
	id := func(with func(*ecs.World) ecs.ID) ecs.ID { return with(w) }
	withheld := id(ecs.ComponentID[components.Withheld])
	pendingMesh, failedMesh := id(ecs.ComponentID[components.PendingMesh]), id(ecs.ComponentID[components.FailedMesh])
	pendingSound, muted := id(ecs.ComponentID[components.PendingSound]), id(ecs.ComponentID[components.Muted])
	pendingMaterial, pendingMaps := id(ecs.ComponentID[components.PendingMaterial]), id(ecs.ComponentID[components.PendingMaps])
	pendingModel, failedModel := id(ecs.ComponentID[components.PendingModel]), id(ecs.ComponentID[components.FailedModel])
	pendingSky := id(ecs.ComponentID[components.PendingSkybox])

	for _, ids := range [][]ecs.ID{s.ids.primitive.loose, s.ids.primitive.shown, s.ids.primitive.withheld, s.ids.attachedPrimitive} {
		s.walk(ids, pendingMesh, failedMesh)
	}
	for _, ids := range [][]ecs.ID{s.ids.sound.loose, s.ids.sound.shown, s.ids.sound.withheld} {
		s.walk(ids, pendingSound, muted)
	}
	for _, ids := range [][]ecs.ID{s.ids.skybox.loose, s.ids.skybox.shown, s.ids.skybox.withheld} {
		s.walk(ids, pendingSky)
	}
	s.walk(s.ids.material, pendingMaterial, pendingMaps)
	s.walk(s.ids.model, pendingModel, failedModel)
	s.walk([]ecs.ID{ecs.ComponentID[components.Layer](w), withheld}, withheld)
	s.walk([]ecs.ID{ecs.ComponentID[components.StreamCell](w), withheld}, withheld)
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
