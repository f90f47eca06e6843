package work

import "time"

// Overrun is a time overrun or an oversize use, by the stage that caused it.
type Overrun struct {
	Stage    string
	Oversize bool          // ran through the first-indivisible rule
	Over     time.Duration // past the deadline; zero for an oversize use
	Frame    int64
}

// StageOverruns is what one stage ran over since the meter was made.
type StageOverruns struct {
	Stage     string
	Times     int64 // past the deadline
	Oversizes int64 // through the first-indivisible rule
	Worst     time.Duration
}

// Facts is one frame's account.
type Facts struct {
	Frame      int64
	Used       Cost
	DestUsed   Cost // the part used by destination work
	Elapsed    time.Duration
	Operations int
	Yields     int // refusals
	Overruns   int
	Oversizes  int
	Failures   int
}

// Class says whose share an operation spends.
type Class uint8

// The classes of work.
const (
	// Ordinary work spends what is not reserved.
	Ordinary Class = iota
	// Destination work may spend everything, and has a share reserved while a
	// reveal is pending.
	Destination
)

// Meter admits the operations of one frame. Reserve before an operation,
// Complete after it. Not safe for concurrent use: the game goroutine owns it.
type Meter struct {
	clock  Clock
	budget Budget

	start         time.Duration
	reserved      time.Duration // when Reserve was asked last
	spentBefore   time.Duration // streaming time of this frame before the open span
	open          bool
	unlimitedTime bool
	revealPending bool
	indivisible   bool // the frame's one exception was used
	facts         Facts

	overruns [overrunsKept]Overrun // ring of the last ones
	overrunN int64
	byStage  []StageOverruns // stages are few, as in averages
	averages averages
}

const (
	overrunsKept   = 64
	stagesExpected = 32 // with more, their tables grow when one is first late or done
)

// NewMeter makes a meter. It panics if the budget is not valid: validate
// configured budgets first.
func NewMeter(clock Clock, b Budget) *Meter {
	if err := b.Validate(); err != nil {
		panic("work: " + err.Error())
	}
	m := &Meter{clock: clock, budget: b, byStage: make([]StageOverruns, 0, stagesExpected)}
	m.averages.rows = make([]average, 0, stagesExpected)
	return m
}

// Budget is the current budget.
func (m *Meter) Budget() Budget { return m.budget }

// SetBudget changes the budget from now on; the frame's account stays.
func (m *Meter) SetBudget(b Budget) error {
	if err := b.Validate(); err != nil {
		return err
	}
	m.budget = b
	return nil
}

// SetRevealPending says whether a destination waits to be revealed, which is
// when its share is reserved.
func (m *Meter) SetRevealPending(pending bool) { m.revealPending = pending }

// SetUnlimitedTime lifts the time limit, as before a world's first
// presentation. Counts and bytes still hold.
func (m *Meter) SetUnlimitedTime(on bool) { m.unlimitedTime = on }

// NewFrame ends the account and begins the next. Two ticks that share one
// present share one frame.
func (m *Meter) NewFrame() {
	m.facts = Facts{Frame: m.facts.Frame + 1}
	m.spentBefore = 0
	m.indivisible = false
	m.open = false
}

// Begin opens a span of streaming work: its wall time counts until End. What
// a game does between spans does not.
func (m *Meter) Begin() {
	m.start = m.clock.Now()
	m.open = true
}

// End closes the span.
func (m *Meter) End() {
	if !m.open {
		return
	}
	m.spentBefore += m.clock.Now() - m.start
	m.open = false
	m.facts.Elapsed = m.spentBefore
}

// Elapsed is the streaming time of this frame so far.
func (m *Meter) Elapsed() time.Duration { return m.elapsedAt(m.clock.Now()) }

func (m *Meter) elapsedAt(now time.Duration) time.Duration {
	if !m.open {
		return m.spentBefore
	}
	return m.spentBefore + now - m.start
}

// Remaining is the time left for a class of work; negative once it is over.
func (m *Meter) Remaining(c Class) time.Duration { return m.remainingAt(c, m.clock.Now()) }

func (m *Meter) remainingAt(c Class, now time.Duration) time.Duration {
	if m.unlimitedTime {
		return time.Hour
	}
	limit := m.budget.UpdateTimeMax
	if c == Ordinary && m.revealPending {
		limit = time.Duration(float64(limit) * (1 - m.budget.DestinationReserve))
	}
	return limit - m.elapsedAt(now)
}

// Reserve asks to run one operation of a stage. The operation may run if every
// dimension has room and time is left for its expected duration (the moving
// average of that stage, see [Meter.Complete]). Otherwise, if this operation's
// dimensions are all still unused this frame, it may run anyway, once a frame,
// so that something larger than a whole budget cannot wait for ever; that use
// is named in the overruns.
func (m *Meter) Reserve(stage string, class Class, cost Cost) bool {
	m.reserved = m.clock.Now()
	if m.fits(stage, class, cost) {
		m.charge(class, cost)
		return true
	}
	if m.mayExceed(cost) {
		m.indivisible = true
		m.facts.Oversizes++
		m.note(Overrun{Stage: stage, Oversize: true, Frame: m.facts.Frame})
		m.charge(class, cost)
		return true
	}
	m.facts.Yields++
	return false
}

func (m *Meter) fits(stage string, class Class, cost Cost) bool {
	for d, n := range cost {
		if n == 0 {
			continue
		}
		if m.facts.Used[d]+n > m.budget.Max[d] {
			return false
		}
		if class == Ordinary && m.revealPending {
			open := m.budget.Max[d] - int64(float64(m.budget.Max[d])*m.budget.DestinationReserve)
			if m.facts.Used[d]-m.facts.DestUsed[d]+n > max(open, 1) {
				return false
			}
		}
	}
	return m.remainingAt(class, m.reserved) > m.averages.expect(stage)
}

// mayExceed is the first-indivisible-operation rule.
func (m *Meter) mayExceed(cost Cost) bool {
	if m.indivisible {
		return false
	}
	for d, n := range cost {
		if n != 0 && m.facts.Used[d] != 0 {
			return false
		}
	}
	return true
}

func (m *Meter) charge(class Class, cost Cost) {
	for d, n := range cost {
		m.facts.Used[d] += n
		if class == Destination {
			m.facts.DestUsed[d] += n
		}
	}
	m.facts.Operations++
}

// Reserved is when the last operation was asked for, by the meter's clock.
func (m *Meter) Reserved() time.Duration { return m.reserved }

// CompleteSince is [Meter.Complete] for an operation that began at a time that
// [Meter.Reserved] told.
func (m *Meter) CompleteSince(stage string, began time.Duration) {
	now := m.clock.Now()
	m.completeAt(stage, now-began, now)
}

// Complete reports an admitted operation done after took. It keeps the stage's
// moving average and names the stage if the deadline has passed.
func (m *Meter) Complete(stage string, took time.Duration) {
	m.completeAt(stage, took, m.clock.Now())
}

func (m *Meter) completeAt(stage string, took, now time.Duration) {
	m.averages.add(stage, took)
	if m.unlimitedTime {
		return
	}
	if over := m.elapsedAt(now) - m.budget.UpdateTimeMax; over > 0 {
		m.facts.Overruns++
		m.note(Overrun{Stage: stage, Over: over, Frame: m.facts.Frame})
	}
}

// Passed tells the meter that a stage's turn is over. If the deadline passed and
// no operation of this frame was late, it was what the turn did beside its
// operations, and the stage is named for that.
func (m *Meter) Passed(stage string) {
	if m.unlimitedTime || m.facts.Overruns > 0 {
		return
	}
	if over := m.Elapsed() - m.budget.UpdateTimeMax; over > 0 {
		m.facts.Overruns++
		m.note(Overrun{Stage: stage, Over: over, Frame: m.facts.Frame})
	}
}

// Fail reports an admitted operation that did not happen. Its charge stays:
// the frame has spent the attempt.
func (m *Meter) Fail(string) { m.facts.Failures++ }

// Now is the meter's clock.
func (m *Meter) Now() time.Duration { return m.clock.Now() }

// Facts is the frame's account so far.
func (m *Meter) Facts() Facts {
	f := m.facts
	f.Elapsed = m.Elapsed()
	return f
}

// Left is what the frame still has in a dimension, for all classes.
func (m *Meter) Left(d Dimension) int64 { return m.budget.Max[d] - m.facts.Used[d] }

func (m *Meter) note(o Overrun) {
	m.overruns[m.overrunN%overrunsKept] = o
	m.overrunN++
	at := m.stage(o.Stage)
	if o.Oversize {
		at.Oversizes++
		return
	}
	at.Times++
	at.Worst = max(at.Worst, o.Over)
}

func (m *Meter) stage(name string) *StageOverruns {
	for i := range m.byStage {
		if m.byStage[i].Stage == name {
			return &m.byStage[i]
		}
	}
	m.byStage = append(m.byStage, StageOverruns{Stage: name})
	return &m.byStage[len(m.byStage)-1]
}

// OverrunsByStage appends what each stage ran over, all of it and not only
// what [Meter.Overruns] keeps, in the order of their first.
func (m *Meter) OverrunsByStage(dst []StageOverruns) []StageOverruns {
	return append(dst, m.byStage...)
}

// Overruns appends the kept overruns, oldest first, and the number there ever
// were.
func (m *Meter) Overruns(dst []Overrun) ([]Overrun, int64) {
	for i := max(0, m.overrunN-overrunsKept); i < m.overrunN; i++ {
		dst = append(dst, m.overruns[i%overrunsKept])
	}
	return dst, m.overrunN
}
