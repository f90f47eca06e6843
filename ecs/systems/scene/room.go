package scene

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// stepRoom is what the meter and diagnostics call the growth of a structure for
// a layer that is about to be spawned. A step cannot be divided: a large one is
// the frame's one use past its budget, under this name.
const stepRoom = "layer room"

// usesPerUnit is how many lines of a document's count are added up in a unit.
const usesPerUnit = 64

// makeRoom makes every structure large enough for a layer, before its entities
// are made: one growth a unit, and none where there is room. It answers false
// when the slice ran out.
func (l *loads) makeRoom(s *stages.Slice, slot *resources.LoadSlot, doc *assets.Scene) bool {
	if !l.plan(s, slot, doc) {
		return false
	}
	room, demand := l.set.Room, l.demand()
	for ; int(slot.Grown) < room.Len(); slot.Grown++ {
		i := int(slot.Grown)
		places := room.Wants(i, &demand)
		if places == 0 {
			continue
		}
		if !s.BeginAs(stepRoom, room.Cost(i, places)) {
			return false
		}
		room.Grow(i, places)
		s.Commit()
	}
	return true
}

// plan adds up what a document's entities take, from where it stopped.
func (l *loads) plan(s *stages.Slice, slot *resources.LoadSlot, doc *assets.Scene) bool {
	d := &slot.Demand
	for ; int(slot.Planned) < len(doc.Uses); slot.Planned++ {
		if slot.Planned%usesPerUnit == usesPerUnit-1 {
			if !s.BeginAs(stepRoom, work.Of(work.EntityOps, 1)) {
				return false
			}
			s.Commit()
		}
		use := &doc.Uses[slot.Planned]
		if model := l.model(use.Model); model != nil {
			d[resources.RoomPrimitives] += use.Entities * len(model.Parts)
		} else if use.Material == "" {
			d[resources.RoomModels] += use.Entities
		}
	}
	primitives := d[resources.RoomPrimitives]
	d[resources.RoomSounds] = doc.Sounds
	clear(d[resources.RoomEffects:])
	for i := range doc.Effects {
		d[resources.RoomEffects+resources.RoomKind(doc.Effects[i].Kind)]++
	}
	materials, unread := slot.Batch.Count(assets.KindMaterial)
	d[resources.RoomMaterials] = materials + 1 // and the default one
	d[resources.RoomMeshes], _ = slot.Batch.Count(assets.KindMesh)
	textures, _ := slot.Batch.Count(assets.KindTexture)
	d[resources.RoomTextures] = textures + mapsPerMaterial*unread
	d[resources.RoomWithheld], d[resources.RoomAtOnce] = primitives, 0
	if l.layers.Get(slot.Layer).Policy == components.PresentImmediate {
		d[resources.RoomWithheld], d[resources.RoomAtOnce] = 0, primitives
	}
	d[resources.RoomEntities] = l.members(slot, doc) + d[resources.RoomMaterials]
	d[resources.RoomHolds] = holdsPerMember*l.members(slot, doc) + holdsPerMaterial*d[resources.RoomMaterials]
	return true
}

// What one thing holds at most, as a rule: a primitive its mesh by name, retain
// and on the device, and its material; a material its document twice, its row,
// and three maps.
const (
	holdsPerMember   = 4
	mapsPerMaterial  = 3
	holdsPerMaterial = 3 + 3*mapsPerMaterial
)

// members is how many a layer's roster will have.
func (l *loads) members(slot *resources.LoadSlot, doc *assets.Scene) int {
	d := &slot.Demand
	n := d[resources.RoomPrimitives] + d[resources.RoomSounds] + d[resources.RoomModels] + len(doc.Effects)
	if doc.Skybox != "" {
		n++
	}
	return n
}

// demand is what the layers still take whose entities are being made. Those
// that are there count as used already; what they will hold, and what of it will
// be on the device, does not yet.
func (l *loads) demand() (sum resources.Demand) {
	for i := range l.set.Loads.Slots {
		slot := &l.set.Loads.Slots[i]
		if slot.Layer.IsZero() {
			continue
		}
		there := 0
		if roster := l.layers.Get(slot.Layer).Roster; roster >= 0 {
			there = l.set.Rosters.Len(roster)
		}
		all := max(slot.Demand[resources.RoomPrimitives]+slot.Demand[resources.RoomSounds]+slot.Demand[resources.RoomModels], 1)
		for k, n := range slot.Demand {
			switch resources.RoomKind(k) {
			case resources.RoomHolds, resources.RoomMeshes, resources.RoomTextures:
			default:
				n -= n * min(there, all) / all
			}
			sum[k] += n
		}
	}
	return sum
}

// tables are the entities' tables of a world, as far as the engine's own
// entities pass through them. Arche has no way to ask for a larger table: it
// doubles when it is full, in whatever frame that happens. Here a table is
// filled with entities up to the room that is wanted, and emptied again, within
// one step.
type tables struct {
	world   *ecs.World
	set     *resources.Set
	all     ecs.CachedFilter
	idsMax  int // of entities made to fill a table
	ids     int // room for entities of any sort
	scratch []ecs.Entity
}

// growTables records every table of layers' entities with the world's room.
func growTables(w *ecs.World, s *Spawner, set *resources.Set) {
	everything := ecs.All()
	t := &tables{world: w, set: set, all: w.Cache().Register(everything), ids: rowsOf(set)}
	without := func(ids []ecs.ID, marker ecs.ID) []ecs.ID {
		var rest []ecs.ID
		for _, id := range ids {
			if id != marker {
				rest = append(rest, id)
			}
		}
		return rest
	}
	with := func(ids []ecs.ID, marker ecs.ID) []ecs.ID { return append(append([]ecs.ID(nil), ids...), marker) }

	mesh := ecs.ComponentID[components.PendingMesh](w)
	p, member := &s.ids.primitive, s.members.ID()
	t.add(resources.RoomWithheld, p.withheld, ecs.All(p.withheld...))
	t.add(resources.RoomAtOnce, p.shown, ecs.All(p.shown...))
	primitives := ecs.All(s.primitives.ID(), member)
	t.add(resources.RoomPrimitives, without(p.withheld, mesh), primitives) // bound; and when the layer leaves
	t.add(resources.RoomPrimitives, without(p.shown, mesh), primitives)

	pendingModel := ecs.ComponentID[components.PendingModel](w)
	for _, loose := range []struct {
		ids     []ecs.ID
		pending ecs.ID
	}{{p.loose, mesh}, {s.ids.attached.loose, mesh}, {s.ids.model.loose, pendingModel}} {
		t.add(resources.RoomLoose, loose.ids, ecs.All(loose.ids...))
		t.add(resources.RoomLoose, without(loose.ids, loose.pending), ecs.All(without(loose.ids, loose.pending)...))
	}
	t.addEffects(s, without)

	sound, muted := ecs.ComponentID[components.PendingSound](w), ecs.ComponentID[components.Muted](w)
	sounds := ecs.All(s.sounds.ID(), member)
	for _, ids := range [][]ecs.ID{s.ids.sound.withheld, s.ids.sound.shown} {
		t.add(resources.RoomSounds, ids, sounds)
		t.add(resources.RoomSounds, without(ids, sound), sounds)
		t.add(resources.RoomSounds, with(without(ids, sound), muted), sounds)
	}
	model, models := ecs.ComponentID[components.PendingModel](w), ecs.All(s.models.ID(), member)
	for _, ids := range [][]ecs.ID{s.ids.model.withheld, s.ids.model.shown} {
		t.add(resources.RoomModels, ids, models)
		t.add(resources.RoomModels, without(ids, model), models)
	}
	material, materials := ecs.ComponentID[components.PendingMaterial](w), ecs.All(s.materials.ID())
	t.add(resources.RoomMaterials, s.ids.material, materials)
	t.add(resources.RoomMaterials, with(without(s.ids.material, material), ecs.ComponentID[components.PendingMaps](w)), materials)
	t.add(resources.RoomMaterials, without(s.ids.material, material), materials)

	set.Room.Add(resources.Grower{
		Kind: resources.RoomEntities, Used: t.alive, Room: func() int { return t.ids },
		Grow: func(places int) { t.fill(places-t.alive(), nil); t.ids = places }, Ops: t.ops(t.alive),
	})
	set.Room.Add(resources.Grower{
		Kind: resources.RoomEntities, Used: t.idsUsed, Room: set.Ledger.HeadsRoom, Grow: set.Ledger.GrowHeads,
	})
}

// addEffects records the tables of a scene's effects.
func (t *tables) addEffects(s *Spawner, without func([]ecs.ID, ecs.ID) []ecs.ID) {
	w, member := t.world, s.members.ID()
	for _, sort := range []struct {
		kind     assets.EffectKind
		variants *variants
		effect   ecs.ID
		pending  ecs.ID
	}{
		{assets.EffectParticles, &s.ids.particles, s.particles.ID(), ecs.ComponentID[components.PendingParticles](w)},
		{assets.EffectDecal, &s.ids.decal, s.decals.ID(), ecs.ComponentID[components.PendingDecal](w)},
		{assets.EffectProbe, &s.ids.probe, s.probes.ID(), ecs.ComponentID[components.PendingProbe](w)},
		{assets.EffectLookUp, &s.ids.lookUp, s.lookUps.ID(), ecs.ComponentID[components.PendingLookUp](w)},
		{assets.EffectZone, &s.ids.zone, s.zones.ID(), ecs.ComponentID[components.PendingZone](w)},
	} {
		all := ecs.All(sort.effect, member)
		for _, ids := range [][]ecs.ID{sort.variants.withheld, sort.variants.shown} {
			t.add(resources.RoomEffects+resources.RoomKind(sort.kind), ids, all)
			t.add(resources.RoomEffects+resources.RoomKind(sort.kind), without(ids, sort.pending), all)
		}
	}
}

// add records the table of exactly these components. all are the entities that
// may come to be in it, wherever they are now.
func (t *tables) add(kind resources.RoomKind, ids []ecs.ID, all ecs.Mask) {
	exact := ecs.All(ids...).Exclusive()
	here, may := t.world.Cache().Register(&exact), t.world.Cache().Register(all)
	room := rowsOf(t.set)
	used := func() int { return count(t.world, &here) }
	t.set.Room.Add(resources.Grower{
		Kind: kind, Used: func() int { return count(t.world, &may) }, Room: func() int { return room },
		Grow: func(places int) {
			t.fill(places-used(), ids)
			for room < places { // as Arche does
				room *= 2
			}
		},
		Ops: t.ops(used),
	})
}

// rowsOf is how large a world's tables were made.
func rowsOf(set *resources.Set) int { return min(max(set.EntitiesExpected, 1), resources.TableRows) }

// ops is what filling a table takes: each entity is made and removed.
func (t *tables) ops(used func() int) func(places int) int64 {
	return func(places int) int64 { return 2 * int64(places-used()) }
}

func (t *tables) alive() int { return count(t.world, &t.all) }

// idsUsed is the first id that no entity ever had, as far as known.
func (t *tables) idsUsed() int { return max(t.alive(), t.idsMax) + 1 }

func count(w *ecs.World, f ecs.Filter) int {
	q := w.Query(f)
	defer q.Close()
	return q.Count()
}

// fill makes so many entities and removes them, the last first, so that nothing
// moves and the next to come have the lowest ids.
func (t *tables) fill(entities int, ids []ecs.ID) {
	if entities <= 0 {
		return
	}
	t.set.Unheard(func() {
		t.scratch = t.scratch[:0]
		q := t.world.Batch().NewQ(entities, ids...)
		for q.Next() {
			t.scratch = append(t.scratch, q.Entity())
		}
		for i := len(t.scratch) - 1; i >= 0; i-- {
			t.idsMax = max(t.idsMax, int(t.scratch[i].ID()))
			t.world.RemoveEntity(t.scratch[i])
		}
	})
	t.scratch = nil // large, and rarely wanted
}
