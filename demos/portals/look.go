package portals

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/resources"
	"sojourn/stages/work"
)

// noteReveal reads what became of the journey in this tick.
func (p *Portals) noteReveal() {
	r := &p.route
	m := &r.measured[r.to.index]
	for _, e := range r.events {
		if e.Generation != r.generation || r.phase != phaseTravelling {
			continue
		}
		switch e.Kind {
		case resources.RevealNotice:
			m.notices++
		case resources.RevealShown:
			r.revealed, r.shownAfter = true, p.waited()
			n := p.missing(r.to)
			m.missing += n
			if p.report.ResidentMS == 0 {
				p.report.ResidentMS = (p.clock.Now() - p.opened).Seconds() * 1e3
				p.report.FirstPresentMS = p.report.ResidentMS
			}
			if !r.login {
				m.revealMS = append(m.revealMS, (p.clock.Now()-r.began).Seconds()*1e3)
				m.revealFrames = append(m.revealFrames, float64(len(r.ticks)))
			}
		}
	}
}

// missing counts the keys a stop requires that are not in memory.
func (p *Portals) missing(s *stop) (n int) {
	store := p.session.Store()
	for _, k := range p.required[s.index] {
		if h, ok := store.Find(k); !ok || store.Refs(h) == 0 || !store.Has(h) {
			n++
		}
	}
	return n
}

// stageOverruns are how often a stage went over a frame's time, or was let run
// though larger than what the frame had.
type stageOverruns struct {
	Stage     string  `json:"stage"`
	Overruns  int64   `json:"overruns"`
	Oversizes int64   `json:"oversizes"`
	MSMax     float64 `json:"ms_max"`
}

// unnamedMax bounds the list of frames that went over their budget.
const unnamedMax = 16

// account holds the frame against its budget, and files its overruns.
func (p *Portals) account() {
	r, meter := &p.route, p.session.Meter()
	list, n := meter.Overruns(r.overruns[:0])
	r.overruns = list
	fresh := int(min(n-r.overrunN, int64(len(list))))
	r.overrunN = n
	for _, o := range list[len(list)-fresh:] {
		r.file(o)
	}
	budget, facts := meter.Budget(), meter.Facts()
	for d, used := range facts.Used {
		if used <= budget.Max[d] || facts.Oversizes == 1 || len(r.unnamed) == unnamedMax {
			continue
		}
		r.unnamed = append(r.unnamed, fmt.Sprintf("frame %d: %d %v of %d", facts.Frame, used, work.Dimension(d), budget.Max[d]))
	}
}

func (r *route) file(o work.Overrun) {
	at := -1
	for i := range r.stages {
		if r.stages[i].Stage == o.Stage {
			at = i
		}
	}
	if at < 0 {
		at = len(r.stages)
		r.stages = append(r.stages, stageOverruns{Stage: o.Stage})
	}
	if o.Oversize {
		r.stages[at].Oversizes++
		return
	}
	r.stages[at].Overruns++
	r.stages[at].MSMax = max(r.stages[at].MSMax, o.Over.Seconds()*1e3)
}

// noteRest looks at what is in memory and what was drawn, where the way has
// just ended, and files the leg.
func (p *Portals) noteRest() {
	r := &p.route
	if r.phase != phaseResting {
		return
	}
	m := &r.measured[r.to.index]
	resident := p.residentHash()
	drawn, items := p.drawnHash()
	if m.resident != 0 {
		m.residentSame = m.residentSame && m.resident == resident
		m.drawnSame = m.drawnSame && m.drawn == drawn
	}
	m.resident, m.drawn, m.items = resident, drawn, items
	if !r.login {
		m.legs++
		m.frames = append(m.frames, float64(len(r.ticks)))
		m.ticks, m.allocs = append(m.ticks, r.ticks...), append(m.allocs, r.allocs...)
		if r.legs > stopCount {
			m.settled = append(m.settled, r.allocs...)
		}
	}
	r.login = false
	r.phase = phaseStaying
	if p.env.Paced {
		r.stay = stayTicks
	}
}

// residentHash is over the keys that are held, in whatever order.
func (p *Portals) residentHash() (sum uint64) {
	store := p.session.Store()
	for _, k := range p.keys {
		if h, ok := store.Find(k); ok && store.Refs(h) > 0 {
			sum += hashed(k.String())
		}
	}
	return sum
}

// drawnHash is over what was drawn last, in whatever order: mesh, material and
// place of each item, and the places of decals. Handles and rows differ from run
// to run; keys do not. Particles are left out: they are elsewhere each time.
func (p *Portals) drawnHash() (sum uint64, items int) {
	if p.device.frame == nil {
		return 0, 0
	}
	names := p.itemNames()
	var bits [64]byte
	for i := range p.device.frame.Items {
		item := &p.device.frame.Items[i]
		for k, v := range item.Model {
			binary.LittleEndian.PutUint32(bits[4*k:], math.Float32bits(v))
		}
		sum += hashed(names[item.Serial] + string(bits[:]))
	}
	return sum + p.decalHash(), len(p.device.frame.Items)
}

func (p *Portals) decalHash() (sum uint64) {
	f := p.device.frame
	for i := range f.Sprites {
		if s := &f.Sprites[i]; s.Lit {
			sum += hashed(fmt.Sprint("decal ", f.Quads[s.First:s.First+s.Count]))
		}
	}
	return sum
}

// itemNames are mesh and material of each primitive, by the serial of its item.
func (p *Portals) itemNames() map[uint32]string {
	w, store := p.world.ECS(), p.session.Store()
	primitives, materials := ecs.ComponentID[components.Primitive](w), ecs.ComponentID[components.Material](w)
	name := func(h assets.Handle) string { k, _ := store.KeyOf(h); return k.String() }
	names := make(map[uint32]string)
	q := w.Query(ecs.All(primitives))
	for q.Next() {
		prim := (*components.Primitive)(q.Get(primitives))
		material := (*components.Material)(w.Get(prim.Material(), materials))
		names[q.Entity().ID()] = name(prim.Mesh()) + "|" + name(material.Document()) + "|"
	}
	return names
}

func hashed(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // a hash takes everything
	return h.Sum64()
}
