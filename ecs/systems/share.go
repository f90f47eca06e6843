package systems

import (
	"sojourn/ecs/systems/scene"
	"sojourn/stages"
	"sojourn/stages/work"
)

// share is one turn over a line of pending entities while a destination waits
// to be revealed: once other work has used up its share of the frame, the turn
// goes on with the destination's alone. Otherwise these would wait behind it,
// and their own share would lie idle.
type share struct {
	slice   *stages.Slice
	pending bool // a reveal is
	spent   bool // other work's share is used up
	passed  int  // entities that were passed over
}

func newShare(s *stages.Slice, c *scene.Classes) share {
	return share{slice: s, pending: c.RevealPending()}
}

// passedPerLook is after how many entities that were passed over the turn looks
// whether the frame has time left at all.
const passedPerLook = 64

// passes tells whether to leave an entity of a class for a later frame, and
// whether to end the turn before it.
func (h *share) passes(c work.Class) (leave, end bool) {
	if !h.spent || c == work.Destination {
		return false, false
	}
	h.passed++
	return true, h.passed%passedPerLook == 0 && h.slice.Meter().Remaining(work.Destination) <= 0
}

// refused tells whether to go on after a unit of a class was refused.
func (h *share) refused(c work.Class) bool {
	if c == work.Destination || !h.pending {
		return false
	}
	h.spent = true
	return true
}

// verdict is what a turn does with an entity.
type verdict uint8

const (
	take    verdict = iota // its unit has begun
	leave                  // it is for a later frame
	endTurn                // before it
)

// begin asks for the unit of an entity of a class.
func (h *share) begin(c work.Class, cost work.Cost) verdict {
	later, end := h.passes(c)
	if later && !end {
		return leave
	}
	h.slice.SetClass(c)
	switch {
	case end:
		return endTurn
	case h.slice.Begin(cost):
		return take
	case h.refused(c):
		return leave
	}
	return endTurn
}

// outcome is that of a turn which came to its end.
func (h *share) outcome() stages.Outcome {
	if h.spent {
		return stages.Yielded
	}
	return stages.Done
}
