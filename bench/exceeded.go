package main

import (
	"fmt"

	"sojourn"
	"sojourn/stages/work"
)

// exceeded holds frames against their budget, each after its tick and before
// its present.
type exceeded struct {
	frames int
	past   int      // of frames: over a count or bytes, or late, named or not
	counts int      // over a count or bytes, without its one oversize use named
	late   int      // past the time, with no stage named
	worst  []string // the first few of both
	list   []work.Overrun
}

const worstMax = 5

// look adds the frame that just ticked.
func (x *exceeded) look(s *sojourn.Session) {
	m := s.Meter()
	f, b := m.Facts(), m.Budget()
	x.frames++
	over, named := false, x.names(s, f.Frame)
	for d, used := range f.Used {
		if used > b.Max[d] {
			over = true
			if !named.oversize || f.Oversizes != 1 {
				x.counts++
				x.tell("frame %d: %d %v of %d", f.Frame, used, work.Dimension(d), b.Max[d])
			}
		}
	}
	if f.Elapsed > b.UpdateTimeMax {
		over = true
		if !named.late {
			x.late++
			x.tell("frame %d: %v of %v", f.Frame, f.Elapsed, b.UpdateTimeMax)
		}
	}
	if over {
		x.past++
	}
}

type overrunNames struct{ oversize, late bool }

// names tells what of a frame is named.
func (x *exceeded) names(s *sojourn.Session, frame int64) (n overrunNames) {
	x.list, _ = s.Meter().Overruns(x.list[:0])
	for _, o := range x.list {
		if o.Frame == frame && o.Stage != "" {
			n.oversize, n.late = n.oversize || o.Oversize, n.late || !o.Oversize
		}
	}
	return n
}

func (x *exceeded) tell(format string, args ...any) {
	if len(x.worst) < worstMax {
		x.worst = append(x.worst, fmt.Sprintf(format, args...))
	}
}

// unnamed is how many were over their budget in whatever way, unnamed.
func (x *exceeded) unnamed() float64 { return float64(x.counts + x.late) }
