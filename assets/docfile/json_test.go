package docfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sojourn/assets"
)

func TestMaterialJSON(t *testing.T) {
	m, err := ParseMaterialJSON("brick.material.json", []byte(`{
		"base_color": [0.5, 0.25, 1, 0.75], "emissive": [0, 2, 10.5], "metallic": 1, "roughness": 0.125,
		"normal_scale": -2, "occlusion": 0.5, "alpha_cutoff": 0.5, "blend": true, "double_sided": true, "unlit": true,
		"maps": {"base_color": "walls/brick", "clearcoat": "models/car#image0"}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := assets.Material{
		BaseColor: [4]float32{0.5, 0.25, 1, 0.75}, Emissive: [3]float32{0, 2, 10.5},
		Metallic: 1, Roughness: 0.125, NormalScale: -2, Occlusion: 0.5, AlphaCutoff: 0.5,
		Blend: true, DoubleSided: true, Unlit: true,
	}
	want.Maps[assets.MapBaseColor] = "walls/brick"
	want.Maps[assets.MapClearcoat] = "models/car#image0"
	if d := cmp.Diff(want, m); d != "" {
		t.Error(d)
	}
	for _, empty := range []string{"{}", " \r\n\t{ } \n", "\xEF\xBB\xBF{}"} {
		m, err := DecodeMaterial("empty", []byte(empty))
		if err != nil || m != DefaultMaterial() {
			t.Errorf("%q: %+v, %v", empty, m, err)
		}
	}
}

func TestEveryMapSlotHasItsName(t *testing.T) {
	for slot := range assets.MapSlots {
		m, err := ParseMaterialJSON("m", fmt.Appendf(nil, `{"maps": {%q: "a/b"}}`, slot))
		if err != nil || m.Maps[slot] != "a/b" {
			t.Errorf("%v: %+v, %v", slot, m.Maps, err)
		}
	}
}

func TestSceneJSON(t *testing.T) {
	s, err := ParseSceneJSON("dusk.scene.json", []byte(`{"skybox": "sky/dusk", "entities": [
		{"id": "a", "model": "props/crate", "material": "props/painted", "pos": [1, 2, 3], "rot": [0, 1, 0, 0], "scale": [2, 2, 2]},
		{"id": "b", "sound": "hum", "gain": 0, "radius": 3, "loop": true, "pos": [-1, 0, 1e3]},
		{"id": "c", "sound": "hum"},
		{"id": "d", "model": "props/crate", "rot": [0, 0.707, 0, 0.707]}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	at := func(pos [3]float32) assets.Transform {
		at := assets.IdentityTransform()
		at.Pos = pos
		return at
	}
	half := rotation(s.Entities[3].At.Rot)
	if n := rotationLength(&half); n < 1-1e-6 || n > 1+1e-6 {
		t.Errorf("the rotation %v has length %g", half, n)
	}
	s.Entities[3].At.Rot = [4]float32{0, 0, 0, 1}
	want := assets.Scene{Skybox: "sky/dusk", Entities: []assets.SceneEntity{
		{ID: "a", Model: "props/crate", Material: "props/painted", At: assets.Transform{
			Pos: [3]float32{1, 2, 3}, Rot: [4]float32{0, 1, 0, 0}, Scale: [3]float32{2, 2, 2}}},
		{ID: "b", Sound: "hum", Radius: 3, Loop: true, At: at([3]float32{-1, 0, 1000})},
		{ID: "c", Sound: "hum", Gain: GainDefault, Radius: RadiusDefault, At: at([3]float32{})},
		{ID: "d", Model: "props/crate", At: at([3]float32{})},
	}}
	if d := cmp.Diff(want, s); d != "" {
		t.Error(d)
	}
	if s, err := ParseSceneJSON("empty", []byte("{}")); err != nil || len(s.Entities) != 0 || s.Skybox != "" {
		t.Errorf("empty: %+v, %v", s, err)
	}
}

type rotation = [4]float32

var badMaterials = []struct{ text, where, mention string }{
	{``, "1:1", "unexpected end"},
	{"\n\n  ", "3:3", "unexpected end"},
	{`{`, "1:2", "unexpected end"},
	{`[]`, "1:1", "must be an object, not an array"},
	{`null`, "1:1", "must be an object, not null"},
	{`{} {}`, "1:4", "follows the document"},
	{"{}\n\nx", "3:1", "follows the document"},
	{`{"metallic": 0,}`, "1:16", "invalid character"},
	{`{"metallic" 0}`, "1:13", "invalid character"},
	{`{metallic: 0}`, "1:2", "invalid character"},
	{`{"metallic": 00}`, "1:15", "invalid character"},
	{`{"metallic": NaN}`, "1:14", "invalid character"},
	{`{"metallic": Infinity}`, "1:14", "invalid character"},
	{`{"metallic": // no comments` + "\n0}", "1:14", "invalid character"},
	{"{\n\t\"metallic\": 0,\n\t\"metal\": 1\n}", "3:2", `no key "metal"`},
	{"{\n\t\"metallic\": 0,\n\t\"metallic\": 1\n}", "3:2", `"metallic" is there twice`},
	{`{"Metallic": 0}`, "1:2", `no key "Metallic"`},
	{`{"metallic": "1"}`, "1:14", `must be a number, not "1"`},
	{`{"metallic": null}`, "1:14", "must be a number, not null"},
	{`{"metallic": 1.5}`, "1:14", "metallic is 1.5, want 0 to 1"},
	{`{"roughness": -0.1}`, "1:15", "roughness is -0.1"},
	{`{"emissive": [0, 0, 1e39]}`, "1:21", "does not fit 32 bits"},
	{`{"emissive": [0, 0, 1e999]}`, "1:21", "does not fit 32 bits"},
	{`{"emissive": [0, 0]}`, "1:19", "2 numbers, want 3"},
	{`{"emissive": []}`, "1:15", "0 numbers, want 3"},
	{`{"emissive": [0, 0, 0, 0]}`, "1:", "more than 3 numbers"},
	{`{"base_color": [1, 1, 1, 2]}`, "1:26", "base_color is 2"},
	{`{"base_color": 1}`, "1:16", "must be an array"},
	{`{"blend": 1}`, "1:11", "must be true or false, not 1"},
	{`{"maps": []}`, "1:10", "maps must be an object"},
	{`{"maps": {"basecolor": "a"}}`, "1:11", `maps has no key "basecolor"`},
	{`{"maps": {"normal": "a", "normal": "b"}}`, "1:26", "twice"},
	{`{"maps": {"normal": 3}}`, "1:21", "map normal must be a string, not 3"},
	{`{"maps": {"normal": ""}}`, "1:21", "empty"},
	{`{"maps": {"normal": "../a"}}`, "1:21", `segment ".."`},
	{`{"maps": {"normal": "C:/a"}}`, "1:21", "colon"},
	{"{\"maps\": {\"normal\": \"ä\xff\"}}", "1:23", "not UTF-8"},
	{"{\"maps\": {\"normal\": \"\x00\"}}", "1:21", "invalid character"},
	{`{"äöü": 1}`, "1:2", `no key "äöü"`},
	{`{"occlusion": 0.5, "äöü": 1, "x": 2}`, "1:20", `no key "äöü"`},
	{strings.Repeat("[", 100_000), "1:1", "must be an object"},
	{`{"metallic":` + strings.Repeat("[", 100_000), "1:13", "must be a number"},
	{`{"metallic":` + strings.Repeat("9", 100_000) + "}", "1:13", "does not fit"},
}

func TestBadMaterialJSON(t *testing.T) {
	for _, c := range badMaterials {
		_, err := ParseMaterialJSON("walls/x.material.json", []byte(c.text))
		checkBad(t, c.text, err, "walls/x.material.json:"+c.where, c.mention)
	}
}

func checkBad(t *testing.T, text string, err error, prefix, mention string) {
	t.Helper()
	if !errors.Is(err, assets.ErrCorrupt) {
		t.Errorf("%.60q: %v", text, err)
		return
	}
	if !strings.HasPrefix(err.Error(), prefix) || !strings.Contains(err.Error(), mention) || len(err.Error()) > 300 {
		t.Errorf("%.60q: %.400v\nwant %s ... %s", text, err, prefix, mention)
	}
}

// An entity of the table stands in a scene as in badScene.
var badEntities = []struct{ text, where, mention string }{
	{`{}`, "2:2", "needs an id"},
	{`{"model": "m"}`, "2:2", "needs an id"},
	{`{"id": "", "model": "m"}`, "2:2", "needs an id"},
	{`{"id": "a\u0007", "model": "m"}`, "2:2", "control"},
	{`{"id": "` + strings.Repeat("a", EntityIDBytesMax+1) + `", "model": "m"}`, "2:2", "257 bytes in id"},
	{`{"id": "a"}`, "2:2", "either a model or a sound"},
	{`{"id": "a", "model": "m", "sound": "s"}`, "2:2", "either a model or a sound"},
	{`{"id": "a", "sound": "s", "material": "m"}`, "2:2", "no material"},
	{`{"id": "a", "model": "m", "loop": false}`, "2:2", "only a sound"},
	{`{"id": "a", "model": "m", "gain": 0}`, "2:2", "only a sound"},
	{`{"id": "first", "model": "m"}`, "2:2", `id "first" is taken`},
	{`{"id": "a", "model": "m", "pos": [0, 0]}`, "2:39", "2 numbers"},
	{`{"id": "a", "model": "m", "rot": [0, 0, 0, 0]}`, "2:2", "length 0"},
	{`{"id": "a", "model": "m", "rot": [1, 1, 0, 0]}`, "2:2", "length 1.4"},
	{`{"id": "a", "model": "m", "scale": 2}`, "2:36", "must be an array"},
	{`{"id": "a", "sound": "s", "radius": 0}`, "2:37", "radius is 0"},
	{`{"id": "a", "sound": "s", "gain": -1}`, "2:35", "gain is -1"},
	{`{"id": "a", "model": "/m"}`, "2:22", "relative"},
	{`{"id": "a", "model": "m", "visible": true}`, "2:27", `no key "visible"`},
	{`7`, "2:1", "must be an object, not 7"},
}

func badScene(entity string) string {
	return `{"entities": [{"id": "first", "model": "m"},` + "\n" + entity + "\n]}"
}

func TestBadSceneJSON(t *testing.T) {
	for _, c := range badEntities {
		_, err := ParseSceneJSON("s.scene.json", []byte(badScene(c.text)))
		if strings.Contains(c.mention, "bytes in") {
			if !errors.Is(err, assets.ErrTooLarge) || !strings.Contains(err.Error(), c.mention) {
				t.Errorf("%.60q: %v", c.text, err)
			}
			continue
		}
		checkBad(t, c.text, err, "s.scene.json:"+c.where, c.mention)
	}
	for text, mention := range map[string]string{
		`{"entities": {}}`:         "must be an array",
		`{"skybox": "a//b"}`:       `segment ""`,
		`{"skybox": "a"} ,`:        "follows",
		`{"entities": [], "x": 1}`: `no key "x"`,
	} {
		_, err := ParseSceneJSON("s", []byte(text))
		checkBad(t, text, err, "s:1:", mention)
	}
}

func TestTruncatedJSON(t *testing.T) {
	for _, text := range []string{
		`{"base_color": [0.5, 0.25, 1, 0.75], "metallic": 1, "blend": true, "maps": {"normal": "a"}}`,
	} {
		for n := range text {
			if _, err := ParseMaterialJSON("m", []byte(text[:n])); !errors.Is(err, assets.ErrCorrupt) {
				t.Fatalf("%q: %v", text[:n], err)
			}
		}
	}
	text := badScene(`{"id": "b", "sound": "hum", "gain": 1, "pos": [1, 2, 3]}`)
	for n := range text {
		if _, err := ParseSceneJSON("s", []byte(text[:n])); !errors.Is(err, assets.ErrCorrupt) {
			t.Fatalf("%q: %v", text[:n], err)
		}
	}
}

func TestTooLargeJSON(t *testing.T) {
	big := []byte("{" + strings.Repeat(" ", MaterialBytesMax) + "}")
	if _, err := ParseMaterialJSON("big", big); !errors.Is(err, assets.ErrTooLarge) || !strings.Contains(err.Error(), "big: ") {
		t.Error(err)
	}
}

func TestEqualStemsShareMemory(t *testing.T) {
	text := `{"entities": [{"id": "a", "model": "props/crate"}, {"id": "b", "model": "props/crate"}]}`
	s, err := ParseSceneJSON("s", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if !sameMemory(s.Entities[0].Model, s.Entities[1].Model) {
		t.Error("parsed stems are stored twice")
	}
	b, err := EncodeScene(&s)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = DecodeScene("s", b); err != nil || !sameMemory(s.Entities[0].Model, s.Entities[1].Model) {
		t.Errorf("packed stems are stored twice (%v)", err)
	}
}
