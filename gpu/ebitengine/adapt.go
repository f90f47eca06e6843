package ebitengine

import (
	"math"
	"time"
)

// steps are the internal sizes, as shares of the largest edges: 1280x720,
// 1066x600, 854x480, 640x360, 480x270 and 320x180 for the default.
var steps = [...]float64{1, 5.0 / 6, 2.0 / 3, 0.5, 0.375, 0.25}

// Steps from which on looks give way to time.
const (
	quickStep  = 2
	rushedStep = 5
)

// Frame times, in nanoseconds, that the adaptive size steers by.
const (
	frameRefresh = 1e9 / 60.0
	frameSlow    = 16.2e6 // above for a while: a smaller size
	framePaced   = 16.9e6 // the same, where a display paces the frames
	frameGoal    = 15.4e6 // what another size is expected to keep
	frameMax     = 1e9    // longer pauses are no frames
	pacedJitter  = 0.3e6  // paced frames vary less than this
)

// Spans of time, in nanoseconds.
const (
	settleTime = 0.15e9 // after a change, before times count
	slowTime   = 0.35e9 // too slow for so long: smaller
	fastTime   = 2.5e9  // fast enough for so long: larger
	retryTime  = 10e9   // between trials of a size that times do not promise
	backoffMax = 64     // times retryTime
)

// framesMin is how many frames any of these spans has at least.
const framesMin = 3

// adapter chooses the internal size by the time between presents.
type adapter struct {
	on   bool
	step int

	last             time.Time
	smoothed, jitter float64 // nanoseconds
	settled          float64 // since the last change
	slow, fast       float64 // for so long
	frames           int     // since one of the above began

	// What another step took when it was left, to tell what part of a frame
	// depends on its size.
	otherStep  int
	otherFrame float64 // nanoseconds, 0: unknown

	trial   bool    // this step is larger than what is known to do
	backoff float64 // how much longer failed trials made the wait
}

func newAdapter(on bool) adapter { return adapter{on: on, backoff: 1} }

// sample takes the end of one present.
func (a *adapter) sample(now time.Time) {
	interval, first := float64(now.Sub(a.last)), a.last.IsZero()
	a.last = now
	if !a.on || first || interval <= 0 || interval > frameMax {
		return
	}
	a.settled += interval
	a.frames++
	if a.settled < settleTime || a.smoothed == 0 && a.frames <= framesMin {
		return
	}
	if a.smoothed == 0 {
		a.smoothed, a.jitter, a.frames = interval, 1e6, 0
	}
	// One odd frame is no trend: its weight is capped.
	interval = min(interval, 2*a.smoothed)
	a.jitter += (math.Abs(interval-a.smoothed) - a.jitter) / 16
	a.smoothed += (interval - a.smoothed) / 12
	limit := frameSlow
	if a.paced() {
		limit = framePaced
	}
	if a.smoothed > limit {
		a.slow, a.fast = a.slow+interval, 0
		if a.slow > slowTime && a.frames > framesMin {
			a.shrink()
		}
		return
	}
	a.slow, a.fast = 0, a.fast+interval
	if a.fast > fastTime {
		a.fast = 0
		a.grow()
	}
}

// haste is how far looks give way at this size.
func (a *adapter) haste() haste {
	switch {
	case !a.on || a.step < quickStep:
		return unhurried
	case a.step < rushedStep:
		return quick
	}
	return rushed
}

// paced tells whether a display, not the drawing, sets the time of frames.
func (a *adapter) paced() bool {
	return a.jitter < pacedJitter && math.Abs(a.smoothed-frameRefresh) < 0.2e6
}

// shrink goes to the largest size that promises to be fast enough.
func (a *adapter) shrink() {
	a.slow = 0
	if a.trial {
		a.backoff = min(2*a.backoff, backoffMax)
	}
	next, last := a.step, len(steps)-1
	if a.otherFrame == 0 {
		// Nothing has shown yet what size does to time: do not overshoot.
		last = min(last, a.step+2)
	}
	for next < last {
		next++
		if a.predict(next) <= frameGoal {
			break
		}
	}
	if next != a.step {
		a.change(next, false)
	}
}

// grow goes one size up if times promise that it will do. Where a display
// paces the frames they cannot promise it, so it is tried now and then.
func (a *adapter) grow() {
	a.trial = false // the present size has proved itself
	if a.step == 0 {
		return
	}
	waited := a.settled >= retryTime*a.backoff
	if a.paced() && waited || a.predict(a.step-1) <= frameGoal && (a.backoff == 1 || waited) {
		a.change(a.step-1, true)
	}
}

// fixedShare is the part of a frame's time taken not to depend on its size
// before two sizes have shown it.
const fixedShare = 0.5

func area(step int) float64 { return steps[step] * steps[step] }

// predict is what a frame would take at another step.
func (a *adapter) predict(step int) float64 {
	here := area(a.step)
	slope := a.smoothed * (1 - fixedShare) / here
	if a.otherFrame > 0 {
		measured := (a.otherFrame - a.smoothed) / (area(a.otherStep) - here)
		slope = min(max(measured, slope/4), 2*slope)
	}
	return a.smoothed + slope*(area(step)-here)
}

func (a *adapter) change(step int, trial bool) {
	a.otherStep, a.otherFrame = a.step, a.smoothed
	a.step, a.trial = step, trial
	a.settled, a.slow, a.fast, a.frames, a.smoothed = 0, 0, 0, 0, 0
}

// sizeFor is the internal size for a target: the target's own, or one of its
// shape with as many pixels as the step allows.
func (a *adapter) sizeFor(width, height, widthMax, heightMax int) (int, int) {
	allowed := float64(widthMax) * float64(heightMax) * area(a.step)
	pixels := float64(width) * float64(height)
	// A target that was given this size before may exceed it by rounding.
	if pixels <= allowed*1.02 {
		return width, height
	}
	s := math.Sqrt(allowed / pixels)
	return max(1, int(math.Round(float64(width)*s))), max(1, int(math.Round(float64(height)*s)))
}
