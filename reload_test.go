package sojourn_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/loose"
	"sojourn/ecs/components"
	"sojourn/ecs/systems"
	"sojourn/stages"
)

// saveStyles save data over a file as editors and exporters do; pause lets a
// frame pass in the middle.
func saveStyles() map[string]func(l *live, name string, data []byte, pause func()) {
	return map[string]func(l *live, name string, data []byte, pause func()){
		"slow-write": func(l *live, name string, data []byte, pause func()) {
			f, err := os.OpenFile(l.path(name), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
			if err != nil {
				l.Fatal(err)
			}
			defer f.Close()
			for _, part := range [][]byte{data[:len(data)/2], data[len(data)/2:]} {
				if _, err := f.Write(part); err != nil {
					l.Fatal(err)
				}
				pause()
			}
		},
		"temp-rename": func(l *live, name string, data []byte, _ func()) { l.save(name, data) },
		"backup-rename": func(l *live, name string, data []byte, pause func()) {
			if err := os.Rename(l.path(name), l.path(name)+"~"); err != nil {
				l.Fatal(err)
			}
			pause()
			put(l.T, l.path(name), data)
			if err := os.Remove(l.path(name) + "~"); err != nil {
				l.Fatal(err)
			}
		},
		"rapid": func(l *live, name string, data []byte, pause func()) {
			old, err := os.ReadFile(l.path(name))
			if err != nil {
				l.Fatal(err)
			}
			for i := range 24 {
				if i%2 == 1 {
					l.save(name, old)
				} else {
					l.save(name, data)
				}
				pause()
			}
			l.save(name, data)
		},
	}
}

// Every style of saving, three times in a row, of every kind a model shows:
// the world ends up showing what was saved.
func TestCaseA06_WorldsShowWhatWasSaved(t *testing.T) {
	for style, save := range saveStyles() {
		t.Run(style, func(t *testing.T) {
			l := folderLive(t, box(t, 3))
			l.spawnBox()
			l.await("the box is drawn", l.drawn(3))
			for i := range 3 {
				n := 5 + i
				save(l, "box#side.mesh", meshOf(t, n), l.frame)
				l.await(fmt.Sprintf("%d triangles", n), l.drawn(n))

				skin := textureOf(t, 16<<i, byte(40+i))
				save(l, "skin.ktx2", skin, l.frame)
				l.await("the new texture", l.shows(skin))

				red := 0.5 + float32(i)/8
				save(l, "paint.material", materialOf(t, red, "skin"), l.frame)
				l.await("the new material", func() bool {
					return len(l.dev.items) == 1 && l.dev.materials[l.dev.items[0].Material].BaseColor[0] == red &&
						l.shows(skin)()
				})
			}
			st := l.s.Store().Stats()
			if st.DecodesOnTick != 0 || st.OverReleases != 0 {
				t.Errorf("%d decodes on a tick, %d over-releases", st.DecodesOnTick, st.OverReleases)
			}
		})
	}
}

// Rapid saves while the game retains and releases at random: the last content
// wins, no reference is lost, later saves still work.
func TestCaseA05_LastContentWinsUnderRandomRetains(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	l := folderLive(t, box(t, 3))
	l.spawnBox()
	l.await("the box is drawn", l.drawn(3))
	store := l.s.Store()
	names := map[assets.Kind]assets.Handle{}
	for kind, stem := range map[assets.Kind]string{
		assets.KindMesh: "box#side", assets.KindTexture: "skin", assets.KindMaterial: "paint", assets.KindModel: "box",
	} {
		h, err := store.Name(assets.Key{Stem: stem, Kind: kind})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Forget(h)
		names[kind] = h
	}
	var held []assets.Handle
	disturb := func() {
		for _, h := range names {
			if r.IntN(3) == 0 && store.TryRetain(h) {
				held = append(held, h)
			}
		}
		for len(held) > 0 && r.IntN(2) == 0 {
			i := r.IntN(len(held))
			store.Release(held[i])
			held = append(held[:i], held[i+1:]...)
		}
		for range r.IntN(4) {
			l.frame()
		}
	}
	for round := range 3 {
		var skin []byte
		n := 0
		for range 25 {
			n = 4 + r.IntN(60)
			skin = textureOf(t, 8<<r.IntN(3), byte(r.IntN(200)))
			l.save("box#side.mesh", meshOf(t, n))
			disturb()
			l.save("skin.ktx2", skin)
			disturb()
		}
		for _, h := range held {
			store.Release(h)
		}
		held = held[:0]
		l.await(fmt.Sprintf("round %d: %d triangles", round, n), l.drawn(n))
		l.await(fmt.Sprintf("round %d: the last texture", round), l.shows(skin))
	}
	if st := store.Stats(); st.OverReleases != 0 || st.DecodesOnTick != 0 {
		t.Errorf("%d over-releases, %d decodes on a tick", st.OverReleases, st.DecodesOnTick)
	}
}

// What could not be loaded at first is shown once it was saved right, whether
// it was damaged or not there at all.
func TestReload_RecoversAfterAFailedFirstLoad(t *testing.T) {
	files := box(t, 3)
	delete(files, "skin.ktx2")
	files["box#side.mesh"] = []byte("no mesh")
	files["paint.material"] = []byte("no material")
	files["box.model"] = files["box.model"][:20]
	l := folderLive(t, files)
	l.spawnBox()
	failed := func(kind assets.Kind, stem string) func() bool {
		return func() bool {
			st := l.s.Store().State(l.handle(kind, stem))
			return (st == assets.StateFailed || st == assets.StateMissing) && l.s.Idle()
		}
	}
	l.await("the model failed", failed(assets.KindModel, "box"))
	l.save("box.model", modelOf(t, 2, "box#side", "paint"))
	l.await("the mesh failed", failed(assets.KindMesh, "box#side"))
	l.await("the material failed", failed(assets.KindMaterial, "paint"))
	l.save("box#side.mesh", meshOf(t, 4))
	l.await("two parts are drawn", l.drawn(8))
	l.save("paint.material", materialOf(t, 0.75, "skin"))
	l.await("the map is missing", failed(assets.KindTexture, "skin"))
	skin := textureOf(t, 8, 99)
	l.save("skin.ktx2", skin)
	l.await("the map is shown", l.shows(skin))
}

// A texture's file changes; the sound at the same stem goes on.
func TestReload_ACompanionKindSurvives(t *testing.T) {
	l := folderLive(t, box(t, 3))
	l.spawnBox()
	if _, err := sojourn.SpawnSound(l.w, "skin", sojourn.At(0, 0, -1), 1, 20); err != nil {
		t.Fatal(err)
	}
	l.await("it is drawn and heard", func() bool {
		return l.drawn(3)() && l.s.Mixer().Voices() == 1 && l.dev.baseMap() != 0
	})
	sound := l.handle(assets.KindSound, "skin")
	// The source and its voice; what loaded it lets go some frames later.
	held := func() bool { return l.s.Store().Refs(sound) == 2 }
	l.await("only the source and its voice hold the sound", held)
	decodes := l.s.Store().Stats().Decodes
	skin := textureOf(t, 32, 77)
	l.save("skin.ktx2", skin)
	shown := l.shows(skin)
	l.await("the new texture", func() bool {
		if !held() || l.s.Mixer().Voices() != 1 {
			t.Fatalf("the sound has %d retains; %d voices", l.s.Store().Refs(sound), l.s.Mixer().Voices())
		}
		return shown()
	})
	if got := l.s.Store().Stats().Decodes; got != decodes+1 {
		t.Errorf("%d decodes for one saved file", got-decodes)
	}
}

// What a game holds itself stays as it is, and stands in the way until it is
// released.
func TestReload_ALiveBorrowIsNeverInvalid(t *testing.T) {
	l := folderLive(t, box(t, 3))
	l.spawnBox()
	l.await("the box is drawn", l.drawn(3))
	store, meshes := l.s.Store(), assets.Of[assets.Mesh](l.s.Store(), assets.KindMesh)
	h := l.handle(assets.KindMesh, "box#side")
	if !store.TryRetain(h) {
		t.Fatal("not resident")
	}
	var told assets.Changes
	l.s.OnReload(func(c assets.Changes) { told = c })
	l.save("box#side.mesh", meshOf(t, 6))
	l.await("the borrow is of an old version", func() bool { return store.State(h) == assets.StateReloadPending })
	if !told["box"].Has(assets.KindMesh) {
		t.Errorf("the game was told of %v", told)
	}
	for range 20 {
		l.frame()
		if m := meshes.At(h); m == nil || len(m.Indices) != 9 || m.Vertices[0].Pos != [3]float32{-1, -1, 0} {
			t.Fatal("the borrow changed")
		}
	}
	if store.TryRetain(h) {
		t.Error("the old version was retained anew")
	}
	store.Release(h)
	l.await("the new version is drawn", l.drawn(6))
}

// Every other holder: skybox, looping sound, model, several worlds.
func TestReload_EveryHolderLetsGo(t *testing.T) {
	l := folderLive(t, box(t, 3))
	l.spawnBox()
	other, err := l.s.NewWorld(sojourn.WorldOptions{Name: "other", EntitiesExpected: 64})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []*sojourn.World{l.w, other} {
		if _, err := sojourn.SpawnSkybox(w, "sky/day"); err != nil {
			t.Fatal(err)
		}
		if _, err := sojourn.SpawnSound(w, "sounds/hum", sojourn.At(0, 0, 0), 1, 10); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := sojourn.Spawn(other, "box", sojourn.At(0, 0, -5)); err != nil {
		t.Fatal(err)
	}
	showsSky := func(file []byte) func() bool {
		want := sumOf(t, file)
		return func() bool { return l.dev.skybox != 0 && l.dev.Checksum(l.dev.skybox) == want }
	}
	l.await("all is there", func() bool {
		return l.drawn(3)() && l.s.Mixer().Voices() == 2 && showsSky(textureOf(t, 16, 200))()
	})

	sky := textureOf(t, 32, 30)
	l.save("sky/day.ktx2", sky)
	l.await("the new sky", showsSky(sky))

	hum := l.handle(assets.KindSound, "sounds/hum")
	sounds := assets.Of[assets.Sound](l.s.Store(), assets.KindSound)
	l.save("sounds/hum.pcm", soundOf(t, 4801, 7))
	l.await("both hum anew", func() bool {
		s := sounds.At(hum)
		return l.s.Mixer().Voices() == 2 && s != nil && s.Frames() == 4801
	})

	l.save("box.model", modelOf(t, 3, "box#side", "paint"))
	l.await("three parts", l.drawn(9))
	l.s.SetActive(other)
	l.frame() // what was drawn before is the first world's
	l.await("three parts in the other world", l.drawn(9))
	l.await("the old parts retired", func() bool {
		a, b := l.w.Pending()
		c, d := other.Pending()
		return a+b+c+d == 0
	})
	if n := count[components.Primitive](other); n != 3 {
		t.Errorf("%d primitives", n)
	}
}

// letter is a guest's component.
type letter struct {
	stem string
	text string
}

// A guest's bound component is unbound before a reload and bound again after,
// also where its first load had failed.
func TestReload_BindRows(t *testing.T) {
	files := box(t, 3)
	dir := t.TempDir()
	for name, data := range files {
		put(t, dir+"/"+name, data)
	}
	src, err := loose.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	unbound, failed := 0, 0
	row := systems.Bind(systems.BindOptions[letter, assets.Blob]{
		Name: "letters", Kind: assets.KindScript,
		Stem:   func(c *letter) string { return c.stem },
		Bind:   func(_ ecs.Entity, c *letter, b *assets.Blob) { c.text = string(b.Data.Slice()) },
		Unbind: func(ecs.Entity) { unbound++ },
		Failed: func(ecs.Entity, *letter, error) { failed++ },
	})
	l := openLive(t, []string{dir}, []assets.Source{src}, func(o *sojourn.Options) { o.Rows = []stages.Row{row} })
	l.dir = dir
	m := generic.NewMap1[letter](l.w.ECS())
	a := m.NewWith(&letter{stem: "letters/a"})
	b := m.NewWith(&letter{stem: "letters/b"})
	reads := func(e ecs.Entity, text string) func() bool { return func() bool { return m.Get(e).text == text } }
	l.await("one is bound, one failed", func() bool { return reads(a, "first")() && failed == 1 })
	l.save("letters/a.script", []byte("second"))
	l.await("it is bound again", reads(a, "second"))
	if unbound != 1 {
		t.Errorf("unbound %d times", unbound)
	}
	l.save("letters/b.script", []byte("late"))
	l.await("the late one is bound", reads(b, "late"))
}
