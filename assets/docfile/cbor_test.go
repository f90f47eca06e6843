package docfile

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"sojourn/assets"
)

func sameMemory(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }

var (
	unit   = rapid.Float32Range(0, 1)
	number = rapid.Float32Range(-CoordinateMax, CoordinateMax)
	stem   = rapid.StringMatching(`[a-zA-Z0-9_. -]{1,4}[a-z]/[a-zä.]{1,6}[a-z](#[a-z0-9]{1,4})?`)
)

func fill(t *rapid.T, g *rapid.Generator[float32], dst []float32) {
	for i := range dst {
		dst[i] = g.Draw(t, "number")
	}
}

func genMaterial(t *rapid.T) assets.Material {
	var m assets.Material
	fill(t, unit, m.BaseColor[:])
	fill(t, rapid.Float32Range(0, EmissiveMax), m.Emissive[:])
	m.Metallic, m.Roughness, m.Occlusion = unit.Draw(t, "metallic"), unit.Draw(t, "roughness"), unit.Draw(t, "occlusion")
	m.NormalScale = rapid.Float32Range(-NormalScaleMax, NormalScaleMax).Draw(t, "normal scale")
	m.AlphaCutoff = unit.Draw(t, "cutoff")
	m.Blend, m.DoubleSided, m.Unlit = rapid.Bool().Draw(t, "blend"), rapid.Bool().Draw(t, "double"), rapid.Bool().Draw(t, "unlit")
	for i := range m.Maps {
		if rapid.Bool().Draw(t, "map") {
			m.Maps[i] = stem.Draw(t, "stem")
		}
	}
	return m
}

func genTransform(t *rapid.T) assets.Transform {
	var at assets.Transform
	fill(t, number, at.Pos[:])
	fill(t, number, at.Scale[:])
	fill(t, rapid.Float32Range(0.1, 1), at.Rot[:])
	normalize(&at.Rot)
	return at
}

func genScene(t *rapid.T) assets.Scene {
	var s assets.Scene
	if rapid.Bool().Draw(t, "sky") {
		s.Skybox = stem.Draw(t, "skybox")
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "entities") {
		e := assets.SceneEntity{ID: fmt.Sprintf("e%d %s", i, rapid.StringMatching(`[a-zé/#]{0,5}`).Draw(t, "id")), At: genTransform(t)}
		if rapid.Bool().Draw(t, "model") {
			e.Model = stem.Draw(t, "model")
			if rapid.Bool().Draw(t, "material") {
				e.Material = stem.Draw(t, "material")
			}
		} else {
			e.Sound = stem.Draw(t, "sound")
			e.Gain = rapid.Float32Range(0, GainMax).Draw(t, "gain")
			e.Radius = rapid.Float32Range(RadiusMin, RadiusMax).Draw(t, "radius")
			e.Loop = rapid.Bool().Draw(t, "loop")
		}
		s.Entities = append(s.Entities, e)
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "effects") {
		s.Effects = append(s.Effects, genEffect(t, i))
	}
	return s
}

func genModel(t *rapid.T) assets.Model {
	var m assets.Model
	for i := range rapid.IntRange(1, 5).Draw(t, "nodes") {
		n := assets.ModelNode{
			Name: rapid.StringMatching(`[a-zA-Z0-9 ä/]{0,8}`).Draw(t, "name"), Parent: int32(rapid.IntRange(-1, i-1).Draw(t, "parent")), Local: genTransform(t),
		}
		fill(t, rapid.Float32(), n.World[:])
		for i, x := range n.World {
			if x != x || math.IsInf(float64(x), 0) {
				n.World[i] = 1
			}
		}
		m.Nodes = append(m.Nodes, n)
	}
	for range rapid.IntRange(0, 6).Draw(t, "parts") {
		p := assets.ModelPart{Node: int32(rapid.IntRange(0, len(m.Nodes)-1).Draw(t, "node")), Mesh: stem.Draw(t, "mesh")}
		if rapid.Bool().Draw(t, "material") {
			p.Material = stem.Draw(t, "material")
		}
		m.Parts = append(m.Parts, p)
	}
	for axis := range 3 {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		m.Bounds.Min[axis], m.Bounds.Max[axis] = min(a, b), max(a, b)
		m.Bounds.Center[axis] = rapid.SampledFrom([]float32{a, b}).Draw(t, "center")
	}
	m.Bounds.Radius = rapid.Float32Range(0, CoordinateMax).Draw(t, "radius")
	return m
}

func roundTrip[T any](t *rapid.T, v T, encode func(*T) ([]byte, error), decode func(string, []byte) (T, error)) {
	b, err := encode(&v)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decode("doc", b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(v, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatal(d)
	}
	again, err := encode(&got)
	if err != nil || !bytes.Equal(again, b) {
		t.Fatalf("encoding again gives other bytes (%v)", err)
	}
}

func TestRoundTrip(t *testing.T) {
	t.Run("material", rapid.MakeCheck(func(t *rapid.T) { roundTrip(t, genMaterial(t), EncodeMaterial, DecodeMaterial) }))
	t.Run("scene", rapid.MakeCheck(func(t *rapid.T) { roundTrip(t, genScene(t), EncodeScene, DecodeScene) }))
	t.Run("particles", rapid.MakeCheck(func(t *rapid.T) { roundTrip(t, genParticles(t), EncodeParticles, DecodeParticles) }))
	t.Run("model", rapid.MakeCheck(func(t *rapid.T) { roundTrip(t, genModel(t), EncodeModel, DecodeModel) }))
}

func sampleMaterial() *assets.Material {
	m := DefaultMaterial()
	m.Maps[assets.MapNormal] = "walls/brick"
	return &m
}

func sampleScene() *assets.Scene {
	return &assets.Scene{Skybox: "sky/dusk", Entities: []assets.SceneEntity{
		{ID: "a", Model: "props/crate", Material: "props/painted", At: assets.IdentityTransform()},
		{ID: "b", Sound: "hum", Gain: 0.3, Radius: 10, Loop: true, At: assets.IdentityTransform()},
	}, Effects: sampleEffects()}
}

func sampleModel() *assets.Model {
	return &assets.Model{
		Nodes: []assets.ModelNode{{Name: "root", Parent: -1, Local: assets.IdentityTransform()}, {Name: "wheel", Local: assets.IdentityTransform()}},
		Parts: []assets.ModelPart{{Node: 1, Mesh: "car#wheel", Material: "car#paint"}, {Node: 0, Mesh: "car#body"}},
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func samples() map[string][]byte {
	return map[string][]byte{
		kindMaterial: must(EncodeMaterial(sampleMaterial())),
		kindScene:    must(EncodeScene(sampleScene())),
		kindModel:    must(EncodeModel(sampleModel())),

		kindParticles: must(EncodeParticles(sampleParticles())),
	}
}

func decodeKind(kind string, b []byte) (err error) {
	switch kind {
	case kindMaterial:
		_, err = DecodeMaterial("doc", b)
	case kindScene:
		_, err = DecodeScene("doc", b)
	case kindModel:
		_, err = DecodeModel("doc", b)
	case kindParticles:
		_, err = DecodeParticles("doc", b)
	}
	return err
}

func TestEntityWireSizes(t *testing.T) {
	zero := assets.Transform{Rot: [4]float32{1}}
	entity := must(encoding().Marshal(&wireEntity{ID: "a", At: transformOf(&zero)}))
	node := must(encoding().Marshal(&wireNode{Local: transformOf(&zero)}))
	part := must(encoding().Marshal(&wirePart{}))
	for what, c := range map[string][2]int{
		"entity": {len(entity), entityWireBytes}, "node": {len(node), nodeWireBytes}, "part": {len(part), partWireBytes},
	} {
		if c[0] < c[1] {
			t.Errorf("a small %s takes %d bytes, assumed at least %d", what, c[0], c[1])
		}
	}
}

func TestTruncatedPacked(t *testing.T) {
	for kind, b := range samples() {
		for n := range b {
			err := decodeKind(kind, b[:n])
			if !errors.Is(err, assets.ErrCorrupt) || !strings.HasPrefix(err.Error(), "doc:") && !strings.HasPrefix(err.Error(), "doc: ") {
				t.Fatalf("%s cut to %d of %d: %v", kind, n, len(b), err)
			}
		}
		if err := decodeKind(kind, append(b[:len(b):len(b)], 0)); !errors.Is(err, assets.ErrCorrupt) || !strings.Contains(err.Error(), "1 bytes follow") {
			t.Errorf("%s with more behind: %v", kind, err)
		}
		for other := range samples() {
			if err := decodeKind(other, b); other != kind && (!errors.Is(err, assets.ErrCorrupt) || !strings.Contains(err.Error(), kind)) {
				t.Errorf("%s as %s: %v", kind, other, err)
			}
		}
	}
}

// seq encodes items one after the other.
func seq(items ...any) []byte {
	var out []byte
	for _, item := range items {
		if raw, ok := item.(cbor.RawMessage); ok {
			out = append(out, raw...)
			continue
		}
		out = append(out, must(encoding().Marshal(item))...)
	}
	return out
}

func materialItem(maps map[uint8]uint32) *wireMaterial {
	return &wireMaterial{Roughness: 1, Maps: maps}
}

func entityItem(id string) *wireEntity {
	at := assets.IdentityTransform()
	return &wireEntity{ID: id, Model: 1, At: transformOf(&at)}
}

func hostilePacked() []struct {
	name, kind string
	b          []byte
	want       error
	mention    string
} {
	h := func(kind string, stems, nodes, items, skybox uint32) header {
		return header{Kind: kind, Version: wireVersion, Stems: stems, Nodes: nodes, Items: items, Skybox: skybox}
	}
	type c = struct {
		name, kind string
		b          []byte
		want       error
		mention    string
	}
	raw := func(b ...byte) cbor.RawMessage { return b }
	many := uint32(math.MaxUint32)
	badNumber := materialItem(nil)
	badNumber.Metallic = 2
	return []c{
		{"nothing", kindModel, nil, assets.ErrCorrupt, "EOF"},
		{"text", kindModel, []byte("hello"), assets.ErrCorrupt, "byte 0"},
		{"version", kindScene, seq(header{Kind: kindScene, Version: 2}), assets.ErrCorrupt, "version 2"},
		{"short header", kindScene, seq([]any{"scene", 1}), assets.ErrCorrupt, "byte 0"},
		{"long header", kindScene, seq([]any{"scene", 1, 0, 0, 0, 0, 0}), assets.ErrCorrupt, "byte 0"},
		{"negative count", kindScene, seq([]any{"scene", 1, 0, 0, -1, 0}), assets.ErrCorrupt, "byte 0"},
		{"many stems", kindScene, seq(h(kindScene, many, 0, 0, 0)), assets.ErrCorrupt, "EOF"},
		{"many entities", kindScene, seq(h(kindScene, 0, 0, many, 0)), assets.ErrTooLarge, "4294967295 entities"},
		{"missing entities", kindScene, seq(h(kindScene, 0, 0, SceneEntitiesMax, 0)), assets.ErrCorrupt, "EOF"},
		{"many nodes", kindModel, seq(h(kindModel, 0, many, 0, 0)), assets.ErrTooLarge, "nodes"},
		{"many parts", kindModel, seq(h(kindModel, 0, 0, many, 0)), assets.ErrTooLarge, "parts"},
		{"many effects", kindScene, seq(h(kindScene, 0, many, 0, 0)), assets.ErrTooLarge, "4294967295 effects"},
		{"missing effects", kindScene, seq(h(kindScene, 0, SceneEffectsMax, 0, 0)), assets.ErrCorrupt, "EOF"},
		{"zone without its item", kindScene, seq(h(kindScene, 0, 1, 0, 0), effectItem(assets.EffectZone, 0)), assets.ErrCorrupt, "EOF"},
		{"zone that keeps much", kindScene, seq(h(kindScene, 0, 1, 0, 0), effectItem(assets.EffectZone, 0), &wireZone{Keep: many}), assets.ErrTooLarge, "assets to keep"},
		{"zone that keeps what is not there", kindScene, seq(h(kindScene, 0, 1, 0, 0), effectItem(assets.EffectZone, 0), &wireZone{Keep: 64}), assets.ErrCorrupt, "EOF"},
		{"effect of no kind", kindScene, seq(h(kindScene, 1, 1, 0, 0), "x", effectItem(assets.EffectKinds, 1)), assets.ErrCorrupt, "kind 5"},
		{"effect with an entity's id", kindScene, seq(h(kindScene, 1, 1, 1, 0), "x", entityItem("a"), effectItem(assets.EffectDecal, 1)), assets.ErrCorrupt, `"a" is taken`},
		{"two sources", kindParticles, seq(h(kindParticles, 0, 0, 2, 0)), assets.ErrCorrupt, "counts"},
		{"particles without a texture", kindParticles, seq(h(kindParticles, 0, 0, 1, 0), &wireParticles{Life: 1}), assets.ErrCorrupt, "texture"},
		{"too many particles", kindParticles, seq(h(kindParticles, 1, 0, 1, 0), "x", &wireParticles{Texture: 1, Life: 600, Rate: 100}), assets.ErrTooLarge, "60001 particles"},
		{"stray skybox", kindModel, seq(h(kindModel, 0, 0, 0, 1)), assets.ErrCorrupt, "counts"},
		{"two materials", kindMaterial, seq(h(kindMaterial, 0, 0, 2, 0)), assets.ErrCorrupt, "counts"},
		{"bad stem", kindScene, seq(h(kindScene, 1, 0, 0, 0), "../x"), assets.ErrBadStem, "../x"},
		{"skybox outside", kindScene, seq(h(kindScene, 1, 0, 0, 2), "x"), assets.ErrCorrupt, "stem 2 of 1"},
		{"stem outside", kindScene, seq(h(kindScene, 0, 0, 1, 0), entityItem("a")), assets.ErrCorrupt, "stem 1 of 0"},
		{"taken id", kindScene, seq(h(kindScene, 1, 0, 2, 0), "m", entityItem("a"), entityItem("a")), assets.ErrCorrupt, `"a" is taken`},
		{"slot outside", kindMaterial, seq(h(kindMaterial, 1, 0, 1, 0), "m", materialItem(map[uint8]uint32{9: 1})), assets.ErrCorrupt, "map slot 9"},
		{"out of range", kindMaterial, seq(h(kindMaterial, 0, 0, 1, 0), badNumber), assets.ErrCorrupt, "metallic is 2"},
		{"part of nothing", kindModel, seq(h(kindModel, 1, 0, 1, 0), "m", &wireBounds{}, &wirePart{Mesh: 1}), assets.ErrCorrupt, "node 0 of 0"},
		{"no mesh", kindModel, append(seq(h(kindModel, 0, 1, 1, 0), &wireBounds{}, nodeItem(-1)), seq(&wirePart{})...), assets.ErrCorrupt, "mesh"},
		{"own parent", kindModel, seq(h(kindModel, 0, 1, 0, 0), &wireBounds{}, nodeItem(0)), assets.ErrCorrupt, "parent 0"},
		{"bounds", kindModel, seq(h(kindModel, 0, 0, 0, 0), &wireBounds{Min: vec3{X: 1}}), assets.ErrCorrupt, "bounds"},
		{"endless array", kindScene, seq(raw(0x9F, 0x65, 's', 'c', 'e', 'n', 'e', 1, 0, 0, 0, 0, 0xFF)), assets.ErrCorrupt, "indefinite"},
		{"long array", kindScene, seq(raw(0x9A, 0xFF, 0xFF, 0xFF, 0xFF)), assets.ErrCorrupt, "exceeded"},
		{"long text", kindScene, seq(raw(0x86, 0x7B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF)), assets.ErrCorrupt, "EOF"},
		{"nested", kindScene, bytes.Repeat([]byte{0x81}, 100_000), assets.ErrCorrupt, "exceeded"},
		{"tag", kindScene, seq(raw(0xC1, 0x00)), assets.ErrCorrupt, "tag"},
		{"not UTF-8", kindScene, seq(h(kindScene, 1, 0, 0, 0), raw(0x61, 0xFF)), assets.ErrCorrupt, "UTF-8"},
		{"stem is bytes", kindScene, seq(h(kindScene, 1, 0, 0, 0), []byte("abc")), assets.ErrCorrupt, "byte"},
		{"twice a slot", kindMaterial, bytes.Replace(
			seq(h(kindMaterial, 1, 0, 1, 0), "m", materialItem(map[uint8]uint32{1: 1, 2: 1})),
			[]byte{0xA2, 1, 1, 2, 1}, []byte{0xA2, 1, 1, 1, 1}, 1), assets.ErrCorrupt, "duplicate"},
		{"not a number", kindModel, bytes.Replace(seq(h(kindModel, 0, 0, 0, 0), &wireBounds{Radius: 7}),
			seq(float32(7)), []byte{0xF9, 0x7E, 0x00}, 1), assets.ErrCorrupt, "NaN"},
	}
}

func nodeItem(parent int32) *wireNode {
	at := assets.IdentityTransform()
	return &wireNode{Parent: parent, Local: transformOf(&at)}
}

func TestHostilePackedIsRefused(t *testing.T) {
	for _, c := range hostilePacked() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := decodeKind(c.kind, c.b)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.mention) || !strings.HasPrefix(err.Error(), "doc: ") {
			t.Errorf("%s: %v", c.name, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 512<<10 {
			t.Errorf("%s: allocated %d bytes", c.name, n)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	nan := float32(math.NaN())
	material := func(set func(*assets.Material)) error {
		m := sampleMaterial()
		set(m)
		_, err := EncodeMaterial(m)
		return err
	}
	scene := func(set func(*assets.Scene)) error {
		s := sampleScene()
		set(s)
		_, err := EncodeScene(s)
		return err
	}
	model := func(set func(*assets.Model)) error {
		m := sampleModel()
		set(m)
		_, err := EncodeModel(m)
		return err
	}
	for mention, err := range map[string]error{
		"base_color":          material(func(m *assets.Material) { m.BaseColor[3] = nan }),
		"map normal":          material(func(m *assets.Material) { m.Maps[assets.MapNormal] = "a//b" }),
		`entity 1 ("b")`:      scene(func(s *assets.Scene) { s.Entities[1].Sound = "" }),
		"rot":                 scene(func(s *assets.Scene) { s.Entities[0].At = assets.Transform{} }),
		"pos is NaN":          scene(func(s *assets.Scene) { s.Entities[0].At.Pos[1] = nan }),
		"no gain":             scene(func(s *assets.Scene) { s.Entities[0].Gain = 1 }),
		"is taken":            scene(func(s *assets.Scene) { s.Entities[1].ID = "a" }),
		"skybox":              scene(func(s *assets.Scene) { s.Skybox = "/" }),
		"entities, at most":   scene(func(s *assets.Scene) { s.Entities = make([]assets.SceneEntity, SceneEntitiesMax+1) }),
		"effect 0 (\"f\")":    scene(func(s *assets.Scene) { s.Effects[0].Asset = "/" }),
		"a zone or has an":    scene(func(s *assets.Scene) { s.Effects[0].Zone = &assets.SceneZone{} }),
		"effects, at most":    scene(func(s *assets.Scene) { s.Effects = make([]assets.SceneEffect, SceneEffectsMax+1) }),
		"nothing of kind":     scene(func(s *assets.Scene) { s.Effects[4].Zone.Keep[0].Kind = assets.KindScene }),
		"fog start is 30":     scene(func(s *assets.Scene) { s.Effects[4].Zone.FogStart = 30 }),
		"parent 1":            model(func(m *assets.Model) { m.Nodes[1].Parent = 1 }),
		"parent -2":           model(func(m *assets.Model) { m.Nodes[1].Parent = -2 }),
		"world is NaN":        model(func(m *assets.Model) { m.Nodes[0].World[5] = nan }),
		"bytes in name":       model(func(m *assets.Model) { m.Nodes[0].Name = strings.Repeat("n", NodeNameBytesMax+1) }),
		"broken character":    model(func(m *assets.Model) { m.Nodes[0].Name = "\xff" }),
		"part 1: node 2 of 2": model(func(m *assets.Model) { m.Parts[1].Node = 2 }),
		"part 0":              model(func(m *assets.Model) { m.Parts[0].Mesh = "" }),
		"bounding radius":     model(func(m *assets.Model) { m.Bounds.Radius = nan }),
	} {
		if err == nil || !strings.Contains(err.Error(), mention) ||
			!errors.Is(err, assets.ErrCorrupt) && !errors.Is(err, assets.ErrTooLarge) {
			t.Errorf("%s: %v", mention, err)
		}
	}
}
