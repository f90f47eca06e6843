package scene

import (
	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/journal"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// submit sends a layer's document and all it names to the workers.
func (l *loads) submit(_ *stages.Slice, slot *resources.LoadSlot) bool {
	layer := l.layers.Get(slot.Layer)
	if layer.State != components.LayerPreloading || slot.Submitted {
		return true
	}
	slot.Batch.Add(layer.Document())
	slot.Batch.SetPriority(batchPriority(layer))
	slot.Batch.Submit()
	slot.Submitted = true
	slot.Ticket = l.store.OpenTicket(assets.TicketOptions{Owner: "layer", Mode: assets.WakeComplete})
	if err := l.store.Require(slot.Ticket, layer.Document(), assets.PhaseDecoded); err == nil {
		l.store.Seal(slot.Ticket)
	}
	return true
}

// adopt takes over what has landed. It answers false when the frame takes no
// more. What was in memory before, as is what layers share, is no result of a
// worker: taking it over is counting one use more.
func (l *loads) adopt(s *stages.Slice, slot *resources.LoadSlot) bool {
	for bytes, ok := slot.Batch.Landed(); ok; bytes, ok = slot.Batch.Landed() {
		cost := work.Of(work.EntityOps, 1)
		if bytes > 0 {
			cost = work.Of(work.Admissions, 1).And(work.AdoptedBytes, bytes)
		}
		if !s.Begin(cost) {
			return false
		}
		slot.Batch.AdoptOne(slot.Scope)
		s.Commit()
	}
	return true
}

// complete tells whether everything has landed, or failed, and was taken over.
func complete(slot *resources.LoadSlot) bool {
	if !slot.Batch.Done() {
		return false
	}
	_, left := slot.Batch.Landed() // asked second: nothing lands after Done
	return !left
}

// structured tells whether a document and its models have landed or failed: from
// then on it is known what entities there will be. Entities are made while
// meshes and textures are decoded.
func structured(slot *resources.LoadSlot) bool {
	for _, kind := range [...]assets.Kind{assets.KindScene, assets.KindModel} {
		if _, awaited := slot.Batch.Count(kind); awaited > 0 {
			return false
		}
	}
	return true
}

// preloaded goes on to spawning once it is known what to spawn.
func (l *loads) preloaded(s *stages.Slice, slot *resources.LoadSlot) bool {
	layer := l.layers.Get(slot.Layer)
	if !slot.Submitted || !structured(slot) {
		return true
	}
	if l.scenes.At(layer.Document()) == nil || !l.store.Has(layer.Document()) {
		if st := l.store.State(layer.Document()); awaited(st) || st == assets.StateUnloaded {
			l.again(slot) // a reload or a cook is at it
		} else {
			l.fail(slot)
		}
		return true
	}
	doc := l.scenes.At(layer.Document())
	if !l.makeRoom(s, slot, doc) {
		return false
	}
	layer = l.layers.Get(slot.Layer) // tables may have moved
	layer.Roster = l.set.Rosters.Open(l.members(slot, doc))
	layer.State, layer.Cursor = components.LayerSpawning, 0
	l.set.Ledger.Add(slot.Layer, l.layers.ID(), l.set.Holds.Roster, uint64(layer.Roster))
	return l.spawn(s, slot)
}

// fail ends a load whose document cannot be had.
func (l *loads) fail(slot *resources.LoadSlot) {
	e := slot.Layer
	layer := l.layers.Get(e)
	layer.State = components.LayerFailed
	l.set.Counts.Failed++
	key, _ := l.store.KeyOf(layer.Document())
	err := l.store.Failure(layer.Document())
	l.set.Events.Push(resources.LayerEvent{Kind: resources.LayerLoadFailed, Layer: e, Key: key, Err: err})
	l.set.Events.Note(journal.LayerFailed, e, layer.Document(), reason(err))
	freeSlot(slot, l.set, l.store)
}
