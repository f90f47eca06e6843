package portals

import (
	"fmt"

	"sojourn/demos/demo"
)

// Figures are of all legs to a stop, or of all legs. Frames count from each
// hard edge to the first in which nothing was under way any more.
type Figures struct {
	Legs        int         `json:"legs"`
	Frames      int         `json:"frames"`
	FramesOfLeg demo.Spread `json:"frames_of_leg"`
	TickMS      demo.Spread `json:"tick_ms"`
	// AllocBytes are of the whole process during each tick, workers included;
	// AllocBytesSettled are those from the second round on, when pools and
	// queues have grown to what the route needs.
	AllocBytes        demo.Spread `json:"alloc_bytes"`
	AllocBytesSettled demo.Spread `json:"alloc_bytes_settled"`
	RevealMS          demo.Spread `json:"reveal_ms"`
	RevealFrames      demo.Spread `json:"reveal_frames"`
	Notices           int         `json:"notices"`
	// RequiredMissing counts keys that a stop requires and that were not held
	// in memory when it was revealed.
	RequiredMissing int `json:"required_missing"`
}

// StopFigures are what is measured at one stop. The hashes are of the keys
// that are held and of what is drawn, at rest; Same tells that every round gave
// the same.
type StopFigures struct {
	Stop     string `json:"stop"`
	Cell     int32  `json:"cell"`
	Entities int    `json:"entities"`
	Required int    `json:"required_keys"`
	Items    int    `json:"drawn_items"`
	Resident string `json:"resident_hash"`
	Drawn    string `json:"draw_hash"`
	Same     bool   `json:"same_each_round"`
	Figures
}

// Details are the route's part of the report.
type Details struct {
	Mode     string          `json:"mode"`
	Rounds   int             `json:"rounds"`
	Total    Figures         `json:"total"`
	Stops    []StopFigures   `json:"stops"`
	Overruns []stageOverruns `json:"overruns_by_stage"`
	// OverBudget are frames that used more of a dimension than the budget has,
	// with no single oversize step named for it: must be empty.
	OverBudget []string `json:"over_budget"`
	Failures   []string `json:"failures"`
	Stuck      string   `json:"stuck,omitempty"`
}

func (r *route) details(p *Portals) *Details {
	d := &Details{
		Mode: p.mode.name, Rounds: r.legs / stopCount, Stuck: r.stuck,
		Overruns:   append([]stageOverruns{}, r.stages...),
		OverBudget: append([]string{}, r.unnamed...), Failures: append([]string{}, r.failures...),
	}
	var all measures
	for i := range r.measured {
		m, s := &r.measured[i], &p.plan.stops[i]
		if m.resident == 0 {
			continue // never come to rest there
		}
		d.Stops = append(d.Stops, StopFigures{
			Stop: s.name, Cell: s.cell, Entities: s.primitives(), Required: len(p.required[i]), Items: m.items,
			Resident: fmt.Sprintf("%016x", m.resident), Drawn: fmt.Sprintf("%016x", m.drawn),
			Same: m.residentSame && m.drawnSame, Figures: m.figures(),
		})
		all.add(m)
	}
	d.Total = all.figures()
	return d
}

func (m *measures) add(o *measures) {
	m.legs += o.legs
	m.notices += o.notices
	m.missing += o.missing
	m.ticks, m.allocs = append(m.ticks, o.ticks...), append(m.allocs, o.allocs...)
	m.settled, m.frames = append(m.settled, o.settled...), append(m.frames, o.frames...)
	m.revealMS, m.revealFrames = append(m.revealMS, o.revealMS...), append(m.revealFrames, o.revealFrames...)
}

func (m *measures) figures() Figures {
	return Figures{
		Legs: m.legs, Frames: len(m.ticks), FramesOfLeg: demo.SpreadOf(m.frames), TickMS: demo.SpreadOf(m.ticks),
		AllocBytes: demo.SpreadOf(m.allocs), AllocBytesSettled: demo.SpreadOf(m.settled),
		RevealMS: demo.SpreadOf(m.revealMS), RevealFrames: demo.SpreadOf(m.revealFrames),
		Notices: m.notices, RequiredMissing: m.missing,
	}
}
