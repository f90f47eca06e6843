package window

import "time"

// frameTimesKept is how many frames the graph shows: four seconds at 60.
const frameTimesKept = 240

// frameGoalMS is what a frame may take at 60 a second.
const frameGoalMS = 1000.0 / 60

// frameTimes keeps the times between the last frames, in milliseconds.
type frameTimes struct {
	ms   [frameTimesKept]float32
	n    int // how many there ever were
	last time.Time
}

// frame notes one frame.
func (t *frameTimes) frame(now time.Time) {
	if !t.last.IsZero() {
		t.ms[t.n%frameTimesKept] = float32(now.Sub(t.last).Seconds() * 1e3)
		t.n++
	}
	t.last = now
}

// Len is how many are kept.
func (t *frameTimes) Len() int { return min(t.n, frameTimesKept) }

// At is the i-th of those kept, oldest first.
func (t *frameTimes) At(i int) float32 {
	return t.ms[(t.n-t.Len()+i)%frameTimesKept]
}

// recent is the mean and the worst of the last frames.
func (t *frameTimes) recent(frames int) (mean, worst float64) {
	n := min(frames, t.Len())
	if n == 0 {
		return 0, 0
	}
	for i := t.Len() - n; i < t.Len(); i++ {
		ms := float64(t.At(i))
		mean += ms
		worst = max(worst, ms)
	}
	return mean / float64(n), worst
}

// Tops of the graph's scale, in milliseconds: the first that suits.
const graphTopMin, graphTopMax = 40, 640

// graphTop is the time at the top of the graph: so that the goal lies in its
// middle, or as much more as slow frames need to be told apart. One odd frame
// in twenty may stand out.
func (t *frameTimes) graphTop() float32 {
	top := float32(graphTopMin)
	for top < graphTopMax && t.over(top) > t.Len()/20 {
		top *= 2
	}
	return top
}

func (t *frameTimes) over(ms float32) (n int) {
	for i := range t.Len() {
		if t.At(i) > ms {
			n++
		}
	}
	return n
}
