package docfile

import (
	"strings"

	"sojourn/assets"
)

func (p *sceneParser) effect(i int) error {
	r := p.r
	if i >= SceneEffectsMax {
		return r.wrap(r.at, tooLarge("effects", int64(i)+1, SceneEffectsMax))
	}
	if err := p.pace.at(r.at); err != nil {
		return err
	}
	f := effectParser{r: r, effect: assets.SceneEffect{At: assets.IdentityTransform()}}
	start := -1
	err := r.object("an effect", func(key string) (bool, error) {
		if start < 0 {
			start = r.at
		}
		return f.field(key)
	})
	if err != nil {
		return err
	}
	if start < 0 {
		start = r.at
	}
	if f.kinds != 1 {
		return r.fail(start, "an effect needs one of particles, decal, probe, look_up and zone")
	}
	e := &f.effect
	if e.Kind == assets.EffectProbe && !f.radius {
		e.Radius = RadiusDefault
	}
	if err := checkEffect(e); err != nil {
		return r.wrap(start, err)
	}
	if !p.ids.take(e.ID) {
		return r.fail(start, "id %.40q is taken", e.ID)
	}
	normalize(&e.At.Rot)
	p.scene.Effects = append(p.scene.Effects, *e)
	return nil
}

type effectParser struct {
	r      *strictReader
	effect assets.SceneEffect
	kinds  int  // keys that say what it is
	radius bool // it has the key
}

func (f *effectParser) field(key string) (known bool, err error) {
	e := &f.effect
	for kind := range assets.EffectKinds {
		if kind.String() != key {
			continue
		}
		f.kinds++
		e.Kind = kind
		if kind == assets.EffectZone {
			e.Zone = &assets.SceneZone{}
			return true, f.zone(e.Zone)
		}
		e.Asset, err = f.r.stem(key)
		return true, err
	}
	switch key {
	case "id":
		e.ID, err = f.r.text(key)
	case "pos":
		err = f.r.numbers(key, e.At.Pos[:], -CoordinateMax, CoordinateMax)
	case "rot":
		err = f.r.numbers(key, e.At.Rot[:], -2, 2)
	case "scale":
		err = f.r.numbers(key, e.At.Scale[:], -CoordinateMax, CoordinateMax)
	case "radius":
		f.radius = true
		e.Radius, err = f.r.number(key, RadiusMin, RadiusMax)
	default:
		return false, nil
	}
	return true, err
}

func (f *effectParser) zone(z *assets.SceneZone) error {
	gain := false
	err := f.r.object("a zone", func(key string) (known bool, err error) {
		switch key {
		case "sound":
			z.Sound, err = f.r.stem(key)
		case "gain":
			gain = true
			z.Gain, err = f.r.number(key, 0, GainMax)
		case "look_up":
			z.LookUp, err = f.r.stem(key)
		case "fog":
			err = f.fog(z)
		case "hysteresis":
			z.Hysteresis, err = f.r.number(key, 0, CoordinateMax)
		case "grace":
			z.GraceSeconds, err = f.r.number(key, 0, GraceSecondsMax)
		case "keep":
			err = f.r.array(key, func(int) error { return f.keep(z) })
		default:
			return false, nil
		}
		return true, err
	})
	if z.Sound != "" && !gain {
		z.Gain = GainDefault
	}
	return err
}

func (f *effectParser) fog(z *assets.SceneZone) error {
	return f.r.object("fog", func(key string) (known bool, err error) {
		switch key {
		case "color":
			err = f.r.numbers("fog color", z.FogColor[:], 0, EmissiveMax)
		case "start":
			z.FogStart, err = f.r.number("fog start", 0, CoordinateMax)
		case "end":
			z.FogEnd, err = f.r.number("fog end", 0, CoordinateMax)
		default:
			return false, nil
		}
		return true, err
	})
}

// keep reads "kind:stem".
func (f *effectParser) keep(z *assets.SceneZone) error {
	r := f.r
	text, err := r.text("keep")
	if err != nil {
		return err
	}
	if len(z.Keep) == ZoneKeepMax {
		return r.wrap(r.at, tooLarge("assets to keep", ZoneKeepMax+1, ZoneKeepMax))
	}
	name, stem, _ := strings.Cut(text, ":")
	for kind := range assets.NumBuiltinKinds {
		if kind.String() == name && keepable().Has(kind) {
			z.Keep = append(z.Keep, assets.Key{Stem: stem, Kind: kind})
			return nil
		}
	}
	return r.fail(r.at, `keep %.40q: want kind:stem, as "texture:walls/brick"`, text)
}
