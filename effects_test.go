package sojourn_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems"
	"sojourn/ecs/systems/scene"
	"sojourn/sojourntest"
)

// fair is content with a scene that has one effect of each kind.
func fair() *sojourntest.Content {
	c := sojourntest.NewContent()
	c.Crate("crate")
	c.Texture("mark", 16)
	c.Texture("puff", 8)
	c.Particles("fire", "puff")
	c.SceneOf("fair", assets.Scene{
		Entities: []assets.SceneEntity{sojourntest.Placed("e", "crate", 0, 0, -5)},
		Effects:  sojourntest.Effects("fire", "mark", 0, 0, -4),
	})
	return c
}

// shown is how many decals and particles a world's last frame has, and whether
// it has a probe and a look-up table.
func shown(w *sojourn.World) (decals, particles int, probe, lookUp bool) {
	f := w.LastFrame()
	for _, s := range f.Sprites {
		if s.Lit {
			decals++
		} else {
			particles += int(s.Count)
		}
	}
	return decals, particles, f.Probe != 0, f.LookUp != 0
}

func TestEffects_ComeAndGoWithTheirLayer(t *testing.T) {
	c := fair()
	r := sojourntest.Open(t, c, sojourntest.Options{})
	w := r.World("w")
	c.Hold("mark.ktx2")
	layer := load(t, w, scene.Request{Stem: "fair", Policy: gated})
	waitHeld(r, c, "mark.ktx2")
	if d, p, probe, lookUp := shown(w); d+p > 0 || probe || lookUp {
		t.Errorf("%d decals, %d particles, probe %v, look-up %v of a layer that waits", d, p, probe, lookUp)
	}
	c.LetGo("mark.ktx2")
	r.Settle()
	if d, p, probe, lookUp := shown(w); d != 1 || p != 20 || !probe || !lookUp {
		t.Errorf("%d decals, %d particles, probe %v, look-up %v", d, p, probe, lookUp)
	}
	before := slices.Clone(w.LastFrame().Quads)
	r.Frames(1)
	if slices.Equal(before, w.LastFrame().Quads) {
		t.Error("a tick moved no particle")
	}
	// At once, though what they hold is let go of later.
	unload(t, w, layer)
	if err := r.Session.Present(nil); err != nil {
		t.Fatal(err)
	}
	if d, p, probe, lookUp := shown(w); d+p > 0 || probe || lookUp {
		t.Errorf("%d decals, %d particles, probe %v, look-up %v of a quiesced layer", d, p, probe, lookUp)
	}
	if r.Session.Store().Stats().Decodes == 0 || w.Set().Ledger.Live() == 0 {
		t.Error("nothing is left to retire")
	}
	r.Settle()
	r.CheckEmpty()
}

// What the world lacks is on its one ticket, until it is there or not wanted.
func TestEffects_AreOnTheWorldsTicket(t *testing.T) {
	c := fair()
	r := sojourntest.Open(t, c, sojourntest.Options{})
	w := r.World("w")
	c.Hold("mark.ktx2")
	var all []ecs.Entity
	for _, err := range [...]error{
		keep(&all)(sojourn.SpawnSkybox(w, "mark")), keep(&all)(sojourn.SpawnDecal(w, "mark", sojourn.At(0, 0, -3))),
		keep(&all)(sojourn.SpawnParticles(w, "fire", sojourn.At(0, 0, -3))), keep(&all)(sojourn.SpawnProbe(w, "none", sojourn.At(0, 0, 0), 5)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	views := func() (own []assets.TicketView, wanted int) {
		var s sojourn.Snapshot
		r.Session.Snapshot(&s)
		for _, v := range s.Store.Tickets {
			if v.Owner == "world w" {
				own = append(own, v)
			}
		}
		return own, s.Worlds[0].Wanted
	}
	if own, wanted := views(); len(own) != 1 || own[0].Required != 3 || wanted != 3 {
		t.Errorf("%+v, %d wanted, of three assets for four entities", own, wanted)
	}
	w.ECS().RemoveEntity(all[0])
	if own, wanted := views(); len(own) != 1 || own[0].Required != 3 || wanted != 3 {
		t.Errorf("%+v, %d wanted, when the decal still wants it", own, wanted)
	}
	w.ECS().RemoveEntity(all[1])
	if own, wanted := views(); len(own) != 1 || own[0].Required != 2 || wanted != 2 {
		t.Errorf("%+v, %d wanted, when nobody wants it any more", own, wanted)
	}
	c.LetGo("mark.ktx2")
	r.Settle()
	if own, wanted := views(); len(own) != 0 || wanted != 0 {
		t.Errorf("%+v, %d wanted, with all of it there or given up", own, wanted)
	}
}

// waitHeld runs frames until a decode stands at its gate, and some more.
func waitHeld(r *sojourntest.Rig, c *sojourntest.Content, entry string) {
	for n := 0; n < 10_000 && c.Held(entry) == 0; n++ {
		r.Frame()
		runtime.Gosched()
	}
	for range 20 {
		r.Frame()
	}
}

func keep(all *[]ecs.Entity) func(ecs.Entity, error) error {
	return func(e ecs.Entity, err error) error {
		*all = append(*all, e)
		return err
	}
}

// A destination's zone is taken in before the world shows: at the reveal the
// player stands in it.
func TestEffects_ZoneOfADestination(t *testing.T) {
	c := fair()
	r := sojourntest.Open(t, c, sojourntest.Options{})
	w := r.World("w")
	c.Texture("cave", 16)
	c.SceneOf("cave", assets.Scene{Effects: sojourntest.Effects("fire", "cave", 0, 0, 50)})
	c.Hold("cave.ktx2")
	systems.NewSources(w.ECS()).Add(components.StreamSource{Pos: [3]float32{0, 0, 50}})
	if _, err := w.Travel(sojourn.Destination{
		Cause: "portal", Pos: [3]float32{0, 0, 50}, Layers: []scene.Request{{Stem: "cave", Policy: gated}},
	}); err != nil {
		t.Fatal(err)
	}
	waitHeld(r, c, "cave.ktx2")
	if !w.Reveal().Pending {
		t.Fatal("revealed without what the zone needs")
	}
	c.LetGo("cave.ktx2")
	for n := 0; n < 600 && w.Reveal().Pending; n++ {
		r.Frames(1)
	}
	held := 0
	id := ecs.ComponentID[components.Zone](w.ECS())
	q := w.ECS().Query(ecs.All(id))
	for q.Next() {
		if z := (*components.Zone)(q.Get(id)); z.State == components.ZoneOccupied && w.Set().Ledger.Holds(q.Entity(), w.Set().Holds.Retain, uint64(z.LookUp())) {
			held++
		}
	}
	if held != 1 {
		t.Errorf("%d zones hold what they name at the reveal", held)
	}
	r.Settle()
}
