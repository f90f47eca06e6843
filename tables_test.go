package sojourn_test

import (
	"fmt"
	"runtime"
	"testing"

	"sojourn"
	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems"
	"sojourn/ecs/systems/scene"
	"sojourn/sojourntest"
)

// tables are those of Arche that a world has.
func tables(w *sojourn.World) map[string]bool {
	all := map[string]bool{}
	for _, n := range w.ECS().Stats().Nodes {
		if n.IsActive {
			all[fmt.Sprint(n.ComponentTypes)] = true
		}
	}
	return all
}

// Whatever comes first of what a zone names, and whenever its layer is shown or
// leaves, the zone's entity finds the table that it moves to: Arche makes one in
// the frame that needs it, and several are more than a frame may allocate.
func TestZonesFindTheirTables(t *testing.T) {
	for _, last := range []string{"hum.pcm", "mark.ktx2", ""} {
		for _, policy := range []components.PresentPolicy{components.PresentGated, components.PresentImmediate} {
			for _, z := range []assets.SceneZone{{Sound: "hum", LookUp: "mark"}, {Sound: "hum"}, {LookUp: "mark"}} {
				zonesFindTheirTables(t, last, policy, z)
			}
		}
	}
}

func zonesFindTheirTables(t *testing.T, last string, policy components.PresentPolicy, zone assets.SceneZone) {
	t.Helper()
	c := sojourntest.NewContent()
	c.Crate("crate")
	c.Texture("mark", 16)
	c.Sound("hum", 4800)
	wide := assets.IdentityTransform()
	wide.Scale = [3]float32{10, 10, 10}
	if zone.GraceSeconds = 0.1; zone.Sound != "" {
		zone.Gain = 1
	}
	c.SceneOf("cave", assets.Scene{
		Entities: []assets.SceneEntity{sojourntest.Placed("e", "crate", 0, 0, -5)},
		Effects:  []assets.SceneEffect{{ID: "z", Kind: assets.EffectZone, At: wide, Zone: &zone}},
	})
	r := sojourntest.Open(t, c, sojourntest.Options{})
	w := r.World("w")
	sources := systems.NewSources(w.ECS())
	load(t, w, scene.Request{Stem: "cave"})
	r.Settle()
	source := sources.Add(components.StreamSource{Pos: [3]float32{500, 0, 0}})
	r.Settle()
	had := tables(w)
	at := sojourn.At(0, 0, 0)
	at[0], at[5], at[10] = 10, 10, 10
	if _, err := sojourn.SpawnZone(w, zone, at); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if last != "" {
			c.Hold(last)
		}
		if _, err := w.Travel(sojourn.Destination{Layers: []scene.Request{{Stem: "cave", Policy: policy}}}); err != nil {
			t.Fatal(err)
		}
		sources.Move(source, [3]float32{}, 0)
		for range 100 { // not Frames, which would wait for what is held
			r.Frame()
			runtime.Gosched()
		}
		if last != "" {
			c.LetGo(last)
		}
		r.Settle()
		sources.Move(source, [3]float32{500, 0, 0}, 0)
		r.Settle()
		sources.Move(source, [3]float32{}, 0)
		r.Settle()
	}
	for name := range tables(w) {
		if !had[name] {
			t.Errorf("%s last, policy %v, zone %+v: a table was made of %s", last, policy, zone, name)
		}
	}
}
