package work

import "time"

// Clock tells monotonic time since some fixed start. A test's clock moves by
// hand.
type Clock interface {
	Now() time.Duration
}

// SystemClock is the process's monotonic clock.
type SystemClock struct{ start time.Time }

// NewSystemClock starts a clock at zero.
func NewSystemClock() SystemClock { return SystemClock{start: time.Now()} }

// Now is the time since the clock was made.
func (c SystemClock) Now() time.Duration { return time.Since(c.start) }
