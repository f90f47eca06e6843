package systems

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/resources"
	"sojourn/stages"
)

// Holder hooks: before an asset is reloaded, each row lets go of it here. A
// hold that was dropped without its release would strand the old version, so
// every one goes through the ledger, newest first.

var (
	_ stages.Abandoner = (*primitives)(nil)
	_ stages.Abandoner = (*materials)(nil)
	_ stages.Abandoner = (*surroundings)(nil)
	_ stages.Abandoner = (*particles)(nil)
	_ stages.Abandoner = (*zones)(nil)
	_ stages.Abandoner = (*sounds)(nil)
	_ stages.Abandoner = (*models)(nil)
)

// entitiesWith lists the entities that have a component: what changes their
// components must not run inside a query.
func entitiesWith(w *ecs.World, id ecs.ID, keep func(ecs.Entity) bool) []ecs.Entity {
	var list []ecs.Entity
	q := w.Query(ecs.All(id))
	for q.Next() {
		if e := q.Entity(); keep(e) {
			list = append(list, e)
		}
	}
	return list
}

// Abandon gives up device copies and retains of meshes; the primitives are
// pending, and not drawn, until the new version is bound.
func (r *primitives) Abandon(match func(assets.Handle) bool) { r.wait(match, false) }

// Rearm lets primitives try again whose mesh had failed.
func (r *primitives) Rearm(match func(assets.Handle) bool) { r.wait(match, true) }

func (r *primitives) wait(match func(assets.Handle) bool, failedOnly bool) {
	w, id, holds := r.pending.world, r.prims.ID(), &r.set.Holds
	failed := ecs.ComponentID[components.FailedMesh](w)
	pending := ecs.ComponentID[components.PendingMesh](w)
	among := id
	if failedOnly {
		among = failed
	}
	hit := entitiesWith(w, among, func(e ecs.Entity) bool { return r.prims.Has(e) && match(r.prims.Get(e).Mesh()) })
	for _, e := range hit {
		if p := r.prims.Get(e); p.Geometry != 0 && !failedOnly {
			ref, mesh := p.Geometry, p.Mesh()
			p.Geometry = 0
			r.set.Ledger.Drop(e, id, holds.Geometry, uint64(ref))
			r.set.Ledger.Drop(e, id, holds.Retain, uint64(mesh))
		}
		switch {
		case w.Has(e, failed):
			w.Exchange(e, []ecs.ID{pending}, []ecs.ID{failed})
		case !w.Has(e, pending):
			w.Add(e, pending)
		}
	}
	if len(hit) > 0 {
		r.set.ArmDebt()
	}
}

// Abandon brings materials back to their stand-in whose document goes, and
// takes maps out of the others.
func (r *materials) Abandon(match func(assets.Handle) bool) {
	for _, e := range entitiesWith(r.world, r.mats.ID(), func(ecs.Entity) bool { return true }) {
		document := r.mats.Get(e).Document()
		if document.Valid() && match(document) {
			r.standInAgain(e, document)
			continue
		}
		r.dropMaps(e, match)
		r.wantAgain(e, document, match)
	}
	r.set.ArmDebt()
}

// Rearm lets materials try again whose document or a map had failed.
func (r *materials) Rearm(match func(assets.Handle) bool) {
	rearmed := false
	for _, e := range entitiesWith(r.world, r.mats.ID(), func(ecs.Entity) bool { return true }) {
		m := r.mats.Get(e)
		if document := m.Document(); m.Failed && match(document) {
			m.Failed = false
			r.standIn.Add(e)
			rearmed = true
		} else if r.wantAgain(e, document, match) {
			rearmed = true
		}
	}
	if rearmed {
		r.set.ArmDebt()
	}
}

func (r *materials) standInAgain(e ecs.Entity, document assets.Handle) {
	id, holds, ledger := r.mats.ID(), &r.set.Holds, r.set.Ledger
	r.dropMaps(e, func(assets.Handle) bool { return true })
	m := r.mats.Get(e)
	// The document's names of maps: of those that failed only the ledger
	// still knows.
	var names []uint64
	ledger.EachHold(e, func(class resources.HoldClass, consumer ecs.ID, value uint64) {
		if class == holds.Name && consumer == id && assets.Handle(value).Kind() == assets.KindTexture {
			names = append(names, value)
		}
	})
	for _, h := range names {
		ledger.Drop(e, id, holds.Name, h)
	}
	m.Wanted = [assets.MapSlots]assets.Handle{}
	m.Failed = false
	r.set.Rows.Reset(m.Row)
	ledger.Drop(e, id, holds.Retain, uint64(document))
	if r.isWanting(e) {
		r.wanting.Remove(e)
	}
	if !r.isStandIn.Has(e) {
		r.standIn.Add(e)
	}
}

// dropMaps lets go of joined maps; they stay wanted.
func (r *materials) dropMaps(e ecs.Entity, match func(assets.Handle) bool) {
	id, holds := r.mats.ID(), &r.set.Holds
	dropped := false
	for slot := range assets.MapSlots {
		m := r.mats.Get(e)
		h, ref := m.Wanted[slot], m.Joined[slot]
		if ref == 0 || !match(h) {
			continue
		}
		m.Joined[slot] = 0
		r.set.Rows.SetMap(m.Row, slot, 0)
		r.set.Ledger.Drop(e, id, holds.Texture, uint64(ref))
		r.set.Ledger.Drop(e, id, holds.Retain, uint64(h))
		dropped = true
	}
	if dropped && !r.isWanting(e) {
		r.wanting.Add(e)
	}
}

// wantAgain finds the maps of a document that were given up as failed.
func (r *materials) wantAgain(e ecs.Entity, document assets.Handle, match func(assets.Handle) bool) bool {
	if !document.Valid() || r.isStandIn.Has(e) {
		return false
	}
	parsed := r.documents.At(document)
	if parsed == nil {
		return false
	}
	again := false
	for slot, stem := range parsed.Maps {
		if stem == "" || r.mats.Get(e).Wanted[slot].Valid() {
			continue
		}
		h, ok := r.store.Find(assets.Key{Stem: stem, Kind: assets.KindTexture})
		if ok && match(h) {
			r.mats.Get(e).Wanted[slot] = h
			again = true
		}
	}
	if again && !r.isWanting(e) {
		r.wanting.Add(e)
	}
	return again
}

func (r *materials) isWanting(e ecs.Entity) bool {
	return r.world.Has(e, ecs.ComponentID[components.PendingMaps](r.world))
}

// Abandon silences sources. Loops begin again with the new version; a one-shot
// that has begun does not.
func (r *sounds) Abandon(match func(assets.Handle) bool) { r.wait(match, false) }

// Rearm lets sources try again whose sound had failed.
func (r *sounds) Rearm(match func(assets.Handle) bool) { r.wait(match, true) }

func (r *sounds) wait(match func(assets.Handle) bool, failedOnly bool) {
	w, id, holds := r.pending.world, r.sources.ID(), &r.set.Holds
	pending, muted := ecs.ComponentID[components.PendingSound](w), ecs.ComponentID[components.Muted](w)
	for _, e := range entitiesWith(w, id, func(e ecs.Entity) bool { return match(r.sources.Get(e).Sound()) }) {
		src := r.sources.Get(e)
		held := r.set.Ledger.Holds(e, holds.Retain, uint64(src.Sound()))
		if failedOnly && held {
			continue
		}
		began := src.Voice != 0
		if began {
			voice := src.Voice
			src.Voice = 0
			r.set.Ledger.Drop(e, id, holds.Voice, uint64(voice))
		}
		r.set.Ledger.Drop(e, id, holds.Retain, uint64(src.Sound()))
		if w.Has(e, muted) {
			w.Remove(e, muted)
		}
		if (src.Loop || !began) && !w.Has(e, pending) {
			w.Add(e, pending)
		}
		r.set.ArmDebt()
	}
}

// Abandon takes the parts of instances away, which are hidden at once and
// retire over the next frames; new ones come with the new version.
func (r *models) Abandon(match func(assets.Handle) bool) { r.wait(match, false) }

// Rearm lets instances try again whose model had failed.
func (r *models) Rearm(match func(assets.Handle) bool) { r.wait(match, true) }

func (r *models) wait(match func(assets.Handle) bool, failedOnly bool) {
	w, id, holds := r.pending.world, r.instances.ID(), &r.set.Holds
	failed, pending := ecs.ComponentID[components.FailedModel](w), ecs.ComponentID[components.PendingModel](w)
	withheld := ecs.ComponentID[components.Withheld](w)
	for _, e := range entitiesWith(w, id, func(e ecs.Entity) bool { return match(r.instances.Get(e).Model()) }) {
		if failedOnly && !w.Has(e, failed) {
			continue
		}
		if m := r.instances.Get(e); m.Roster >= 0 {
			roster, model := m.Roster, m.Model()
			m.Roster, m.Part = -1, 0
			members := r.set.Rosters.Members(roster)
			for i := range members.Len() {
				part := *members.At(i)
				if w.Alive(part) && !w.Has(part, withheld) {
					w.Add(part, withheld)
				}
			}
			r.set.Ledger.Drop(e, id, holds.Roster, uint64(roster))
			r.set.Ledger.Drop(e, id, holds.Retain, uint64(model))
		}
		switch {
		case w.Has(e, failed):
			w.Exchange(e, []ecs.ID{pending}, []ecs.ID{failed})
		case !w.Has(e, pending):
			w.Add(e, pending)
		}
		r.set.ArmDebt()
	}
}

// Abandon unbinds, releases, and waits for the new version.
func (b *binder[T, P]) Abandon(match func(assets.Handle) bool) { b.wait(match, false) }

// Rearm lets components try again whose asset had failed.
func (b *binder[T, P]) Rearm(match func(assets.Handle) bool) { b.wait(match, true) }

func (b *binder[T, P]) wait(match func(assets.Handle) bool, failedOnly bool) {
	keep := func(e ecs.Entity) bool {
		h := b.bindings.Get(e).Asset
		return b.comps.Has(e) && h.Valid() && !b.marked.Has(e) && match(h)
	}
	for _, e := range entitiesWith(b.world, b.bindings.ID(), keep) {
		h := b.bindings.Get(e).Asset
		held := b.set.Ledger.Holds(e, b.set.Holds.Retain, uint64(h))
		if failedOnly && held {
			continue
		}
		if held {
			b.set.Ledger.Drop(e, b.comps.ID(), b.class, holdBound)
			b.set.Ledger.Drop(e, b.comps.ID(), b.set.Holds.Retain, uint64(h))
		}
		b.world.Add(e, b.marker...)
		b.set.ArmDebt()
	}
}
