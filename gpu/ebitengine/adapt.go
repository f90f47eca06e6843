package ebitengine

import (
	"math"
	"time"
)

// steps are the internal sizes, as shares of the largest: 1280x720, 1066x600,
// 854x480, 640x360 and 480x270 for the default.
var steps = [...]float64{1, 5.0 / 6, 2.0 / 3, 0.5, 0.375}

// Frame times that the adaptive size steers by.
const (
	frameTarget = 16900 * time.Microsecond // above for a while: too slow
	frameGoal   = 15 * time.Millisecond    // what a larger size is expected to keep
	frameMax    = 250 * time.Millisecond   // longer pauses are no frames

	settleFrames = 20  // after a change, before times count
	slowFrames   = 30  // too slow for so long: smaller
	fastFrames   = 150 // fast enough for so long: larger
	retryFrames  = 600 // between trials of a larger size that times don't promise
	retryMax     = 64  // times retryFrames
)

// adapter chooses the internal size by the time between presents.
type adapter struct {
	on   bool
	step int

	last     time.Time
	smoothed float64 // nanoseconds
	settle   int     // frames still to ignore
	slow     int
	fast     int

	// A trial of a larger size that has just begun, and how much longer each
	// failed one makes the wait.
	trial   bool
	waited  int
	backoff int
}

func newAdapter(on bool) adapter { return adapter{on: on, settle: settleFrames, backoff: 1} }

// scale is the share of the largest edge to draw at.
func (a *adapter) scale() float64 { return steps[a.step] }

// sample takes one present.
func (a *adapter) sample(now time.Time) {
	interval := now.Sub(a.last)
	first := a.last.IsZero()
	a.last = now
	if !a.on || first || interval <= 0 || interval > frameMax {
		return
	}
	if a.settle > 0 {
		a.settle--
		a.smoothed = 0
		return
	}
	if a.smoothed == 0 {
		a.smoothed = float64(interval)
	}
	// One odd frame is no trend: its weight is capped.
	sample := min(float64(interval), 2*a.smoothed)
	a.smoothed += (sample - a.smoothed) / 16
	a.waited++
	switch {
	case a.smoothed > float64(frameTarget):
		a.fast = 0
		if a.slow++; a.slow >= slowFrames {
			a.shrink()
		}
	default:
		a.slow = 0
		if a.fast++; a.fast >= fastFrames {
			a.fast = 0
			a.grow()
		}
	}
}

// shrink goes to the largest size that promises to be fast enough.
func (a *adapter) shrink() {
	if a.trial {
		a.backoff = min(2*a.backoff, retryMax)
	}
	next := a.step
	for next < len(steps)-1 {
		next++
		if a.predict(next) <= float64(frameGoal) {
			break
		}
	}
	a.change(next, false)
}

// grow goes one size up, if times promise that it will do. Where a display
// paces the frames they cannot promise it, so it is tried now and then.
func (a *adapter) grow() {
	a.trial = false // the present size has proved itself
	if a.step == 0 {
		return
	}
	if a.predict(a.step-1) <= float64(frameGoal) {
		a.change(a.step-1, true)
		return
	}
	paced := math.Abs(a.smoothed-float64(time.Second)/60) < float64(200*time.Microsecond)
	if paced && a.waited >= retryFrames*a.backoff {
		a.change(a.step-1, true)
	}
}

// fixedShare is the part of a frame's time that does not depend on its size.
const fixedShare = 0.4

func (a *adapter) predict(step int) float64 {
	ratio := steps[step] / steps[a.step]
	return a.smoothed * (fixedShare + (1-fixedShare)*ratio*ratio)
}

func (a *adapter) change(step int, trial bool) {
	a.trial, a.waited = trial, 0
	a.slow, a.fast, a.settle = 0, 0, settleFrames
	a.step = step
}

// sizeFor is the internal size for a target: the target's own, or one of its
// shape with as many pixels as the step allows.
func (a *adapter) sizeFor(width, height, widthMax, heightMax int) (int, int) {
	allowed := float64(widthMax) * a.scale() * float64(heightMax) * a.scale()
	pixels := float64(width) * float64(height)
	if pixels <= allowed {
		return width, height
	}
	s := math.Sqrt(allowed / pixels)
	return max(1, int(math.Round(float64(width)*s))), max(1, int(math.Round(float64(height)*s)))
}
