package scene

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/gpu"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// spawnOther makes the i-th thing beside a document's entities: its effects,
// then its sky.
func (l *loads) spawnOther(s *stages.Slice, slot *resources.LoadSlot, doc *assets.Scene, i int) bool {
	if i == len(doc.Effects) && doc.Skybox == "" {
		return true
	}
	if !s.Begin(work.Of(work.EntityOps, 1)) {
		return false
	}
	if i == len(doc.Effects) {
		l.add(slot.Layer, func(at place) (ecs.Entity, error) { return l.spawner.skybox(doc.Skybox, at) })
	} else {
		d := &doc.Effects[i]
		world := Matrix(d.At, l.layers.Get(slot.Layer).Origin)
		l.add(slot.Layer, func(at place) (ecs.Entity, error) {
			at.world = world
			return l.spawner.effect(d, at)
		})
	}
	s.Commit()
	return true
}

// await puts an instance in the place of a model that is not in memory: one that
// failed shows nothing until its file is mended, one that is being reloaded
// comes when it has landed. The batch has reported a failure.
func (l *loads) await(s *stages.Slice, slot *resources.LoadSlot, d *assets.SceneEntity, world gpu.Mat4) bool {
	if d.Material != "" {
		return true // an instance has its model's own materials
	}
	if !s.Begin(work.Of(work.EntityOps, 1)) {
		return false
	}
	l.add(slot.Layer, func(at place) (ecs.Entity, error) {
		at.world = world
		e, err := l.spawner.model(d.Model, at)
		if err == nil {
			l.spawner.models.Get(e).OfDocument = true
		}
		return e, err
	})
	s.Commit()
	return true
}

// meshesComing tells whether a worker will bring in a mesh of a model.
func (l *loads) meshesComing(stem string) bool {
	model := l.model(stem)
	if model == nil {
		return false
	}
	for i := range model.Parts {
		h, ok := l.store.Find(assets.Key{Stem: model.Parts[i].Mesh, Kind: assets.KindMesh})
		if !ok {
			continue
		}
		switch l.store.State(h) {
		case assets.StateUnloaded, assets.StateQueued, assets.StateDecoding:
			return true
		}
	}
	return false
}

// model is a resident model by stem, or nil. The load's scope holds it.
func (l *loads) model(stem string) *assets.Model {
	h, ok := l.store.Find(assets.Key{Stem: stem, Kind: assets.KindModel})
	if !ok || !l.store.Has(h) {
		return nil
	}
	return l.models.At(h)
}
