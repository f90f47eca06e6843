package systems

import (
	"errors"

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

// ParticlesRow retains the documents of particle sources and joins the
// textures they name. A source without its document gives nothing off, one
// without its texture plain squares.
func ParticlesRow() stages.Row {
	return stages.Row{
		Name: "particles", Kinds: assets.Kinds(assets.KindParticle, assets.KindTexture),
		NeedsWarm: true, Open: openParticles,
	}
}

type particles struct {
	world     *ecs.World
	store     *assets.Store
	textures  *gpu.Textures
	set       *resources.Set
	documents *assets.Residency[assets.Particles]
	sources   generic.Map[components.ParticleSource]
	marker    generic.Map1[components.PendingParticles]
	marked    generic.Map[components.PendingParticles]
	classes   scene.Classes
	pending   Queue
}

func openParticles(w *ecs.World, s stages.Services) (stages.Runner, error) {
	r := &particles{
		world: w, store: s.Store, textures: s.Textures, set: resources.Must(w),
		documents: assets.Of[assets.Particles](s.Store, assets.KindParticle),
		sources:   generic.NewMap[components.ParticleSource](w),
		marker:    generic.NewMap1[components.PendingParticles](w),
		marked:    generic.NewMap[components.PendingParticles](w),
		classes:   scene.NewClasses(w),
	}
	r.pending = NewQueue(w, []ecs.ID{r.sources.ID(), r.marked.ID()})
	return r, nil
}

// awaits is what a source waits for first: its document, then its texture.
func (r *particles) awaits(e ecs.Entity) assets.Handle {
	if src := r.sources.Get(e); src.Texture.Valid() {
		return src.Texture
	}
	return r.sources.Get(e).Document()
}

// Run takes each source a step on: two where document and texture are there.
func (r *particles) Run(s *stages.Slice) stages.Outcome {
	r.pending.Fill()
	for share := newShare(s, &r.classes); ; {
		e, ok := r.pending.Take()
		if !ok {
			return share.outcome()
		}
		for again := true; again; {
			if !r.sources.Has(e) || !r.marked.Has(e) || !r.store.State(r.awaits(e)).Settled() {
				break
			}
			switch share.begin(r.classes.Of(e), work.Of(work.EntityOps, 1)) {
			case take:
				again = r.step(s, e)
			case leave:
				again = false
			case endTurn:
				r.pending.PutBack()
				return stages.Yielded
			}
		}
	}
}

// step takes the document in, or the texture, and tells whether there is more
// to do now.
func (r *particles) step(s *stages.Slice, e ecs.Entity) (again bool) {
	h := r.awaits(e)
	if r.store.State(h) != assets.StateResident {
		r.settled(e, h)
		s.Commit()
		return false
	}
	if !r.store.TryRetain(h) {
		s.Fail()
		s.Owe()
		return false
	}
	if h == r.sources.Get(e).Document() {
		return r.read(s, e, h)
	}
	r.join(s, e, h)
	return false
}

func (r *particles) read(s *stages.Slice, e ecs.Entity, document assets.Handle) (again bool) {
	doc := r.documents.At(document)
	texture, err := r.store.Name(assets.Key{Stem: doc.Texture, Kind: assets.KindTexture})
	if err != nil { // its stem was checked at decode; only a full store gets here
		r.store.Release(document)
		s.Fail()
		r.settled(e, document)
		return false
	}
	id, holds := r.sources.ID(), &r.set.Holds
	r.set.Ledger.Add(e, id, holds.Retain, uint64(document))
	r.set.Ledger.Add(e, id, holds.Name, uint64(texture))
	src := r.sources.Get(e)
	src.Texture, src.Quads, src.ReachMetres = texture, int32(doc.CountMax()), reachOf(doc)
	r.set.Reserve(e, id, src.Quads)
	r.set.Want(e, id, texture)
	r.set.Got(e, id, document)
	s.Commit()
	return true
}

func (r *particles) join(s *stages.Slice, e ecs.Entity, texture assets.Handle) {
	ref, err := r.textures.Join(texture)
	if err != nil {
		r.store.Release(texture)
		s.Fail()
		if errors.Is(err, assets.ErrTooLarge) || errors.Is(err, assets.ErrCorrupt) {
			r.settled(e, texture)
			return
		}
		s.Owe()
		return
	}
	if class := r.classes.Of(e); class == work.Destination {
		r.textures.SetClass(ref, class)
	}
	r.set.Ledger.Add(e, r.sources.ID(), r.set.Holds.Retain, uint64(texture))
	r.set.Ledger.Add(e, r.sources.ID(), r.set.Holds.Texture, uint64(ref))
	r.sources.Get(e).Joined = ref
	r.settled(e, texture)
	s.Commit()
}

func (r *particles) settled(e ecs.Entity, h assets.Handle) {
	r.set.Got(e, r.sources.ID(), h)
	r.marker.Remove(e)
}

// CollectCold names what nothing has asked for yet.
func (r *particles) CollectCold(c *stages.Cold) {
	r.pending.Each(func(e ecs.Entity) bool { return c.Add(r.awaits(e)) })
}

// Abandon lets go of documents and textures that go. What lost its document
// gives nothing off until the new version is there.
func (r *particles) Abandon(match func(assets.Handle) bool) { r.wait(match, false) }

// Rearm lets sources try again whose document or texture had failed.
func (r *particles) Rearm(match func(assets.Handle) bool) { r.wait(match, true) }

func (r *particles) wait(match func(assets.Handle) bool, failedOnly bool) {
	concerned := func(e ecs.Entity) bool {
		src := r.sources.Get(e)
		return match(src.Document()) || src.Texture.Valid() && match(src.Texture)
	}
	for _, e := range entitiesWith(r.world, r.sources.ID(), concerned) {
		src := *r.sources.Get(e)
		document := match(src.Document())
		if failedOnly {
			document = document && src.Quads == 0
			if !document && (src.Joined != 0 || !src.Texture.Valid() || !match(src.Texture)) {
				continue
			}
		}
		r.dropTexture(e)
		if document {
			r.dropDocument(e)
		}
		h := r.awaits(e)
		r.set.Got(e, r.sources.ID(), h)
		r.set.Want(e, r.sources.ID(), h)
		if !r.marked.Has(e) {
			r.marker.Add(e)
		}
		r.set.ArmDebt()
	}
}

func (r *particles) dropTexture(e ecs.Entity) {
	src := r.sources.Get(e)
	texture, ref := src.Texture, src.Joined
	if src.Joined = 0; ref != 0 {
		r.set.Ledger.Drop(e, r.sources.ID(), r.set.Holds.Texture, uint64(ref))
		r.set.Ledger.Drop(e, r.sources.ID(), r.set.Holds.Retain, uint64(texture))
	}
}

func (r *particles) dropDocument(e ecs.Entity) {
	src := r.sources.Get(e)
	texture, quads, id := src.Texture, src.Quads, r.sources.ID()
	src.Texture, src.Quads = 0, 0
	if quads == 0 {
		return
	}
	r.set.Got(e, id, texture)
	r.set.Unreserve(e, id, quads)
	r.set.Ledger.Drop(e, id, r.set.Holds.Name, uint64(texture))
	r.set.Ledger.Drop(e, id, r.set.Holds.Retain, uint64(src.Document()))
}
