package stages

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/stages/work"
	"sojourn/trace"
)

// PassOptions are one world's knobs.
type PassOptions struct {
	// BindMax is a ceiling on one pass's own time; zero adds none to the
	// meter's.
	BindMax time.Duration
	// Owner names this world in the store's diagnostics.
	Owner string
	// Log hears stall warnings; nil is silent.
	Log *slog.Logger
	// Trace hears of the passes that had something to do and of each stage's
	// turn in them, under the name World; the zero value records nothing.
	Trace trace.Track
	World trace.World
}

// Pass runs the table for one world. It owns the stages' runners, the cursor,
// the debt and the warm-up batch. Game goroutine only.
type Pass struct {
	world   *ecs.World
	table   *Table
	store   *assets.Store
	options PassOptions
	runners []Runner

	cursor Cursor
	debt   Debt
	dues   []time.Duration // by stage: when it wants a look; zero: never
	due    time.Duration   // the first of dues
	stall  StallWatch

	warm      *assets.Batch
	warming   bool // the batch is under way or not adopted yet
	warmScope *assets.Scope
	cold      Cold

	slice Slice
	last  PassReport
}

// PassReport is what one pass did.
type PassReport struct {
	Ran        int // stages that ran
	Skipped    int // stages the filter or the warm-up gate left out
	Committed  int
	Dispatched int
	Parked     int // stage the cursor is on
	Filtered   bool
	Promoted   bool // a wake's pass that went on to cover everything
	Owed       bool
	Stalled    bool
}

// OpenPass opens every row for one world. On error what was opened is closed
// again; the error wraps [ErrOpen] and names the row.
func OpenPass(w *ecs.World, t *Table, s Services, o PassOptions) (*Pass, error) {
	p := &Pass{world: w, table: t, store: s.Store, options: o}
	for _, row := range t.rows {
		r, err := row.Open(w, s)
		if err == nil && r == nil {
			err = fmt.Errorf("Open gave no runner")
		}
		if err != nil {
			p.closeRunners()
			return nil, fmt.Errorf("%w: %s: %w", ErrOpen, row.Name, err)
		}
		p.runners = append(p.runners, r)
	}
	p.dues = make([]time.Duration, len(p.runners))
	p.warm = s.Store.NewBatch(assets.BatchOptions{Owner: o.Owner + " warm-up", Closure: true})
	p.warmScope = assets.NewScope(s.Store)
	p.cold = Cold{store: s.Store, seen: make(map[assets.Handle]struct{}, 2*ColdBatchMax)}
	return p, nil
}

// Close ends the warm-up and closes the runners, last opened first.
func (p *Pass) Close() {
	p.warm.Cancel()
	p.warmScope.ReleaseAll()
	p.closeRunners()
}

func (p *Pass) closeRunners() {
	for i := len(p.runners) - 1; i >= 0; i-- {
		if c, ok := p.runners[i].(Closer); ok {
			c.Close()
		}
	}
	p.runners = nil
}

// ArmDebt records that something is owed a look that no wake will name.
func (p *Pass) ArmDebt() { p.debt.Arm() }

// SetBindMax changes the pass's own ceiling; zero lifts it.
func (p *Pass) SetBindMax(d time.Duration) { p.options.BindMax = d }

// Last is what the last pass did.
func (p *Pass) Last() PassReport { return p.last }

// Stalls is how often the stall watch warned.
func (p *Pass) Stalls() int { return p.stall.Stalls() }

// Runner is the runner of stage i.
func (p *Pass) Runner(i int) Runner { return p.runners[i] }

// Run is one slice of the table under the frame's meter. Without wakes and
// without debt there is nothing to do and it returns at once.
func (p *Pass) Run(m *work.Meter, wakes []assets.Wake) PassReport {
	p.last = PassReport{Parked: p.cursor.At(), Filtered: len(wakes) > 0}
	if p.due > 0 && m.Now() >= p.due {
		p.debt.Arm()
	}
	if len(wakes) == 0 && !p.debt.owed && !p.warming {
		return p.last
	}
	began := p.options.Trace.Now()
	r := &p.last
	turn := turn{pass: p, meter: m, wakes: wakes, kinds: kindsOf(wakes), start: m.Now(), finished: true}
	owedBefore := p.debt.owed || p.warming
	p.debt.begin()

	full := !r.Filtered
	yielded := turn.run(turn.filter(full))
	if r.Filtered && !yielded && owedBefore {
		// The wake's own stages are done and slice is left: pay the standing
		// debt now. During a cold start wakes never pause, and a frame without
		// one may not come for seconds.
		r.Promoted, full = true, true
		yielded = turn.run(turn.filter(true))
	}
	if full && !yielded && !turn.unseen {
		if !turn.more {
			// Not before: what the slice did not come to would be destroyed
			// with its last retain, and decoded again.
			p.warmScope.ReleaseAll()
		}
		r.Dispatched = p.sendCold()
	}
	p.debt.settle(full && !yielded, turn.finished && r.Dispatched == 0 && !p.warming)
	if r.Filtered && !full {
		// What landed may have made new cold references.
		p.debt.Arm()
	}
	r.Parked, r.Owed = p.cursor.At(), p.debt.owed
	r.Stalled = p.watch(m.Now(), *r)
	p.options.Trace.Span("pass", "pass", began, trace.Args{
		World: p.options.World, HasUnits: true, Units: int64(r.Committed), Detail: r.kind(),
	})
	p.due = firstDue(p.dues)
	return *r
}

func firstDue(dues []time.Duration) (first time.Duration) {
	for _, d := range dues {
		if d > 0 && (first == 0 || d < first) {
			first = d
		}
	}
	return first
}

// kind is how a pass came about, for the trace.
func (r *PassReport) kind() string {
	switch {
	case r.Promoted:
		return "by wake, then all"
	case r.Filtered:
		return "by wake"
	}
	return "all"
}

func (p *Pass) watch(now time.Duration, r PassReport) bool {
	stalled := p.stall.Note(now, Progress{
		Owed: r.Owed, Committed: r.Committed, Dispatched: r.Dispatched,
		Decoding: p.warming, Tickets: p.store.OpenTickets(),
	})
	if stalled && p.options.Log != nil {
		p.options.Log.Warn("residency is stuck: work is owed, nothing was done and nothing is awaited",
			"world", p.options.Owner, "stage", p.table.Name(r.Parked), "for", StallAfter)
	}
	return stalled
}

// sendCold hands what the stages wait for to the workers. One batch at a time.
func (p *Pass) sendCold() int {
	if p.warming {
		return 0
	}
	p.cold.reset()
	for _, r := range p.runners {
		if c, ok := r.(ColdCollector); ok {
			c.CollectCold(&p.cold)
		}
	}
	if len(p.cold.shading)+len(p.cold.geometry) == 0 {
		return 0
	}
	n := p.cold.choose(p.warm)
	p.warm.Submit()
	p.warming = true
	return n
}

// warmReady adopts the batch once it has landed. The stages' binds take their
// own retains; the scope lets go once every stage had its look.
func (p *Pass) warmReady(m *work.Meter) bool {
	if !p.warming {
		return true
	}
	if !p.warm.Done() {
		return false
	}
	p.warm.Adopt(p.warmScope)
	p.warm.Reset()
	p.warming = false
	return true
}

func kindsOf(wakes []assets.Wake) assets.KindSet {
	var s assets.KindSet
	for i := range wakes {
		s |= 1 << wakes[i].Kind
	}
	return s
}
