package kinds

import "sojourn/assets"

// once passes each key on a single time and leaves out empty stems.
func once(yield func(assets.Key)) func(stem string, kind assets.Kind) {
	seen := map[assets.Key]struct{}{}
	return func(stem string, kind assets.Kind) {
		key := assets.Key{Stem: stem, Kind: kind}
		if _, again := seen[key]; again || stem == "" {
			return
		}
		seen[key] = struct{}{}
		yield(key)
	}
}

func materialNeeds(m *assets.Material, yield func(assets.Key)) {
	need := once(yield)
	for _, stem := range m.Maps {
		need(stem, assets.KindTexture)
	}
}

func modelNeeds(m *assets.Model, yield func(assets.Key)) {
	need := once(yield)
	for i := range m.Parts {
		need(m.Parts[i].Mesh, assets.KindMesh)
		need(m.Parts[i].Material, assets.KindMaterial)
	}
}

func sceneNeeds(s *assets.Scene, yield func(assets.Key)) {
	need := once(yield)
	need(s.Skybox, assets.KindTexture)
	for i := range s.Entities {
		e := &s.Entities[i]
		need(e.Model, assets.KindModel)
		need(e.Material, assets.KindMaterial)
		need(e.Sound, assets.KindSound)
	}
	for i := range s.Effects {
		// What a zone names is not needed before something is in it.
		switch e := &s.Effects[i]; e.Kind {
		case assets.EffectParticles:
			need(e.Asset, assets.KindParticle)
		case assets.EffectDecal, assets.EffectProbe, assets.EffectLookUp:
			need(e.Asset, assets.KindTexture)
		}
	}
}

func particlesNeeds(p *assets.Particles, yield func(assets.Key)) {
	once(yield)(p.Texture, assets.KindTexture)
}
