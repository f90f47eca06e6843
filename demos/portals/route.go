package portals

import (
	"fmt"
	"time"

	"sojourn"
	"sojourn/assets"
	"sojourn/resources"
	"sojourn/stages/work"
)

// phase is how far the way to a stop has come.
type phase uint8

const (
	phaseStaying    phase = iota // at the stop, or before the first
	phaseFetching                // an errand is under way
	phaseTravelling              // the edge is behind, something is under way
	phaseResting                 // nothing is: the next present is looked at
)

// framesWanted is how many frames between an edge and rest a route of no given
// number of rounds gathers.
const framesWanted = 500

// legTicksMax is when a way that does not end is given up.
const legTicksMax = 20_000

// stayTicks is how long a person may look around.
const stayTicks = 45

// route is where the demo goes, and what it measures on the way.
type route struct {
	phase  phase
	rounds int // 0: until there are enough frames
	legs   int // begun, without the login
	login  bool
	to     *stop
	stay   int // ticks left
	errand *errand
	stuck  string

	// Of the leg that is under way.
	began      time.Duration // the edge, by the session's clock
	generation uint32
	revealed   bool
	shownAfter time.Duration // from the edge to the reveal
	atRest     int           // ticks in a row
	ticks      []float64
	allocs     []float64

	measured [stopCount]measures
	events   []resources.RevealEvent
	layers   []resources.LayerEvent // read and left: the journey tells all
	overruns []work.Overrun
	overrunN int64
	stages   []stageOverruns
	unnamed  []string
	failures []string
}

// measures are the legs to one stop.
type measures struct {
	legs                    int
	ticks, allocs           []float64
	settled                 []float64 // allocs from the second round on
	frames                  []float64 // of each leg
	revealMS, revealFrames  []float64
	notices, missing        int
	resident, drawn         uint64
	items                   int
	residentSame, drawnSame bool
}

func (r *route) begin(rounds int) {
	r.rounds, r.login = rounds, true
	r.ticks, r.allocs = make([]float64, 0, 1024), make([]float64, 0, 1024)
	r.overruns = make([]work.Overrun, 0, 64)
	for i := range r.measured {
		m := &r.measured[i]
		m.residentSame, m.drawnSame = true, true
	}
}

// Over tells whether the route has come to its end.
func (p *Portals) Over() bool {
	r := &p.route
	if r.stuck != "" {
		return true
	}
	if r.phase != phaseStaying || r.login || r.stay > 0 {
		return false
	}
	if r.rounds > 0 {
		return r.legs >= r.rounds*stopCount
	}
	return r.legs > 0 && r.legs%stopCount == 0 && r.frames() >= framesWanted
}

// frames is how many were measured.
func (r *route) frames() (n int) {
	for i := range r.measured {
		n += len(r.measured[i].ticks)
	}
	return n
}

// step does what the route does in this tick, before the session's.
func (p *Portals) step() {
	r := &p.route
	switch r.phase {
	case phaseStaying:
		if r.stay > 0 {
			r.stay--
		} else if !p.Over() {
			p.depart()
		}
	case phaseFetching:
		if r.errand.done() {
			p.arrive()
		}
	case phaseTravelling:
		if r.revealed {
			p.endErrand() // what it held is held by entities now
		}
	}
}

// depart is the hard edge, as the player knows it: a portal was stepped into.
func (p *Portals) depart() {
	r := &p.route
	line := order()
	r.to = &p.plan.stops[line[(r.legs+stopCount-1)%stopCount]] // the login is to the last
	if !r.login {
		r.to = &p.plan.stops[line[r.legs%stopCount]]
		r.legs++
	}
	r.began, r.revealed, r.atRest = p.clock.Now(), false, 0
	r.ticks, r.allocs = r.ticks[:0], r.allocs[:0]
	if p.mode.fetch == nil {
		p.arrive()
		return
	}
	if p.mode.away {
		p.travel("left", nowhere(), 0)
	}
	var documents []assets.Key
	for i := range stopCells {
		documents = append(documents, assets.Key{Stem: r.to.cellStem(i), Kind: assets.KindScene})
	}
	r.errand = p.mode.fetch(p.session.Store(), documents)
	if r.phase = phaseFetching; r.errand.done() {
		p.arrive()
	}
}

// arrive asks the engine for the destination.
func (p *Portals) arrive() {
	r := &p.route
	cause := "portal"
	if r.login {
		cause = "login"
	}
	p.travel(cause, [3]float32{0, 0, r.to.middle()}, reachMetres)
	r.phase = phaseTravelling
}

func (p *Portals) travel(cause string, pos [3]float32, radiusMetres float32) {
	generation, err := p.world.Travel(sojourn.Destination{Cause: cause, Pos: pos, RadiusMetres: radiusMetres})
	if err != nil {
		p.route.failures = append(p.route.failures, err.Error())
	}
	p.route.generation = generation
	p.sources.Move(p.source, pos, 1)
}

func (p *Portals) endErrand() {
	r := &p.route
	if r.errand == nil {
		return
	}
	if err := r.errand.end(); err != nil {
		r.failures = append(r.failures, err.Error())
	}
	r.errand = nil
}

// observe notes what the tick that just ended did.
func (p *Portals) observe() {
	r := &p.route
	p.account()
	r.events = p.world.TakeRevealEvents(r.events[:0])
	r.layers = p.world.TakeEvents(r.layers[:0])
	if r.phase != phaseFetching && r.phase != phaseTravelling {
		return
	}
	tick, alloc := p.rec.Last()
	r.ticks, r.allocs = append(r.ticks, tick), append(r.allocs, alloc)
	p.noteReveal()
	if r.revealed && r.errand == nil && p.quiet() {
		r.atRest++
	} else {
		r.atRest = 0
	}
	switch {
	case r.atRest == 2: // the second is no longer on the way
		r.ticks, r.allocs = r.ticks[:len(r.ticks)-1], r.allocs[:len(r.allocs)-1]
		r.phase = phaseResting
	case len(r.ticks) >= legTicksMax:
		r.stuck = fmt.Sprintf("leg %d, to stop %s, is not at rest after %d frames: %+v", r.legs, r.to.name, len(r.ticks), p.world.Reveal())
	}
}

// quiet tells whether nothing is under way.
func (p *Portals) quiet() bool {
	s := p.session
	return s.Idle() && !s.Store().Busy() && s.Mixer().Stats().Waiting == 0
}
