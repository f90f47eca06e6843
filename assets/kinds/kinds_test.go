package kinds

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sojourn/assets"
	"sojourn/assets/docfile"
	"sojourn/assets/ktx2"
	"sojourn/assets/meshfile"
	"sojourn/assets/soundfile"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func levels(w, h int) *ktx2.Levels {
	l := &ktx2.Levels{Width: w, Height: h, SRGB: true}
	for i := range ktx2.LevelCount(w, h) {
		lw, lh := ktx2.LevelSize(w, h, i)
		l.Pixels = append(l.Pixels, slices.Repeat([]byte{byte(i + 1)}, lw*lh*4))
	}
	return l
}

// content has one good file of every kind.
func content(m *memory) {
	material := docfile.DefaultMaterial()
	material.Maps[assets.MapBaseColor] = "walls/brick"
	m.files = map[string][]byte{
		"walls/brick.ktx2":     must(ktx2.Encode(levels(256, 64))),
		"walls/dot.ktx2":       must(ktx2.Encode(levels(2, 1))),
		"car#wheel.mesh":       must(meshfile.Encode(make([]assets.Vertex, 4), []uint32{0, 1, 2, 0, 2, 3})),
		"car.model":            must(docfile.EncodeModel(carModel())),
		"packed.material":      must(docfile.EncodeMaterial(&material)),
		"loose.material.json":  []byte(`{"maps": {"base_color": "walls/brick"}}`),
		"both.material":        must(docfile.EncodeMaterial(&material)),
		"both.material.json":   []byte(`not read`),
		"hum.pcm":              must(soundfile.Encode(48000, 2, []int16{1, 2, 3, 4})),
		"plain.ttf":            []byte("a TrueType font"),
		"open.otf":             []byte("an OpenType font"),
		"notes.txt":            []byte("a blob"),
		"empty.txt":            {},
		"packed.scene":         must(docfile.EncodeScene(&assets.Scene{})),
		"loose.scene.json":     []byte(`{"entities": [{"id": "a", "model": "car"}]}`),
		"level.script":         []byte("script"),
		"smoke.particle.json":  []byte(`{"texture": "walls/brick", "rate": 3}`),
		"water.shader":         []byte("shader"),
		"hall.collision":       []byte("collision"),
		"broken.material.json": []byte("{\n\"maps\": 3}"),
		"broken.model":         []byte("no"),
		"broken.pcm":           []byte("no"),
		"broken.mesh":          []byte("no"),
		"broken.ktx2":          []byte("no"),
		"cut.ktx2":             must(ktx2.Encode(levels(256, 64)))[:5000],
		"index.mesh":           badIndex(),
		"large.material.json":  make([]byte, docfile.MaterialBytesMax+1),
	}
}

func badIndex() []byte {
	b := must(meshfile.Encode(make([]assets.Vertex, 4), []uint32{0, 1, 2}))
	binary.LittleEndian.PutUint32(b[len(b)-4:], 4)
	return b
}

func carModel() *assets.Model {
	return &assets.Model{
		Nodes: []assets.ModelNode{{Name: "root", Parent: -1, Local: assets.IdentityTransform()}},
		Parts: []assets.ModelPart{{Mesh: "car#wheel", Material: "loose"}, {Mesh: "car#wheel"}, {Mesh: "car#body", Material: "loose"}},
	}
}

func open(t *testing.T, mapping bool) (*assets.Store, *memory) {
	t.Helper()
	m := newMemory(mapping)
	content(m)
	s, err := assets.Open(assets.Options{Kinds: Builtin(), Sources: []assets.Source{m}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if n := m.leases.Load(); n != 0 {
			t.Errorf("%d mapping leases are left", n)
		}
	})
	return s, m
}

// with loads one asset, shows its payload, and lets it go.
func with[T any](t *testing.T, s *assets.Store, kind assets.Kind, stem string, show func(*T)) {
	t.Helper()
	h, err := s.Retain(context.Background(), assets.Key{Stem: stem, Kind: kind})
	if err != nil {
		t.Errorf("%v: %v", kind, err)
		return
	}
	show(assets.Of[T](s, kind).At(h))
	s.Release(h)
}

func bothWays(t *testing.T, f func(t *testing.T, s *assets.Store, m *memory)) {
	for _, mapping := range []bool{false, true} {
		name := "read"
		if mapping {
			name = "mapped"
		}
		t.Run(name, func(t *testing.T) {
			s, m := open(t, mapping)
			f(t, s, m)
		})
	}
}

func TestBuiltinHasEveryKind(t *testing.T) {
	if n := len(Builtin()); n != int(assets.NumBuiltinKinds) {
		t.Fatalf("%d specs for %d kinds", n, assets.NumBuiltinKinds)
	}
	s, _ := open(t, false)
	for kind := range assets.NumBuiltinKinds {
		if got := s.KindName(kind); got != kind.String() {
			t.Errorf("kind %d is called %q, want %q", kind, got, kind)
		}
	}
}

func TestTextureReadsDirectoryAndTailOnly(t *testing.T) {
	bothWays(t, func(t *testing.T, s *assets.Store, m *memory) {
		with(t, s, assets.KindTexture, "walls/brick", func(x *assets.Texture) {
			if x.Width != 256 || x.Height != 64 || x.Levels != 9 || !x.SRGB || x.HasAlpha || x.TailLevel != 5 {
				t.Errorf("texture %+v", x)
			}
			if x.Tail.Mapped() != m.mapping {
				t.Errorf("tail mapped: %v", x.Tail.Mapped())
			}
			for level := x.TailLevel; level < x.Levels; level++ {
				p := x.LevelIn(x.Tail.Slice(), level)
				if p[0] != byte(level+1) || p[len(p)-1] != byte(level+1) {
					t.Errorf("level %d of the tail starts with %d and ends with %d", level, p[0], p[len(p)-1])
				}
			}
		})
		const tail = (8*2 + 4*1 + 2*1 + 1*1) * 4
		if got, most := m.asked("walls/brick.ktx2"), textureHeadBytes+tail; got > int64(most) {
			t.Errorf("read %d bytes, at most %d are needed", got, most)
		}
		with(t, s, assets.KindTexture, "walls/dot", func(x *assets.Texture) {
			if x.Levels != 2 || x.TailLevel != 0 || x.Tail.Len() != 12 {
				t.Errorf("texture %+v", x)
			}
		})
	})
}

func TestMeshAndSoundShowTheirSource(t *testing.T) {
	bothWays(t, func(t *testing.T, s *assets.Store, m *memory) {
		with(t, s, assets.KindMesh, "car#wheel", func(x *assets.Mesh) {
			if len(x.Vertices) != 4 || !slices.Equal(x.Indices, []uint32{0, 1, 2, 0, 2, 3}) || x.Data.Mapped() != m.mapping {
				t.Errorf("mesh %+v", x)
			}
		})
		with(t, s, assets.KindSound, "hum", func(x *assets.Sound) {
			if x.Rate != 48000 || x.Channels != 2 || !slices.Equal(x.Samples, []int16{1, 2, 3, 4}) || x.Data.Mapped() != m.mapping {
				t.Errorf("sound %+v", x)
			}
		})
	})
}

func TestBlobs(t *testing.T) {
	bothWays(t, func(t *testing.T, s *assets.Store, m *memory) {
		for _, c := range []struct {
			kind       assets.Kind
			stem, want string
		}{
			{assets.KindFont, "plain", "a TrueType font"},
			{assets.KindFont, "open", "an OpenType font"},
			{assets.KindBlob, "notes.txt", "a blob"},
			{assets.KindBlob, "empty.txt", ""},
			{assets.KindScript, "level", "script"},
			{assets.KindShader, "water", "shader"},
			{assets.KindCollision, "hall", "collision"},
		} {
			with(t, s, c.kind, c.stem, func(x *assets.Blob) {
				if got := string(x.Data.Slice()); got != c.want {
					t.Errorf("%v %s is %q", c.kind, c.stem, got)
				}
			})
		}
	})
}

func TestDocuments(t *testing.T) {
	bothWays(t, func(t *testing.T, s *assets.Store, m *memory) {
		for _, stem := range []string{"packed", "loose", "both"} {
			with(t, s, assets.KindMaterial, stem, func(x *assets.Material) {
				if x.Maps[assets.MapBaseColor] != "walls/brick" || x.Roughness != 1 {
					t.Errorf("material %s is %+v", stem, x)
				}
			})
		}
		with(t, s, assets.KindModel, "car", func(x *assets.Model) {
			if len(x.Parts) != 3 || x.Parts[0].Mesh != "car#wheel" {
				t.Errorf("model %+v", x)
			}
		})
		with(t, s, assets.KindParticle, "smoke", func(x *assets.Particles) {
			if x.Texture != "walls/brick" || x.Rate != 3 {
				t.Errorf("particles %+v", x)
			}
		})
		with(t, s, assets.KindScene, "packed", func(x *assets.Scene) {
			if len(x.Entities) != 0 {
				t.Errorf("scene %+v", x)
			}
		})
		with(t, s, assets.KindScene, "loose", func(x *assets.Scene) {
			if len(x.Entities) != 1 || x.Entities[0].Model != "car" {
				t.Errorf("scene %+v", x)
			}
		})
	})
}

func TestBrokenFilesNameThemselves(t *testing.T) {
	bothWays(t, func(t *testing.T, s *assets.Store, m *memory) {
		for _, c := range []struct {
			kind    assets.Kind
			stem    string
			want    error
			mention []string
		}{
			{assets.KindMaterial, "broken", assets.ErrCorrupt, []string{"broken.material.json:2:9", "must be an object"}},
			{assets.KindMaterial, "large", assets.ErrTooLarge, []string{"large", "1048577 bytes"}},
			{assets.KindModel, "broken", assets.ErrCorrupt, []string{"broken.model"}},
			{assets.KindSound, "broken", assets.ErrCorrupt, []string{"broken", "2 bytes"}},
			{assets.KindMesh, "broken", assets.ErrCorrupt, []string{"broken", "2 bytes"}},
			{assets.KindMesh, "index", assets.ErrCorrupt, []string{"index", "index 2 names vertex 4 of 4"}},
			{assets.KindTexture, "broken", assets.ErrCorrupt, []string{"broken", "cut short"}},
			{assets.KindTexture, "cut", assets.ErrCorrupt, []string{"cut", "level 2", "of 5000"}},
			{assets.KindTexture, "nowhere", assets.ErrMissing, []string{"nowhere"}},
		} {
			_, err := s.Retain(context.Background(), assets.Key{Stem: c.stem, Kind: c.kind})
			if !errors.Is(err, c.want) {
				t.Errorf("%v %s: %v", c.kind, c.stem, err)
				continue
			}
			for _, want := range c.mention {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v %s: %v does not say %q", c.kind, c.stem, err, want)
				}
			}
		}
		if n := m.leases.Load(); n != 0 {
			t.Errorf("failed decodes left %d leases", n)
		}
	})
}

func TestForeignTextureWithLongKeyValues(t *testing.T) {
	s, m := open(t, false)
	m.files["foreign.ktx2"] = withLongKey(must(ktx2.Encode(levels(8, 8))))
	with(t, s, assets.KindTexture, "foreign", func(x *assets.Texture) {
		if x.Levels != 4 || x.LevelIn(x.Tail.Slice(), 0)[0] != 1 {
			t.Errorf("texture %+v", x)
		}
	})
}

// withLongKey puts a key/value pair of 2 KiB before those of a texture file.
func withLongKey(b []byte) []byte {
	const keyValOffset, keyValBytes, levelIndex, pairBytes = 56, 60, 80, 2048
	le := binary.LittleEndian
	at := le.Uint32(b[keyValOffset:])
	pair := le.AppendUint32(nil, pairBytes-4)
	pair = append(pair, "about\x00"...)
	pair = append(pair, make([]byte, pairBytes-len(pair))...)
	out := slices.Insert(slices.Clone(b), int(at), pair...)
	le.PutUint32(out[keyValBytes:], le.Uint32(b[keyValBytes:])+pairBytes)
	for i := range le.Uint32(b[40:]) {
		entry := out[levelIndex+i*24:]
		le.PutUint64(entry, le.Uint64(entry)+pairBytes)
	}
	return out
}

func TestNeeds(t *testing.T) {
	keys := func(needs func(func(assets.Key))) (got []string) {
		needs(func(k assets.Key) { got = append(got, k.String()) })
		return got
	}
	material := docfile.DefaultMaterial()
	material.Maps[assets.MapNormal], material.Maps[assets.MapBaseColor], material.Maps[assets.MapORM] = "n", "c", "n"
	scene := assets.Scene{Skybox: "sky", Entities: []assets.SceneEntity{
		{Model: "car", Material: "red"}, {Model: "car"}, {Sound: "hum"}, {Sound: "hum"},
	}, Effects: []assets.SceneEffect{
		{Kind: assets.EffectDecal, Asset: "oil"}, {Kind: assets.EffectParticles, Asset: "fire"}, {Kind: assets.EffectProbe, Asset: "sky"},
		{Kind: assets.EffectZone, Zone: &assets.SceneZone{Sound: "drip", LookUp: "cave"}},
	}}
	for name, c := range map[string]struct{ got, want []string }{
		"material":  {keys(func(y func(assets.Key)) { once(materialNeeds)(&material, y) }), []string{"texture:c", "texture:n"}},
		"model":     {keys(func(y func(assets.Key)) { once(modelNeeds)(carModel(), y) }), []string{"mesh:car#wheel", "material:loose", "mesh:car#body"}},
		"scene":     {keys(func(y func(assets.Key)) { once(sceneNeeds)(&scene, y) }), []string{"texture:sky", "model:car", "material:red", "sound:hum", "texture:oil", "particle:fire"}},
		"particles": {keys(func(y func(assets.Key)) { once(particlesNeeds)(&assets.Particles{Texture: "puff"}, y) }), []string{"texture:puff"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s needs %v, want %v", name, c.got, c.want)
		}
	}
}

func TestFootprints(t *testing.T) {
	owned := assets.OwnBytes(make([]byte, 100))
	m := newMemory(true)
	mapped := assets.LeaseBytes(&memoryLease{b: make([]byte, 50), m: m})
	if got := bytesFootprint(&owned); got != (assets.Footprint{OwnedBytes: 100}) {
		t.Errorf("owned: %+v", got)
	}
	if got := bytesFootprint(&mapped); got != (assets.Footprint{MappedBytes: 50}) {
		t.Errorf("mapped: %+v", got)
	}
	// A document's footprint grows with its items and with their names, also
	// past the items that are looked at.
	name := strings.Repeat("n", 100)
	few, many := assets.Scene{}, assets.Scene{}
	for range 10 * estimateItemsMax {
		few.Entities = append(few.Entities, assets.SceneEntity{ID: "n"})
		many.Entities = append(many.Entities, assets.SceneEntity{ID: name})
	}
	if got, want := sceneFootprint(&many).OwnedBytes-sceneFootprint(&few).OwnedBytes, int64(99*10*estimateItemsMax); got != want {
		t.Errorf("longer ids cost %d bytes, want %d", got, want)
	}
	model := carModel()
	if got := modelFootprint(model).OwnedBytes; got < 100 {
		t.Errorf("a model costs %d bytes", got)
	}
}

func TestFreeClearsViews(t *testing.T) {
	m := newMemory(true)
	mesh, err := meshfile.Decode(assets.LeaseBytes(&memoryLease{b: must(meshfile.Encode(make([]assets.Vertex, 3), []uint32{0, 1, 2})), m: m}))
	if err != nil {
		t.Fatal(err)
	}
	sound, err := soundfile.Decode(assets.LeaseBytes(&memoryLease{b: must(soundfile.Encode(8000, 1, []int16{1})), m: m}))
	if err != nil {
		t.Fatal(err)
	}
	freeMesh(&mesh)
	freeSound(&sound)
	if mesh.Vertices != nil || mesh.Indices != nil || sound.Samples != nil || m.leases.Load() != -2 {
		t.Errorf("views are left, or leases: %d", m.leases.Load())
	}
}

// A whole scene comes in with everything that it needs.
func TestClosureOfAScene(t *testing.T) {
	s, m := open(t, false)
	m.files["car#body.mesh"] = m.files["car#wheel.mesh"]
	h, err := s.Name(assets.Key{Stem: "loose", Kind: assets.KindScene})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Forget(h)
	b := s.NewBatch(assets.BatchOptions{Owner: "test", Closure: true})
	b.Add(h)
	b.Submit()
	var wakes []assets.Wake
	for !b.Done() {
		wakes = s.Drain(wakes[:0])
	}
	scope := assets.NewScope(s)
	b.Adopt(scope)
	if failures := b.Failures(); len(failures) != 0 {
		t.Errorf("failures: %v", failures)
	}
	for _, want := range []string{"scene:loose", "model:car", "mesh:car#wheel", "mesh:car#body", "material:loose", "texture:walls/brick"} {
		name, stem, _ := strings.Cut(want, ":")
		found := false
		for kind := range assets.NumBuiltinKinds {
			if kind.String() == name {
				h, ok := s.Find(assets.Key{Stem: stem, Kind: kind})
				found = ok && s.Has(h)
			}
		}
		if !found {
			t.Errorf("%s did not come along", want)
		}
	}
	scope.ReleaseAll()
}
