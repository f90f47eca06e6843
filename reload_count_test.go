package sojourn_test

import (
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/docfile"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
)

// count is the number of entities with a component.
func count[T any](w *sojourn.World) int {
	f := ecs.All(ecs.ComponentID[T](w.ECS()))
	q := w.ECS().Query(f)
	defer q.Close()
	return q.Count()
}

// count1 is the number of primitives.
func count1(l *live) int { return count[components.Primitive](l.w) }

func sceneRequest(stem string) scene.Request {
	return scene.Request{Stem: stem, Policy: components.PresentGated, Origin: [3]float32{0, 0, -5}}
}

// sceneOf places n of one model.
func sceneOf(t *testing.T, model string, n int) []byte {
	t.Helper()
	var s assets.Scene
	for i := range n {
		s.Entities = append(s.Entities, assets.SceneEntity{
			ID: fmt.Sprint("e", i), At: assets.IdentityTransform(), Model: model,
		})
	}
	b, err := docfile.EncodeScene(&s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
