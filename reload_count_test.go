package sojourn_test

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn"
)

// count is the number of entities with a component.
func count[T any](w *sojourn.World) int {
	f := ecs.All(ecs.ComponentID[T](w.ECS()))
	q := w.ECS().Query(f)
	defer q.Close()
	return q.Count()
}
