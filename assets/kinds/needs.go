package kinds

import (
	"sync"

	"sojourn/assets"
)

// needs passes each key on a single time and leaves out empty stems.
type needs struct {
	seen  map[assets.Key]struct{}
	yield func(assets.Key)
}

// needsKept is of how many keys the table is kept for the next asset.
const needsKept = 4096

func (n *needs) need(stem string, kind assets.Kind) {
	key := assets.Key{Stem: stem, Kind: kind}
	if _, again := n.seen[key]; again || stem == "" {
		return
	}
	n.seen[key] = struct{}{}
	n.yield(key)
}

// once makes of what lists a payload's needs what a kind calls. Workers share
// the tables, one at a time.
func once[T any](list func(*T, *needs)) func(*T, func(assets.Key)) {
	spare := sync.Pool{New: func() any { return &needs{seen: make(map[assets.Key]struct{})} }}
	return func(v *T, yield func(assets.Key)) {
		n := spare.Get().(*needs)
		n.yield = yield
		list(v, n)
		if len(n.seen) > needsKept {
			return
		}
		clear(n.seen)
		n.yield = nil
		spare.Put(n)
	}
}

func materialNeeds(m *assets.Material, n *needs) {
	for _, stem := range m.Maps {
		n.need(stem, assets.KindTexture)
	}
}

func modelNeeds(m *assets.Model, n *needs) {
	for i := range m.Parts {
		n.need(m.Parts[i].Mesh, assets.KindMesh)
		n.need(m.Parts[i].Material, assets.KindMaterial)
	}
}

func sceneNeeds(s *assets.Scene, n *needs) {
	n.need(s.Skybox, assets.KindTexture)
	for i := range s.Entities {
		e := &s.Entities[i]
		n.need(e.Model, assets.KindModel)
		n.need(e.Material, assets.KindMaterial)
		n.need(e.Sound, assets.KindSound)
	}
	for i := range s.Effects {
		// What a zone names is not needed before something is in it.
		switch e := &s.Effects[i]; e.Kind {
		case assets.EffectParticles:
			n.need(e.Asset, assets.KindParticle)
		case assets.EffectDecal, assets.EffectProbe, assets.EffectLookUp:
			n.need(e.Asset, assets.KindTexture)
		}
	}
}

func particlesNeeds(p *assets.Particles, n *needs) { n.need(p.Texture, assets.KindTexture) }
