package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/resources"
)

// Lamp is lit in the last color of its palette. The palette changes through
// [Lamps], which keeps the ledger in step; nobody else can write it.
type Lamp struct {
	palette assets.Handle
	Circuit Circuit // zero until lit
}

// PendingLamp marks a lamp that is not lit yet. Finding those that wait costs
// what waits, not what exists.
type PendingLamp struct{}

// FailedLamp marks a lamp whose palette cannot be had: it stays dark.
type FailedLamp struct{}

// Lamps hangs lamps in one world. Game goroutine; never inside a query.
type Lamps struct {
	world   *ecs.World
	store   *assets.Store
	set     *resources.Set
	lamps   generic.Map[Lamp]
	pending generic.Map1[PendingLamp]
	marked  generic.Map[PendingLamp]
	failed  generic.Map1[FailedLamp]
	isDark  generic.Map[FailedLamp]
}

// NewLamps works on a world of a session, or of a test kit.
func NewLamps(w *ecs.World, store *assets.Store) *Lamps {
	return &Lamps{
		world: w, store: store, set: resources.Must(w),
		lamps:   generic.NewMap[Lamp](w),
		pending: generic.NewMap1[PendingLamp](w),
		marked:  generic.NewMap[PendingLamp](w),
		failed:  generic.NewMap1[FailedLamp](w),
		isDark:  generic.NewMap[FailedLamp](w),
	}
}

// Set gives an entity a lamp, or its lamp another palette. The error wraps
// assets.ErrBadStem; whether the palette can be had shows later.
func (l *Lamps) Set(e ecs.Entity, stem string) error {
	key, err := assets.NewKey(stem, KindPalette)
	if err != nil {
		return err
	}
	h, err := l.store.Name(key) // keeps the handle good, loads nothing
	if err != nil {
		return err
	}
	id := l.lamps.ID()
	if !l.lamps.Has(e) {
		l.world.Add(e, id)
	}
	l.set.Ledger.ReleaseComponent(e, id) // of the palette before
	*l.lamps.Get(e) = Lamp{palette: h}
	l.set.Ledger.Add(e, id, l.set.Holds.Name, uint64(h))
	if l.isDark.Has(e) {
		l.failed.Remove(e)
	}
	if !l.marked.Has(e) {
		l.pending.Add(e)
	}
	l.set.ArmDebt() // no wake names what is new
	return nil
}

// Circuit is what lights an entity's lamp; zero while it is dark.
func (l *Lamps) Circuit(e ecs.Entity) Circuit {
	if !l.lamps.Has(e) {
		return 0
	}
	return l.lamps.Get(e).Circuit
}
