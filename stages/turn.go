package stages

import (
	"fmt"
	"time"

	"sojourn/assets"
	"sojourn/stages/work"
	"sojourn/trace"
)

// turn is one trip round the table inside a pass.
type turn struct {
	pass     *Pass
	meter    *work.Meter
	wakes    []assets.Wake
	kinds    assets.KindSet
	start    time.Duration
	finished bool // every stage that ran reached its end and owes nothing
	more     bool // a stage has done a batch of several
	parked   bool // the cursor is where the first stage stopped
	unseen   bool // a stage that binds did not come to its end
}

// filter is the set of kinds a trip is for.
func (t *turn) filter(full bool) assets.KindSet {
	if full {
		return assets.AllKinds
	}
	return t.kinds
}

// run visits each stage once from the cursor. The first that yields has the
// cursor parked on it. Where the time is over the trip ends there, and run
// tells so; where a stage has used up one dimension of the frame, as
// retirement may for many frames, the others go on.
func (t *turn) run(kinds assets.KindSet) (yielded bool) {
	p := t.pass
	n := p.table.Len()
	from := p.cursor
	for step := range n {
		i := from.StageAt(step, n)
		row := &p.table.rows[i]
		if kinds != assets.AllKinds && !row.Kinds.Overlaps(kinds) {
			t.pass.last.Skipped++
			continue
		}
		if row.NeedsWarm && !p.warmReady(t.meter) {
			t.pass.last.Skipped++
			// The batch may land before a later stage's turn: what this one
			// needs of it must still be there in the next pass.
			t.finished, t.unseen = false, true
			continue
		}
		switch t.visit(i) {
		case Yielded:
			t.finished = false
			t.unseen = t.unseen || row.NeedsWarm
			if !t.parked {
				p.cursor.Park(i)
				t.parked = true
			}
			if p.slice.Exhausted() || t.meter.Remaining(work.Destination) <= 0 {
				return true
			}
		case More:
			t.finished, t.more = false, true
		}
	}
	return false
}

func (t *turn) visit(i int) Outcome {
	p := t.pass
	name := p.table.rows[i].Name
	p.slice = Slice{
		meter: t.meter, stage: name, wakes: t.wakes, committed: &t.pass.last.Committed,
		passStart: t.start, bindMax: p.options.BindMax,
	}
	p.last.Ran++
	began, before := p.options.Trace.Now(), p.last.Committed
	outcome := p.runners[i].Run(&p.slice)
	t.meter.Passed(name)
	if p.options.Trace.On() {
		p.options.Trace.Span("stage", name, began, trace.Args{
			World: p.options.World, HasUnits: true, Units: int64(p.last.Committed - before), Detail: outcome.String(),
		})
	}
	if p.world.IsLocked() {
		panic(fmt.Sprintf("stages: stage %q left a query open: close it on every path out of its loop", name))
	}
	if p.slice.owes {
		t.finished = false
	}
	p.dues[i] = p.slice.due
	return outcome
}
