package demo

import (
	"runtime"
	"slices"
	"time"
)

// samplesMax bounds a recorder without an expected number of frames: over an
// hour at 60 a second.
const samplesMax = 1 << 18

// Recorder measures ticks and frames into memory it reserved before.
type Recorder struct {
	tick, frame, alloc []float64
	heapMax            uint64
	lastPresent        time.Time
	start              time.Time
	steadyFrom         int // first frame after five seconds, -1 before

	began       time.Time
	memory      runtime.MemStats
	allocBefore uint64

	work                workSeen
	lastTick, lastAlloc float64
}

// NewRecorder reserves room for so many frames; 0 means open-ended.
func NewRecorder(frames int) *Recorder {
	if frames <= 0 || frames > samplesMax {
		frames = samplesMax
	}
	return &Recorder{
		tick: make([]float64, 0, frames), frame: make([]float64, 0, frames), alloc: make([]float64, 0, frames),
		start: time.Now(), steadyFrom: -1, work: workSeen{elapsed: make([]float64, 0, frames)},
	}
}

// BeginTick starts one tick's measurement. Allocation is process-wide and
// exact: it stops the world for a moment, outside the measured time.
func (r *Recorder) BeginTick() {
	runtime.ReadMemStats(&r.memory)
	r.allocBefore = r.memory.TotalAlloc
	r.began = time.Now()
}

// EndTick ends it.
func (r *Recorder) EndTick() {
	took := time.Since(r.began)
	runtime.ReadMemStats(&r.memory)
	r.heapMax = max(r.heapMax, r.memory.HeapAlloc)
	r.lastTick, r.lastAlloc = took.Seconds()*1e3, float64(r.memory.TotalAlloc-r.allocBefore)
	if len(r.tick) < cap(r.tick) {
		r.tick = append(r.tick, r.lastTick)
		r.alloc = append(r.alloc, r.lastAlloc)
	}
}

// Last is the tick that ended last: how long it took, and what the process
// allocated meanwhile.
func (r *Recorder) Last() (tickMS, allocBytes float64) { return r.lastTick, r.lastAlloc }

// Presented notes one present; the time between two is a frame.
func (r *Recorder) Presented() {
	now := time.Now()
	if !r.lastPresent.IsZero() && len(r.frame) < cap(r.frame) {
		r.frame = append(r.frame, now.Sub(r.lastPresent).Seconds()*1e3)
	}
	r.lastPresent = now
	if r.steadyFrom < 0 && now.Sub(r.start) > 5*time.Second {
		r.steadyFrom = len(r.frame)
	}
}

// Frames is the number of ticks recorded.
func (r *Recorder) Frames() int { return len(r.tick) }

// Tick, Frame, SteadyFrame and Alloc summarise the series.
func (r *Recorder) Tick() Spread  { return SpreadOf(r.tick) }
func (r *Recorder) Frame() Spread { return SpreadOf(r.frame) }
func (r *Recorder) Alloc() Spread { return SpreadOf(r.alloc) }

// SteadyFrame is the frames from five seconds in.
func (r *Recorder) SteadyFrame() Spread {
	if r.steadyFrom < 0 || r.steadyFrom >= len(r.frame) {
		return Spread{}
	}
	return SpreadOf(r.frame[r.steadyFrom:])
}

// HeapMax is the largest heap seen.
func (r *Recorder) HeapMax() int64 { return int64(r.heapMax) }

// FrameTail copies the last frame times, oldest first, for a graph.
func (r *Recorder) FrameTail(dst []float64) []float64 {
	n := min(cap(dst), len(r.frame))
	return append(dst[:0], r.frame[len(r.frame)-n:]...)
}

// SpreadOf summarises a series.
func SpreadOf(s []float64) Spread {
	if len(s) == 0 {
		return Spread{}
	}
	c := slices.Clone(s)
	slices.Sort(c)
	at := func(q float64) float64 { return c[min(len(c)-1, int(q*float64(len(c))))] }
	total := 0.0
	for _, v := range c {
		total += v
	}
	return Spread{Mean: total / float64(len(c)), P50: at(0.5), P99: at(0.99), Max: c[len(c)-1]}
}
