package systems

import (
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

// upgradeBatch is how many stand-ins give way to their documents in one pass,
// because they are seen to. Nobody sees those of a destination that is not
// revealed yet: for them the frame's budget alone is the limit.
const upgradeBatch = 8

// MaterialsRow parses no document and decodes no texture: it copies what has
// landed into rows, joins maps on the device, and removes materials whose last
// user went.
func MaterialsRow() stages.Row {
	return stages.Row{
		Name: "materials", Kinds: assets.Kinds(assets.KindMaterial, assets.KindTexture),
		NeedsWarm: true, Open: openMaterials,
	}
}

type materials struct {
	world     *ecs.World
	store     *assets.Store
	textures  *gpu.Textures
	set       *resources.Set
	documents *assets.Residency[assets.Material]
	mats      generic.Map[components.Material]
	standIn   generic.Map1[components.PendingMaterial]
	isStandIn generic.Map[components.PendingMaterial]
	wanting   generic.Map1[components.PendingMaps]
	classes   scene.Classes
	upgrades  Queue
	maps      Queue
	unused    []ecs.Entity
}

func openMaterials(w *ecs.World, s stages.Services) (stages.Runner, error) {
	r := &materials{
		world: w, store: s.Store, textures: s.Textures, set: resources.Must(w),
		documents: assets.Of[assets.Material](s.Store, assets.KindMaterial),
		mats:      generic.NewMap[components.Material](w),
		standIn:   generic.NewMap1[components.PendingMaterial](w),
		isStandIn: generic.NewMap[components.PendingMaterial](w),
		wanting:   generic.NewMap1[components.PendingMaps](w),
		classes:   scene.NewClasses(w),
	}
	r.upgrades = NewQueue(w, []ecs.ID{r.mats.ID(), ecs.ComponentID[components.PendingMaterial](w)})
	r.maps = NewQueue(w, []ecs.ID{r.mats.ID(), ecs.ComponentID[components.PendingMaps](w)})
	r.set.Room.Add(r.upgrades.Grower(resources.RoomMaterials))
	r.set.Room.Add(r.maps.Grower(resources.RoomMaterials))
	return r, nil
}

// Run removes, then upgrades, then joins.
func (r *materials) Run(s *stages.Slice) stages.Outcome {
	s.SetClass(work.Ordinary)
	if !r.removeUnused(s) {
		return stages.Yielded
	}
	outcome := r.upgrade(s)
	if outcome == stages.Yielded && !r.classes.RevealPending() {
		return outcome
	}
	if !r.join(s) {
		return stages.Yielded
	}
	return outcome
}

func (r *materials) removeUnused(s *stages.Slice) bool {
	r.unused = r.set.Materials.TakeUnused(r.unused)
	for len(r.unused) > 0 {
		e := r.unused[len(r.unused)-1]
		if r.world.Alive(e) && r.mats.Get(e).Users == 0 {
			if !s.Begin(work.Of(work.Retirements, 1).And(work.EntityOps, 1)) {
				return false
			}
			r.set.Materials.Delete(r.mats.Get(e).Document())
			r.world.RemoveEntity(e)
			s.Commit()
		}
		r.unused = r.unused[:len(r.unused)-1]
	}
	return true
}

// upgrade replaces stand-ins by their parsed documents, a few a pass.
func (r *materials) upgrade(s *stages.Slice) stages.Outcome {
	r.upgrades.Fill()
	share, more := newShare(s, &r.classes), stages.Done
	for done := 0; ; {
		e, ok := r.upgrades.Take()
		if !ok && share.spent {
			return stages.Yielded
		}
		if !ok {
			return more
		}
		if !r.mats.Has(e) || !r.isStandIn.Has(e) {
			continue
		}
		document := r.mats.Get(e).Document()
		state := assets.StateFailed
		if document.Valid() {
			state = r.store.State(document)
		}
		if state == assets.StateUnloaded || state == assets.StateQueued || state == assets.StateDecoding || state == assets.StateReloadPending {
			continue
		}
		class := r.classes.OfMaterial(r.mats.Get(e))
		if class == work.Ordinary && done == upgradeBatch {
			more = stages.More // behind it there may be some of a destination
			continue
		}
		switch share.begin(class, work.Of(work.EntityOps, 1)) {
		case leave:
			continue
		case endTurn:
			r.upgrades.PutBack()
			return stages.Yielded
		}
		if class == work.Ordinary {
			done++
		}
		r.apply(e, state, document)
		s.Commit()
	}
}

func (r *materials) apply(e ecs.Entity, state assets.State, document assets.Handle) {
	if state != assets.StateResident || !r.store.TryRetain(document) {
		r.mats.Get(e).Failed = document.Valid()
		r.standIn.Remove(e)
		return
	}
	id, holds := r.mats.ID(), &r.set.Holds
	r.set.Ledger.Add(e, id, holds.Retain, uint64(document))
	parsed := r.documents.At(document)
	m := r.mats.Get(e)
	r.set.Rows.Set(m.Row, parsed)
	any := false
	for slot, stem := range parsed.Maps {
		if stem == "" {
			continue
		}
		h, err := r.store.Name(assets.Key{Stem: stem, Kind: assets.KindTexture})
		if err != nil {
			continue // stems were checked at decode; only a full store gets here
		}
		m.Wanted[slot] = h
		any = true
		r.set.Ledger.Add(e, id, holds.Name, uint64(h))
	}
	r.standIn.Remove(e)
	if any {
		r.wanting.Add(e)
	}
}

// join binds maps that have landed. It answers false when the slice ran out.
func (r *materials) join(s *stages.Slice) bool {
	r.maps.Fill()
	for share := newShare(s, &r.classes); ; {
		e, ok := r.maps.Take()
		if !ok {
			return !share.spent
		}
		if !r.mats.Has(e) || !r.isWanting(e) {
			continue
		}
		class := r.classes.OfMaterial(r.mats.Get(e))
		leave, end := share.passes(class)
		if leave && !end {
			continue
		}
		s.SetClass(class)
		if end || !r.joinMaps(s, e) {
			if !end && share.refused(class) {
				continue
			}
			r.maps.PutBack()
			return false
		}
	}
}

// joinMaps binds a material's maps that have landed. It answers false when it
// was refused one.
func (r *materials) joinMaps(s *stages.Slice, e ecs.Entity) bool {
	left := 0
	for slot := range assets.MapSlots {
		m := r.mats.Get(e)
		h := m.Wanted[slot]
		if !h.Valid() || m.Joined[slot] != 0 {
			continue
		}
		switch r.store.State(h) {
		case assets.StateResident:
			if !s.Begin(work.Of(work.EntityOps, 1)) {
				return false
			}
			if !r.joinMap(s, e, slot, h) {
				left++
			}
		case assets.StateFailed, assets.StateMissing, assets.StateStale:
			m.Wanted[slot] = 0
		default:
			left++
		}
	}
	if left == 0 {
		r.wanting.Remove(e)
	}
	return true
}

func (r *materials) joinMap(s *stages.Slice, e ecs.Entity, slot assets.MapSlot, h assets.Handle) bool {
	if !r.store.TryRetain(h) {
		s.Fail()
		s.Owe()
		return false
	}
	ref, err := r.textures.Join(h)
	if err != nil {
		r.store.Release(h)
		s.Fail()
		s.Owe()
		return false
	}
	id, holds := r.mats.ID(), &r.set.Holds
	// The device reference was taken last and is let go first: newest first.
	r.set.Ledger.Add(e, id, holds.Retain, uint64(h))
	r.set.Ledger.Add(e, id, holds.Texture, uint64(ref))
	m := r.mats.Get(e)
	if c := r.classes.OfMaterial(m); c == work.Destination {
		r.textures.SetClass(ref, c)
	}
	m.Joined[slot] = ref
	r.set.Rows.SetMap(m.Row, slot, ref)
	s.Commit()
	return true
}

// CollectCold names documents, then maps.
func (r *materials) CollectCold(c *stages.Cold) {
	r.upgrades.Each(func(e ecs.Entity) bool {
		d := r.mats.Get(e).Document()
		return !d.Valid() || c.Add(d)
	})
	r.maps.Each(func(e ecs.Entity) bool {
		m := r.mats.Get(e)
		for slot, h := range m.Wanted {
			if h.Valid() && m.Joined[slot] == 0 && !c.Add(h) {
				return false
			}
		}
		return true
	})
}
