package resources

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
)

// Listener is what an installed world's events go to: it releases what removed
// entities and components held, and arms the debt when a watched component
// comes. A world has one listener; the session chains a game's own behind it.
type Listener struct {
	set  *Set
	mask ecs.Mask
}

// Watch makes the removal of a component release its holds, and its arrival
// arm the debt. Rows call it when they open.
func (s *Set) Watch(id ecs.ID) { s.watched.Set(id, true) }

// NewListener is the world's listener for what is watched so far.
func (s *Set) NewListener() *Listener { return &Listener{set: s, mask: s.watched} }

// Notify handles one event.
func (l *Listener) Notify(_ *ecs.World, e ecs.EntityEvent) {
	switch {
	case e.Contains(event.EntityRemoved):
		l.set.Ledger.ReleaseEntity(e.Entity)
	case e.Contains(event.ComponentRemoved):
		for _, id := range e.RemovedIDs {
			if l.mask.Get(id) {
				l.set.Ledger.ReleaseComponent(e.Entity, id)
			}
		}
	}
	if e.Contains(event.ComponentAdded) || e.Contains(event.EntityCreated) {
		l.set.ArmDebt()
	}
}

// Subscriptions are the events it wants.
func (l *Listener) Subscriptions() event.Subscription {
	return event.EntityCreated | event.EntityRemoved | event.ComponentAdded | event.ComponentRemoved
}

// Components are the components it wants them for.
func (l *Listener) Components() *ecs.Mask { return &l.mask }
