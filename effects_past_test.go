package sojourn_test

import (
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems"
	"sojourn/ecs/systems/scene"
	"sojourn/sojourntest"
	"sojourn/stages/work"
)

// A reload while a layer takes back what the game had put there loses none of it.
func TestReload_KeepsWhatTheGamePutIntoALayer(t *testing.T) {
	c := sojourntest.NewContent()
	c.Crate("crate")
	c.Crate("put")
	c.Scene("hall", "crate")
	budget := work.High()
	budget.Max[work.EntityOps] = 2
	r := sojourntest.Open(t, c, sojourntest.Options{Work: budget, KeepAliveMB: 8})
	w := r.World("w")
	const n = 12
	e := load(t, w, scene.Request{Stem: "hall", Policy: components.PresentGated})
	r.Settle()
	for i := range n {
		if _, err := sojourn.SpawnInto(w, e, "put", sojourn.At(float32(i), 0, -4)); err != nil {
			t.Fatal(err)
		}
	}
	r.Settle()
	if err := w.Unload(e); err != nil {
		t.Fatal(err)
	}
	r.Settle()
	if w.Set().Dormant.Live() != n {
		t.Fatal("records", w.Set().Dormant.Live())
	}
	r.Session.Meter().SetUnlimitedTime(false)
	e = load(t, w, scene.Request{Stem: "hall", Policy: components.PresentGated})
	mid := false
	for range 500 {
		r.Frames(1)
		l, _ := w.Layer(e)
		d := w.Set().Dormant.Live()
		if l.State == components.LayerSpawning && d > 0 && d < n {
			mid = true
			r.Session.Reload("put", assets.AllKinds)
			break
		}
	}
	if !mid {
		t.Fatal("never mid wake")
	}
	r.Settle()
	id := ecs.ComponentID[components.ModelInstance](w.ECS())
	q := w.ECS().Query(ecs.All(id))
	got := q.Count()
	q.Close()
	if got != n {
		t.Errorf("%d of %d models came back, %d records", got, n, w.Set().Dormant.Live())
	}
}

// What a zone keeps may be slow to read: nothing else waits for it.
func TestZone_KeepsNobodyWaiting(t *testing.T) {
	c := sojourntest.NewContent()
	c.Crate("crate")
	c.Texture("moss", 16)
	c.Scene("hall", "crate")
	c.SceneOf("cave", assets.Scene{Effects: []assets.SceneEffect{{ID: "z", Kind: assets.EffectZone,
		At:   assets.Transform{Rot: [4]float32{0, 0, 0, 1}, Scale: [3]float32{10, 10, 10}},
		Zone: &assets.SceneZone{Keep: []assets.Key{{Stem: "moss", Kind: assets.KindTexture}}}}}})
	r := sojourntest.Open(t, c, sojourntest.Options{Workers: 4})
	w := r.World("w")
	load(t, w, scene.Request{Stem: "cave", Policy: components.PresentImmediate})
	r.Settle()
	c.Hold("moss.ktx2")
	systems.NewSources(w.ECS()).Add(components.StreamSource{Pos: [3]float32{0, 0, 0}})
	for i := 0; c.Held("moss.ktx2") == 0 && i < 100000; i++ {
		r.Frame()
	}
	load(t, w, scene.Request{Stem: "hall", Policy: components.PresentGated})
	for i := 0; w.Counts().Presented < 2 && i < 1_000_000; i++ {
		r.Frame()
	}
	before := w.Counts().Presented
	c.LetGo("moss.ktx2")
	r.Settle()
	t.Logf("presented while held %d, after %d", before, w.Counts().Presented)
	if before != 2 {
		t.Errorf("hall waits for what a zone keeps")
	}
}

// What a destination's zone keeps is sent to the workers though other work has
// used up its share of each frame.
func TestInvariant26_DestinationZoneAsksPastOthers(t *testing.T) {
	for _, zone := range []bool{false, true} {
		c := halls(1, 6, 0)
		c.Texture("moss", 16)
		crowd := assets.Scene{}
		for i := range 1500 {
			crowd.Entities = append(crowd.Entities, sojourntest.Placed(fmt.Sprint("i", i), fmt.Sprint("own0-", i%3), float32(i), 0, -4))
		}
		c.SceneOf("crowd", crowd)
		at := assets.IdentityTransform()
		at.Pos, at.Scale = [3]float32{0, 0, 50}, [3]float32{10, 10, 10}
		cave := assets.Scene{Entities: []assets.SceneEntity{sojourntest.Placed("e", "own0-1", 0, 0, 46)}}
		for i := range 40 {
			cave.Entities = append(cave.Entities, sojourntest.Placed(fmt.Sprint("f", i), "own0-1", float32(i), 0, 46))
		}
		if zone {
			cave.Effects = []assets.SceneEffect{{ID: "z", Kind: assets.EffectZone, At: at,
				Zone: &assets.SceneZone{Keep: []assets.Key{{Stem: "moss", Kind: assets.KindTexture}}}}}
		}
		c.SceneOf("cave", cave)
		revealsBeforeTheCrowd(t, fmt.Sprint("zone ", zone), c, [3]float32{0, 0, 50})
	}
}

// A destination's decal does not wait behind those of a load that has used up
// its share.
func TestInvariant26_DestinationDecalBindsPastOthers(t *testing.T) {
	for _, decal := range []bool{false, true} {
		c := halls(1, 6, 0)
		c.Texture("moss", 16)
		crowd := assets.Scene{}
		stain := func(id string) assets.SceneEffect {
			return assets.SceneEffect{ID: id, Kind: assets.EffectDecal, At: assets.IdentityTransform(), Asset: "moss"}
		}
		for i := range 20 {
			crowd.Effects = append(crowd.Effects, stain(fmt.Sprint("d", i)))
		}
		for i := range 1500 {
			crowd.Entities = append(crowd.Entities, sojourntest.Placed(fmt.Sprint("i", i), fmt.Sprint("own0-", i%3), float32(i), 0, -4))
		}
		c.SceneOf("crowd", crowd)
		var cave assets.Scene
		for i := range 40 {
			cave.Entities = append(cave.Entities, sojourntest.Placed(fmt.Sprint("f", i), "own0-1", float32(i), 0, -6))
		}
		if decal {
			cave.Effects = []assets.SceneEffect{stain("mine")}
		}
		c.SceneOf("cave", cave)
		revealsBeforeTheCrowd(t, fmt.Sprint("decal ", decal), c, [3]float32{})
	}
}

// revealsBeforeTheCrowd travels to the cave while a crowd, which comes in the far
// lane, uses up its share of each frame.
func revealsBeforeTheCrowd(t *testing.T, what string, c *sojourntest.Content, pos [3]float32) {
	t.Helper()
	budget := work.High()
	budget.Max[work.EntityOps], budget.Max[work.Retirements] = 16, 1
	r := sojourntest.Open(t, c, sojourntest.Options{Work: budget})
	w := r.World("w")
	load(t, w, scene.Request{Stem: "cave"})
	load(t, w, scene.Request{Stem: "hall0"})
	r.Settle()
	if _, err := w.Travel(sojourn.Destination{Cause: "portal", Pos: pos, Layers: []scene.Request{{Stem: "cave", Policy: gated}}}); err != nil {
		t.Fatal(err)
	}
	other := load(t, w, scene.Request{Stem: "crowd", Lane: components.LaneFar})
	n := revealed(t, r, w, nil)
	l, _ := w.Layer(other)
	t.Logf("%s: revealed after %d frames, the other is %v", what, n, l.State)
	if l.State == components.LayerPresented {
		t.Errorf("%s: the destination waited for the other", what)
	}
	r.Settle()
}
