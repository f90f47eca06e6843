package resources

import (
	"time"

	"github.com/mlange-42/arche/ecs"
)

// Emission is what the particles of a world go by.
type Emission struct {
	// Time is how long the world has been ticked. It is the tick's to add to.
	Time time.Duration
	// QuadsMax is how many particles the sources there are can have together,
	// so that room for them is made when they bind and not as they come.
	QuadsMax int

	class HoldClass
}

// Reserve makes room for a source's particles, until its component goes.
func (s *Set) Reserve(e ecs.Entity, consumer ecs.ID, quads int32) {
	s.Emission.QuadsMax += int(quads)
	s.Ledger.Add(e, consumer, s.Emission.class, uint64(quads))
}

// Unreserve gives that room back.
func (s *Set) Unreserve(e ecs.Entity, consumer ecs.ID, quads int32) {
	s.Ledger.Drop(e, consumer, s.Emission.class, uint64(quads))
}
