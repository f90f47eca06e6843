package docfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sojourn/assets"
)

func genEffect(t *rapid.T, i int) assets.SceneEffect {
	e := assets.SceneEffect{ID: fmt.Sprintf("x%d", i), At: genTransform(t)}
	e.Kind = assets.EffectKind(rapid.IntRange(0, int(assets.EffectKinds)-1).Draw(t, "kind"))
	switch e.Kind {
	case assets.EffectZone:
		for k := range e.At.Scale {
			e.At.Scale[k] = rapid.Float32Range(0.01, 100).Draw(t, "edge")
		}
		e.Zone = genZone(t)
		return e
	case assets.EffectProbe:
		e.Radius = rapid.Float32Range(RadiusMin, RadiusMax).Draw(t, "radius")
	}
	e.Asset = stem.Draw(t, "asset")
	return e
}

func genZone(t *rapid.T) *assets.SceneZone {
	z := &assets.SceneZone{
		Hysteresis: rapid.Float32Range(0, 100).Draw(t, "hysteresis"), GraceSeconds: rapid.Float32Range(0, GraceSecondsMax).Draw(t, "grace"),
	}
	if rapid.Bool().Draw(t, "sound") {
		z.Sound, z.Gain = stem.Draw(t, "sound"), rapid.Float32Range(0, GainMax).Draw(t, "gain")
	}
	if rapid.Bool().Draw(t, "look-up") {
		z.LookUp = stem.Draw(t, "look-up")
	}
	if rapid.Bool().Draw(t, "fog") {
		fill(t, unit, z.FogColor[:])
		z.FogStart, z.FogEnd = rapid.Float32Range(0, 10).Draw(t, "start"), rapid.Float32Range(10, 100).Draw(t, "end")
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "keep") {
		kind := rapid.SampledFrom([]assets.Kind{assets.KindTexture, assets.KindModel, assets.KindParticle}).Draw(t, "kind")
		z.Keep = append(z.Keep, assets.Key{Stem: fmt.Sprintf("%s%d", stem.Draw(t, "keep"), i), Kind: kind})
	}
	return z
}

func genParticles(t *rapid.T) assets.Particles {
	p := assets.Particles{
		Texture: stem.Draw(t, "texture"), Rate: rapid.Float32Range(0, 60).Draw(t, "rate"),
		LifeSeconds: rapid.Float32Range(ParticleLifeMin, 60).Draw(t, "life"), Spread: unit.Draw(t, "spread"),
		Radius: unit.Draw(t, "radius"), Seed: rapid.Uint32().Draw(t, "seed"),
	}
	for _, list := range [][]float32{p.SizeMetres[:], p.Color[0][:], p.Color[1][:], p.Velocity[:], p.Acceleration[:]} {
		fill(t, unit, list)
	}
	return p
}

func sampleEffects() []assets.SceneEffect {
	at := assets.IdentityTransform()
	return []assets.SceneEffect{
		{ID: "f", Kind: assets.EffectParticles, Asset: "fx/fire", At: at},
		{ID: "d", Kind: assets.EffectDecal, Asset: "marks/oil", At: at},
		{ID: "p", Kind: assets.EffectProbe, Asset: "sky/hall", Radius: 8, At: at},
		{ID: "g", Kind: assets.EffectLookUp, Asset: "grades/dusk", At: at},
		{ID: "z", Kind: assets.EffectZone, At: at, Zone: &assets.SceneZone{
			Sound: "drip", Gain: 1, LookUp: "grades/cave", FogColor: [3]float32{0.5, 0.25, 0}, FogStart: 1, FogEnd: 20,
			Hysteresis: 2, GraceSeconds: 5, Keep: []assets.Key{{Stem: "walls/moss", Kind: assets.KindTexture}},
		}},
	}
}

const sampleEffectsJSON = `{"effects": [
	{"id": "f", "particles": "fx/fire"},
	{"id": "d", "decal": "marks/oil"},
	{"id": "p", "probe": "sky/hall", "radius": 8},
	{"id": "g", "look_up": "grades/dusk"},
	{"id": "z", "zone": {"sound": "drip", "look_up": "grades/cave", "fog": {"color": [0.5, 0.25, 0], "start": 1, "end": 20},
		"hysteresis": 2, "grace": 5, "keep": ["texture:walls/moss"]}}
]}`

func sampleParticles() *assets.Particles {
	p := DefaultParticles()
	p.Texture, p.Seed = "fx/puff", 7
	return &p
}

func TestEffectsJSON(t *testing.T) {
	s, err := ParseSceneJSON("s", []byte(sampleEffectsJSON))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(sampleEffects(), s.Effects); d != "" {
		t.Error(d)
	}
	s, err = ParseSceneJSON("s", []byte(`{"effects": [{"id": "p", "probe": "a"}]}`))
	if err != nil || s.Effects[0].Radius != RadiusDefault {
		t.Errorf("%+v, %v", s, err)
	}
}

// An effect of the table stands in a scene as in badEffects' scene.
var badEffects = []struct{ text, mention string }{
	{`{}`, "one of particles"},
	{`{"id": "a"}`, "one of particles"},
	{`{"decal": "x"}`, "needs an id"},
	{`{"id": "a", "decal": "x", "probe": "y"}`, "one of particles"},
	{`{"id": "a", "decal": "x", "zone": {}}`, "one of particles"},
	{`{"id": "first", "decal": "x"}`, `id "first" is taken`},
	{`{"id": "a", "decal": "../x"}`, `segment ".."`},
	{`{"id": "a", "decal": "x", "radius": 2}`, "only a probe"},
	{`{"id": "a", "probe": "x", "radius": 0}`, "radius is 0"},
	{`{"id": "a", "decal": "x", "gain": 1}`, `no key "gain"`},
	{`{"id": "a", "particles": "x", "rot": [1, 1, 0, 0]}`, "length 1.4"},
	{`{"id": "a", "zone": {}, "scale": [1, 0, 1]}`, "needs a volume"},
	{`{"id": "a", "zone": {"gain": 1}}`, "only a sound"},
	{`{"id": "a", "zone": {"loop": true}}`, `no key "loop"`},
	{`{"id": "a", "zone": {"fog": {"start": 2}}}`, "fog needs an end"},
	{`{"id": "a", "zone": {"fog": {"start": 3, "end": 2}}}`, "fog start is 3"},
	{`{"id": "a", "zone": {"grace": -1}}`, "grace is -1"},
	{`{"id": "a", "zone": {"keep": ["walls/moss"]}}`, "want kind:stem"},
	{`{"id": "a", "zone": {"keep": ["scene:cells/1"]}}`, "want kind:stem"},
	{`{"id": "a", "zone": {"keep": ["texture:/x"]}}`, "relative"},
	{`{"id": "a", "zone": {"keep": ["mesh:x", "mesh:x"]}}`, "twice"},
	{`{"id": "a", "zone": 3}`, "must be an object"},
	{`7`, "must be an object, not 7"},
}

func badEffectScene(effect string) string {
	return `{"entities": [{"id": "first", "model": "m"}], "effects": [` + "\n" + effect + "\n]}"
}

func TestBadEffectJSON(t *testing.T) {
	for _, c := range badEffects {
		_, err := ParseSceneJSON("s", []byte(badEffectScene(c.text)))
		checkBad(t, c.text, err, "s:2:", c.mention)
	}
	keep := strings.Repeat(`"mesh:x",`, ZoneKeepMax) + `"mesh:y"`
	if _, err := ParseSceneJSON("s", []byte(badEffectScene(`{"id": "a", "zone": {"keep": [`+keep+`]}}`))); !errors.Is(err, assets.ErrTooLarge) {
		t.Error(err)
	}
}

func TestParticlesJSON(t *testing.T) {
	p, err := ParseParticlesJSON("p", []byte(`{"texture": "fx/puff", "end_color": [0, 0, 0, 0.5], "color": [1, 0.5, 0, 1], "seed": 3}`))
	want := DefaultParticles()
	want.Texture, want.Seed = "fx/puff", 3
	want.Color = [2][4]float32{{1, 0.5, 0, 1}, {0, 0, 0, 0.5}}
	if d := cmp.Diff(want, p); d != "" || err != nil {
		t.Error(d, err)
	}
	p, err = ParseParticlesJSON("p", []byte(`{"texture": "a", "color": [1, 0.5, 0, 0.75], "rate": 10, "life": 1.5}`))
	if err != nil || p.Color[1] != [4]float32{1, 0.5, 0, 0} || p.CountMax() != 16 {
		t.Errorf("%+v, %d at most, %v", p, p.CountMax(), err)
	}
}

var badParticles = []struct{ text, mention string }{
	{`{}`, "texture"},
	{`{"texture": "a", "life": 0}`, "life is 0"},
	{`{"texture": "a", "color": [1, 1, 1, 2]}`, "alpha"},
	{`{"texture": "a", "seed": 1.5}`, "whole number"},
	{`{"texture": "a", "rate": -1}`, "rate is -1"},
	{`{"texture": "a", "material": "b"}`, `no key "material"`},
	{`{"texture": "a"} x`, "follows"},
	{`[]`, "must be an object"},
}

func TestBadParticlesJSON(t *testing.T) {
	for _, c := range badParticles {
		_, err := ParseParticlesJSON("p", []byte(c.text))
		checkBad(t, c.text, err, "p:1:", c.mention)
	}
	if _, err := ParseParticlesJSON("p", []byte(`{"texture": "a", "rate": 3000, "life": 2}`)); !errors.Is(err, assets.ErrTooLarge) {
		t.Error(err)
	}
}

func FuzzParticles(f *testing.F) {
	addPacked(f, kindParticles)
	for _, c := range badParticles {
		f.Add([]byte(c.text))
	}
	f.Add([]byte(`{"texture": "a", "rate": 100, "life": 3, "acceleration": [0, -9.81, 0], "seed": 12}`))
	fuzzDecode(f, DecodeParticles, EncodeParticles)
}

func effectItem(kind assets.EffectKind, asset uint32) *wireEffect {
	at := assets.IdentityTransform()
	return &wireEffect{ID: "a", Kind: uint8(kind), At: transformOf(&at), Asset: asset}
}
