package systems

import (
	"github.com/mlange-42/arche/ecs"
)

// queue is a stage's list of pending entities under its cursor. It is refilled
// from a registered filter when it has run out; between, entities are looked
// up again by Alive, because no query survives a yield.
type queue struct {
	world    *ecs.World
	filter   ecs.CachedFilter
	entities []ecs.Entity
	next     int
}

// newQueue registers the filter, as long as the world lives.
func newQueue(w *ecs.World, with []ecs.ID, without ...ecs.ID) queue {
	f := ecs.All(with...).Without(without...)
	return queue{world: w, filter: w.Cache().Register(&f)}
}

// fill collects what is pending now, unless a former turn was cut short.
func (q *queue) fill() {
	if q.next < len(q.entities) {
		return
	}
	q.entities, q.next = q.entities[:0], 0
	query := q.world.Query(&q.filter)
	for query.Next() {
		q.entities = append(q.entities, query.Entity())
	}
}

// take gives the next entity that is alive; ok is false at the end.
func (q *queue) take() (e ecs.Entity, ok bool) {
	for q.next < len(q.entities) {
		e = q.entities[q.next]
		q.next++
		if q.world.Alive(e) {
			return e, true
		}
	}
	return ecs.Entity{}, false
}

// putBack makes the last taken entity the next one again: the slice ran out
// before it.
func (q *queue) putBack() { q.next-- }

// each calls f with what is pending until it answers false. f must not change
// the world.
func (q *queue) each(f func(ecs.Entity) bool) {
	query := q.world.Query(&q.filter)
	for query.Next() {
		if !f(query.Entity()) {
			query.Close()
			return
		}
	}
}
