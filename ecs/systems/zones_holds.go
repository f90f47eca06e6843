package systems

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/gpu"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// What a zone names is a name in its ledger, what it holds a retain, what it
// waits for a wish: nothing of it lies in the component.

// wantAll puts what the zone names and does not hold on the world's ticket.
func (r *zones) wantAll(e ecs.Entity) {
	id := r.zones.ID()
	for {
		h, ok := r.nextName(e, func(h assets.Handle) bool {
			_, wanted := r.set.NextWish(e, id, func(w assets.Handle) bool { return w == h })
			return !wanted && !r.holds(e, h)
		})
		if !ok {
			return
		}
		r.set.Want(e, id, h)
	}
}

// nextName is some asset that a zone names and that matches.
func (r *zones) nextName(e ecs.Entity, match func(assets.Handle) bool) (h assets.Handle, ok bool) {
	id, name := r.zones.ID(), r.set.Holds.Name
	r.set.Ledger.EachHold(e, func(class resources.HoldClass, of ecs.ID, v uint64) {
		if !ok && class == name && of == id && match(assets.Handle(v)) {
			h, ok = assets.Handle(v), true
		}
	})
	return h, ok
}

// holds tells whether the zone itself holds an asset: its entity may have other
// holds on it.
func (r *zones) holds(e ecs.Entity, h assets.Handle) (held bool) {
	id, retain := r.zones.ID(), r.set.Holds.Retain
	r.set.Ledger.EachHold(e, func(class resources.HoldClass, of ecs.ID, v uint64) {
		held = held || class == retain && of == id && v == uint64(h)
	})
	return held
}

// Close lets go of what is on its way.
func (r *zones) Close() {
	r.asked.Cancel()
	r.came.ReleaseAll()
}

// takeIn retains what has landed for occupied zones, an asset a unit, and asks
// for what nobody has asked for. A zone that is new is looked at first.
func (r *zones) takeIn(s *stages.Slice) bool {
	if !r.adopt(s) {
		return false
	}
	r.pending.Fill()
	waiting := false
	for share := newShare(s, &r.classes); ; {
		e, ok := r.pending.Take()
		if !ok && share.spent {
			return false
		}
		if !ok {
			break
		}
		if !r.zones.Has(e) || !r.transforms.Has(e) || !r.marked.Has(e) {
			continue
		}
		class := r.classes.Of(e)
		leave, end := share.passes(class)
		if leave && !end {
			continue
		}
		s.SetClass(class)
		if end || !r.settle(s, e) {
			if !end && share.refused(class) {
				continue
			}
			r.pending.PutBack()
			return false
		}
		waiting = r.ask(e) || waiting
	}
	r.came.ReleaseAll() // every zone has had its look
	if !waiting {
		r.asked.Cancel() // nobody is in the zones it was for
	}
	if _, landed := r.asked.Landed(); landed || !r.asked.Done() {
		s.Owe() // no wake names it once its zone is gone
	}
	return true
}

// ask sends what a zone waits for, and nobody loads, to the workers. It tells
// whether the zone waits for anything.
func (r *zones) ask(e ecs.Entity) (waits bool) {
	r.set.NextWish(e, r.zones.ID(), func(h assets.Handle) bool {
		waits = true
		if r.store.State(h) == assets.StateUnloaded {
			r.asked.Add(h)
		}
		return false
	})
	if waits {
		r.asked.Submit()
	}
	return waits
}

// adopt takes over what has landed for zones.
func (r *zones) adopt(s *stages.Slice) bool {
	s.SetClass(work.Ordinary)
	if r.set.Reveal.Pending {
		s.SetClass(work.Destination) // what its zones keep may be among it
	}
	for bytes, ok := r.asked.Landed(); ok; bytes, ok = r.asked.Landed() {
		if !s.Begin(work.Of(work.Admissions, 1).And(work.AdoptedBytes, bytes)) {
			return false
		}
		r.asked.AdoptOne(r.came)
		s.Commit()
	}
	if _, more := r.asked.Landed(); r.asked.Done() && !more {
		r.asked.Reset() // the same may be asked for again
	}
	return true
}

func (r *zones) settle(s *stages.Slice, e ecs.Entity) bool {
	if r.zones.Get(e).State != components.ZoneOccupied {
		if !s.Begin(work.Of(work.EntityOps, 2)) {
			return false
		}
		if r.inside(e) {
			r.enter(e)
		} else {
			r.marker.Remove(e)
		}
		s.Commit()
	}
	id := r.zones.ID()
	for {
		h, ok := r.set.NextWish(e, id, func(h assets.Handle) bool { return r.store.State(h).Settled() })
		if !ok {
			break
		}
		if !s.Begin(work.Of(work.EntityOps, 1)) {
			return false
		}
		if r.store.State(h) == assets.StateResident {
			if !r.store.TryRetain(h) {
				s.Fail()
				s.Owe()
				return true
			}
			r.set.Ledger.Add(e, id, r.set.Holds.Retain, uint64(h))
		}
		r.set.Got(e, id, h)
		s.Commit()
	}
	if _, waits := r.set.NextWish(e, id, every); !waits && r.marked.Has(e) {
		r.marker.Remove(e)
	}
	return true
}

// giveBack releases what zones hold whose grace is over, an asset a unit, and
// asks for a look when the next one's is.
func (r *zones) giveBack(s *stages.Slice) bool {
	kept := r.grace[:0]
	for i, e := range r.grace {
		if !r.world.Alive(e) || !r.zones.Has(e) || r.zones.Get(e).State != components.ZoneGrace {
			continue // gone, or come into again
		}
		z := r.zones.Get(e)
		if due := z.LeftAt + z.GraceTime; r.clock.Now() < due {
			s.OweAt(due)
			kept = append(kept, e)
			continue
		}
		if !r.empty(s, e) {
			r.grace = append(kept, r.grace[i:]...)
			return false
		}
		r.zones.Get(e).State = components.ZoneEmpty
	}
	r.grace = kept
	return true
}

func (r *zones) empty(s *stages.Slice, e ecs.Entity) bool {
	id := r.zones.ID()
	for {
		h, ok := r.nextName(e, func(h assets.Handle) bool { return r.holds(e, h) })
		if !ok {
			return true
		}
		if !s.Begin(work.Of(work.Retirements, 1)) {
			return false
		}
		r.set.Ledger.Drop(e, id, r.set.Holds.Retain, uint64(h))
		s.Commit()
	}
}

// Abandon lets go of what goes. What is occupied wants it again, what is in
// grace does not.
func (r *zones) Abandon(match func(assets.Handle) bool) {
	r.asked.Reset() // what is on its way would be of either version
	r.came.Drop(match)
	r.wait(match)
}

// Rearm lets occupied zones ask again for what had failed.
func (r *zones) Rearm(match func(assets.Handle) bool) {
	r.wait(func(h assets.Handle) bool {
		return match(h) && r.store.State(h) != assets.StateResident
	})
}

func (r *zones) wait(match func(assets.Handle) bool) {
	id := r.zones.ID()
	names := func(e ecs.Entity) bool {
		_, ok := r.nextName(e, match)
		return ok
	}
	for _, e := range entitiesWith(r.world, id, names) {
		for {
			h, ok := r.nextName(e, func(h assets.Handle) bool { return match(h) && r.holds(e, h) })
			if !ok {
				break
			}
			r.set.Ledger.Drop(e, id, r.set.Holds.Retain, uint64(h))
		}
		if r.zones.Get(e).State != components.ZoneOccupied {
			continue
		}
		r.wantAll(e)
		if !r.marked.Has(e) {
			r.marker.Add(e)
		}
		r.set.ArmDebt()
	}
}

// inBox tells whether a place is in the box of edge one that a matrix moves,
// turns and scales, or so near to it along each of its axes.
func inBox(m *gpu.Mat4, pos [3]float32, marginMetres float32) bool {
	by := [3]float32{pos[0] - m[12], pos[1] - m[13], pos[2] - m[14]}
	for axis := range 3 {
		x, y, z := m[4*axis], m[4*axis+1], m[4*axis+2]
		edge := sqrt32(x*x + y*y + z*z)
		away := by[0]*x + by[1]*y + by[2]*z // times the edge
		if away < 0 {
			away = -away
		}
		if !(away <= edge*(edge/2+marginMetres)) {
			return false
		}
	}
	return true
}
