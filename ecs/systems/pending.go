package systems

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/resources"
)

// Queue is a stage's list of pending entities under its cursor. It is refilled
// from a registered filter when it has run out; between, entities are looked
// up again by Alive, because no query survives a yield. Once it has grown it
// allocates nothing. Game goroutine only.
//
// An entity that Take gives was pending when it was collected, which may be
// frames ago: check that it still is. One that still waits may come twice in a
// turn.
type Queue struct {
	world    *ecs.World
	filter   ecs.CachedFilter
	entities []ecs.Entity
	next     int
	behind   bool // the list is from a former turn: what came since is not on it
}

// NewQueue lists the entities that have every component of with and none of
// without. It registers a filter for as long as the world lives: call it in a
// row's Open.
func NewQueue(w *ecs.World, with []ecs.ID, without ...ecs.ID) Queue {
	f := ecs.All(with...).Without(without...)
	return Queue{world: w, filter: w.Cache().Register(&f)}
}

// Grower makes room for the list: as many as there are of a kind may be pending
// at once. The queue must not move after it.
func (q *Queue) Grower(kind resources.RoomKind) resources.Grower {
	return resources.Grower{
		Kind: kind, Room: func() int { return cap(q.entities) },
		Used: func() int {
			query := q.world.Query(&q.filter)
			defer query.Close()
			return query.Count()
		},
		Grow: func(places int) { q.entities = resources.WithRoom(q.entities, places) },
	}
}

// Fill begins a turn: it collects what is pending now. Where a former turn was
// cut short, the rest of its list comes first, and Take collects again after
// it, so that a turn never ends before it looked at everything.
func (q *Queue) Fill() {
	if q.behind = q.next < len(q.entities); !q.behind {
		q.collect()
	}
}

func (q *Queue) collect() {
	q.entities, q.next = q.entities[:0], 0
	query := q.world.Query(&q.filter)
	for query.Next() {
		q.entities = append(q.entities, query.Entity())
	}
}

// Take gives the next entity that is alive; ok is false at the end.
func (q *Queue) Take() (e ecs.Entity, ok bool) {
	for {
		for q.next < len(q.entities) {
			e = q.entities[q.next]
			q.next++
			if q.world.Alive(e) {
				return e, true
			}
		}
		if !q.behind {
			return ecs.Entity{}, false
		}
		q.behind = false
		q.collect()
	}
}

// PutBack makes the last taken entity the next one again: the slice ran out
// before it.
func (q *Queue) PutBack() { q.next-- }

// Each calls f with what is pending now until it answers false. f must not
// change entities.
func (q *Queue) Each(f func(ecs.Entity) bool) {
	query := q.world.Query(&q.filter)
	for query.Next() {
		if !f(query.Entity()) {
			query.Close()
			return
		}
	}
}
