package stages

import (
	"time"

	"sojourn/assets"
	"sojourn/stages/work"
)

// Slice is one stage's turn in one pass: it asks before each unit of work and
// reports after. A unit is the smallest step that leaves a resumable state: a
// primitive, never a model.
type Slice struct {
	meter     *work.Meter
	stage     string
	step      string // what the unit under way is called
	class     work.Class
	wakes     []assets.Wake
	committed *int
	passStart time.Duration
	bindMax   time.Duration
	began     time.Duration
	owes      bool
	due       time.Duration
}

// Begin asks to run one unit of work. Where it answers false the stage returns
// [Yielded]. After true, call [Slice.Commit], or [Slice.Fail].
//
// Check cheaply that the unit can succeed first: an attempt is charged.
func (s *Slice) Begin(cost work.Cost) bool { return s.BeginAs(s.stage, cost) }

// BeginAs is [Slice.Begin] for a step that is unlike the stage's other units:
// its overruns and its moving average go by a name of its own, a constant.
func (s *Slice) BeginAs(step string, cost work.Cost) bool {
	if s.Exhausted() {
		return false
	}
	if !s.meter.Reserve(step, s.class, cost) {
		return false
	}
	s.step, s.began = step, s.meter.Reserved()
	return true
}

// Commit reports the unit done. Work is counted, never attempts.
func (s *Slice) Commit() {
	*s.committed++
	s.meter.CompleteSince(s.step, s.began)
}

// Fail reports that the unit did not happen.
func (s *Slice) Fail() { s.meter.Fail(s.step) }

// Exhausted tells whether the pass has used its own ceiling
// (residency_bind_budget_ms). It is false until the pass has committed
// something, so a pass always gets at least one unit done.
func (s *Slice) Exhausted() bool {
	return s.bindMax > 0 && *s.committed > 0 && s.meter.Now()-s.passStart >= s.bindMax
}

// Owe records that the stage waits for something that no wake will name, and
// must be looked at again.
func (s *Slice) Owe() { s.owes = true }

// OweAt records that the stage wants a look at a time of the session's clock,
// and none before for its own sake: unlike [Slice.Owe] it leaves the pass idle
// until then. It holds until the stage's next turn; of several the first counts.
func (s *Slice) OweAt(at time.Duration) {
	if at = max(at, 1); s.due == 0 || at < s.due {
		s.due = at
	}
}

// SetClass says whose share the stage's next units spend.
func (s *Slice) SetClass(c work.Class) { s.class = c }

// Wakes are what landed since the last pass. Empty in a full pass without any.
func (s *Slice) Wakes() []assets.Wake { return s.wakes }

// Meter is the frame's meter, for stages that report to it themselves.
func (s *Slice) Meter() *work.Meter { return s.meter }
