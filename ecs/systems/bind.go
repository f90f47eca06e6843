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
	// Stem is the asset this component wants. It is asked once: to change it,
	// remove the component and add it again.
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
	marked    generic.Map[PendingBind[T]]
	add       []ecs.ID // binding and marker
	marker    []ecs.ID
	class     resources.HoldClass
	fresh     Queue
	pending   Queue
	lost      []ecs.Entity // lost their T, or died, with a binding
}

// What a hold of a binder's own class stands for.
const (
	holdBinding uint64 = iota // the Binding component
	holdBound                 // a Bind that is owed its Unbind
)

func openBinder[T, P any](w *ecs.World, s stages.Services, o BindOptions[T, P]) (stages.Runner, error) {
	b := &binder[T, P]{
		options: o, world: w, store: s.Store, set: resources.Must(w),
		residency: assets.Of[P](s.Store, o.Kind),
		comps:     generic.NewMap[T](w),
		bindings:  generic.NewMap[Binding[T]](w),
		marked:    generic.NewMap[PendingBind[T]](w),
	}
	b.add = []ecs.ID{b.bindings.ID(), b.marked.ID()}
	b.marker = b.add[1:]
	b.class = b.set.Ledger.AddClass(o.Name, b.release)
	b.set.Watch(b.comps.ID())
	b.fresh = NewQueue(w, []ecs.ID{b.comps.ID()}, b.bindings.ID())
	b.pending = NewQueue(w, []ecs.ID{b.comps.ID(), b.bindings.ID(), b.marked.ID()})
	return b, nil
}

// release runs when T or its entity goes. The world may be locked, so the
// binding itself is left to tidy: a T that comes back before that must not
// find it and pass for bound.
func (b *binder[T, P]) release(e ecs.Entity, hold uint64) {
	if hold == holdBinding {
		b.lost = append(b.lost, e)
		b.set.ArmDebt()
		return
	}
	if b.options.Unbind != nil {
		b.options.Unbind(e)
	}
}

// Run tidies up after removed components, names what is new, and binds what
// has landed.
func (b *binder[T, P]) Run(s *stages.Slice) stages.Outcome {
	if !b.tidy(s) || !b.name(s) {
		return stages.Yielded
	}
	b.pending.Fill()
	for {
		e, ok := b.pending.Take()
		if !ok {
			return stages.Done
		}
		if !b.comps.Has(e) || !b.marked.Has(e) {
			continue
		}
		h := b.bindings.Get(e).Asset
		if !b.store.State(h).Settled() {
			continue
		}
		if !s.Begin(work.Of(work.EntityOps, 1)) {
			b.pending.PutBack()
			return stages.Yielded
		}
		b.settle(s, e, h)
	}
}

func (b *binder[T, P]) tidy(s *stages.Slice) bool {
	for n := len(b.lost); n > 0; n = len(b.lost) {
		e := b.lost[n-1]
		if b.world.Alive(e) && b.bindings.Has(e) {
			if !s.Begin(work.Of(work.EntityOps, 1)) {
				return false
			}
			ids := b.add
			if !b.marked.Has(e) {
				ids = b.add[:1]
			}
			b.world.Exchange(e, nil, ids)
			s.Commit()
		}
		b.lost = b.lost[:n-1]
	}
	return true
}

func (b *binder[T, P]) name(s *stages.Slice) bool {
	b.fresh.Fill()
	for {
		e, ok := b.fresh.Take()
		if !ok {
			return true
		}
		if !b.comps.Has(e) || b.bindings.Has(e) {
			continue
		}
		if !s.Begin(work.Of(work.EntityOps, 1)) {
			b.fresh.PutBack()
			return false
		}
		key, err := assets.NewKey(b.options.Stem(b.comps.Get(e)), b.options.Kind)
		var h assets.Handle
		if err == nil {
			h, err = b.store.Name(key)
		}
		b.set.Ledger.Add(e, b.comps.ID(), b.class, holdBinding)
		if err != nil {
			b.world.Exchange(e, b.add[:1], nil)
			b.fail(e, err)
		} else {
			b.world.Exchange(e, b.add, nil)
			b.bindings.Get(e).Asset = h
			b.set.Ledger.Add(e, b.comps.ID(), b.set.Holds.Name, uint64(h))
		}
		s.Commit()
	}
}

func (b *binder[T, P]) settle(s *stages.Slice, e ecs.Entity, h assets.Handle) {
	if b.store.State(h) != assets.StateResident {
		b.world.Exchange(e, nil, b.marker)
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
	b.set.Ledger.Add(e, b.comps.ID(), b.class, holdBound)
	b.world.Exchange(e, nil, b.marker)
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
	b.pending.Each(func(e ecs.Entity) bool { return c.Add(b.bindings.Get(e).Asset) })
}
