package scene_test

import (
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/resources"
	"sojourn/sojourntest"
	"sojourn/stages"
	"sojourn/stages/work"
)

// yard is a rig with one world and a few scenes: "a", "b" of two crates each,
// of which "shared" is in both, and "song", a crate with a looping sound.
type yard struct {
	*sojourntest.Rig
	t      *testing.T
	world  *sojourn.World
	events []resources.LayerEvent
}

func content() *sojourntest.Content {
	c := sojourntest.NewContent()
	for _, stem := range []string{"shared", "ca", "cb"} {
		c.Crate(stem)
	}
	c.Sound("hum", 4800)
	c.Scene("a", "ca", "shared")
	c.Scene("b", "cb", "shared")
	c.SceneOf("song", assets.Scene{Entities: []assets.SceneEntity{
		sojourntest.Placed("crate", "ca", 0, 0, -5), sojourntest.Sounding("hum", "hum"),
	}})
	return c
}

func open(t *testing.T, c *sojourntest.Content, o sojourntest.Options) *yard {
	t.Helper()
	y := &yard{Rig: sojourntest.Open(t, c, o), t: t}
	y.world = y.World("yard")
	return y
}

func (y *yard) load(r scene.Request) ecs.Entity {
	y.t.Helper()
	e, err := y.world.Load(r)
	if err != nil {
		y.t.Fatal(err)
	}
	return e
}

func (y *yard) gated(stem string) ecs.Entity {
	return y.load(scene.Request{Stem: stem, Policy: components.PresentGated})
}

func (y *yard) unload(e ecs.Entity) {
	y.t.Helper()
	if err := y.world.Unload(e); err != nil {
		y.t.Fatal(err)
	}
}

// state is a layer's state, or "gone".
func (y *yard) state(e ecs.Entity) string {
	l, ok := y.world.Layer(e)
	if !ok {
		return "gone"
	}
	return l.State.String()
}

func (y *yard) wantState(e ecs.Entity, want string) {
	y.t.Helper()
	if got := y.state(e); got != want {
		y.t.Fatalf("the layer is %s, want %s", got, want)
	}
}

// until runs frames until a layer is in a state.
func (y *yard) until(e ecs.Entity, want string) {
	y.t.Helper()
	for range 2000 {
		if y.state(e) == want {
			return
		}
		y.Frames(1)
	}
	y.t.Fatalf("the layer is %s, and never %s", y.state(e), want)
}

// items is how much the last frame showed.
func (y *yard) items() int { return y.Device.Stats().DrawnItems }

func (y *yard) wantItems(want int) {
	y.t.Helper()
	if got := y.items(); got != want {
		y.t.Fatalf("the frame shows %d items, want %d", got, want)
	}
}

// wantEvents compares what happened since the last call, as "kind stem".
func (y *yard) wantEvents(want ...string) {
	y.t.Helper()
	y.events = y.world.TakeEvents(y.events[:0])
	var got []string
	for _, ev := range y.events {
		got = append(got, fmt.Sprintf("%s %s", ev.Kind, ev.Key.Stem))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		y.t.Fatalf("events %q, want %q", got, want)
	}
}

// empty unloads everything and checks that nothing is left.
func (y *yard) empty() {
	y.t.Helper()
	y.world.UnloadAll()
	y.Settle()
	y.CheckEmpty()
}

// tiny is a budget of so many entity operations and retirements a frame.
func tiny(ops int64) work.Budget {
	b := work.High()
	b.Name = "tiny"
	b.Max[work.EntityOps], b.Max[work.Retirements] = ops, ops
	return b
}

func policies() []components.PresentPolicy {
	return []components.PresentPolicy{
		components.PresentImmediate, components.PresentGated, components.PresentManual, components.PresentDeadline,
	}
}

func policyName(p components.PresentPolicy) string {
	return [...]string{"immediate", "gated", "manual", "deadline"}[p]
}

// services are what a second set of layer commands needs.
func services(y *yard) stages.Services {
	return stages.Services{Store: y.Session.Store(), Mixer: y.Session.Mixer(), Clock: y.Clock}
}
