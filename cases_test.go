package sojourn_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn"
	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/gpu"
	"sojourn/resources"
	"sojourn/sojourntest"
	"sojourn/stages/work"
)

func smallBudget(ops int64) work.Budget {
	b := work.High()
	b.Name = "small"
	b.Max[work.EntityOps], b.Max[work.Retirements] = ops, ops
	return b
}

// TestCaseA17_RefreshedTextureStarvesNobody: a texture that changes every frame
// would eat the whole upload budget.
func TestCaseA17_RefreshedTextureStarvesNobody(t *testing.T) {
	budget := work.High()
	budget.Name = "one mebibyte"
	budget.Max[work.UploadBytes] = 1 << 20
	c := shared()
	c.Texture("screen", 512) // 1 MiB, and its mips
	for i := range 10 {
		c.Mesh(fmt.Sprintf("m%d", i), 20)
		c.Model(fmt.Sprintf("m%d", i), sojourntest.Part{Mesh: fmt.Sprintf("m%d", i)})
	}
	c.Mesh("large", 12_000) // more than the budget
	c.Model("large", sojourntest.Part{Mesh: "large"})
	r := sojourntest.Open(t, c, sojourntest.Options{Work: budget})
	w := r.World("w")
	sky, err := sojourn.SpawnSkybox(w, "screen")
	if err != nil {
		t.Fatal(err)
	}
	r.Settle()
	skies := generic.NewMap[components.Skybox](w.ECS())
	frame := func() {
		r.Session.Textures().Refresh(skies.Get(sky).Joined)
		r.Frames(1)
	}
	for range 10 {
		frame()
	}
	refreshes := r.Session.Textures().Stats().Refreshes
	var prims []ecs.Entity
	for i := range 10 {
		prims = append(prims, spawn(t, w, fmt.Sprintf("m%d", i)))
	}
	const bound = 20
	frames := 0
	for ; r.Device.Stats().Geometries < len(prims); frames++ {
		if frames == bound {
			t.Fatalf("%d of %d meshes are resident after %d frames", r.Device.Stats().Geometries, len(prims), bound)
		}
		frame()
	}
	spawn(t, w, "large")
	for n := 0; r.Device.Stats().Geometries == len(prims); n++ {
		if n == bound {
			t.Fatalf("the oversized mesh is not resident after %d frames", bound)
		}
		frame()
	}
	if _, n := r.Session.Meter().Overruns(nil); n == 0 {
		t.Error("the oversized mesh is not named")
	}
	for range 20 {
		frame()
	}
	if got := r.Session.Textures().Stats().Refreshes; got <= refreshes+5 {
		t.Errorf("the texture was refreshed %d times beside the meshes", got-refreshes)
	}
}

// TestCaseA18_ReplaceSceneByItself: with each policy, once, and twice in one
// tick.
func TestCaseA18_ReplaceSceneByItself(t *testing.T) {
	for policy, name := range []string{"immediate", "gated", "manual", "deadline"} {
		for _, keepAliveMB := range []int{0, 64} {
			t.Run(fmt.Sprintf("%s keep-alive %d", name, keepAliveMB), func(t *testing.T) {
				a18(t, components.PresentPolicy(policy), keepAliveMB)
			})
		}
	}
}

func a18(t *testing.T, p components.PresentPolicy, keepAliveMB int) {
	r := sojourntest.Open(t, shared(), sojourntest.Options{KeepAliveMB: keepAliveMB, Work: smallBudget(4)})
	w := r.World("w")
	// run asks for the scene n times in one tick, and lets manual ones show.
	run := func(n int) (layers []ecs.Entity, events []resources.LayerEvent) {
		for range n {
			layers = append(layers, load(t, w, scene.Request{Stem: "full", Policy: p, Replace: true, Deadline: time.Hour}))
		}
		if p == components.PresentManual {
			for _, e := range layers {
				for {
					l, ok := w.Layer(e)
					if !ok {
						t.Fatal("a layer went before it was shown")
					}
					if l.State == components.LayerReady {
						break
					}
					r.Frames(1)
				}
				if err := w.Show(e); err != nil {
					t.Fatal(err)
				}
				r.Settle()
			}
		}
		r.Settle()
		return layers, w.TakeEvents(nil)
	}
	state := func() string {
		st := r.Session.Store().Stats()
		return fmt.Sprintf("%d retained, %d holds, %d entities, %d rosters, %d materials, %d device textures, %d items, %d voices, %d presented",
			st.Retains-st.Releases, w.Set().Ledger.Live(), w.ECS().Stats().Entities.Used, w.Set().Rosters.Live(),
			w.Set().Materials.Len(), r.Device.Stats().Textures, r.Device.Stats().DrawnItems, r.Session.Mixer().Voices(), w.Counts().Presented)
	}
	first, _ := run(1)
	want := state()
	live := first[0]
	for _, n := range []int{1, 2, 1, 2} {
		layers, events := run(n)
		if got := state(); got != want {
			t.Fatalf("after a replacement by itself: %s\nafter the first load: %s", got, want)
		}
		// One unload and one load per completed request, in order.
		at := 0
		for _, e := range layers {
			var mine []resources.LayerEvent
			for ; at < len(events) && len(mine) < 2; at++ {
				if events[at].Kind != resources.LayerIsReady {
					mine = append(mine, events[at])
				}
			}
			if len(mine) != 2 || mine[0].Kind != resources.LayerUnloaded || mine[0].Layer != live ||
				mine[1].Kind != resources.LayerLoaded || mine[1].Layer != e {
				t.Fatalf("events %+v, want %v unloaded and %v loaded", mine, live, e)
			}
			live = e
		}
		for _, ev := range events[at:] {
			t.Errorf("one event too many: %+v", ev)
		}
	}
}

// early loads n assets from its own goroutine and lets them go.
func early(t *testing.T, store *assets.Store, n int, key func(int) assets.Key) {
	b := store.NewBatch(assets.BatchOptions{Owner: "another goroutine"})
	for i := range n {
		h, err := store.Name(key(i))
		if err != nil {
			t.Error(err)
			continue
		}
		b.Add(h)
		store.Forget(h)
	}
	b.Submit()
	for !b.Done() {
		runtime.Gosched()
	}
	scope := assets.NewScope(store)
	if b.Adopt(scope); scope.Len() != n {
		t.Errorf("%d of %d textures", scope.Len(), n)
	}
	scope.ReleaseAll()
	b.Reset()
}

// TestCaseA20_LoadsBeforeTheFirstFrame: fifty textures asked for before
// anything was ticked, and from other goroutines; then the same in a second
// session of the same process. Under the race detector it shows that workers
// only decode.
func TestCaseA20_LoadsBeforeTheFirstFrame(t *testing.T) {
	for range 2 {
		c := sojourntest.NewContent()
		const n = 50
		for i := range n {
			c.Texture(fmt.Sprintf("t%d", i), 32)
			c.Material(fmt.Sprintf("t%d", i), fmt.Sprintf("t%d", i))
			c.Mesh(fmt.Sprintf("t%d", i), 1)
			c.Model(fmt.Sprintf("t%d", i), sojourntest.Part{Mesh: fmt.Sprintf("t%d", i), Material: fmt.Sprintf("t%d", i)})
		}
		r := sojourntest.Open(t, c, sojourntest.Options{Workers: 3})
		w := r.World("w")
		key := func(i int) assets.Key { return assets.Key{Stem: fmt.Sprintf("t%d", i), Kind: assets.KindTexture} }
		batch := r.Session.Store().NewBatch(assets.BatchOptions{Owner: "early"})
		for i := range n {
			h, err := r.Session.Store().Name(key(i))
			if err != nil {
				t.Fatal(err)
			}
			batch.Add(h)
			r.Session.Store().Forget(h)
			spawn(t, w, fmt.Sprintf("t%d", i))
		}
		batch.Submit()
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				early(t, r.Session.Store(), n, func(i int) assets.Key { return key((i + g*13) % n) })
			})
		}
		for range 30 {
			r.Frame()
		}
		wg.Wait()
		scope := assets.NewScope(r.Session.Store())
		for !batch.Done() {
			r.Frame()
		}
		batch.Adopt(scope)
		r.Settle()
		if d := r.Device.Stats(); d.Textures != n || d.DrawnItems != n {
			t.Errorf("%d of %d textures on the device, %d items", d.Textures, n, d.DrawnItems)
		}
		for _, row := range w.LastFrame().Materials {
			if m := row.Maps[assets.MapBaseColor]; m != gpu.NoMap && w.LastFrame().Textures[m] == 0 {
				t.Error("a material shows no image")
			}
		}
		scope.ReleaseAll()
		r.Close()
	}
}
