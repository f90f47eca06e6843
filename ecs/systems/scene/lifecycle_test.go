package scene_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/resources"
	"sojourn/sojourntest"
)

func TestGatedLayerShowsAtOnce(t *testing.T) {
	y := open(t, content(), sojourntest.Options{Work: tiny(2)})
	e := y.gated("a")
	for y.state(e) != "presented" {
		y.Frames(1)
		if n := y.items(); n != 0 && n != 2 {
			t.Fatalf("%d of 2 items are shown", n)
		}
	}
	y.wantState(e, "presented")
	y.wantItems(2)
	y.wantEvents("loaded a")
	y.unload(e)
	y.wantEvents("unloaded a")
	y.empty()
}

func TestImmediateLayerShowsAsItComes(t *testing.T) {
	y := open(t, content(), sojourntest.Options{Work: tiny(1)})
	e := y.load(scene.Request{Stem: "b"})
	some := false
	for y.state(e) != "presented" {
		y.Frames(1)
		some = some || y.items() == 1
		if y.items() == 1 {
			y.wantEvents()
		}
	}
	if !some {
		t.Error("no frame showed a part of the layer")
	}
	y.Settle()
	y.wantItems(2)
	y.wantEvents("loaded b")
	y.empty()
}

func TestManualLayerWaitsForTheGame(t *testing.T) {
	y := open(t, content(), sojourntest.Options{})
	e := y.load(scene.Request{Stem: "a", Policy: components.PresentManual})
	y.until(e, "ready")
	y.wantEvents("ready a")
	y.Settle() // and at rest: it needs nothing any more
	y.wantState(e, "ready")
	y.wantItems(0)
	if p, r := y.world.Pending(); p != 0 || r != 0 {
		t.Errorf("%d publications and %d retirements pend while a ready layer waits", p, r)
	}
	for range 2 {
		if err := y.world.Show(e); err != nil {
			t.Fatal(err)
		}
	}
	y.Settle()
	y.wantState(e, "presented")
	y.wantItems(2)
	y.wantEvents("loaded a")
	y.empty()
}

func TestManualLayerAskedBeforeItIsReady(t *testing.T) {
	y := open(t, content(), sojourntest.Options{})
	e := y.load(scene.Request{Stem: "a", Policy: components.PresentManual})
	if err := y.world.Show(e); err != nil {
		t.Fatal(err)
	}
	y.Settle()
	y.wantItems(2)
	y.wantEvents("loaded a")
	y.empty()
}

// TestReadyLayersLeaveTheirSlots: five levels prepared in advance do not keep a
// sixth from loading.
func TestReadyLayersLeaveTheirSlots(t *testing.T) {
	c := content()
	for i := range 6 {
		c.Scene(fmt.Sprintf("level%d", i), "shared")
	}
	y := open(t, c, sojourntest.Options{})
	var ready []ecs.Entity
	for i := range 5 {
		ready = append(ready, y.load(scene.Request{Stem: fmt.Sprintf("level%d", i), Policy: components.PresentManual}))
	}
	last := y.gated("level5")
	y.Settle()
	y.wantState(last, "presented")
	for _, e := range ready {
		y.wantState(e, "ready")
	}
	// Shown in the order the game asks, under a budget for one a frame.
	for _, i := range []int{3, 1} {
		if err := y.world.Show(ready[i]); err != nil {
			t.Fatal(err)
		}
	}
	y.unload(ready[3]) // changed its mind
	y.Settle()
	y.wantState(ready[1], "presented")
	y.wantState(ready[3], "gone")
	y.empty()
}

func TestDeadlineShowsWhatThereIs(t *testing.T) {
	c := content()
	y := open(t, c, sojourntest.Options{})
	c.Hold("cb#mesh.mesh")
	e := y.load(scene.Request{Stem: "b", Policy: components.PresentDeadline, Deadline: time.Second})
	// The document is needed in any case; a held part keeps the batch from
	// being done, so the deadline passes with nothing spawned.
	for range 120 {
		y.Frame()
	}
	y.wantItems(0)
	c.LetGo("cb#mesh.mesh")
	y.until(e, "presented")
	y.wantEvents("loaded b")
	y.empty()
}

func TestDeadlinePassesWhileBinding(t *testing.T) {
	c := content()
	y := open(t, c, sojourntest.Options{})
	y.Device.Stall(-1) // nothing reaches the device
	e := y.load(scene.Request{Stem: "b", Policy: components.PresentDeadline, Deadline: time.Second})
	y.Frames(50)
	y.wantState(e, "binding")
	y.Clock.Advance(time.Second)
	y.Frames(1)
	y.wantState(e, "presented")
	y.wantEvents("loaded b")
	y.wantItems(0)
	if p, _ := y.world.Pending(); p != 1 {
		t.Errorf("%d publications pend, want the unready layer's", p)
	}
	y.Device.Stall(0)
	y.Settle()
	y.wantItems(2)
	y.empty()
}

func TestAdditiveLayersAndOrigin(t *testing.T) {
	y := open(t, content(), sojourntest.Options{})
	a := y.gated("a")
	y.load(scene.Request{Stem: "b", Policy: components.PresentGated, Origin: [3]float32{0, 3, 0}})
	y.Settle()
	y.wantItems(4)
	y.unload(a)
	y.Settle()
	y.wantItems(2)
	raised := 0
	f := ecs.All(ecs.ComponentID[components.Transform](y.world.ECS()), ecs.ComponentID[components.Primitive](y.world.ECS()))
	q := y.world.ECS().Query(f)
	for q.Next() {
		if tr := (*components.Transform)(q.Get(ecs.ComponentID[components.Transform](y.world.ECS()))); tr.World[13] == 3 {
			raised++
		}
	}
	if raised != 2 {
		t.Errorf("%d of 2 entities are at the layer's origin", raised)
	}
	y.empty()
}

func TestReplaceRetiresTheOthersInTheSameFrame(t *testing.T) {
	for _, p := range policies() {
		t.Run(policyName(p), func(t *testing.T) {
			y := open(t, content(), sojourntest.Options{Work: tiny(3)})
			old := y.gated("a")
			y.Settle()
			y.wantEvents("loaded a")
			e := y.load(scene.Request{Stem: "b", Policy: p, Replace: true, Deadline: time.Hour})
			if p == components.PresentManual {
				y.until(e, "ready")
				y.wantEvents("ready b")
				_ = y.world.Show(e)
			}
			for y.state(e) != "presented" || y.state(old) != "gone" {
				y.Frames(1)
				if n := y.items(); p != components.PresentImmediate && n != 2 {
					t.Fatalf("%d items: a replacement shows one scene or the other", n)
				}
			}
			y.Settle()
			y.wantItems(2)
			y.wantEvents("unloaded a", "loaded b")
			y.empty()
		})
	}
}

func TestDocumentFails(t *testing.T) {
	for name, spoil := range map[string]func(*sojourntest.Content){
		"missing":    func(c *sojourntest.Content) { c.Remove("a.scene") },
		"garbage":    func(c *sojourntest.Content) { c.SetText("a.scene", "no scene") },
		"unreadable": func(c *sojourntest.Content) { c.Script("a.scene", assetstest.Fault{Kind: assetstest.FaultOpen}) },
		"short": func(c *sojourntest.Content) {
			c.Script("a.scene", assetstest.Fault{Kind: assetstest.FaultShort, At: 5})
		},
		"panic": func(c *sojourntest.Content) { c.Script("a.scene", assetstest.Fault{Kind: assetstest.FaultPanic}) },
	} {
		t.Run(name, func(t *testing.T) {
			c := content()
			good, _ := readAll(c, "a.scene")
			y := open(t, c, sojourntest.Options{})
			old := y.gated("b")
			y.Settle()
			y.wantEvents("loaded b")
			spoil(c)
			e := y.load(scene.Request{Stem: "a", Policy: components.PresentGated, Replace: true})
			y.Settle()
			y.wantState(e, "failed")
			y.wantState(old, "presented") // a bad file takes nothing away
			y.events = y.world.TakeEvents(y.events[:0])
			if len(y.events) != 1 || y.events[0].Kind != resources.LayerLoadFailed || y.events[0].Err == nil {
				t.Fatalf("events %+v", y.events)
			}
			y.unload(e)
			y.Settle()
			y.wantState(e, "gone")
			y.wantEvents()

			// The next good load of the same path works: a source that
			// changed is looked at again.
			c.Set("a.scene", good)
			c2 := sojourntest.NewContent()
			if err := y.Session.Store().AddSource(c2); err != nil {
				t.Fatal(err)
			}
			again := y.gated("a")
			y.Settle()
			y.wantState(again, "presented")
			y.wantEvents("loaded a")
			y.empty()
			if err := y.Session.Store().RemoveSource(c2); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func readAll(c *sojourntest.Content, name string) ([]byte, error) {
	e, err := c.Open(name)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	b := make([]byte, e.SizeBytes())
	_, err = e.ReadAt(b, 0)
	return b, err
}

// TestPartsFail: whatever of a scene is bad, the rest is shown.
func TestPartsFail(t *testing.T) {
	for _, tt := range []struct {
		entry string
		items int
	}{
		{"ca.model", 1}, {"ca#mesh.mesh", 1}, {"ca#material.material", 2}, {"ca#texture.ktx2", 2},
	} {
		for fault, spoil := range map[string]func(c *sojourntest.Content, name string){
			"missing": func(c *sojourntest.Content, name string) { c.Remove(name) },
			"garbage": func(c *sojourntest.Content, name string) { c.SetText(name, "what is this") },
			"panic": func(c *sojourntest.Content, name string) {
				c.Script(name, slices.Repeat([]assetstest.Fault{{Kind: assetstest.FaultPanic}}, 9)...)
			},
		} {
			t.Run(tt.entry+" "+fault, func(t *testing.T) {
				c := content()
				spoil(c, tt.entry)
				y := open(t, c, sojourntest.Options{})
				e := y.gated("a")
				y.Settle()
				y.wantState(e, "presented")
				y.wantItems(tt.items)
				y.wantEvents("loaded a")
				y.empty()
			})
		}
	}
}

// TestUploadFails: a device that refuses for good degrades the scene.
func TestUploadFails(t *testing.T) {
	y := open(t, content(), sojourntest.Options{})
	y.Device.FailCreate(100)
	e := y.gated("a")
	y.Settle()
	y.wantState(e, "presented")
	y.wantItems(0)
	y.Device.FailCreate(0)
	y.empty()
}

func TestRequestsAndCommandsRefuseNonsense(t *testing.T) {
	y := open(t, content(), sojourntest.Options{})
	for _, stem := range []string{"", "/a", "../a", "a\\b"} {
		if _, err := y.world.Load(scene.Request{Stem: stem}); !errors.Is(err, assets.ErrBadStem) {
			t.Errorf("%q: %v", stem, err)
		}
	}
	stranger := y.world.ECS().NewEntity()
	e := y.gated("a")
	y.Settle()
	y.unload(e)
	for name, bad := range map[string]ecs.Entity{"zero": {}, "stranger": stranger, "retiring": e} {
		if err := y.world.Unload(bad); !errors.Is(err, scene.ErrNoLayer) {
			t.Errorf("unload %s: %v", name, err)
		}
		if err := y.world.Show(bad); !errors.Is(err, scene.ErrNoLayer) {
			t.Errorf("show %s: %v", name, err)
		}
	}
	y.Settle()
	if err := y.world.Unload(e); !errors.Is(err, scene.ErrNoLayer) {
		t.Errorf("unload of one that is gone: %v", err)
	}
	y.world.ECS().RemoveEntity(stranger)
	y.empty()
}
