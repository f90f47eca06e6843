package stagestest

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/listener"

	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/assets/kinds"
	"sojourn/audio"
	"sojourn/gpu"
	"sojourn/gpu/headless"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// FrameTime is how far the clock moves with each frame of a rig.
const FrameTime = time.Second / 60

// soundFrames is what the sink reads in one frame's time.
const soundFrames = audio.SampleRate / 60

// RigOptions say what a rig is made of. Only Rows must be set.
type RigOptions struct {
	// Rows are the whole table.
	Rows []stages.Row
	// Kinds are a guest's own, beside the engine's.
	Kinds []assets.KindSpec
	// Work is a frame's budget; the zero value means work.High.
	Work work.Budget
	// KeepAliveBytesMax is the store's; 0 destroys at the last release.
	KeepAliveBytesMax int64
	// Workers decode; 0 means one.
	Workers int
}

// Rig is the part of a session that a row meets, for one world. Everything in
// it may be used directly. Game goroutine only.
type Rig struct {
	Clock    *Clock
	Source   *assetstest.Source
	Store    *assets.Store
	Device   *headless.Device
	Retire   *gpu.Retirement
	Geometry *gpu.Geometry
	Textures *gpu.Textures
	Uploads  *gpu.Uploads
	Sink     *audio.Manual
	Mixer    *audio.Mixer
	World    *ecs.World
	Set      *resources.Set
	Pass     *stages.Pass
	Meter    *work.Meter

	t      testing.TB
	events listener.Dispatch
	wakes  []assets.Wake
	held   map[string]bool
	frame  gpu.Frame
	closed bool
}

// NewRig opens a rig that closes with its test. Closing fails the test where
// something is left: see [Rig.Close].
func NewRig(t testing.TB, o RigOptions) *Rig {
	t.Helper()
	if o.Work == (work.Budget{}) {
		o.Work = work.High()
	}
	r := &Rig{
		t: t, Clock: &Clock{}, Source: assetstest.NewSource("memory"),
		Device: headless.New(headless.Options{}), Sink: audio.NewManual(), held: make(map[string]bool),
	}
	var err error
	r.Store, err = assets.Open(assets.Options{
		Kinds: append(kinds.Builtin(), o.Kinds...), Sources: []assets.Source{r.Source},
		Workers: max(o.Workers, 1), KeepAliveBytesMax: o.KeepAliveBytesMax,
	})
	if err != nil {
		t.Fatalf("stagestest: store: %v", err)
	}
	t.Cleanup(r.Close)
	if r.Mixer, err = audio.New(r.Store, r.Sink, audio.Options{}); err != nil {
		t.Fatalf("stagestest: mixer: %v", err)
	}
	r.Retire = gpu.NewRetirement(r.Device)
	r.Geometry = gpu.NewGeometry(r.Device, r.Store, r.Retire, gpu.GeometryOptions{})
	r.Textures = gpu.NewTextures(r.Device, r.Store, r.Retire, gpu.TextureOptions{})
	r.Uploads = gpu.NewUploads(r.Geometry, r.Textures)
	r.Meter = work.NewMeter(r.Clock, o.Work)
	r.Meter.NewFrame()
	r.openWorld(o.Rows)
	return r
}

func (r *Rig) openWorld(rows []stages.Row) {
	r.t.Helper()
	table, err := stages.NewTable(rows...)
	if err != nil {
		r.t.Fatalf("stagestest: table: %v", err)
	}
	w := ecs.NewWorld(256, 1)
	r.World = &w
	r.Set = resources.Install(r.World, resources.Options{
		Store: r.Store, Geometry: r.Geometry, Textures: r.Textures, Mixer: r.Mixer, Clock: r.Clock,
		EntitiesExpected: 256,
	})
	r.Pass, err = stages.OpenPass(r.World, table, r.Services(), stages.PassOptions{Owner: "rig"})
	if err != nil {
		r.t.Fatalf("stagestest: %v", err)
	}
	r.Set.ArmDebt = r.Pass.ArmDebt
	r.events = listener.NewDispatch(r.Set.NewListener())
	r.World.SetListener(&r.events)
}

// Services are what the rig's rows were opened with.
func (r *Rig) Services() stages.Services {
	return stages.Services{
		Store: r.Store, Geometry: r.Geometry, Textures: r.Textures, Mixer: r.Mixer, Clock: r.Clock,
	}
}

// Listen adds a listener to the world's events, as a session's world does.
func (r *Rig) Listen(l ecs.Listener) { r.events.AddListener(l) }

// Frame runs one frame: wakes, the pass, uploads and frees under one meter,
// the mixer, a present. It does not wait for workers.
func (r *Rig) Frame() stages.PassReport {
	r.Store.EnterTick()
	r.Store.NoteTime(r.Clock.Now())
	r.Meter.Begin()
	r.wakes = r.Store.Drain(r.wakes[:0])
	report := r.Pass.Run(r.Meter, r.wakes)
	r.Set.Ledger.Sweep(r.World, 64)
	r.Uploads.Pump(r.Meter)
	r.Retire.Pump(r.Meter)
	r.Meter.End()
	r.Sink.Advance(soundFrames)
	r.Mixer.Sweep()
	r.Store.LeaveTick()
	if err := r.Device.Present(nil, &r.frame); err != nil {
		r.t.Fatalf("stagestest: %v", err)
	}
	r.Retire.Presented()
	r.Meter.NewFrame()
	r.Clock.Advance(FrameTime)
	return report
}

// Wakes are what landed for the last frame, valid until the next.
func (r *Rig) Wakes() []assets.Wake { return r.wakes }

// Close ends the rig as a session does, with whatever entities are left. It
// fails the test if a decode ran on the tick, if the ledger, the device or the
// mixer keeps something, or if the store or the source is held. Closing again
// does nothing; a rig closes with its test.
func (r *Rig) Close() {
	r.t.Helper()
	if r.closed {
		return
	}
	r.closed = true
	r.LetAllGo()
	r.closeWorld()
	r.Await() // decodes that nobody wants any more end by themselves
	if r.Mixer != nil {
		if err := r.Mixer.Close(); err != nil {
			r.t.Errorf("mixer: %v", err)
		}
	}
	if r.Textures != nil {
		r.Textures.Close()
		r.Geometry.Close()
		r.Retire.Flush()
		if st := r.Device.Stats(); st.Textures != 0 || st.Geometries != 0 {
			r.t.Errorf("device: %d textures and %d geometries left", st.Textures, st.Geometries)
		}
	}
	r.Device.Close()
	if n := r.Store.Stats().DecodesOnTick; n > 0 {
		r.t.Errorf("%d decodes ran on the tick: a bind never decodes", n)
	}
	assetstest.CheckLeaks(r.t, r.Store)
	if err := r.Store.Close(); err != nil {
		r.t.Errorf("store: %v", err)
	}
	if err := r.Source.Close(); err != nil {
		r.t.Errorf("source: %v", err)
	}
	assetstest.CheckSource(r.t, r.Source)
}

func (r *Rig) closeWorld() {
	if r.Pass == nil {
		return
	}
	r.Pass.Close()
	r.World.SetListener(nil)
	r.Set.Ledger.ReleaseAll()
	if n := r.Set.Ledger.Live(); n != 0 {
		r.t.Errorf("ledger: %d holds left after release", n)
	}
	if n := r.Set.Ledger.Unseen(); n != 0 {
		r.t.Errorf("ledger: %d entities died unseen", n)
	}
}
