package resources

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
)

// LoadsMax is how many layers load at once. Concurrency buys latency, never
// frame time: all share one meter.
const LoadsMax = 4

// LoadSlot is one layer's load under way: what is being decoded for it, and
// the scope that holds what has been until its entities hold it themselves.
type LoadSlot struct {
	Layer ecs.Entity // zero: the slot is free
	Batch *assets.Batch
	Scope *assets.Scope
	// Part is where spawning goes on inside a model of many parts.
	Part int32
	// Demand is what its entities will take, counted so far as Planned says;
	// Grown is the structure whose room is looked at next.
	Demand  Demand
	Planned int32
	Grown   int32
	// Submitted is set once the batch was.
	Submitted bool
	// Told is set once the lifecycle log was told that all of it is ready.
	Told   bool
	Ticket assets.Ticket
}

// Loads is the pool of load slots and the line of layers before it.
type Loads struct {
	Slots [LoadsMax]LoadSlot
	// Asked are the manual layers that are to show themselves now.
	Asked []ecs.Entity
	// Serial numbers requests and unloads.
	Serial uint32
	// Emptying are scopes of loads that are over. Retirement lets go of what
	// they hold, as the frame allows.
	Emptying []*assets.Scope
	spare    []*assets.Scope
}

// Part takes a slot's scope, to be emptied later, and gives it an empty one. It
// tells whether there is anything to empty.
func (l *Loads) Part(slot *LoadSlot, store *assets.Store) bool {
	if slot.Scope.Len() == 0 {
		return false
	}
	l.Emptying = append(l.Emptying, slot.Scope)
	if n := len(l.spare); n > 0 {
		slot.Scope, l.spare = l.spare[n-1], l.spare[:n-1]
		return true
	}
	slot.Scope = assets.NewScopeOwned(store, slot.Scope.Owner())
	return true
}

// EmptyAll lets go of everything in line at once.
func (l *Loads) EmptyAll() {
	for len(l.Emptying) > 0 {
		l.Emptying[0].ReleaseAll()
		l.Emptied()
	}
}

// Emptied takes the first scope back from the line, once it holds nothing.
func (l *Loads) Emptied() {
	l.spare = append(l.spare, l.Emptying[0])
	l.Emptying = append(l.Emptying[:0], l.Emptying[1:]...)
}

// SlotOf is the slot that loads a layer, or nil.
func (l *Loads) SlotOf(layer ecs.Entity) *LoadSlot {
	for i := range l.Slots {
		if l.Slots[i].Layer == layer && !layer.IsZero() {
			return &l.Slots[i]
		}
	}
	return nil
}

// FreeSlot is a free slot, or nil.
func (l *Loads) FreeSlot() *LoadSlot {
	for i := range l.Slots {
		if l.Slots[i].Layer.IsZero() {
			return &l.Slots[i]
		}
	}
	return nil
}

// Running is the number of slots in use.
func (l *Loads) Running() int {
	n := 0
	for i := range l.Slots {
		if !l.Slots[i].Layer.IsZero() {
			n++
		}
	}
	return n
}
