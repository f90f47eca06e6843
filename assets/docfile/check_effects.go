package docfile

import (
	"fmt"

	"sojourn/assets"
)

func checkEffects(effects []assets.SceneEffect, ids idSet) error {
	if len(effects) > SceneEffectsMax {
		return tooLarge("effects", int64(len(effects)), SceneEffectsMax)
	}
	for i := range effects {
		if err := ids.checkEffect(i, &effects[i]); err != nil {
			return err
		}
	}
	return nil
}

func (ids idSet) checkEffect(i int, e *assets.SceneEffect) error {
	if err := checkEffect(e); err != nil {
		return fmt.Errorf("effect %d (%.40q): %w", i, e.ID, err)
	}
	if !ids.take(e.ID) {
		return corrupt("effect %d: id %.40q is taken", i, e.ID)
	}
	return nil
}

func checkEffect(e *assets.SceneEffect) error {
	if e.ID == "" {
		return corrupt("an effect needs an id")
	}
	if err := checkName("id", e.ID, EntityIDBytesMax); err != nil {
		return err
	}
	switch zone := e.Kind == assets.EffectZone; {
	case e.Kind >= assets.EffectKinds:
		return corrupt("effect of kind %d, of %d", e.Kind, assets.EffectKinds)
	case zone != (e.Zone != nil) || zone && e.Asset != "":
		return corrupt("an effect is either a zone or has an asset")
	case e.Kind != assets.EffectProbe && e.Radius != 0:
		return corrupt("only a probe has a radius")
	case e.Kind == assets.EffectProbe:
		if err := checkRange("radius", RadiusMin, RadiusMax, e.Radius); err != nil {
			return err
		}
	}
	if err := checkTransform(&e.At); err != nil {
		return err
	}
	if e.Zone != nil {
		return checkZone(e.Zone, &e.At)
	}
	return checkStem(e.Kind.String(), e.Asset)
}

func checkZone(z *assets.SceneZone, at *assets.Transform) error {
	for _, edge := range at.Scale {
		if edge == 0 {
			return corrupt("scale is %g: a zone needs a volume", at.Scale)
		}
	}
	if z.Sound == "" && z.Gain != 0 {
		return corrupt("only a sound has a gain")
	}
	for _, named := range [...]struct{ what, stem string }{{"sound", z.Sound}, {"look_up", z.LookUp}} {
		if named.stem == "" {
			continue
		}
		if err := checkStem(named.what, named.stem); err != nil {
			return err
		}
	}
	if z.FogEnd == 0 && (z.FogStart != 0 || z.FogColor != [3]float32{}) {
		return corrupt("fog needs an end")
	}
	for _, err := range [...]error{
		checkRange("gain", 0, GainMax, z.Gain),
		checkRange("fog color", 0, EmissiveMax, z.FogColor[:]...),
		checkRange("fog end", 0, CoordinateMax, z.FogEnd),
		checkRange("fog start", 0, z.FogEnd, z.FogStart),
		checkRange("hysteresis", 0, CoordinateMax, z.Hysteresis),
		checkRange("grace", 0, GraceSecondsMax, z.GraceSeconds),
	} {
		if err != nil {
			return err
		}
	}
	return checkKeep(z.Keep)
}

func checkKeep(keep []assets.Key) error {
	if len(keep) > ZoneKeepMax {
		return tooLarge("assets to keep", int64(len(keep)), ZoneKeepMax)
	}
	for i, k := range keep {
		if !keepable().Has(k.Kind) {
			return corrupt("keep %d: a zone keeps nothing of kind %v", i, k.Kind)
		}
		if err := checkStem("keep", k.Stem); err != nil {
			return err
		}
		for _, other := range keep[:i] {
			if other == k {
				return corrupt("keep %d: %v is there twice", i, k)
			}
		}
	}
	return nil
}

// keepable are the kinds that a zone may name.
func keepable() assets.KindSet {
	return assets.Kinds(assets.KindTexture, assets.KindMesh, assets.KindModel, assets.KindMaterial, assets.KindSound, assets.KindParticle)
}

func checkParticles(p *assets.Particles) error {
	if err := checkStem("texture", p.Texture); err != nil {
		return err
	}
	const far = ParticleMotionMax
	for _, err := range [...]error{
		checkRange("rate", 0, ParticlesMax/ParticleLifeMin, p.Rate),
		checkRange("life", ParticleLifeMin, ParticleLifeMax, p.LifeSeconds),
		checkRange("size", 0, far, p.SizeMetres[:]...),
		checkRange("color", 0, EmissiveMax, p.Color[0][:]...),
		checkRange("color", 0, EmissiveMax, p.Color[1][:]...),
		checkRange("velocity", -far, far, p.Velocity[:]...),
		checkRange("spread", 0, far, p.Spread),
		checkRange("acceleration", -far, far, p.Acceleration[:]...),
		checkRange("radius", 0, far, p.Radius),
	} {
		if err != nil {
			return err
		}
	}
	if p.Color[0][3] > 1 || p.Color[1][3] > 1 {
		return corrupt("color has an alpha above 1")
	}
	if n := p.CountMax(); n > ParticlesMax {
		return tooLarge("particles at a time", int64(n), ParticlesMax)
	}
	return nil
}
