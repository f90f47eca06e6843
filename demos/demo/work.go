package demo

import (
	"cmp"
	"slices"
	"time"

	"sojourn"
	"sojourn/stages/work"
)

// Work is what frames used of their budget, over the whole run.
type Work struct {
	Frames     int64  `json:"frames"`
	ElapsedMS  Spread `json:"elapsed_ms"` // streaming time of a frame
	Operations int64  `json:"operations"`
	Yields     int64  `json:"yields"`
	Failures   int64  `json:"failures"`
	Used       []Used `json:"used"`
}

// Used is one dimension of the budget.
type Used struct {
	Dimension string  `json:"dimension"`
	Mean      float64 `json:"mean"` // of a frame
	Max       int64   `json:"max"`  // of a frame
	Budget    int64   `json:"budget"`
}

// Line is the most that waited in one line of work at the end of a frame.
type Line struct {
	Line        string  `json:"line"`
	WaitingMax  int     `json:"waiting_max"`
	BytesMax    int64   `json:"bytes_max"`
	OldestMSMax float64 `json:"oldest_ms_max"`
}

// workSeen adds up what frames did.
type workSeen struct {
	frames  int64
	elapsed []float64
	total   work.Facts
	most    work.Cost
	waits   sojourn.Backlog // the most of each
}

// Observe takes down the frame that a session presented last. Call it after
// each Present, outside the measured tick.
func (r *Recorder) Observe(s *sojourn.Session) {
	w, f, b := &r.work, s.LastFrame(), s.Backlog()
	w.frames++
	if len(w.elapsed) < cap(w.elapsed) {
		w.elapsed = append(w.elapsed, f.Elapsed.Seconds()*1e3)
	}
	w.total.Operations += f.Operations
	w.total.Yields += f.Yields
	w.total.Failures += f.Failures
	for d, n := range f.Used {
		w.total.Used[d] += n
		w.most[d] = max(w.most[d], n)
	}
	for l := range b {
		most, q := &w.waits[l], &b[l]
		most.Waiting = max(most.Waiting, q.Waiting)
		most.Bytes = max(most.Bytes, q.Bytes)
		most.Oldest = max(most.Oldest, q.Oldest)
	}
}

// fillWork reads what was taken down into the report.
func (r *Recorder) fillWork(report *Report, b *work.Budget) {
	w := &r.work
	report.Work = Work{
		Frames: w.frames, ElapsedMS: SpreadOf(w.elapsed), Operations: int64(w.total.Operations),
		Yields: int64(w.total.Yields), Failures: int64(w.total.Failures), Used: []Used{},
	}
	for d := range work.Dimensions {
		report.Work.Used = append(report.Work.Used, Used{
			Dimension: d.String(), Mean: float64(w.total.Used[d]) / float64(max(w.frames, 1)), Max: w.most[d], Budget: b.Max[d],
		})
	}
	report.Backlog = []Line{}
	for l := range sojourn.NumLines {
		q := &w.waits[l]
		report.Backlog = append(report.Backlog, Line{
			Line: l.String(), WaitingMax: q.Waiting, BytesMax: q.Bytes, OldestMSMax: ms(q.Oldest),
		})
	}
}

// overrunsByStage is the meter's account in the report's words, by name.
func overrunsByStage(m *work.Meter) []StageOverruns {
	out := []StageOverruns{}
	for _, o := range m.OverrunsByStage(nil) {
		out = append(out, StageOverruns{Stage: o.Stage, Times: o.Times, Oversizes: o.Oversizes, WorstMS: ms(o.Worst)})
	}
	slices.SortFunc(out, func(a, b StageOverruns) int { return cmp.Compare(a.Stage, b.Stage) })
	return out
}

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }
