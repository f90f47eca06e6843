package systems

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/assets/docfile"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/gpu"
	"sojourn/stages"
	"sojourn/stages/stagestest"
)

// show is a rig with the rows of what a world has of its own, and what it
// shows.
type show struct {
	*stagestest.Rig
	*scene.Spawner
	publisher *Publisher
}

func openShow(t *testing.T) *show {
	s := &show{Rig: stagestest.NewRig(t, stagestest.RigOptions{Rows: []stages.Row{SkyboxRow(), DecalsRow(), ParticlesRow()}})}
	s.Spawner = scene.NewSpawner(s.World, s.Services())
	s.publisher = NewPublisher(s.World, s.Services())
	return s
}

func (s *show) frame() *gpu.Frame { return s.publisher.Publish(gpu.Camera{View: identity(), Far: 100}) }

func placed(x, y, z float32) gpu.Mat4 {
	m := identity()
	m[12], m[13], m[14] = x, y, z
	return m
}

func reload(r *stagestest.Rig, key assets.Key) {
	h, _ := r.Store.Find(key)
	r.Pass.Abandon(func(other assets.Handle) bool { return other == h })
	r.Textures.Unkey(h)
	r.Store.Reload(key.Stem, assets.Kinds(key.Kind))
}

// The nearest probe whose radius has the camera counts, then the oldest.
func TestPublish_PicksTheProbe(t *testing.T) {
	s := openShow(t)
	far, _ := putTexture(s.Source, "far", 1)
	near, _ := putTexture(s.Source, "near", 2)
	must(s.Probe(far.Stem, placed(0, 0, 4), 10))
	here := must(s.Probe(near.Stem, placed(0, 3, 0), 5))
	must(s.Probe(near.Stem, placed(0, 0, 1), 0.5)) // too small
	s.Settle()
	image := func(stem string) gpu.TextureID {
		h, _ := s.Store.Find(assets.Key{Stem: stem, Kind: assets.KindTexture})
		ref := must(s.Textures.Join(h))
		defer s.Textures.Leave(ref)
		return s.Textures.Table()[s.Textures.Index(ref)]
	}
	if got := s.frame().Probe; got == 0 || got != image("near") {
		t.Errorf("%#x, want the nearest %#x", got, image("near"))
	}
	s.World.Add(here, ecs.ComponentID[components.Withheld](s.World))
	if got := s.frame().Probe; got == 0 || got != image("far") {
		t.Errorf("%#x with the nearest withheld, want %#x", got, image("far"))
	}
}

// What failed leaves colours, light and place as they are; what is mended comes.
func TestPublish_StandInsAndReload(t *testing.T) {
	s := openShow(t)
	stems := []string{"grade", "room", "mark"}
	put(s.Source, "grade.ktx2", []byte("broken"))
	put(s.Source, "room.ktx2", []byte("broken"))
	must(s.LookUp("grade"))
	must(s.Probe("room", identity(), 5))
	must(s.Decal("mark", placed(0, 0, -5))) // missing
	if n := s.Set.Own.Wanted(); n != 3 || s.Store.OpenTickets() != 1 {
		t.Errorf("%d wanted, %d tickets", n, s.Store.OpenTickets())
	}
	s.Settle()
	if f := s.frame(); f.LookUp != 0 || f.Probe != 0 || len(f.Sprites) != 0 {
		t.Errorf("%#x %#x %v", f.LookUp, f.Probe, f.Sprites)
	}
	for i, stem := range stems {
		key, _ := putTexture(s.Source, stem, i)
		reload(s.Rig, key)
	}
	if s.Set.Own.Wanted() != 3 {
		t.Errorf("%d wanted again", s.Set.Own.Wanted())
	}
	s.Settle()
	f := s.frame()
	if f.LookUp == 0 || f.Probe == 0 || len(f.Sprites) != 1 || !f.Sprites[0].Lit || f.Sprites[0].Texture == 0 {
		t.Errorf("%#x %#x %v", f.LookUp, f.Probe, f.Sprites)
	}
	if q := f.Quads[0]; q.Center != [3]float32{0, 0, -5} || q.Right != [3]float32{0.5, 0, 0} || q.Up != [3]float32{0, 0.5, 0} {
		t.Errorf("%+v", q)
	}
	if s.Set.Own.Wanted() != 0 || s.Store.OpenTickets() != 0 {
		t.Errorf("%d wanted, %d tickets, with all of it there", s.Set.Own.Wanted(), s.Store.OpenTickets())
	}
	for _, stem := range stems { // bound ones are taken off the device at once
		reload(s.Rig, assets.Key{Stem: stem, Kind: assets.KindTexture})
	}
	if f := s.frame(); f.LookUp != 0 || f.Probe != 0 || len(f.Sprites) != 0 {
		t.Errorf("abandoned, and still shown: %#x %#x %v", f.LookUp, f.Probe, f.Sprites)
	}
	s.Settle()
	if f := s.frame(); f.LookUp == 0 || f.Probe == 0 || len(f.Sprites) != 1 {
		t.Errorf("%#x %#x %v", f.LookUp, f.Probe, f.Sprites)
	}
}

// putFire is a source of so many particles a second that live for two.
func putFire(s *show, rate float32) assets.Key {
	key, _ := putTexture(s.Source, "puff", 1)
	p := docfile.DefaultParticles()
	p.Texture, p.Rate, p.LifeSeconds, p.Seed = key.Stem, rate, 2, 5
	p.Radius = 0.3
	put(s.Source, "fire.particle", must(docfile.EncodeParticles(&p)))
	return assets.Key{Stem: "fire", Kind: assets.KindParticle}
}

func TestParticles_AreAFunctionOfTime(t *testing.T) {
	s := openShow(t)
	putFire(s, 20)
	e := must(s.Particles("fire", placed(0, 0, -5)))
	s.Settle()
	s.Set.Emission.Time = 3010 * time.Millisecond
	first := slices.Clone(s.frame().Quads)
	if len(first) != 40 {
		t.Fatalf("%d particles, want 20 a second for 2 s", len(first))
	}
	for i := range first {
		for k, v := range first[i].Center {
			if away := v - [3]float32{0, 0, -5}[k]; !(math.Abs(float64(away)) <= float64(at[components.ParticleSource](s.Rig, e).ReachMetres)) {
				t.Errorf("particle %d is %v away", i, away)
			}
		}
	}
	s.Set.Emission.Time += 50 * time.Millisecond
	later := slices.Clone(s.frame().Quads)
	if len(later) != 40 || later[0] == first[0] || math.Abs(float64(later[0].Center[1]-first[1].Center[1])) > 0.1 {
		t.Errorf("one was born and one died: %+v became %+v", first[1], later[0])
	}
	s.Set.Emission.Time -= 50 * time.Millisecond
	if again := s.frame().Quads; !slices.Equal(again, first) {
		t.Error("the same time gave another frame")
	}
	s.World.Add(e, ecs.ComponentID[components.Withheld](s.World))
	if f := s.frame(); len(f.Quads) != 0 || len(f.Sprites) != 0 {
		t.Errorf("a withheld source gives off %d", len(f.Quads))
	}
	other := must(s.Particles("fire", placed(1, 0, -5)))
	s.Settle()
	apart := s.frame().Quads
	if len(apart) != 40 || apart[0].Center[1] == first[0].Center[1] {
		t.Error("two sources of one document move alike")
	}
	s.World.RemoveEntity(e)
	s.World.RemoveEntity(other)
	if s.Settle(); s.Set.Emission.QuadsMax != 0 {
		t.Errorf("room for %d is kept", s.Set.Emission.QuadsMax)
	}
	s.CheckReleased()
}

// A texture that cannot be had leaves plain squares; a document, nothing.
func TestParticles_StandIns(t *testing.T) {
	s := openShow(t)
	fire := putFire(s, 10)
	s.Source.Remove("puff.ktx2")
	e := must(s.Particles("fire", placed(0, 0, -5)))
	must(s.Particles("none", placed(0, 0, -5)))
	s.Settle()
	if f := s.frame(); len(f.Sprites) != 1 || f.Sprites[0].Texture != 0 || len(f.Quads) != 20 {
		t.Errorf("%+v, %d quads", f.Sprites, len(f.Quads))
	}
	puff, _ := putTexture(s.Source, "puff", 1)
	reload(s.Rig, puff)
	if s.Settle(); len(s.frame().Sprites) != 1 || s.frame().Sprites[0].Texture == 0 {
		t.Errorf("%+v after the texture came", s.frame().Sprites)
	}
	putFire(s, 30)
	reload(s.Rig, fire)
	if f := s.frame(); len(f.Sprites) != 0 || at[components.ParticleSource](s.Rig, e).Quads != 0 {
		t.Errorf("%d quads of a document that is being reloaded", len(f.Quads))
	}
	if s.Settle(); len(s.frame().Quads) != 60 || s.Set.Emission.QuadsMax != 61 {
		t.Errorf("%d quads, room for %d", len(s.frame().Quads), s.Set.Emission.QuadsMax)
	}
}

// Room is made when sources bind: however many particles there are from one
// frame to the next, a frame allocates nothing.
func TestParticles_SteadyFramesAllocateNothing(t *testing.T) {
	s := openShow(t)
	putFire(s, 333)
	for i := range 20 {
		must(s.Particles("fire", placed(float32(i), 0, -5)))
		must(s.Decal("puff", placed(float32(i), 1, -5)))
	}
	s.Settle()
	s.frame()
	if n := testing.AllocsPerRun(100, func() {
		s.Set.Emission.Time += 17 * time.Millisecond
		s.frame()
	}); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
	if n := testing.AllocsPerRun(50, func() { s.Set.ArmDebt(); s.Rig.Frame() }); n != 0 {
		t.Errorf("%v allocations in a full pass with nothing to do", n)
	}
}
