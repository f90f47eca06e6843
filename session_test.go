package sojourn_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/kinds"
	"sojourn/audio"
	"sojourn/ecs/systems"
	"sojourn/ecs/systems/scene"
	"sojourn/gpu"
	"sojourn/gpu/headless"
	"sojourn/sojourntest"
	"sojourn/stages"
	"sojourn/stages/work"
)

func TestOpenRefusesAndClosesWhatItWasGiven(t *testing.T) {
	failing := errors.New("no such luck")
	for name, tt := range map[string]struct {
		change func(*sojourn.Options)
		want   error
	}{
		"no device":  {func(o *sojourn.Options) { o.Device = nil }, sojourn.ErrNoDevice},
		"bad budget": {func(o *sojourn.Options) { o.Work = work.Budget{Name: "odd"} }, work.ErrBadBudget},
		"bad row":    {func(o *sojourn.Options) { o.Rows = []stages.Row{{Name: "cells"}} }, stages.ErrBadRow},
		"bad kind":   {func(o *sojourn.Options) { o.Kinds = kinds.Builtin()[:1] }, assets.ErrKindTaken},
		"bad sink":   {func(o *sojourn.Options) { o.Sink = badSink{o.Sink.(*audio.Manual), failing} }, failing},
	} {
		t.Run(name, func(t *testing.T) {
			c, d, sink := sojourntest.NewContent(), headless.New(headless.Options{}), audio.NewManual()
			c.Texture("x", 1)
			o := sojourn.Options{Sources: []assets.Source{c}, Device: d, Sink: sink, Workers: 1}
			tt.change(&o)
			s, err := sojourn.Open(o)
			if s != nil || !errors.Is(err, tt.want) {
				t.Fatalf("%v, %v", s, err)
			}
			if _, err := c.Open("x.ktx2"); !errors.Is(err, assets.ErrClosed) {
				t.Errorf("the source is open: %v", err)
			}
			if sink.Advance(8) != nil {
				t.Error("the sink still reads")
			}
			if _, err := d.CreateTexture(gpu.TextureDesc{Width: 1, Height: 1, Levels: 1}); o.Device != nil && err == nil {
				t.Error("the device is open")
			}
		})
	}
}

type badSink struct {
	*audio.Manual
	err error
}

func (s badSink) Start(io.Reader) error { return s.err }

func TestDefaults(t *testing.T) {
	s, err := sojourn.Open(sojourn.Options{Device: headless.New(headless.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	if s.Config() != sojourn.DefaultConfig() || s.Meter().Budget() != work.High() || s.Device().Name() != "headless" {
		t.Errorf("%+v, %+v", s.Config(), s.Meter().Budget())
	}
	s.Tick(sojourntest.FrameTime) // without any world
	if err := s.Present(nil); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestCloseReportsWhatIsHeld(t *testing.T) {
	c := sojourntest.NewContent()
	c.Crate("crate")
	s, err := sojourn.Open(sojourn.Options{Sources: []assets.Source{c}, Device: headless.New(headless.Options{}), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.NewWorld(sojourn.WorldOptions{Name: "w"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sojourn.Spawn(w, "crate", sojourn.At(0, 0, -3)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store().Retain(context.Background(), assets.Key{Stem: "crate#texture", Kind: assets.KindTexture}); err != nil {
		t.Fatal(err)
	}
	err = s.Close()
	if !errors.Is(err, assets.ErrHeld) || !strings.Contains(err.Error(), "crate#texture x1") || strings.Contains(err.Error(), "mesh") {
		t.Errorf("%v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

func TestClosedSessionAndWorldRefuse(t *testing.T) {
	c := sojourntest.NewContent()
	c.Crate("crate")
	c.Scene("yard", "crate")
	r := sojourntest.Open(t, c, sojourntest.Options{})
	w := r.World("w")
	layer, err := w.Load(scene.Request{Stem: "yard"})
	if err != nil {
		t.Fatal(err)
	}
	r.Settle()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		_, load := w.Load(scene.Request{Stem: "yard"})
		_, spawn := sojourn.Spawn(w, "crate", sojourn.At(0, 0, 0))
		_, sound := sojourn.SpawnSound(w, "x", sojourn.At(0, 0, 0), 1, 1)
		_, sky := sojourn.SpawnSkybox(w, "x")
		_, probe := sojourn.SpawnProbe(w, "x", sojourn.At(0, 0, 0), 1)
		_, lookUp := sojourn.SpawnLookUp(w, "x")
		_, decal := sojourn.SpawnDecal(w, "x", sojourn.At(0, 0, 0))
		_, particles := sojourn.SpawnParticles(w, "x", sojourn.At(0, 0, 0))
		_, zone := sojourn.SpawnZone(w, assets.SceneZone{LookUp: "x"}, sojourn.At(0, 0, 0))
		for name, err := range map[string]error{
			"load": load, "show": w.Show(layer), "unload": w.Unload(layer), "spawn": spawn, "sound": sound, "sky": sky, "probe": probe, "look-up": lookUp, "decal": decal, "particles": particles, "zone": zone,
		} {
			if !errors.Is(err, sojourn.ErrClosed) {
				t.Errorf("%s, %s: %v", when, name, err)
			}
		}
		if _, ok := w.Layer(layer); ok {
			t.Errorf("%s: a closed world has layers", when)
		}
		w.UnloadAll()
		if err := w.Close(); err != nil {
			t.Errorf("%s: closing again: %v", when, err)
		}
	}
	check("world closed")
	r.Session.SetActive(w) // ignored
	r.Frames(2)
	r.Close()
	check("session closed")
	r.Session.Tick(time.Second)
	if err := r.Session.Present(nil); !errors.Is(err, sojourn.ErrClosed) {
		t.Error(err)
	}
	if _, err := r.Session.NewWorld(sojourn.WorldOptions{}); !errors.Is(err, sojourn.ErrClosed) {
		t.Error(err)
	}
}

// TestFailedRowLeavesNoWorld: the session goes on as if nothing was asked.
func TestFailedRowLeavesNoWorld(t *testing.T) {
	fail := true
	closed := 0
	row := stages.Row{Name: "picky", Open: func(*ecs.World, stages.Services) (stages.Runner, error) {
		if fail {
			return nil, errors.New("not today")
		}
		return &closing{&closed}, nil
	}}
	r := sojourntest.Open(t, sojourntest.NewContent(), sojourntest.Options{Rows: []stages.Row{row}})
	_, err := r.Session.NewWorld(sojourn.WorldOptions{Name: "w"})
	if !errors.Is(err, stages.ErrOpen) || !strings.Contains(err.Error(), `world "w"`) || !strings.Contains(err.Error(), "picky: not today") {
		t.Errorf("%v", err)
	}
	if len(r.Session.Worlds()) != 0 {
		t.Error("a world without a row")
	}
	fail = false
	w := r.World("w")
	r.Frames(2)
	if err := w.Close(); err != nil || closed != 1 {
		t.Errorf("%v, the row was closed %d times", err, closed)
	}
}

type closing struct{ closed *int }

func (c *closing) Run(*stages.Slice) stages.Outcome { return stages.Done }
func (c *closing) Close()                           { *c.closed++ }

// TestWorldReset: a game must not, and is told.
func TestWorldReset(t *testing.T) {
	c := sojourntest.NewContent()
	c.Crate("crate")
	c.Scene("yard", "crate", "crate")
	c.Sound("hum", 4800)
	for _, when := range []string{"settled", "loading"} {
		t.Run(when, func(t *testing.T) {
			r := sojourntest.Open(t, copyOf(c), sojourntest.Options{})
			w, other := r.World("doomed"), r.World("other")
			if _, err := w.Load(scene.Request{Stem: "yard"}); err != nil {
				t.Fatal(err)
			}
			for _, in := range []*sojourn.World{w, other} {
				if _, err := sojourn.Spawn(in, "crate", sojourn.At(0, 0, -4)); err != nil {
					t.Fatal(err)
				}
				if _, err := sojourn.SpawnSound(in, "hum", sojourn.At(0, 0, 0), 1, 10); err != nil {
					t.Fatal(err)
				}
			}
			if when == "settled" {
				r.Settle()
			} else {
				r.Frames(2)
			}
			w.AddSystem(func(w *sojourn.World, _ time.Duration) { w.ECS().Reset() })
			r.Frames(1)
			w.ECS().NewEntity()
			r.Frames(3)
			if len(r.Session.Worlds()) != 1 || r.Session.Worlds()[0] != other {
				t.Fatalf("%d worlds are left", len(r.Session.Worlds()))
			}
			if _, err := w.Load(scene.Request{Stem: "yard"}); !errors.Is(err, sojourn.ErrClosed) {
				t.Error(err)
			}
			r.Settle()
			if n := r.Device.Stats().DrawnItems; n != 1 {
				t.Errorf("the other world shows %d items", n)
			}
			if err := other.Close(); err != nil {
				t.Error(err)
			}
			r.Settle()
			for range 4 {
				r.Frame()
			}
			r.CheckEmpty()
			if err := r.Session.Close(); err == nil || !strings.Contains(err.Error(), `world "doomed"`) || !strings.Contains(err.Error(), "World.Reset") {
				t.Errorf("%v", err)
			}
		})
	}
}

// copyOf is a copy of content, because a session closes its sources.
func copyOf(c *sojourntest.Content) *sojourntest.Content {
	d := sojourntest.NewContent()
	_ = c.List(func(name string, size int64) bool {
		e, err := c.Open(name)
		if err != nil {
			panic(err)
		}
		defer e.Close()
		b := make([]byte, size)
		_, _ = e.ReadAt(b, 0)
		d.Set(name, b)
		return true
	})
	return d
}

func TestSetActiveDrawsFromTheNextTick(t *testing.T) {
	c := sojourntest.NewContent()
	c.Crate("crate")
	r := sojourntest.Open(t, c, sojourntest.Options{})
	a, b := r.World("a"), r.World("b")
	for i := range 3 {
		if _, err := sojourn.Spawn(a, "crate", sojourn.At(float32(i), 0, -4)); err != nil {
			t.Fatal(err)
		}
	}
	e, err := sojourn.Spawn(b, "crate", sojourn.At(0, 0, -4))
	if err != nil {
		t.Fatal(err)
	}
	items := func() int { return r.Device.Stats().DrawnItems }
	r.Settle()
	if items() != 3 {
		t.Fatalf("the first world shows %d", items())
	}
	r.Session.SetActive(b)
	r.Frames(1)
	if items() != 1 {
		t.Errorf("the second world shows %d", items())
	}
	r.Session.SetActive(a)
	r.Frames(1)
	// While a is drawn, b's last frame goes stale.
	b.ECS().RemoveEntity(e)
	r.Settle()
	r.Session.SetActive(b)
	if err := r.Session.Present(nil); err != nil || items() != 3 {
		t.Errorf("presenting without a tick: %v, %d items", err, items())
	}
	r.Frames(1)
	if items() != 0 {
		t.Errorf("the empty world shows %d", items())
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	for range 3 {
		if err := r.Session.Present(nil); err != nil {
			t.Error(err)
		}
	}
	r.Frames(1)
	if items() != 3 {
		t.Errorf("after the drawn world closed, %d items are shown", items())
	}
	r.Session.SetActive(nil)
	r.Frames(1)
}

// TestPresentWithoutTicks: a loop may draw more often than it updates.
func TestPresentWithoutTicks(t *testing.T) {
	c := sojourntest.NewContent()
	c.Crate("crate")
	r := sojourntest.Open(t, c, sojourntest.Options{})
	w := r.World("w")
	if err := r.Session.Present(nil); err != nil { // before any tick
		t.Fatal(err)
	}
	var last ecs.Entity
	for i := range 60 {
		e, err := sojourn.Spawn(w, "crate", sojourn.At(0, 0, -4))
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			w.ECS().RemoveEntity(last)
		}
		last = e
		r.Await()
		r.Frame()
		for range i % 4 {
			if err := r.Session.Present(nil); err != nil {
				t.Fatalf("frame %d: %v", i, err)
			}
		}
	}
	if n := r.Device.EarlyFrees(); n != 0 {
		t.Errorf("%d early frees", n)
	}
}

func TestIdleFrameAllocatesNothing(t *testing.T) {
	c := sojourntest.NewContent()
	for _, stem := range []string{"a", "b", "c"} {
		c.Crate(stem)
	}
	c.Sound("hum", 4800)
	c.SceneOf("yard", assets.Scene{Skybox: "a#texture", Entities: []assets.SceneEntity{
		sojourntest.Placed("1", "a", 0, 0, -4), sojourntest.Placed("2", "b", 0, 0, -4), sojourntest.Sounding("3", "hum"),
	}})
	r := sojourntest.Open(t, c, sojourntest.Options{KeepAliveMB: 64})
	w := r.World("w")
	if _, err := w.Load(scene.Request{Stem: "yard"}); err != nil {
		t.Fatal(err)
	}
	if _, err := sojourn.Spawn(w, "c", sojourn.At(0, 0, -4)); err != nil {
		t.Fatal(err)
	}
	r.Settle()
	idle := func() {
		r.Session.Tick(sojourntest.FrameTime)
		if err := r.Session.Present(nil); err != nil {
			t.Error(err)
		}
	}
	idle()
	if n := testing.AllocsPerRun(200, idle); n != 0 {
		t.Errorf("an idle frame makes %v allocations", n)
	}
	if d := r.Device.Stats().DrawnItems; d != 3 {
		t.Errorf("%d items are shown", d)
	}
}

func TestSnapshotAndHolders(t *testing.T) {
	c := sojourntest.NewContent()
	c.Crate("crate")
	c.Scene("yard", "crate", "crate")
	r := sojourntest.Open(t, c, sojourntest.Options{})
	w := r.World("w")
	if _, err := w.Load(scene.Request{Stem: "yard"}); err != nil {
		t.Fatal(err)
	}
	r.Settle()
	var snap sojourn.Snapshot
	for range 2 {
		r.Session.Snapshot(&snap)
		v := snap.Worlds[0]
		if len(snap.Worlds) != 1 || v.Name != "w" || !v.Active || len(v.Layers) != 1 || v.Layers[0].Key.Stem != "yard" ||
			v.Layers[0].Members != 2 || v.Holds == 0 || len(snap.Stages) != int(systems.NumBuiltin) || snap.Name != "headless" || snap.Residency.GeometryBytes == 0 {
			t.Fatalf("%+v", snap)
		}
	}
	h, ok := r.Session.Store().Find(assets.Key{Stem: "crate#mesh", Kind: assets.KindMesh})
	if !ok || len(r.Session.Holders(h, nil)) != 2 {
		t.Errorf("%d holders of the mesh", len(r.Session.Holders(h, nil)))
	}
	if len(r.Session.History(nil)) == 0 {
		t.Error("no history")
	}
}

func TestResource(t *testing.T) {
	type score struct{ n int }
	r := sojourntest.Open(t, sojourntest.NewContent(), sojourntest.Options{})
	w := r.World("w")
	if sojourn.Resource[score](w) != nil {
		t.Error("a resource from nowhere")
	}
	ecs.AddResource(w.ECS(), &score{7})
	if got := sojourn.Resource[score](w); got == nil || got.n != 7 {
		t.Errorf("%v", got)
	}
}
