package systems

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/assets/soundfile"
	"sojourn/audio"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/gpu"
	"sojourn/stages"
	"sojourn/stages/stagestest"
)

// cave is a rig with one zone of ten metres and one source, which is outside.
type cave struct {
	*stagestest.Rig
	t       *testing.T
	zone    ecs.Entity
	source  ecs.Entity
	sources *Sources
	keys    []assets.Key
}

func openCave(t *testing.T, grace float32) *cave {
	rows := []stages.Row{ZonesRow(), SkyboxRow(), SoundsRow()}
	c := &cave{Rig: stagestest.NewRig(t, stagestest.RigOptions{Rows: rows}), t: t}
	grade, _ := putTexture(c.Source, "grades/cave", 1)
	moss, _ := putTexture(c.Source, "walls/moss", 2)
	rock, _ := putMesh(c.Source, "rocks/r", 3)
	put(c.Source, "drip.pcm", must(soundfile.Encode(audio.SampleRate, 1, make([]int16, 4800))))
	drip := assets.Key{Stem: "drip", Kind: assets.KindSound}
	c.keys = []assets.Key{grade, moss, rock, drip}
	c.sources = NewSources(c.World)
	c.source = c.sources.Add(components.StreamSource{Pos: [3]float32{50, 0, 0}})
	at := identity()
	at[0], at[5], at[10] = 10, 10, 10
	c.zone = must(scene.NewSpawner(c.World, c.Services()).Zone(&assets.SceneZone{
		Sound: drip.Stem, Gain: 1, LookUp: grade.Stem, FogColor: [3]float32{1, 0, 0}, FogStart: 1, FogEnd: 9,
		Hysteresis: 2, GraceSeconds: grace, Keep: []assets.Key{moss, rock, moss},
	}, at))
	c.Settle()
	return c
}

// walk puts the source so many metres from the zone's middle.
func (c *cave) walk(x float32) {
	c.sources.MoveAt(c.source, [3]float32{x, 0, 0}, 1, [3]float32{})
	c.Settle()
}

// held is how many of the zone's assets are in memory and held.
func (c *cave) held() (n int) {
	for _, k := range c.keys {
		if h, ok := c.Store.Find(k); ok && c.Store.Has(h) && c.Store.Refs(h) > 0 {
			n++
		}
	}
	return n
}

func (c *cave) heard() bool {
	return has[components.SoundSource](c.Rig, c.zone) && c.Mixer.Playing(at[components.SoundSource](c.Rig, c.zone).Voice)
}

func (c *cave) want(where string, held int, effects bool) {
	c.t.Helper()
	if n := c.held(); n != held {
		c.t.Errorf("%s: %d assets are held, want %d", where, n, held)
	}
	graded := at[components.LookUp](c.Rig, c.zone).Joined != 0
	f := NewPublisher(c.World, c.Services()).Publish(gpu.Camera{View: identity(), Far: 100, FogEnd: 1e6})
	if c.heard() != effects || graded != effects || (f.Camera.FogEnd == 9) != effects || (f.LookUp != 0) != effects {
		c.t.Errorf("%s: heard %v, graded %v, look-up %#x, fog to %v; want effects: %v",
			where, c.heard(), graded, f.LookUp, f.Camera.FogEnd, effects)
	}
}

func TestZone_HoldsWhileOccupiedAndForItsGrace(t *testing.T) {
	c := openCave(t, 5)
	c.want("before", 0, false)
	if w := c.Set.Own.Wanted(); w != 0 {
		t.Errorf("%d assets are on the ticket of an empty zone", w)
	}
	c.walk(4)
	c.want("inside", 4, true)
	c.walk(6.5)
	c.want("within the hysteresis", 4, true)
	c.walk(8)
	c.want("in grace", 4, false)
	before := c.Store.Stats().Decodes
	c.walk(6.5)
	c.want("past the edge, not inside", 4, false)
	c.walk(0)
	c.want("inside again", 4, true)
	if n := c.Store.Stats().Decodes; n != before {
		t.Errorf("%d decodes for coming back in grace", n-before)
	}
	c.walk(20)
	for range 4 {
		c.Clock.Advance(time.Second)
		c.Settle()
	}
	c.want("still in grace", 4, false)
	c.Clock.Advance(time.Second)
	c.Settle()
	c.want("after it", 0, false)
	c.World.RemoveEntity(c.zone)
	c.World.RemoveEntity(c.source)
	c.Settle()
	c.CheckReleased()
}

// Leaving before everything has landed ends the wishes.
func TestZone_LeftWhileLoading(t *testing.T) {
	c := openCave(t, 0)
	c.Hold("walls/moss.ktx2")
	c.sources.MoveAt(c.source, [3]float32{}, 1, [3]float32{})
	for range 10 {
		c.Frame()
	}
	if n := c.Set.Own.Wanted(); n == 0 || c.Store.OpenTickets() != 1 {
		t.Errorf("%d wishes, %d tickets while a decode is held", n, c.Store.OpenTickets())
	}
	c.sources.MoveAt(c.source, [3]float32{50, 0, 0}, 1, [3]float32{})
	c.Frame()
	c.LetAllGo()
	c.Settle()
	c.want("left", 0, false)
	if c.Set.Own.Wanted() != 0 || c.Store.OpenTickets() != 0 {
		t.Errorf("%d wishes, %d tickets", c.Set.Own.Wanted(), c.Store.OpenTickets())
	}
}

// Removing only the component takes its effects along.
func TestZone_ComponentGoesWithItsEffects(t *testing.T) {
	c := openCave(t, 5)
	c.walk(0)
	c.want("inside", 4, true)
	c.World.Remove(c.zone, ecs.ComponentID[components.Zone](c.World))
	c.Settle()
	if has[components.LookUp](c.Rig, c.zone) || has[components.SoundSource](c.Rig, c.zone) || c.held() != 0 {
		t.Errorf("%d assets are held; look-up %v, sound %v", c.held(), has[components.LookUp](c.Rig, c.zone), has[components.SoundSource](c.Rig, c.zone))
	}
	c.CheckReleased()
}

// A zone whose assets cannot be had is occupied all the same, and what comes
// later is taken in.
func TestZone_TakesInWhatIsMended(t *testing.T) {
	c := openCave(t, 0)
	put(c.Source, "walls/moss.ktx2", []byte("broken"))
	c.walk(0)
	c.want("with one broken", 3, true)
	if has[components.PendingZone](c.Rig, c.zone) || c.Store.OpenTickets() != 0 {
		t.Error("it still waits for what failed")
	}
	putTexture(c.Source, "walls/moss", 2)
	c.reload("walls/moss", assets.KindTexture)
	c.want("mended", 4, true)
	c.reload("grades/cave", assets.KindTexture)
	c.want("graded anew", 4, true)
	c.reload("drip", assets.KindSound)
	c.want("heard anew", 4, true)
	c.walk(50)
	c.want("left", 0, false)
}

// reload is what a session does with a changed file.
func (c *cave) reload(stem string, kind assets.Kind) {
	c.t.Helper()
	match := func(h assets.Handle) bool { k, ok := c.Store.KeyOf(h); return ok && k.Stem == stem && k.Kind == kind }
	c.Pass.Abandon(match)
	c.Textures.Unkey(must2(c.Store.Find(assets.Key{Stem: stem, Kind: kind})))
	c.Store.Reload(stem, assets.Kinds(kind))
	c.Settle()
}

func must2[T any](v T, _ bool) T { return v }

// A source that stands still costs no look at any zone, however many.
func TestZone_IdlePassAllocatesNothing(t *testing.T) {
	c := openCave(t, 5)
	spawner := scene.NewSpawner(c.World, c.Services())
	for range 200 {
		must(spawner.Zone(&assets.SceneZone{Keep: c.keys[:1]}, identity()))
	}
	c.walk(0)
	c.want("inside", 4, true)
	if n := testing.AllocsPerRun(50, func() { c.Set.ArmDebt(); c.Frame() }); n != 0 {
		t.Errorf("%v allocations in a full pass with nothing to do", n)
	}
}
