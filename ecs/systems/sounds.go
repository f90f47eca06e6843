package systems

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/audio"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// SoundsRow retains the sounds of sources, and starts them once they may be
// heard.
func SoundsRow() stages.Row {
	return stages.Row{
		Name: "sounds", Kinds: assets.Kinds(assets.KindSound), NeedsWarm: true, Open: openSounds,
	}
}

type sounds struct {
	store      *assets.Store
	mixer      *audio.Mixer
	set        *resources.Set
	sources    generic.Map[components.SoundSource]
	transforms generic.Map[components.Transform]
	marker     generic.Map1[components.PendingSound]
	muted      generic.Map1[components.Muted]
	isMuted    generic.Map[components.Muted]
	withheld   generic.Map[components.Withheld]
	classes    scene.Classes
	pending    Queue
	starts     Queue
}

func openSounds(w *ecs.World, s stages.Services) (stages.Runner, error) {
	r := &sounds{
		store: s.Store, mixer: s.Mixer, set: resources.Must(w),
		sources:    generic.NewMap[components.SoundSource](w),
		transforms: generic.NewMap[components.Transform](w),
		marker:     generic.NewMap1[components.PendingSound](w),
		muted:      generic.NewMap1[components.Muted](w),
		isMuted:    generic.NewMap[components.Muted](w),
		withheld:   generic.NewMap[components.Withheld](w),
		classes:    scene.NewClasses(w),
	}
	r.pending = NewQueue(w, []ecs.ID{r.sources.ID(), ecs.ComponentID[components.PendingSound](w)})
	r.set.Room.Add(r.pending.Grower(resources.RoomSounds))
	r.starts = NewQueue(w, []ecs.ID{r.sources.ID(), ecs.ComponentID[components.Muted](w)},
		ecs.ComponentID[components.Withheld](w))
	return r, nil
}

// Run retains first, then starts.
func (r *sounds) Run(s *stages.Slice) stages.Outcome {
	r.pending.Fill()
	share := newShare(s, &r.classes)
	for {
		e, ok := r.pending.Take()
		if !ok {
			break
		}
		if !r.sources.Has(e) {
			continue
		}
		h := r.sources.Get(e).Sound()
		state := r.store.State(h)
		if !state.Settled() {
			continue
		}
		switch share.begin(r.classes.Of(e), work.Of(work.EntityOps, 2)) {
		case take:
			r.retain(s, e, h, state)
		case endTurn:
			r.pending.PutBack()
			return stages.Yielded
		}
	}
	if started := r.start(s); started != stages.Done {
		return started
	}
	return share.outcome()
}

func (r *sounds) retain(s *stages.Slice, e ecs.Entity, h assets.Handle, state assets.State) {
	if state != assets.StateResident {
		r.marker.Remove(e)
		s.Commit()
		return
	}
	if !r.store.TryRetain(h) {
		s.Fail()
		s.Owe()
		return
	}
	r.set.Ledger.Add(e, r.sources.ID(), r.set.Holds.Retain, uint64(h))
	r.marker.Remove(e)
	r.muted.Add(e)
	s.Commit()
}

func (r *sounds) start(s *stages.Slice) stages.Outcome {
	if r.set.Reveal.Pending {
		return stages.Done // the world is not there yet; the reveal arms the debt
	}
	r.starts.Fill()
	for {
		e, ok := r.starts.Take()
		if !ok {
			return stages.Done
		}
		if !r.sources.Has(e) || !r.isStarting(e) {
			continue
		}
		if !s.Begin(work.Of(work.EntityOps, 1)) {
			r.starts.PutBack()
			return stages.Yielded
		}
		src := r.sources.Get(e)
		m := &r.transforms.Get(e).World
		voice, err := r.mixer.Play(src.Sound(), audio.VoiceOptions{
			Owner: uint64(e.ID()), Gain: src.Gain, Radius: src.RadiusMetres, Loop: src.Loop,
			Pos: [3]float32{m[12], m[13], m[14]},
		})
		if err == nil {
			src.Voice = voice
			r.set.Ledger.Add(e, r.sources.ID(), r.set.Holds.Voice, uint64(voice))
		}
		// Without a free voice the source stays silent: it is not asked again
		// each frame.
		r.muted.Remove(e)
		s.Commit()
	}
}

// isStarting tells whether a source still waits to start. The queue may be
// frames old: its layer can have been quiesced since.
func (r *sounds) isStarting(e ecs.Entity) bool {
	return r.isMuted.Has(e) && !r.withheld.Has(e) && r.transforms.Has(e) && r.sources.Get(e).Voice == 0
}

// CollectCold names sounds that nothing has asked for yet.
func (r *sounds) CollectCold(c *stages.Cold) {
	r.pending.Each(func(e ecs.Entity) bool { return c.Add(r.sources.Get(e).Sound()) })
}
