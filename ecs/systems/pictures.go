package systems

import (
	"errors"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/gpu"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// pictured is a component that embeds a picture.
type pictured[T any] interface {
	*T
	Self() *components.Picture
}

// pictureUsers is what a row needs of the users of pictures, whatever their
// component.
type pictureUsers interface {
	stages.Runner
	stages.ColdCollector
	stages.Abandoner
}

// pictures joins the pictures of one component T, which is marked with P until
// then.
type pictures[T, P any, C pictured[T]] struct {
	store    *assets.Store
	textures *gpu.Textures
	set      *resources.Set
	users    generic.Map[T]
	marker   generic.Map1[P]
	marked   generic.Map[P]
	classes  scene.Classes
	pending  Queue
}

func newPictures[T, P any, C pictured[T]](w *ecs.World, s stages.Services) *pictures[T, P, C] {
	p := &pictures[T, P, C]{
		store: s.Store, textures: s.Textures, set: resources.Must(w),
		users:   generic.NewMap[T](w),
		marker:  generic.NewMap1[P](w),
		marked:  generic.NewMap[P](w),
		classes: scene.NewClasses(w),
	}
	p.pending = NewQueue(w, []ecs.ID{p.users.ID(), p.marked.ID()})
	return p
}

func (p *pictures[T, P, C]) at(e ecs.Entity) *components.Picture { return C(p.users.Get(e)).Self() }

// Run joins what has landed. What failed is marked no more, and has joined
// nothing.
func (p *pictures[T, P, C]) Run(s *stages.Slice) stages.Outcome {
	p.pending.Fill()
	for share := newShare(s, &p.classes); ; {
		e, ok := p.pending.Take()
		if !ok {
			return share.outcome()
		}
		if !p.users.Has(e) || !p.marked.Has(e) {
			continue
		}
		h := p.at(e).Texture()
		state := p.store.State(h)
		if !state.Settled() {
			continue
		}
		class := p.classes.Of(e)
		switch share.begin(class, work.Of(work.EntityOps, 1)) {
		case leave:
			continue
		case endTurn:
			p.pending.PutBack()
			return stages.Yielded
		}
		if state != assets.StateResident {
			p.settled(e, h)
			s.Commit()
			continue
		}
		p.join(s, e, h, class)
	}
}

func (p *pictures[T, P, C]) join(s *stages.Slice, e ecs.Entity, h assets.Handle, class work.Class) {
	if !p.store.TryRetain(h) {
		s.Fail()
		s.Owe()
		return
	}
	ref, err := p.textures.Join(h)
	if err != nil {
		p.store.Release(h)
		s.Fail()
		if errors.Is(err, assets.ErrTooLarge) || errors.Is(err, assets.ErrCorrupt) {
			p.settled(e, h) // it will not get better by waiting
			return
		}
		s.Owe()
		return
	}
	if class == work.Destination {
		p.textures.SetClass(ref, class)
	}
	p.set.Ledger.Add(e, p.users.ID(), p.set.Holds.Retain, uint64(h))
	p.set.Ledger.Add(e, p.users.ID(), p.set.Holds.Texture, uint64(ref))
	p.at(e).Joined = ref
	p.settled(e, h)
	s.Commit()
}

// settled ends the wait: the world's ticket has it no more.
func (p *pictures[T, P, C]) settled(e ecs.Entity, h assets.Handle) {
	p.set.Got(e, p.users.ID(), h)
	p.marker.Remove(e)
}

// CollectCold names pictures that nothing has asked for yet.
func (p *pictures[T, P, C]) CollectCold(c *stages.Cold) {
	p.pending.Each(func(e ecs.Entity) bool { return c.Add(p.at(e).Texture()) })
}

// Abandon takes pictures off the device.
func (p *pictures[T, P, C]) Abandon(match func(assets.Handle) bool) { p.wait(match, false) }

// Rearm lets those try again whose picture had failed.
func (p *pictures[T, P, C]) Rearm(match func(assets.Handle) bool) { p.wait(match, true) }

func (p *pictures[T, P, C]) wait(match func(assets.Handle) bool, failedOnly bool) {
	id, holds := p.users.ID(), &p.set.Holds
	for _, e := range entitiesWith(p.pending.world, id, func(e ecs.Entity) bool { return match(p.at(e).Texture()) }) {
		picture := p.at(e)
		h, ref := picture.Texture(), picture.Joined
		if ref != 0 {
			if failedOnly {
				continue
			}
			picture.Joined = 0
			p.set.Ledger.Drop(e, id, holds.Texture, uint64(ref))
			p.set.Ledger.Drop(e, id, holds.Retain, uint64(h))
		}
		if !p.marked.Has(e) {
			p.marker.Add(e)
			p.set.Want(e, id, h)
		}
		p.set.ArmDebt()
	}
}
