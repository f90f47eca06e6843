package systems

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// Binding is what a row made by [Bind] keeps beside a component T: the asset
// it names. Games need not touch it.
type Binding[T any] struct {
	Asset assets.Handle
}

// PendingBind marks a T whose asset is not bound yet.
type PendingBind[T any] struct{}

// BindOptions describe a consumer of one asset by one component.
type BindOptions[T, P any] struct {
	// Name is the stage's name, unique in the table.
	Name string
	// Kind is the kind of asset, with payload type P.
	Kind assets.Kind
	// Stem is the asset this component wants.
	Stem func(*T) string
	// Bind runs once the asset is in memory and retained for this entity. The
	// payload stays valid until Unbind. It must not change entities.
	Bind func(e ecs.Entity, c *T, payload *P)
	// Unbind runs when the component or its entity goes, before the retain is
	// released. The component's data may be gone already. May be nil.
	Unbind func(e ecs.Entity)
	// Failed runs instead of Bind when the asset cannot be had. May be nil.
	Failed func(e ecs.Entity, c *T, err error)
}

// Bind makes a row that gives every component T its asset: it names, waits,
// retains, binds, and lets go when the component is removed. Add T to an
// entity by any means; nothing else is to be done.
func Bind[T, P any](o BindOptions[T, P]) stages.Row {
	if o.Stem == nil || o.Bind == nil {
		panic(fmt.Sprintf("systems: Bind %q needs Stem and Bind", o.Name))
	}
	return stages.Row{
		Name: o.Name, Kinds: assets.Kinds(o.Kind), NeedsWarm: true,
		Open: func(w *ecs.World, s stages.Services) (stages.Runner, error) { return openBinder(w, s, o) },
	}
}

type binder[T, P any] struct {
	options   BindOptions[T, P]
	world     *ecs.World
	store     *assets.Store
	set       *resources.Set
	residency *assets.Residency[P]
	comps     generic.Map[T]
	bindings  generic.Map[Binding[T]]
	add       []ecs.ID
	pendingID []ecs.ID
	bound     resources.HoldClass
	fresh     queue
	pending   queue
	orphans   queue
}

func openBinder[T, P any](w *ecs.World, s stages.Services, o BindOptions[T, P]) (stages.Runner, error) {
	b := &binder[T, P]{
		options: o, world: w, store: s.Store, set: resources.Must(w),
		residency: assets.Of[P](s.Store, o.Kind),
		comps:     generic.NewMap[T](w),
		bindings:  generic.NewMap[Binding[T]](w),
	}
	pending := ecs.ComponentID[PendingBind[T]](w)
	b.add = []ecs.ID{b.bindings.ID(), pending}
	b.pendingID = []ecs.ID{pending}
	b.bound = b.set.Ledger.AddClass(o.Name, func(e ecs.Entity, _ uint64) {
		if o.Unbind != nil {
			o.Unbind(e)
		}
	})
	b.set.Watch(b.comps.ID())
	b.fresh = newQueue(w, []ecs.ID{b.comps.ID()}, b.bindings.ID())
	b.pending = newQueue(w, []ecs.ID{b.comps.ID(), b.bindings.ID(), pending})
	b.orphans = newQueue(w, []ecs.ID{b.bindings.ID()}, b.comps.ID())
	return b, nil
}

// Run names what is new, binds what has landed, and tidies up after removed
// components.
func (b *binder[T, P]) Run(s *stages.Slice) stages.Outcome {
	if !b.tidy(s) || !b.name(s) {
		return stages.Yielded
	}
	b.pending.fill()
	for {
		e, ok := b.pending.take()
		if !ok {
			return stages.Done
		}
		if !b.comps.Has(e) {
			continue
		}
		h := b.bindings.Get(e).Asset
		switch b.store.State(h) {
		case assets.StateResident, assets.StateFailed, assets.StateMissing, assets.StateStale:
			if !s.Begin(work.Of(work.EntityOps, 1)) {
				b.pending.putBack()
				return stages.Yielded
			}
			b.settle(s, e, h)
		}
	}
}

func (b *binder[T, P]) tidy(s *stages.Slice) bool {
	b.orphans.fill()
	for {
		e, ok := b.orphans.take()
		if !ok {
			return true
		}
		if b.comps.Has(e) {
			continue
		}
		if !s.Begin(work.Of(work.EntityOps, 1)) {
			b.orphans.putBack()
			return false
		}
		if b.world.Has(e, b.pendingID[0]) {
			b.world.Exchange(e, nil, b.add)
		} else {
			b.world.Exchange(e, nil, b.add[:1])
		}
		s.Commit()
	}
}

func (b *binder[T, P]) name(s *stages.Slice) bool {
	b.fresh.fill()
	for {
		e, ok := b.fresh.take()
		if !ok {
			return true
		}
		if !b.comps.Has(e) || b.bindings.Has(e) {
			continue
		}
		if !s.Begin(work.Of(work.EntityOps, 1)) {
			b.fresh.putBack()
			return false
		}
		key, err := assets.NewKey(b.options.Stem(b.comps.Get(e)), b.options.Kind)
		var h assets.Handle
		if err == nil {
			h, err = b.store.Name(key)
		}
		b.world.Exchange(e, b.add, nil)
		b.bindings.Get(e).Asset = h
		if err != nil {
			b.world.Exchange(e, nil, b.pendingID)
			b.fail(e, err)
		} else {
			b.set.Ledger.Add(e, b.comps.ID(), b.set.Holds.Name, uint64(h))
		}
		s.Commit()
	}
}

func (b *binder[T, P]) settle(s *stages.Slice, e ecs.Entity, h assets.Handle) {
	if b.store.State(h) != assets.StateResident {
		b.world.Exchange(e, nil, b.pendingID)
		b.fail(e, b.store.Failure(h))
		s.Commit()
		return
	}
	if !b.store.TryRetain(h) {
		s.Fail()
		s.Owe()
		return
	}
	// Released newest first: unbound before the retain goes.
	b.set.Ledger.Add(e, b.comps.ID(), b.set.Holds.Retain, uint64(h))
	b.set.Ledger.Add(e, b.comps.ID(), b.bound, uint64(h))
	b.world.Exchange(e, nil, b.pendingID)
	b.options.Bind(e, b.comps.Get(e), b.residency.At(h))
	s.Commit()
}

func (b *binder[T, P]) fail(e ecs.Entity, err error) {
	if b.options.Failed != nil {
		b.options.Failed(e, b.comps.Get(e), err)
	}
}

// CollectCold names assets that nothing has asked for yet.
func (b *binder[T, P]) CollectCold(c *stages.Cold) {
	b.pending.each(func(e ecs.Entity) bool { return c.Add(b.bindings.Get(e).Asset) })
}
