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
	// Waiting is set once the batch was submitted.
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
