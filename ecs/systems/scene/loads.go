package scene

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/journal"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// LoadsRow loads layers: up to [resources.LoadsMax] at once, each from its
// document over everything it names to its presentation.
func LoadsRow() stages.Row {
	return stages.Row{
		Name:  "layers",
		Kinds: assets.AllKinds,
		Open:  openLoads,
	}
}

type loads struct {
	world   *ecs.World
	store   *assets.Store
	set     *resources.Set
	layers  generic.Map[components.Layer]
	scenes  *assets.Residency[assets.Scene]
	models  *assets.Residency[assets.Model]
	spawner *Spawner
	command *Layers
	classes Classes
	ready   readiness
	clock   work.Clock
	all     generic.Filter1[components.Layer]
	queued  []ecs.Entity
	busy    map[assets.Handle]struct{} // documents loading or retiring
}

func openLoads(w *ecs.World, s stages.Services) (stages.Runner, error) {
	l := &loads{
		world: w, store: s.Store, set: resources.Must(w),
		layers:  generic.NewMap[components.Layer](w),
		scenes:  assets.Of[assets.Scene](s.Store, assets.KindScene),
		models:  assets.Of[assets.Model](s.Store, assets.KindModel),
		spawner: NewSpawner(w, s),
		command: NewLayers(w, s),
		classes: NewClasses(w),
		ready:   newReadiness(w, s.Geometry, s.Textures),
		clock:   s.Clock,
		all:     filterOf[components.Layer](w),
		busy:    make(map[assets.Handle]struct{}, 64),
	}
	growTables(w, l.spawner, l.set)
	l.set.Room.Add(resources.Grower{Kind: resources.RoomMeshes, Used: s.Geometry.Taken, Room: s.Geometry.Places, Grow: s.Geometry.GrowTo})
	l.set.Room.Add(resources.Grower{Kind: resources.RoomTextures, Used: s.Textures.Taken, Room: s.Textures.Places, Grow: s.Textures.GrowTo})
	for i := range l.set.Loads.Slots {
		slot := &l.set.Loads.Slots[i]
		slot.Batch = s.Store.NewBatch(assets.BatchOptions{Owner: "layer load", Closure: true})
		slot.Scope = assets.NewScope(s.Store)
	}
	return l, nil
}

// Close lets go of loads under way.
func (l *loads) Close() {
	for i := range l.set.Loads.Slots {
		if slot := &l.set.Loads.Slots[i]; !slot.Layer.IsZero() {
			freeSlot(slot, l.set, l.store)
		}
	}
}

// Run fills free slots from the line, takes over what has landed for any of
// them, then takes each running load a step on: results do not queue up behind
// a layer that takes frames to spawn.
func (l *loads) Run(s *stages.Slice) stages.Outcome {
	if !l.showAsked(s) {
		return stages.Yielded
	}
	l.dispatch()
	l.eachSlot(s, l.submit)
	adopted := l.eachSlot(s, l.adopt)
	if !l.eachSlot(s, l.step) || !adopted {
		return stages.Yielded
	}
	return stages.Done
}

// eachSlot calls f with each slot in use until it answers false, those of a
// pending destination first: other loads that have used up their share of the
// frame do not keep it from its own.
func (l *loads) eachSlot(s *stages.Slice, f func(*stages.Slice, *resources.LoadSlot) bool) bool {
	for _, class := range [...]work.Class{work.Destination, work.Ordinary} {
		for i := range l.set.Loads.Slots {
			slot := &l.set.Loads.Slots[i]
			if slot.Layer.IsZero() {
				continue
			}
			if _, ok := l.command.Layer(slot.Layer); !ok {
				freeSlot(slot, l.set, l.store) // removed past Unload: its roster goes by the ledger
				continue
			}
			if l.classes.OfLayer(l.layers.Get(slot.Layer)) != class {
				continue
			}
			s.Owe()
			s.SetClass(class)
			if !f(s, slot) {
				return false
			}
		}
	}
	return true
}

// dispatch gives free slots to the first in line. A document that is loading
// or retiring is not started again before it is through.
func (l *loads) dispatch() {
	if l.set.Loads.FreeSlot() == nil {
		return
	}
	l.queued = l.queued[:0]
	clear(l.busy)
	q := l.all.Query(l.world)
	for q.Next() {
		switch layer := q.Get(); layer.State {
		case components.LayerQueued:
			l.queued = append(l.queued, q.Entity())
		case components.LayerPresented, components.LayerFailed:
		default:
			l.busy[layer.Document()] = struct{}{}
		}
	}
	for slot := l.set.Loads.FreeSlot(); slot != nil; slot = l.set.Loads.FreeSlot() {
		e, ok := l.first()
		if !ok {
			return
		}
		layer := l.layers.Get(e)
		if !l.mayStart(layer) {
			return
		}
		layer.State, layer.Cursor = components.LayerPreloading, 0
		l.busy[layer.Document()] = struct{}{}
		slot.Layer, slot.Part, slot.Submitted = e, 0, false
	}
}

// mayStart keeps all slots but one for the destination while its reveal is
// pending: a load that runs is not given up for one that came after it.
func (l *loads) mayStart(layer *components.Layer) bool {
	return !l.set.Reveal.Pending || l.set.Reveal.WaitsFor(layer) || l.set.Loads.Running() == 0
}

func (l *loads) first() (best ecs.Entity, ok bool) {
	var b *components.Layer
	for _, e := range l.queued {
		layer := l.layers.Get(e)
		if layer.State != components.LayerQueued || awaited(l.store.State(layer.Document())) {
			continue
		}
		if _, busy := l.busy[layer.Document()]; busy {
			continue
		}
		if b == nil || layer.Before(b) {
			best, b, ok = e, layer, true
		}
	}
	return best, ok
}

// step takes one load on as far as it can come now. It answers false when the
// slice ran out.
func (l *loads) step(s *stages.Slice, slot *resources.LoadSlot) bool {
	switch l.layers.Get(slot.Layer).State {
	case components.LayerPreloading:
		return l.preloaded(s, slot)
	case components.LayerSpawning:
		return l.spawn(s, slot)
	case components.LayerBinding:
		return l.present(s, slot)
	case components.LayerPresented:
		l.look(slot.Layer)
		l.finish(slot)
	}
	return true
}

// spawn makes the layer's entities, one primitive a unit: a model of four
// hundred parts takes as many units, over as many frames as they need. Where an
// entity's meshes are on their way it waits for them, so that what is pending,
// and looked at in each pass, is what can be bound. Effects and the sky come
// first: a zone asks for more.
func (l *loads) spawn(s *stages.Slice, slot *resources.LoadSlot) bool {
	doc := l.scenes.At(l.layers.Get(slot.Layer).Document())
	whole := slot.Batch.Done()
	for {
		i := int(l.layers.Get(slot.Layer).Cursor)
		k := i - len(doc.Effects) - 1 // after them and the sky
		if k == len(doc.Entities) {
			break
		}
		if k < 0 {
			if !l.spawnOther(s, slot, doc, i) {
				return false
			}
		} else if !whole && slot.Part == 0 && l.meshesComing(doc.Entities[k].Model) {
			return true
		} else if !l.spawnEntity(s, slot, &doc.Entities[k]) {
			return false
		}
		l.layers.Get(slot.Layer).Cursor++
		slot.Part = 0
	}
	if !l.wake(s, slot) {
		return false
	}
	layer := l.layers.Get(slot.Layer)
	layer.State, layer.Cursor = components.LayerBinding, 0
	return l.present(s, slot)
}

// wake brings back what the game had put into the layer when it was here last.
func (l *loads) wake(s *stages.Slice, slot *resources.LoadSlot) bool {
	document, _ := l.store.KeyOf(l.layers.Get(slot.Layer).Document())
	for l.set.Dormant.Waiting(document) > 0 {
		if !s.Begin(work.Of(work.EntityOps, 1)) {
			return false
		}
		d, _ := l.set.Dormant.Take(document)
		l.add(slot.Layer, func(at place) (ecs.Entity, error) {
			at.world = d.World
			return l.spawner.model(d.Model, at)
		})
		s.Commit()
	}
	return true
}

func (l *loads) spawnEntity(s *stages.Slice, slot *resources.LoadSlot, d *assets.SceneEntity) bool {
	origin := l.layers.Get(slot.Layer).Origin
	world := Matrix(d.At, origin)
	if d.Sound != "" {
		if !s.Begin(work.Of(work.EntityOps, 1)) {
			return false
		}
		l.add(slot.Layer, func(at place) (ecs.Entity, error) {
			at.world = world
			return l.spawner.sound(d.Sound, d.Gain, d.Radius, d.Loop, at)
		})
		s.Commit()
		return true
	}
	model := l.model(d.Model)
	if model == nil {
		return l.await(s, slot, d, world)
	}
	for ; int(slot.Part) < len(model.Parts); slot.Part++ {
		part := &model.Parts[slot.Part]
		material := part.Material
		if d.Material != "" {
			material = d.Material
		}
		if !s.Begin(l.spawner.PrimitiveCost(material)) {
			return false
		}
		l.add(slot.Layer, func(at place) (ecs.Entity, error) {
			at.world = mul(world, model.Nodes[part.Node].World)
			return l.spawner.primitive(part.Mesh, material, at)
		})
		s.Commit()
	}
	return true
}

func (l *loads) add(layer ecs.Entity, make func(place) (ecs.Entity, error)) {
	c := l.layers.Get(layer)
	roster, destination := c.Roster, uint32(0)
	if l.set.Reveal.WaitsFor(c) {
		destination = c.Generation
	}
	e, err := make(place{layer: layer, destination: destination, withheld: c.Policy != components.PresentImmediate})
	if err != nil {
		// Stems were checked when the document was decoded; only a full store
		// gets here, and the scene shows without this entity.
		return
	}
	l.set.Rosters.Add(roster, e)
}

// present shows the layer when its policy says so.
func (l *loads) present(s *stages.Slice, slot *resources.LoadSlot) bool {
	e := slot.Layer
	ready := l.look(e) && complete(slot)
	if ready {
		l.tellReady(slot)
	}
	layer := l.layers.Get(e)
	if ready && layer.Policy == components.PresentManual && !layer.Asked {
		// Its entities hold all they need: it waits without a slot.
		layer.State = components.LayerReady
		key, _ := l.store.KeyOf(layer.Document())
		l.set.Events.Push(resources.LayerEvent{Kind: resources.LayerIsReady, Layer: e, Key: key})
		freeSlot(slot, l.set, l.store)
		return true
	}
	if !l.show(layer, ready) {
		return true
	}
	if !l.reveal(s, e) {
		return false
	}
	l.finish(slot)
	return true
}

// look goes on from the first member that was not ready and tells whether all
// are.
func (l *loads) look(e ecs.Entity) (ready bool) {
	layer := l.layers.Get(e)
	members := l.set.Rosters.Members(layer.Roster)
	for int(layer.Cursor) < members.Len() && l.ready.entity(*members.At(int(layer.Cursor))) {
		layer.Cursor++
	}
	layer.Pending = int32(members.Len()) - layer.Cursor
	return layer.Pending == 0
}

// finish frees the slot of a layer that is shown. One that was shown before it
// was ready keeps it until then: what its entities have not bound yet only the
// slot's scope holds, also past the layer it replaces.
func (l *loads) finish(slot *resources.LoadSlot) {
	if l.layers.Get(slot.Layer).Pending == 0 && complete(slot) {
		l.tellReady(slot)
		freeSlot(slot, l.set, l.store)
	}
}

// tellReady tells the log, once a load.
func (l *loads) tellReady(slot *resources.LoadSlot) {
	if !slot.Told {
		slot.Told = true
		l.set.Events.Note(journal.LayerReady, slot.Layer, l.layers.Get(slot.Layer).Document(), "")
	}
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// showAsked shows the manual layers that were ready when the game asked.
func (l *loads) showAsked(s *stages.Slice) bool {
	asked := &l.set.Loads.Asked
	for len(*asked) > 0 {
		e := (*asked)[0]
		if layer, ok := l.command.Layer(e); ok && layer.State == components.LayerReady && !l.reveal(s, e) {
			return false
		}
		*asked = append((*asked)[:0], (*asked)[1:]...)
	}
	return true
}

// reveal shows a layer in one observer-atomic step, whatever the roster's
// size: half a layer must not be seen.
func (l *loads) reveal(s *stages.Slice, e ecs.Entity) bool {
	layer := l.layers.Get(e)
	members := l.set.Rosters.Len(layer.Roster)
	if !s.Begin(work.Of(work.EntityOps, int64(max(members, 1)))) {
		return false
	}
	replace := layer.Replace
	layer.State = components.LayerPresented
	key, _ := l.store.KeyOf(layer.Document())
	if layer.Policy != components.PresentImmediate {
		l.command.reveal(layer.Roster)
	}
	if replace {
		l.command.UnloadAllBut(e, true)
	}
	l.set.Counts.Presented++
	l.set.Events.Push(resources.LayerEvent{Kind: resources.LayerLoaded, Layer: e, Key: key})
	l.set.Events.Note(journal.LayerPresented, e, l.layers.Get(e).Document(), "")
	s.Commit()
	return true
}

func (l *loads) show(layer *components.Layer, ready bool) bool {
	switch layer.Policy {
	case components.PresentImmediate:
		return ready || layer.Replace
	case components.PresentManual:
		return ready && layer.Asked
	case components.PresentDeadline:
		return ready || l.clock.Now() >= layer.Deadline
	}
	return ready
}
