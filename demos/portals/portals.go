package portals

import (
	"errors"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/demos/demo"
	"sojourn/ecs/components"
	"sojourn/ecs/systems"
	"sojourn/gpu"
	"sojourn/stages/work"
)

// reachMetres is how far a stop's cells reach from its middle: the one in the
// middle and one on either side.
const reachMetres = CellMetres

// keepAliveMBMax bounds what stays of a stop that was left. With more, a round
// would find its stops in memory and nothing would load.
const keepAliveMBMax = 8

// Row describes the demo in the list.
func Row() demo.Row {
	return demo.Row{
		Name: "portals", About: "hard edges between ten stops far apart, in one of several ways to load",
		Modes: Modes(), Ends: true, LookOn: true, Open: func(e demo.Env) (demo.Demo, error) { return Open(e) },
	}
}

// Portals is the running demo.
type Portals struct {
	env     demo.Env
	mode    mode
	plan    *plan
	clock   work.Clock
	device  *lastFrame
	session *sojourn.Session
	world   *sojourn.World
	sources *systems.Sources
	source  ecs.Entity
	rec     *demo.Recorder
	report  demo.Report
	opened  time.Duration
	route   route
	ticks   int64

	// Of the pack, for the sets that are hashed.
	keys     []assets.Key
	required [stopCount][]assets.Key
}

// Open writes the content if need be and starts the demo. Whatever happens, it
// takes over the environment's device and sink.
func Open(env demo.Env) (*Portals, error) { return openScaled(env, fullScale()) }

// openScaled is [Open] with so much content.
func openScaled(env demo.Env, sc scale) (*Portals, error) {
	p := &Portals{env: env, clock: env.WithClock}
	if p.clock == nil {
		p.clock = work.NewSystemClock()
	}
	source, err := p.prepare(sc)
	if err != nil {
		return nil, errors.Join(err, env.Close())
	}
	config := env.Config
	config.Residency.KeepAliveMB = min(config.Residency.KeepAliveMB, keepAliveMBMax)
	p.device = &lastFrame{Device: env.Device}
	p.session, err = sojourn.Open(sojourn.Options{
		Sources: []assets.Source{source}, Device: p.device, Sink: env.Sink, Config: &config, Work: p.mode.budget(p.asked()),
		Workers: env.Workers, SpareBytesMax: env.SpareBytesMax, Log: env.Log, Clock: p.clock, Trace: env.Trace, Journal: env.Journal,
	})
	if err != nil {
		return nil, err // it closed the device, the sink and the source
	}
	if err := p.populate(); err != nil {
		return nil, errors.Join(err, p.session.Close())
	}
	p.rec = demo.NewRecorder(env.Frames)
	p.opened = p.clock.Now()
	return p, nil
}

// asked is the budget that the flags ask for.
func (p *Portals) asked() work.Budget {
	if p.env.Work == (work.Budget{}) {
		return work.High()
	}
	return p.env.Work
}

func (p *Portals) prepare(sc scale) (assets.Source, error) {
	var err error
	if p.mode, err = modeNamed(p.env.Mode); err != nil {
		return nil, err
	}
	cells := p.env.Cells
	if cells == 0 {
		cells = CellsDefault
	}
	if p.plan, err = newPlan(p.env.Seed, sc, cells); err != nil {
		return nil, err
	}
	p.keys = p.plan.all()
	for i := range p.plan.stops {
		p.required[i] = p.plan.required(&p.plan.stops[i])
	}
	return ensureContent(p.env.CacheDir, p.plan, p.env.Progress)
}

func (p *Portals) populate() error {
	w, err := p.session.NewWorld(sojourn.WorldOptions{Name: "portals", EntitiesExpected: p.plan.entitiesMax()})
	if err != nil {
		return err
	}
	p.world = w
	systems.Grid(w.ECS(), components.StreamGrid{Columns: p.plan.cells, CellMetres: CellMetres, Axis: 2}, p.plan.namer)
	p.sources = systems.NewSources(w.ECS())
	p.source = p.sources.Add(components.StreamSource{
		Pos: nowhere(), AheadMetres: reachMetres, BehindMetres: reachMetres, Forward: 1,
	})
	w.Camera.Far, w.Camera.FogStart, w.Camera.FogEnd = 60, 20, 56
	w.AddSystem(func(*sojourn.World, time.Duration) { p.paint() })
	p.route.begin(p.env.Rounds)
	return nil
}

// nowhere is a place without cells.
func nowhere() [3]float32 { return [3]float32{0, 0, -100 * CellMetres} }

// Tick runs one step of the route and of the session.
func (p *Portals) Tick(_ demo.Input, dt time.Duration) {
	p.rec.BeginTick()
	p.step()
	p.session.Tick(dt)
	p.rec.EndTick()
	p.ticks++
	p.observe()
}

// Present draws, and looks at what was drawn where the way has just ended.
func (p *Portals) Present(target any) error {
	err := p.session.Present(target)
	p.rec.Presented()
	p.rec.Observe(p.session)
	if err == nil {
		p.noteRest()
	}
	return err
}

// Session is the demo's session.
func (p *Portals) Session() *sojourn.Session { return p.session }

// Way is how far the leg has come that is under way, or ended last.
type Way struct {
	Leg    int // 0 is the login
	Frames int // since the edge
	Shown  bool
	// Open tells whether something is under way: the last tick counts.
	Open               bool
	TickMS, AllocBytes float64 // of the last tick
	Loading            bool    // something is being decoded, on whichever goroutine
}

// Way tells how far the leg has come.
func (p *Portals) Way() Way {
	r := &p.route
	w := Way{Leg: r.legs, Frames: len(r.ticks), Shown: r.revealed, Open: r.phase == phaseFetching || r.phase == phaseTravelling}
	w.TickMS, w.AllocBytes = p.rec.Last()
	w.Loading = p.session.Store().Busy() || r.errand != nil && !r.errand.done()
	return w
}

// lastFrame is a device that remembers what it was given to draw.
type lastFrame struct {
	gpu.Device
	frame *gpu.Frame // valid until the next tick
}

// Present draws one frame.
func (d *lastFrame) Present(target any, f *gpu.Frame) error {
	d.frame = f
	return d.Device.Present(target, f)
}

// Finish unloads everything, waits until nothing is under way, and reports.
func (p *Portals) Finish() demo.Report {
	r := &p.report
	r.Demo, r.Seed, r.Cell = "portals", p.env.Seed, int(p.plan.cells)
	r.Sound = "silent"
	if p.env.Sink != nil {
		r.Sound = p.env.Sink.Name()
	}
	demo.Fill(r, p.session, p.rec)
	p.endErrand()
	if v := p.world.Reveal(); v.Pending {
		// It cannot fail: this generation's reveal is pending.
		_ = p.world.CancelTravel(v.Generation)
	}
	p.world.ECS().RemoveEntity(p.source)
	p.world.Set().ArmDebt()
	demo.Settle(p.session)
	evicted := int64(p.session.Store().Stats().Evicted) // the flush below is ours, not the run's
	p.session.Store().SetKeepAlive(0)
	demo.Settle(p.session)
	c := p.world.Counts()
	r.Cells = demo.Cells{Entered: c.Entered, Left: c.Left, LiveMax: c.LiveMax}
	demo.FillEnd(r, p.session)
	r.Assets.Evicted = evicted
	r.Details = p.route.details(p)
	return *r
}

var (
	_ demo.Ending    = (*Portals)(nil)
	_ demo.Traveller = (*Portals)(nil)
)
