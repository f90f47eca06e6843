package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/ecs/systems"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// LampsRow lights lamps on a rack, which its Open closure captures: the
// engine's own services come in stages.Services, a game's do not.
func LampsRow(rack *Rack) stages.Row {
	return stages.Row{
		Name:      "lamps",
		Kinds:     assets.Kinds(KindPalette),
		NeedsWarm: true,
		Open: func(w *ecs.World, s stages.Services) (stages.Runner, error) {
			return openLamps(w, s, rack), nil
		},
	}
}

// lampRunner is the row's state in one world.
type lampRunner struct {
	store    *assets.Store
	rack     *Rack
	set      *resources.Set
	palettes *assets.Residency[Palette]
	lamps    generic.Map[Lamp]
	marked   generic.Map[PendingLamp]
	marker   generic.Map1[PendingLamp]
	failed   generic.Map1[FailedLamp]
	circuit  resources.HoldClass
	pending  systems.Queue
}

func openLamps(w *ecs.World, s stages.Services, rack *Rack) *lampRunner {
	r := &lampRunner{
		store: s.Store, rack: rack, set: resources.Must(w),
		palettes: assets.Of[Palette](s.Store, KindPalette),
		lamps:    generic.NewMap[Lamp](w),
		marked:   generic.NewMap[PendingLamp](w),
		marker:   generic.NewMap1[PendingLamp](w),
		failed:   generic.NewMap1[FailedLamp](w),
	}
	r.set.Watch(r.lamps.ID())
	// Runs when a lamp or its entity goes, while the world may be locked.
	r.circuit = r.set.Ledger.AddClass("circuit", func(_ ecs.Entity, v uint64) {
		rack.Douse(Circuit(v))
		r.set.ArmDebt() // a lamp that found the rack full may have room now
	})
	r.pending = systems.NewQueue(w, []ecs.ID{r.lamps.ID(), r.marked.ID()})
	return r
}

// Run lights what has landed. What is still on its way is left to its wake, and
// what finds the rack full to the circuit that comes free.
func (r *lampRunner) Run(s *stages.Slice) stages.Outcome {
	r.pending.Fill()
	for {
		e, ok := r.pending.Take()
		if !ok {
			return stages.Done
		}
		if !r.lamps.Has(e) || !r.marked.Has(e) {
			continue // changed since it was collected
		}
		switch r.store.State(r.lamps.Get(e).palette) {
		case assets.StateResident:
			if r.rack.Full() {
				continue // looked at before Begin: an attempt is charged
			}
			if !s.Begin(work.Of(work.EntityOps, 1)) {
				r.pending.PutBack()
				return stages.Yielded
			}
			r.light(s, e)
		case assets.StateFailed, assets.StateMissing, assets.StateStale:
			if !s.Begin(work.Of(work.EntityOps, 2)) {
				r.pending.PutBack()
				return stages.Yielded
			}
			r.marker.Remove(e)
			r.failed.Add(e)
			s.Commit()
		}
	}
}

// light takes the lamp's own retain before anything else lets go.
func (r *lampRunner) light(s *stages.Slice, e ecs.Entity) {
	h := r.lamps.Get(e).palette
	if !r.store.TryRetain(h) {
		s.Fail()
		s.Owe()
		return
	}
	colors := r.palettes.At(h).Colors
	c, err := r.rack.Light(colors[len(colors)-1].RGB)
	if err != nil {
		r.store.Release(h)
		s.Fail()
		s.Owe()
		return
	}
	id := r.lamps.ID()
	// Released newest first: the circuit, then the palette.
	r.set.Ledger.Add(e, id, r.set.Holds.Retain, uint64(h))
	r.set.Ledger.Add(e, id, r.circuit, uint64(c))
	r.lamps.Get(e).Circuit = c
	r.marker.Remove(e)
	s.Commit()
}

// CollectCold names palettes that nothing has asked for yet. For a full rack
// nothing is decoded.
func (r *lampRunner) CollectCold(c *stages.Cold) {
	if r.rack.Full() {
		return
	}
	r.pending.Each(func(e ecs.Entity) bool { return c.Add(r.lamps.Get(e).palette) })
}
