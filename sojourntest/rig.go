package sojourntest

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/audio"
	"sojourn/gpu/headless"
	"sojourn/journal"
	"sojourn/stages"
	"sojourn/stages/stagestest"
	"sojourn/stages/work"
	"sojourn/trace"
)

// FrameTime is how far the clock moves with each frame of a rig.
const FrameTime = time.Second / 60

// soundFrames is what the sink reads in each frame of a rig: a voice's ramp,
// and no more, because mixing would be most of a test's time.
const soundFrames = audio.SampleRate * 5 / 1000

// Options say what a rig is made of.
type Options struct {
	// KeepAliveMB is the session's; 0 keeps nothing.
	KeepAliveMB int
	// Work is a frame's budget; the zero value means work.High.
	Work work.Budget
	// Workers decode; 0 means one.
	Workers int
	// Rows and Kinds are a guest's own.
	Rows  []stages.Row
	Kinds []assets.KindSpec
	// Trace records the session; nil records nothing.
	Trace *trace.Recorder
	// Journal hears of what comes and goes; nil hears nothing.
	Journal *journal.Log
	// Change, where set, may change the session's configuration.
	Change func(*sojourn.Config)
}

// Rig is a session under test. Everything in it may be used directly. Game
// goroutine only.
type Rig struct {
	Session *sojourn.Session
	Content *Content
	Device  *headless.Device
	Sink    *audio.Manual
	Clock   *stagestest.Clock

	t       testing.TB
	history []work.Facts
	over    []work.Overrun
	frames  int
	closed  bool
}

// framesMax is how many frames a rig may run: a test that waits for what does
// not come ends, and is named.
const framesMax = 2_000_000

// Open starts a session on the content. It closes with the test: see
// [Rig.Close].
func Open(t testing.TB, c *Content, o Options) *Rig {
	t.Helper()
	r := &Rig{
		Content: c, Device: headless.New(headless.Options{}), Sink: audio.NewManual(),
		Clock: &stagestest.Clock{}, t: t,
	}
	config := sojourn.DefaultConfig()
	config.Residency.KeepAliveMB = o.KeepAliveMB
	if o.Change != nil {
		o.Change(&config)
	}
	var err error
	r.Session, err = sojourn.Open(sojourn.Options{
		Sources: []assets.Source{c}, Device: r.Device, Sink: r.Sink, Config: &config, Work: o.Work,
		Kinds: o.Kinds, Rows: o.Rows, Workers: max(o.Workers, 1), Clock: r.Clock, Trace: o.Trace,
		Journal: o.Journal,
	})
	if err != nil {
		t.Fatalf("sojourntest: %v", err)
	}
	t.Cleanup(r.Close)
	return r
}

// World adds a small world.
func (r *Rig) World(name string) *sojourn.World {
	r.t.Helper()
	w, err := r.Session.NewWorld(sojourn.WorldOptions{Name: name, EntitiesExpected: 128})
	if err != nil {
		r.t.Fatalf("sojourntest: %v", err)
	}
	return w
}

// Frame runs a tick, what the sink reads meanwhile, and a present, and checks
// what must hold after each. It does not wait for workers.
func (r *Rig) Frame() {
	r.t.Helper()
	if r.frames++; r.frames > framesMax {
		r.t.Fatalf("sojourntest: %d frames are run, and what the test waits for did not come", framesMax)
	}
	r.Session.Tick(FrameTime)
	r.Sink.Advance(soundFrames)
	err := r.Session.Present(nil)
	if errors.Is(err, sojourn.ErrClosed) {
		return
	}
	if err != nil {
		r.t.Fatalf("sojourntest: present: %v", err)
	}
	r.Clock.Advance(FrameTime)
	r.check()
}

// check holds what holds after every frame.
func (r *Rig) check() {
	r.t.Helper()
	d, res := r.Device.Stats(), r.Session.Residency()
	if d.TextureBytes != res.TextureBytes || d.GeometryBytes != res.GeometryBytes {
		r.t.Fatalf("sojourntest: the device has %d bytes of textures and %d of geometry, accounted are %d and %d",
			d.TextureBytes, d.GeometryBytes, res.TextureBytes, res.GeometryBytes)
	}
	if n := r.Device.EarlyFrees(); n != 0 {
		r.t.Fatalf("sojourntest: %d device objects were freed while a frame in flight showed them", n)
	}
	r.history = r.Session.History(r.history[:0])
	if len(r.history) == 0 {
		return
	}
	f, b := r.history[len(r.history)-1], r.Session.Meter().Budget()
	for d, used := range f.Used {
		if used > b.Max[d] && !r.excused(f) {
			r.t.Fatalf("sojourntest: frame %d used %d %v of %d, and no oversize use is named", f.Frame, used, work.Dimension(d), b.Max[d])
		}
	}
}

// excused tells whether a frame's one oversize use is named.
func (r *Rig) excused(f work.Facts) bool {
	if f.Oversizes != 1 {
		return false
	}
	r.over, _ = r.Session.Meter().Overruns(r.over[:0])
	for _, o := range r.over {
		if o.Oversize && o.Frame == f.Frame && o.Stage != "" {
			return true
		}
	}
	return false
}

// Frames runs so many frames, waiting for workers before each.
func (r *Rig) Frames(n int) {
	r.t.Helper()
	for range n {
		r.Await()
		r.Frame()
	}
}

// Await waits until no worker has anything to do. It never returns while a
// read is held at a gate of the content.
func (r *Rig) Await() {
	for r.Session.Store().Busy() {
		runtime.Gosched()
	}
}

// settleFramesMax is how many frames a rig may take to come to rest.
const settleFramesMax = 5000

// Settle runs frames, waiting for workers before each, until nothing is under
// way, and tells how many it took. It fails the test if that does not come.
func (r *Rig) Settle() (frames int) {
	r.t.Helper()
	for frames < settleFramesMax {
		r.Frames(1)
		frames++
		if r.Session.Idle() && !r.Session.Store().Busy() && r.Session.Mixer().Stats().Waiting == 0 {
			r.Frames(1) // wakes of the last uploads
			if r.Session.Idle() {
				return frames
			}
		}
	}
	var snap sojourn.Snapshot
	r.Session.Snapshot(&snap)
	r.t.Fatalf("sojourntest: not at rest after %d frames: %+v, worlds %+v", frames, snap.Residency, snap.Worlds)
	return frames
}

// CheckEmpty fails the test where anything is left of what worlds held, on the
// device, in the mixer or in the store; what is parked is freed first.
func (r *Rig) CheckEmpty() {
	r.t.Helper()
	for _, w := range r.Session.Worlds() {
		if n := w.Set().Ledger.Live(); n != 0 {
			r.t.Errorf("sojourntest: world %q: %d holds in the ledger", w.Name(), n)
		}
		if n := w.Set().Rosters.Live(); n != 0 {
			r.t.Errorf("sojourntest: world %q: %d rosters open", w.Name(), n)
		}
		if n := w.Set().Materials.Len(); n != 0 {
			r.t.Errorf("sojourntest: world %q: %d materials", w.Name(), n)
		}
		if n := w.ECS().Stats().Entities.Used; n != 0 {
			r.t.Errorf("sojourntest: world %q: %d entities", w.Name(), n)
		}
	}
	if d := r.Device.Stats(); d.Textures != 0 || d.Geometries != 0 || d.TextureBytes != 0 || d.GeometryBytes != 0 {
		r.t.Errorf("sojourntest: the device keeps %d textures and %d geometries", d.Textures, d.Geometries)
	}
	if res := r.Session.Residency(); res.Voices != 0 || res.UploadsPending != 0 || res.FreesPending != 0 {
		r.t.Errorf("sojourntest: %+v", res)
	}
	keep := r.Session.Store().Stats().KeepAliveBytesMax
	assetstest.CheckLeaks(r.t, r.Session.Store())
	if n := r.Session.Store().Stats().Entries; n != 0 {
		r.t.Errorf("sojourntest: the store knows %d keys: something holds their names", n)
	}
	r.Session.Store().SetKeepAlive(keep)
}

// Close closes every world, lets what they held go, and closes the session. It
// fails the test if something is held after that, or if a decode ran on the
// tick. Closing again does nothing; a rig closes with its test.
func (r *Rig) Close() {
	r.t.Helper()
	if r.closed {
		return
	}
	r.closed = true
	for _, w := range r.Session.Worlds() {
		if err := w.Close(); err != nil {
			r.t.Errorf("sojourntest: %v", err)
		}
	}
	if !r.t.Failed() {
		r.Settle()
		for range 4 {
			r.Frame() // voices ramp down
		}
		r.CheckEmpty()
	} else {
		_ = r.Content.Close() // opens gates that the test left closed
	}
	if n := r.Session.Store().Stats().DecodesOnTick; n != 0 {
		r.t.Errorf("sojourntest: %d decodes ran on the tick", n)
	}
	if err := r.Session.Close(); err != nil {
		r.t.Errorf("sojourntest: %v", err)
	}
	assetstest.CheckSource(r.t, r.Content.Source)
}
