package stages

import "time"

// StallAfter is how long passes may owe work and get nowhere before the watch
// speaks up.
const StallAfter = 4 * time.Second

// stallRepeat spaces the repeats.
const stallRepeat = 30 * time.Second

// Progress is what one pass did, as the stall watch sees it.
type Progress struct {
	Owed       bool // debt is left
	Committed  int  // units of work done
	Dispatched int  // assets sent to the workers
	Decoding   bool // a batch is still being decoded
	Tickets    int  // open tickets: something outside is awaited
}

// idle tells whether this pass owed work and got nowhere for no reason.
func (p Progress) stuck() bool {
	return p.Owed && p.Committed == 0 && p.Dispatched == 0 && !p.Decoding && p.Tickets == 0
}

// StallWatch finds passes that owe work, neither progress nor end, and wait
// for nothing. Without it such a world simply never finishes loading.
type StallWatch struct {
	since, warned time.Duration
	stuck, spoke  bool
	stalls        int
}

// Note records one pass and tells whether to warn now: once after [StallAfter]
// of nothing but stuck passes, then sparsely.
func (w *StallWatch) Note(now time.Duration, p Progress) (warn bool) {
	if !p.stuck() {
		w.stuck, w.spoke = false, false
		return false
	}
	if !w.stuck {
		w.stuck, w.since = true, now
	}
	if now-w.since < StallAfter || w.spoke && now-w.warned < stallRepeat {
		return false
	}
	w.spoke, w.warned = true, now
	w.stalls++
	return true
}

// Stalls is how often it warned.
func (w *StallWatch) Stalls() int { return w.stalls }
