package registry_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/assets/cook"
	"sojourn/assets/docfile"
	"sojourn/assets/kinds"
	"sojourn/assets/ktx2"
	"sojourn/assets/meshfile"
	"sojourn/assets/pack"
	"sojourn/assets/registry"
)

var ctx = context.Background()

func key(kind assets.Kind, stem string) assets.Key { return assets.Key{Stem: stem, Kind: kind} }

// bench is a registry over a store over a source in memory.
type bench struct {
	*testing.T
	src   *assetstest.Source
	store *assets.Store
	reg   *registry.Registry
}

func open(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, src: assetstest.NewSource("memory.pack")}
	var err error
	b.store, err = assets.Open(assets.Options{Kinds: kinds.Builtin(), Sources: []assets.Source{b.src}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	b.reg = registry.New(b.store)
	t.Cleanup(func() {
		b.reg.Close()
		assetstest.CheckLeaks(t, b.store)
		if err := b.store.Close(); err != nil {
			t.Error(err)
		}
	})
	b.file(ktx2.Encode(&ktx2.Levels{Width: 1, Height: 1, Pixels: [][]byte{{1, 2, 3, 255}}}))("skin.ktx2", "grey.ktx2")
	b.file(meshfile.Encode([]assets.Vertex{
		{Pos: [3]float32{-3, 0, 0}}, {Pos: [3]float32{3, 0, 0}}, {Pos: [3]float32{0, 4, 0}},
	}, []uint32{0, 1, 2}))("car#wheel.mesh", "car#door.mesh")
	m := assets.Material{Roughness: 1, NormalScale: 1, Occlusion: 1}
	b.file(docfile.EncodeMaterial(&m))("plain.material")
	m.Maps[assets.MapBaseColor], m.Maps[assets.MapNormal] = "skin", "nowhere"
	b.file(docfile.EncodeMaterial(&m))("paint.material")
	identity := [16]float32{0: 1, 5: 1, 10: 1, 15: 1}
	node := func(name string, parent int32) assets.ModelNode {
		return assets.ModelNode{Name: name, Parent: parent, Local: assets.IdentityTransform(), World: identity}
	}
	b.file(docfile.EncodeModel(&assets.Model{
		Nodes: []assets.ModelNode{node("car", -1), node("axle", 0)},
		Parts: []assets.ModelPart{{Node: 0, Mesh: "car#door", Material: "paint"}, {Node: 1, Mesh: "car#wheel", Material: "paint"}},
	}))("car.model")
	return b
}

func (b *bench) file(data []byte, err error) func(names ...string) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	return func(names ...string) {
		for _, name := range names {
			b.src.Set(name, data)
		}
	}
}

func (b *bench) register(kind assets.Kind, stem string) uuid.UUID {
	b.Helper()
	id := cook.UUID(key(kind, stem))
	if err := b.reg.Register(id, key(kind, stem)); err != nil {
		b.Fatal(err)
	}
	return id
}

func (b *bench) retain(kind assets.Kind, stem string) {
	b.Helper()
	h, err := b.store.Retain(ctx, key(kind, stem))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { b.store.Release(h) })
}

func (b *bench) fallbacks() {
	b.Helper()
	if err := b.reg.SetFallbacks(ctx, key(assets.KindTexture, "grey"), key(assets.KindMaterial, "plain")); err != nil {
		b.Fatal(err)
	}
}

func TestIngest_NeedsFallbacksFirst(t *testing.T) {
	b := open(t)
	id := b.register(assets.KindTexture, "skin")
	for name, ingest := range map[string]func(uuid.UUID) (assets.Handle, error){
		"texture": b.reg.IngestTexture, "mesh": b.reg.IngestMesh, "material": b.reg.IngestMaterial, "model": b.reg.IngestModel,
	} {
		if _, err := ingest(id); !errors.Is(err, registry.ErrNoFallback) || !strings.Contains(err.Error(), "SetFallbacks") {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := b.reg.SetFallbacks(ctx, key(assets.KindTexture, "nothing"), key(assets.KindMaterial, "plain"))
	if !errors.Is(err, assets.ErrMissing) || !strings.Contains(err.Error(), "fallback texture") {
		t.Errorf("%v", err)
	}
	b.fallbacks()
	b.fallbacks() // again is fine
	if _, err := b.reg.IngestTexture(id); err != nil {
		t.Error(err)
	}
}

func TestIngest(t *testing.T) {
	b := open(t)
	b.fallbacks()
	wheel, door := b.register(assets.KindMesh, "car#wheel"), b.register(assets.KindMesh, "car#door")
	car, paint := b.register(assets.KindModel, "car"), b.register(assets.KindMaterial, "paint")
	skin, gone := b.register(assets.KindTexture, "skin"), b.register(assets.KindTexture, "gone")

	if _, err := b.reg.IngestMesh(wheel); !errors.Is(err, assets.ErrNotReady) {
		t.Errorf("a mesh that is not in memory: %v", err)
	}
	if _, err := b.reg.IngestMesh(skin); !errors.Is(err, registry.ErrConflict) {
		t.Errorf("a texture as a mesh: %v", err)
	}
	b.retain(assets.KindMesh, "car#wheel")
	b.retain(assets.KindModel, "car")
	b.retain(assets.KindMaterial, "paint")

	mesh, err := b.reg.IngestMesh(wheel)
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.reg.IngestMesh(wheel)
	if err != nil || again != mesh {
		t.Errorf("%#x, %#x, %v", mesh, again, err)
	}
	if bounds, ok := b.reg.Bounds(mesh); !ok || bounds.Radius < 3 || bounds.Max != [3]float32{3, 4, 0} {
		t.Errorf("%+v", bounds)
	}

	model, err := b.reg.IngestModel(car)
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := b.reg.PlaceOf(mesh); !ok || p != (registry.Place{Model: model, Part: 1, Node: 1}) {
		t.Errorf("%+v", p)
	}
	doorMesh, _ := b.reg.Handle(door)
	if p, _ := b.reg.PlaceOf(doorMesh); p.Part != 0 || p.Node != 0 {
		t.Errorf("%+v", p)
	}

	material, err := b.reg.IngestMaterial(paint)
	if err != nil {
		t.Fatal(err)
	}
	texture, _ := b.reg.Handle(skin)
	grey, _ := b.reg.Fallbacks()
	if maps, _ := b.reg.Maps(material); maps[assets.MapBaseColor] != texture || maps[assets.MapNormal] != grey || maps[assets.MapORM] != 0 {
		t.Errorf("%v", maps)
	}

	if h, err := b.store.Retain(ctx, key(assets.KindTexture, "gone")); err == nil {
		b.store.Release(h)
	}
	if h, err := b.reg.IngestTexture(gone); err == nil && h != grey {
		// A missing asset leaves no entry, so its state is known only while it
		// is named.
		if st := b.store.State(h); st != assets.StateMissing && st != assets.StateUnloaded {
			t.Errorf("%v", st)
		}
	}

	b.reg.Forget(assets.Changes{"car": assets.AllKinds})
	if _, ok := b.reg.Bounds(mesh); ok {
		t.Error("bounds of a mesh that changed")
	}
	if _, ok := b.reg.PlaceOf(mesh); ok {
		t.Error("a place in a model that changed")
	}
	if _, ok := b.reg.Maps(material); !ok {
		t.Error("a material that did not change went")
	}
	if id, ok := b.reg.UUIDOf(mesh); !ok || id != wheel {
		t.Errorf("%v", id)
	}
}

func TestRegister_Conflicts(t *testing.T) {
	b := open(t)
	id := b.register(assets.KindTexture, "skin")
	b.register(assets.KindTexture, "skin")
	if err := b.reg.Register(id, key(assets.KindTexture, "other")); !errors.Is(err, registry.ErrConflict) {
		t.Error(err)
	}
	if err := b.reg.Register(uuid.New(), key(assets.KindTexture, "skin")); !errors.Is(err, registry.ErrConflict) {
		t.Error(err)
	}
	if err := b.reg.Register(uuid.Nil, key(assets.KindTexture, "nil")); !errors.Is(err, registry.ErrConflict) {
		t.Error(err)
	}
	if _, err := b.reg.Handle(uuid.New()); !errors.Is(err, registry.ErrUnknown) {
		t.Error(err)
	}
	if b.reg.Len() != 1 {
		t.Errorf("%d assets", b.reg.Len())
	}
}

func TestRead_RefusesBadLists(t *testing.T) {
	b := open(t)
	if n, err := b.reg.Read(b.src); n != 0 || err != nil {
		t.Errorf("no list: %d, %v", n, err)
	}
	for text, want := range map[string]error{
		`{`: assets.ErrCorrupt,
		`[{"uuid":"nonsense","kind":"texture","stem":"a"}]`:                                assets.ErrCorrupt,
		`[{"uuid":"6b0c1f0e-8f0b-5e0a-9a53-50300a6f7a1d","kind":"nonsense","stem":"a"}]`:   assets.ErrUnknownKind,
		`[{"uuid":"6b0c1f0e-8f0b-5e0a-9a53-50300a6f7a1d","kind":"texture","stem":"../a"}]`: assets.ErrBadStem,
		`[{"uuid":"00000000-0000-0000-0000-000000000000","kind":"texture","stem":"a"}]`:    registry.ErrConflict,
	} {
		b.src.SetText(registry.EntryName, text)
		if n, err := b.reg.Read(b.src); n != 0 || !errors.Is(err, want) || !strings.Contains(err.Error(), "memory.pack") {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
	if b.reg.Len() != 0 {
		t.Error("something was taken up")
	}
}

// Identities are the same in every cook, whatever the pack is called and
// whatever the files hold; a sidecar's stays with its file.
func TestUUIDs_SurviveCooksAndRenames(t *testing.T) {
	art, out := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(art, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const given = "0d2b7a4e-52e5-4f60-9a53-2f1d8e6f7a1d"
	write("a.txt", "first")
	write("b.txt", "b")
	write("b.txt.uuid", given)
	b := open(t)
	ids := map[assets.Key]uuid.UUID{}
	for i, name := range []string{"one.zip", "two.zip"} {
		path := filepath.Join(out, name)
		if _, err := cook.Run(ctx, cook.Options{Out: path, Dirs: []string{art}}); err != nil {
			t.Fatal(err)
		}
		p, err := pack.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		n, err := b.reg.Read(p)
		if err != nil || i == 0 && n != 2 || i == 1 && n != 1 {
			t.Errorf("pack %d: %d new, %v", i, n, err)
		}
		p.Close()
		for _, k := range []assets.Key{key(assets.KindBlob, "a.txt"), key(assets.KindBlob, "b.txt")} {
			id, ok := b.reg.UUID(k)
			if back, _ := b.reg.Key(id); !ok || back != k || i > 0 && ids[k] != id {
				t.Errorf("%s: %s, was %s", k, id, ids[k])
			}
			ids[k] = id
		}
		write("a.txt", "second, and a new file")
		write("c.txt", "c")
	}
	if ids[key(assets.KindBlob, "b.txt")].String() != given {
		t.Errorf("the sidecar says %s", given)
	}
}

func TestLookups_FromManyGoroutines(t *testing.T) {
	b := open(t)
	b.fallbacks()
	b.retain(assets.KindMesh, "car#wheel")
	wheel := b.register(assets.KindMesh, "car#wheel")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				h, err := b.reg.IngestMesh(wheel)
				if err != nil {
					t.Error(err)
				}
				b.reg.Bounds(h)
				b.reg.UUIDOf(h)
			}
		})
	}
	wg.Wait()
	h, _ := b.reg.Handle(wheel)
	if n := testing.AllocsPerRun(100, func() {
		b.reg.Key(wheel)
		b.reg.UUIDOf(h)
		b.reg.Bounds(h)
		b.reg.PlaceOf(h)
	}); n != 0 {
		t.Errorf("look-ups allocate %v times", n)
	}
}
