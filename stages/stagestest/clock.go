package stagestest

import (
	"time"

	"sojourn/stages/work"
)

// Clock is a [work.Clock] that moves by hand. Its zero value stands at zero.
// Game goroutine only.
type Clock struct{ now time.Duration }

var _ work.Clock = (*Clock)(nil)

// Now is the time the clock was moved to.
func (c *Clock) Now() time.Duration { return c.now }

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) { c.now += d }
