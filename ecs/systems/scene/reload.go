package scene

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/resources"
	"sojourn/stages"
)

var _ stages.Abandoner = (*loads)(nil)

// Abandon begins loads anew that are not done with their documents: what was
// spawned retires, and the layer goes back into the line. A load that only
// binds lets go of what goes and of what has not arrived, which its members ask
// for themselves, and looks at them from the first. Layers that are shown take
// a changed document up when they are loaded next.
func (l *loads) Abandon(match func(assets.Handle) bool) {
	for i := range l.set.Loads.Slots {
		slot := &l.set.Loads.Slots[i]
		if slot.Layer.IsZero() || !l.world.Alive(slot.Layer) {
			continue
		}
		switch layer := l.layers.Get(slot.Layer); layer.State {
		case components.LayerPreloading, components.LayerSpawning:
			l.again(slot)
		case components.LayerBinding, components.LayerPresented:
			layer.Cursor = 0
			slot.Scope.Drop(match)
			slot.Batch.Cancel() // what is still to come would be of either version
		}
	}
	for _, scope := range l.set.Loads.Emptying {
		scope.Drop(match) // what it still holds would stay the old version
	}
	l.set.ArmDebt()
}

func (l *loads) again(slot *resources.LoadSlot) {
	e := slot.Layer
	freeSlot(slot, l.set, l.store)
	layer := l.layers.Get(e)
	layer.State, layer.Cursor = components.LayerQueued, 0
	if layer.Roster < 0 {
		return
	}
	roster := layer.Roster
	layer.Roster = -1
	l.remember(layer.Document(), roster)
	l.hide(roster)
	l.set.Ledger.Drop(e, l.layers.ID(), l.set.Holds.Roster, uint64(roster))
}

// remember puts back on record what the game had put into the layer and has come
// back already.
func (l *loads) remember(document assets.Handle, roster int32) {
	key, _ := l.store.KeyOf(document)
	members := l.set.Rosters.Members(roster)
	for i := range members.Len() {
		e := *members.At(i)
		if !l.world.Alive(e) {
			continue
		}
		if d, ok := dormant(l.store, &l.spawner.models, &l.spawner.transforms, e); ok {
			l.set.Dormant.Add(key, d)
		}
	}
}

func (l *loads) hide(roster int32) {
	withheld := ecs.ComponentID[components.Withheld](l.world)
	members := l.set.Rosters.Members(roster)
	for i := range members.Len() {
		e := *members.At(i)
		if l.world.Alive(e) && !l.world.Has(e, withheld) {
			l.world.Add(e, withheld)
		}
	}
}

// Rearm leaves layers that failed as they are: the game was told, and asks
// again if it likes. Those whose document was pending are in line and are
// looked at with the wake.
func (l *loads) Rearm(func(assets.Handle) bool) {}

// awaited tells whether a document cannot be had now, and a wake will say when.
func awaited(s assets.State) bool {
	return s == assets.StatePending || s == assets.StateReloadPending
}
