package sojourn_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/sojourntest"
)

func load(t *testing.T, w *sojourn.World, r scene.Request) ecs.Entity {
	t.Helper()
	e, err := w.Load(r)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func spawn(t *testing.T, w *sojourn.World, model string) ecs.Entity {
	t.Helper()
	e, err := sojourn.Spawn(w, model, sojourn.At(0, 0, -4))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func unload(t *testing.T, w *sojourn.World, e ecs.Entity) {
	t.Helper()
	if err := w.Unload(e); err != nil {
		t.Fatal(err)
	}
}

// refs is how often an asset is retained.
func refs(r *sojourntest.Rig, stem string, k assets.Kind) int {
	h, ok := r.Session.Store().Find(assets.Key{Stem: stem, Kind: k})
	if !ok {
		return 0
	}
	return r.Session.Store().Refs(h)
}

func resident(r *sojourntest.Rig, stem string, k assets.Kind) bool {
	h, ok := r.Session.Store().Find(assets.Key{Stem: stem, Kind: k})
	return ok && r.Session.Store().State(h) == assets.StateResident
}

func decodes(r *sojourntest.Rig) uint64 { return r.Session.Store().Stats().Decodes }

// entities counts those with a component.
func entities[T any](w *sojourn.World) (n int) {
	q := w.ECS().Query(ecs.All(ecs.ComponentID[T](w.ECS())))
	for q.Next() {
		n++
	}
	return n
}

// shared is content in which scenes "a" and "b" have a crate each of their own
// and share one, and in which two materials share a texture.
func shared() *sojourntest.Content {
	c := sojourntest.NewContent()
	for _, stem := range []string{"ca", "cb", "cs"} {
		c.Crate(stem)
	}
	c.Scene("a", "ca", "cs")
	c.Scene("b", "cb", "cs")
	c.Texture("cloth", 16)
	for _, stem := range []string{"red", "blue"} {
		c.Material(stem, "cloth")
		c.Mesh(stem, 1)
		c.Model(stem, sojourntest.Part{Mesh: stem, Material: stem})
	}
	c.Sound("hum", 4800)
	c.SceneOf("full", assets.Scene{Skybox: "cloth", Entities: []assets.SceneEntity{
		sojourntest.Placed("1", "ca", 0, 0, -4), sojourntest.Placed("2", "red", 0, 0, -4),
		sojourntest.Placed("3", "blue", 1, 0, -4), sojourntest.Sounding("4", "hum"),
	}})
	return c
}

const gated = components.PresentGated
