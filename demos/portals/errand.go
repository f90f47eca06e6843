package portals

import (
	"context"
	"errors"
	"slices"
	"sync"

	"sojourn/assets"
)

// errand is blocking retains of everything some documents name, directly or by
// way of what they name. Begin, done and end are the game goroutine's.
type errand struct {
	store     *assets.Store
	materials *assets.Residency[assets.Material]
	models    *assets.Residency[assets.Model]
	scenes    *assets.Residency[assets.Scene]
	particles *assets.Residency[assets.Particles]
	ctx       context.Context
	cancel    context.CancelFunc
	running   sync.WaitGroup
	turns     chan struct{} // one for each decode at a time; nil: no bound

	mu struct {
		sync.Mutex
		asked map[assets.Key]struct{}
		open  int // retains that have not returned
		held  []assets.Handle
		errs  []error
	}
}

func newErrand(store *assets.Store) *errand {
	e := &errand{
		store:     store,
		materials: assets.Of[assets.Material](store, assets.KindMaterial),
		models:    assets.Of[assets.Model](store, assets.KindModel),
		scenes:    assets.Of[assets.Scene](store, assets.KindScene),
		particles: assets.Of[assets.Particles](store, assets.KindParticle),
	}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.mu.asked = make(map[assets.Key]struct{})
	return e
}

// fetchHere loads one asset after the other on the calling goroutine, which is
// the game's: the tick has begun, and every decode counts as one on it.
func fetchHere(store *assets.Store, documents []assets.Key) *errand {
	store.EnterTick()
	defer store.LeaveTick()
	e := newErrand(store)
	var load func(assets.Key)
	load = func(k assets.Key) {
		if e.first(k) {
			e.retain(k, load)
		}
	}
	for _, k := range documents {
		load(k)
	}
	return e
}

// fetchEach starts a goroutine for each asset as it becomes known. A blocking
// retain decodes on the goroutine that calls it, so that without a bound this
// would decode on every processor while the other modes have the store's
// workers: as many as those decode at a time.
func fetchEach(store *assets.Store, documents []assets.Key) *errand {
	e := newErrand(store)
	e.turns = make(chan struct{}, store.Workers())
	var start func(assets.Key)
	start = func(k assets.Key) {
		if e.first(k) {
			e.running.Go(func() { e.retain(k, start) })
		}
	}
	for _, k := range documents {
		start(k)
	}
	return e
}

// first tells whether nobody asked for a key before, and counts it as open.
func (e *errand) first(k assets.Key) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, asked := e.mu.asked[k]; asked {
		return false
	}
	e.mu.asked[k] = struct{}{}
	e.mu.open++
	return true
}

// retain loads one asset, then names what it needs.
func (e *errand) retain(k assets.Key, next func(assets.Key)) {
	h, err := e.load(k)
	if err == nil {
		e.needs(k, h, next)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mu.open--
	if err != nil {
		e.mu.errs = append(e.mu.errs, err)
		return
	}
	e.mu.held = append(e.mu.held, h)
}

// load is a blocking retain, in its turn.
func (e *errand) load(k assets.Key) (assets.Handle, error) {
	if e.turns != nil {
		e.turns <- struct{}{} // those before it end: each decode stops with the context
		defer func() { <-e.turns }()
	}
	return e.store.Retain(e.ctx, k)
}

// needs names what an asset that is held refers to.
func (e *errand) needs(k assets.Key, h assets.Handle, yield func(assets.Key)) {
	need := func(stem string, kind assets.Kind) {
		if stem != "" {
			yield(assets.Key{Stem: stem, Kind: kind})
		}
	}
	switch k.Kind {
	case assets.KindScene:
		doc := e.scenes.At(h)
		need(doc.Skybox, assets.KindTexture)
		for i := range doc.Entities {
			need(doc.Entities[i].Model, assets.KindModel)
			need(doc.Entities[i].Material, assets.KindMaterial)
			need(doc.Entities[i].Sound, assets.KindSound)
		}
		for i := range doc.Effects {
			effectNeeds(&doc.Effects[i], need)
		}
	case assets.KindParticle:
		need(e.particles.At(h).Texture, assets.KindTexture)
	case assets.KindModel:
		for _, part := range e.models.At(h).Parts {
			need(part.Mesh, assets.KindMesh)
			need(part.Material, assets.KindMaterial)
		}
	case assets.KindMaterial:
		for _, texture := range e.materials.At(h).Maps {
			need(texture, assets.KindTexture)
		}
	}
}

// effectNeeds names what an effect needs, a zone's with somebody in it.
func effectNeeds(d *assets.SceneEffect, need func(stem string, kind assets.Kind)) {
	switch d.Kind {
	case assets.EffectParticles:
		need(d.Asset, assets.KindParticle)
	case assets.EffectZone:
		need(d.Zone.Sound, assets.KindSound)
		need(d.Zone.LookUp, assets.KindTexture)
		for _, k := range d.Zone.Keep {
			need(k.Stem, k.Kind)
		}
	default:
		need(d.Asset, assets.KindTexture)
	}
}

// done tells whether every retain has returned.
func (e *errand) done() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.mu.open == 0
}

// end waits for what still runs and gives every retain back. The error joins
// what could not be loaded.
func (e *errand) end() error {
	e.cancel()
	e.running.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, h := range slices.Backward(e.mu.held) {
		e.store.Release(h)
	}
	e.mu.held = nil
	return errors.Join(e.mu.errs...)
}
