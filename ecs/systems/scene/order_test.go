package scene_test

import (
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/resources"
	"sojourn/sojourntest"
)

// TestUnloadWhileLoading unloads a layer in each state it passes through.
func TestUnloadWhileLoading(t *testing.T) {
	for _, p := range policies() {
		for _, state := range []string{"queued", "preloading", "spawning", "binding", "ready", "presented"} {
			t.Run(policyName(p)+" "+state, func(t *testing.T) {
				y := open(t, content(), sojourntest.Options{Work: tiny(1)})
				y.Device.Stall(-1) // stay in binding for a while
				e := y.load(scene.Request{Stem: "song", Policy: p, Deadline: 1 << 60})
				if state == "ready" && p != components.PresentManual {
					t.Skip("only manual layers wait when ready")
				}
				if state == "preloading" { // until it has all that it spawns by
					y.Content.Hold("ca.model")
					for y.state(e) != state || y.Content.Held("ca.model") == 0 {
						y.Frame()
					}
				}
				if state == "ready" || state == "presented" {
					y.Device.Stall(0)
				}
				if state == "presented" {
					_ = y.world.Show(e)
				}
				for y.state(e) != state {
					y.Frames(1)
				}
				y.events = y.world.TakeEvents(y.events[:0])
				y.unload(e)
				if state == "presented" {
					y.wantEvents("unloaded song")
				}
				y.Content.LetGo("ca.model")
				y.Device.Stall(0)
				y.Settle()
				y.wantState(e, "gone")
				y.wantEvents()
				c := y.world.Counts()
				if c.Entered != 1 || c.Left != 1 || c.Live != 0 || c.Presented != 0 || c.Retiring != 0 {
					t.Errorf("counts %+v", c)
				}
				y.CheckEmpty()
			})
		}
	}
}

func TestOneDocumentLoadsOnceAtATime(t *testing.T) {
	y := open(t, content(), sojourntest.Options{Work: tiny(2)})
	layers := []ecs.Entity{y.gated("a"), y.gated("a"), y.gated("a")}
	other := y.gated("b")
	busy := func() (n int) {
		for _, e := range layers {
			switch y.state(e) {
			case "preloading", "spawning", "binding", "ready":
				n++
			}
		}
		return n
	}
	for y.state(layers[2]) != "presented" {
		y.Frames(1)
		if busy() > 1 {
			t.Fatal("two layers of one document load at once")
		}
		if y.state(layers[1]) == "presented" && y.state(layers[0]) != "presented" {
			t.Fatal("the second came before the first")
		}
	}
	y.Settle()
	y.wantState(other, "presented")
	y.wantItems(8)
	y.empty()
}

func TestAtMostFourLoadAtOnceInOrderOfPriority(t *testing.T) {
	c := content()
	const n = 9
	for i := range n {
		c.Crate(fmt.Sprintf("c%d", i))
		c.Scene(fmt.Sprintf("s%d", i), fmt.Sprintf("c%d", i))
	}
	y := open(t, c, sojourntest.Options{Workers: 2})
	layers := make([]ecs.Entity, n)
	for i := range n {
		c.Hold(fmt.Sprintf("s%d.scene", i))
		layers[i] = y.load(scene.Request{Stem: fmt.Sprintf("s%d", i), Policy: components.PresentGated, Priority: int32((i * 4) % n)})
	}
	// The last in line moves to the front, and the first is unloaded.
	byPriority := make([]int, n)
	for i := range n {
		byPriority[(i*4)%n] = i
	}
	last := byPriority[n-1]
	cmd := scene.NewLayers(y.world.ECS(), services(y))
	if err := cmd.SetPriority(layers[last], -1); err != nil {
		t.Fatal(err)
	}
	y.unload(layers[byPriority[0]])
	order := append([]int{last}, byPriority[1:n-1]...)
	y.Frame()
	if got := y.world.Set().Loads.Running(); got != resources.LoadsMax {
		t.Fatalf("%d loads run, want %d", got, resources.LoadsMax)
	}
	for i, layer := range order {
		want := "queued"
		if i < resources.LoadsMax {
			want = "preloading"
		}
		y.wantState(layers[layer], want)
	}
	for i := range n {
		c.LetGo(fmt.Sprintf("s%d.scene", i))
	}
	most := 0
	for !y.Session.Idle() {
		y.Frames(1)
		most = max(most, y.world.Set().Loads.Running())
	}
	if most > resources.LoadsMax {
		t.Errorf("%d loads ran at once", most)
	}
	y.Settle()
	y.wantItems(n - 1)
	y.empty()
}

// TestInvariant21_ALargeModelSpawnsOverSeveralFrames: four hundred parts under
// a budget for sixteen a frame, with the rest of the table's work on the same
// account, and nothing twice.
func TestInvariant21_ALargeModelSpawnsOverSeveralFrames(t *testing.T) {
	const parts, budget = 400, 16
	c := content()
	c.Mesh("bolt", 1)
	c.Material("steel")
	list := make([]sojourntest.Part, parts)
	for i := range list {
		list[i] = sojourntest.Part{Mesh: "bolt", Material: "steel"}
	}
	c.Model("machine", list...)
	c.Scene("hall", "machine", "ca")
	y := open(t, c, sojourntest.Options{Work: tiny(budget)})
	e := y.load(scene.Request{Stem: "hall"})
	created := map[ecs.Entity]bool{}
	frames, seen := 0, 0
	for turn := 0; y.state(e) != "presented"; turn++ {
		if turn > 20*parts/budget {
			t.Fatalf("after %d frames the layer is %s", turn, y.state(e))
		}
		y.Frames(1)
		l, ok := y.world.Layer(e)
		if !ok || l.Roster < 0 {
			continue
		}
		members := y.world.Set().Rosters.Members(l.Roster)
		if n := members.Len() - seen; n > budget {
			t.Fatalf("%d parts came in one frame under a budget of %d", n, budget)
		} else if n > 0 {
			frames++
		}
		for ; seen < members.Len(); seen++ {
			m := *members.At(seen)
			if created[m] {
				t.Fatal("a part stands in the roster twice")
			}
			created[m] = true
		}
	}
	if seen != parts+1 || frames < parts/budget {
		t.Errorf("%d parts over %d frames, want %d over at least %d", seen, frames, parts+1, parts/budget)
	}
	places := map[float32]bool{}
	prim := ecs.ComponentID[components.Primitive](y.world.ECS())
	tr := ecs.ComponentID[components.Transform](y.world.ECS())
	q := y.world.ECS().Query(ecs.All(prim, tr))
	for q.Next() {
		places[(*components.Transform)(q.Get(tr)).World[12]] = true
	}
	if len(places) != parts {
		t.Errorf("parts stand at %d places, want %d: each part once", len(places), parts)
	}
	y.Settle()
	y.wantItems(parts + 1)
	if n := y.Session.Residency().GeometryBytes; n > 2*1000 {
		t.Errorf("%d bytes of geometry for two small meshes", n)
	}
	y.empty()
}

// TestInvariant22_RetirementIsFirstInFirstOut: layers leave in the order they
// were unloaded, whatever order they came in, and so do model instances.
func TestInvariant22_RetirementIsFirstInFirstOut(t *testing.T) {
	c := content()
	c.Scene("long", "ca", "cb", "shared", "ca", "cb", "shared", "ca")
	y := open(t, c, sojourntest.Options{})
	first, second, third := y.gated("long"), y.gated("a"), y.gated("b")
	y.Settle()
	if err := y.Session.Meter().SetBudget(tiny(1)); err != nil {
		t.Fatal(err)
	}
	y.unload(second)
	y.unload(first)
	y.Frame()
	y.Frame()
	y.unload(third)
	var order []ecs.Entity
	for len(order) < 3 {
		y.Frames(1)
		for _, e := range []ecs.Entity{first, second, third} {
			gone := y.state(e) == "gone"
			for _, known := range order {
				gone = gone && known != e
			}
			if gone {
				order = append(order, e)
			}
		}
	}
	if want := []ecs.Entity{second, first, third}; fmt.Sprint(order) != fmt.Sprint(want) {
		t.Errorf("retired in the order %v, want %v", order, want)
	}
	y.Settle()
	y.CheckEmpty()
}

// TestInvariant23_QuiesceIsImmediate: from the call on nothing of the layer is
// in a frame, also in one presented without a tick, and nothing of it sounds.
func TestInvariant23_QuiesceIsImmediate(t *testing.T) {
	y := open(t, content(), sojourntest.Options{Work: tiny(1)})
	song, b := y.gated("song"), y.gated("b")
	y.until(song, "presented")
	y.until(b, "presented")
	y.Settle()
	y.wantItems(3)
	if y.Session.Mixer().Voices() != 1 || loudest(y) == 0 {
		t.Fatal("the song does not sound")
	}
	y.unload(song)
	if err := y.Session.Present(nil); err != nil {
		t.Fatal(err)
	}
	y.wantItems(2)
	y.Sink.Advance(480) // 10 ms: the ramp
	if l := loudest(y); l != 0 {
		t.Errorf("a retiring layer sounds, level %v", l)
	}
	for y.state(song) != "gone" {
		y.Frame()
		y.wantItems(2)
		if l := loudest(y); l != 0 {
			t.Fatalf("a retiring layer sounds, level %v", l)
		}
	}
	y.empty()
}

// TestInvariant23_QuiesceWhileSoundsArePending: a sound that lands after its
// layer was unloaded never starts.
func TestInvariant23_QuiesceWhileSoundsArePending(t *testing.T) {
	c := content()
	c.SceneOf("choir", assets.Scene{Entities: []assets.SceneEntity{
		sojourntest.Placed("crate", "ca", 0, 0, -5), sojourntest.Sounding("s1", "hum"), sojourntest.Sounding("s2", "hum"),
	}})
	y := open(t, c, sojourntest.Options{Work: tiny(1)})
	e := y.load(scene.Request{Stem: "choir"})
	for y.Session.Mixer().Voices() == 0 {
		y.Frames(1)
	}
	y.unload(e)
	y.Sink.Advance(4800)
	for y.state(e) != "gone" {
		y.Frames(1)
		if l := loudest(y); l != 0 {
			t.Fatalf("a retiring layer sounds, level %v", l)
		}
	}
	y.empty()
}

// TestLayerEntityRemovedByHand: it is an entity like any other, so removing it
// must not wedge the world.
func TestLayerEntityRemovedByHand(t *testing.T) {
	for _, state := range []string{"queued", "preloading", "spawning", "binding", "presented", "retiring"} {
		t.Run(state, func(t *testing.T) {
			y := open(t, content(), sojourntest.Options{Work: tiny(1)})
			e := y.gated("song")
			if state == "retiring" {
				y.until(e, "presented")
				y.unload(e)
			}
			for y.state(e) != state {
				y.Frames(1)
			}
			y.world.ECS().RemoveEntity(e)
			y.Settle()
			y.CheckEmpty()
			again := y.gated("song")
			y.until(again, "presented")
			y.empty()
		})
	}
}

func loudest(y *yard) float32 {
	peak := float32(0)
	for _, s := range y.Sink.Advance(480) {
		peak = max(peak, s, -s)
	}
	return peak
}

// TestLoadAfterACancelledOne: a layer that left the line before it had any
// entity held back the next of its document, and its going woke nobody.
func TestLoadAfterACancelledOne(t *testing.T) {
	y := open(t, content(), sojourntest.Options{})
	y.unload(y.gated("a"))
	next := y.gated("a")
	y.Settle()
	y.Frames(2)
	y.wantState(next, "presented")
	y.unload(next)
	y.Settle()
}
