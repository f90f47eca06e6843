package docfile

import "sojourn/assets"

// effectWireBytes is what an effect takes at least as [EncodeScene] writes it.
const effectWireBytes = 41

type wireEffect struct {
	_      struct{} `cbor:",toarray"`
	ID     string
	Kind   uint8
	At     transform
	Asset  uint32 // stem
	Radius float32
}

// wireZone follows the effect of a zone, and is followed by what it keeps.
type wireZone struct {
	_          struct{} `cbor:",toarray"`
	Sound      uint32   // stem
	Gain       float32
	LookUp     uint32 // stem
	FogColor   vec3
	FogStart   float32
	FogEnd     float32
	Hysteresis float32
	Grace      float32
	Keep       uint32 // how many
}

type wireKeep struct {
	_    struct{} `cbor:",toarray"`
	Kind uint8
	Stem uint32
}

func putEffects(w *wireWriter, effects []assets.SceneEffect) error {
	for i := range effects {
		e := &effects[i]
		item := wireEffect{ID: e.ID, Kind: uint8(e.Kind), At: transformOf(&e.At), Asset: w.stems.add(e.Asset), Radius: e.Radius}
		if err := w.put(&item); err != nil {
			return err
		}
		if e.Zone == nil {
			continue
		}
		if err := putZone(w, e.Zone); err != nil {
			return err
		}
	}
	return nil
}

func putZone(w *wireWriter, z *assets.SceneZone) error {
	item := wireZone{
		Sound: w.stems.add(z.Sound), Gain: z.Gain, LookUp: w.stems.add(z.LookUp),
		FogColor: vec3Of(z.FogColor), FogStart: z.FogStart, FogEnd: z.FogEnd,
		Hysteresis: z.Hysteresis, Grace: z.GraceSeconds, Keep: uint32(len(z.Keep)),
	}
	if err := w.put(&item); err != nil {
		return err
	}
	for _, k := range z.Keep {
		if err := w.put(&wireKeep{Kind: uint8(k.Kind), Stem: w.stems.add(k.Stem)}); err != nil {
			return err
		}
	}
	return nil
}

func readEffects(r *wireReader, count uint32, ids idSet) (effects []assets.SceneEffect, err error) {
	if n := r.room(count, effectWireBytes); n > 0 {
		effects = make([]assets.SceneEffect, 0, n)
	}
	var item wireEffect
	for i := range count {
		if err := r.next(&item); err != nil {
			return nil, err
		}
		e := assets.SceneEffect{ID: item.ID, Kind: assets.EffectKind(item.Kind), At: item.At.at(), Radius: item.Radius}
		if e.Asset, err = r.stem(item.Asset); err != nil {
			return nil, err
		}
		if e.Kind == assets.EffectZone {
			if e.Zone, err = readZone(r); err != nil {
				return nil, err
			}
		}
		if err := ids.checkEffect(int(i), &e); err != nil {
			return nil, r.named(err)
		}
		effects = append(effects, e)
	}
	return effects, nil
}

func readZone(r *wireReader) (*assets.SceneZone, error) {
	var item wireZone
	if err := r.next(&item); err != nil {
		return nil, err
	}
	z := &assets.SceneZone{
		Gain: item.Gain, FogColor: item.FogColor.floats(), FogStart: item.FogStart, FogEnd: item.FogEnd,
		Hysteresis: item.Hysteresis, GraceSeconds: item.Grace,
	}
	var err error
	if z.Sound, err = r.stem(item.Sound); err != nil {
		return nil, err
	}
	if z.LookUp, err = r.stem(item.LookUp); err != nil {
		return nil, err
	}
	if item.Keep > ZoneKeepMax {
		return nil, r.named(tooLarge("assets to keep", int64(item.Keep), ZoneKeepMax))
	}
	for range item.Keep {
		var keep wireKeep
		if err := r.next(&keep); err != nil {
			return nil, err
		}
		key := assets.Key{Kind: assets.Kind(keep.Kind)}
		if key.Stem, err = r.stem(keep.Stem); err != nil {
			return nil, err
		}
		z.Keep = append(z.Keep, key)
	}
	return z, nil
}
