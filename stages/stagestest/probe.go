package stagestest

import (
	"testing"

	"github.com/mlange-42/arche/ecs"

	"sojourn/stages"
)

// Probe watches one row from inside the pass.
type Probe struct {
	// Runs counts the row's turns; Outcomes by how they ended.
	Runs     int
	Outcomes [stages.Yielded + 1]int

	t testing.TB
}

// Watch wraps a row so that each of its turns is checked: it must leave the
// world unlocked, and answer with an outcome.
func Watch(t testing.TB, row stages.Row) (stages.Row, *Probe) {
	p := &Probe{t: t}
	open := row.Open
	if open == nil {
		return row, p
	}
	row.Open = func(w *ecs.World, s stages.Services) (stages.Runner, error) {
		r, err := open(w, s)
		if err != nil || r == nil {
			return nil, err
		}
		return &probed{Runner: r, probe: p, world: w, name: row.Name}, nil
	}
	return row, p
}

type probed struct {
	stages.Runner
	probe *Probe
	world *ecs.World
	name  string
}

func (p *probed) Run(s *stages.Slice) stages.Outcome {
	o := p.Runner.Run(s)
	p.probe.Runs++
	if o > stages.Yielded {
		p.probe.t.Fatalf("stage %q: outcome %d is none", p.name, o)
	}
	p.probe.Outcomes[o]++
	if p.world.IsLocked() {
		p.probe.t.Fatalf("stage %q left a query open (outcome %v)", p.name, o)
	}
	return o
}

func (p *probed) CollectCold(c *stages.Cold) {
	collector, ok := p.Runner.(stages.ColdCollector)
	if !ok {
		return
	}
	collector.CollectCold(c)
	if p.world.IsLocked() {
		p.probe.t.Fatalf("stage %q left a query open in CollectCold", p.name)
	}
}

func (p *probed) Close() {
	if c, ok := p.Runner.(stages.Closer); ok {
		c.Close()
	}
}
