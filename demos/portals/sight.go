package portals

import (
	"fmt"
	"time"

	"sojourn"
	"sojourn/demos/demo"
)

// tunnelColor is what lies behind the travel screen.
var tunnelColor = [3]float32{0.02, 0.015, 0.05}

// hidden tells whether there is no place to show: from the edge to the reveal.
func (p *Portals) hidden() bool {
	return p.route.phase == phaseFetching || p.world.Reveal().Pending
}

// paint sets what is seen. It runs between the pass, which may reveal, and the
// frame that shows it: the first frame of a place has the place's colours, and
// the first after an edge has none of the old one's.
func (p *Portals) paint() {
	c, to := &p.world.Camera, p.route.to
	if to == nil {
		return
	}
	c.ClearColor = tunnelColor
	if !p.hidden() {
		t := tint(uint64(to.index), 0.2)
		c.ClearColor = [3]float32{t[0], t[1], t[2]}
	}
	c.FogColor = c.ClearColor
	middle := to.middle()
	sojourn.Look(c, [3]float32{0, 1.7, middle - 1.4*CellMetres}, [3]float32{0, 1.2, middle})
}

// Travel tells whether the frame that is presented next has no place in it,
// and what a travel screen says in its stead.
func (p *Portals) Travel() (demo.Travel, bool) {
	if p.route.to == nil || !p.hidden() {
		return demo.Travel{}, false
	}
	v := p.world.Reveal()
	t := demo.Travel{To: p.route.to.title(), Note: "what you left is gone; "}
	switch {
	case p.route.phase == phaseFetching:
		t.Note += "what is ahead is being loaded first"
	case v.Required == 0:
		t.Note += "looking up what is ahead"
	default:
		t.Ready = float64(v.Required-v.Missing) / float64(v.Required)
		t.Note += fmt.Sprintf("%d of %d layers ahead are ready, %.1f s", v.Required-v.Missing, v.Required, p.waited().Seconds())
	}
	return t, true
}

// waited is how long ago the edge was.
func (p *Portals) waited() time.Duration { return p.clock.Now() - p.route.began }

// title is the stop's name for people.
func (s *stop) title() string {
	if s.dense() {
		return "the dense stop"
	}
	return fmt.Sprintf("stop %s of %d", s.name, Stops)
}

// Status is one line for a title bar or a terminal.
func (p *Portals) Status() string {
	r := &p.route
	if r.to == nil {
		return "mode " + p.mode.name
	}
	if p.hidden() {
		return fmt.Sprintf("mode %s: travelling to %s, please wait", p.mode.name, r.to.title())
	}
	s := fmt.Sprintf("mode %s: %s, %d things, %.0f MB", p.mode.name, r.to.title(), r.to.primitives(),
		float64(p.session.Store().Stats().CPUBytes)/(1<<20))
	if r.shownAfter > 0 {
		s += fmt.Sprintf(", here after %.2f s", r.shownAfter.Seconds())
	}
	return s
}
