package sojourn_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/ecs/systems/scene"
	"sojourn/sojourntest"
	"sojourn/stages/work"
)

// crowded is content of scenes s0 to s7, each of eight crates of its own.
func crowded() (c *sojourntest.Content, scenes []string) {
	c = sojourntest.NewContent()
	for _, s := range "01234567" {
		var crates []string
		for _, n := range "abcdefgh" {
			crates = append(crates, string(s)+string(n))
			c.Crate(string(s) + string(n))
		}
		scenes = append(scenes, "s"+string(s))
		c.Scene("s"+string(s), crates...)
	}
	return c, scenes
}

// TestBacklogTellsOfEachLane: a session is held up in one place after the
// other, and that line alone says how much waits and for how long.
func TestBacklogTellsOfEachLane(t *testing.T) {
	c, scenes := crowded()
	r := sojourntest.Open(t, c, sojourntest.Options{})
	w := r.World("w")
	s := r.Session
	if got := s.Backlog(); got != (sojourn.Backlog{}) {
		t.Errorf("at rest: %+v", got)
	}

	// One worker stands at a gate: four layers load, four wait, jobs queue up.
	c.Hold("s0.scene")
	for _, stem := range scenes {
		load(t, w, scene.Request{Stem: stem, Policy: gated})
	}
	r.Frame()
	c.WaitHeld("s0.scene")
	for range 5 {
		r.Frame()
	}
	got := s.Backlog()
	waited := 6 * sojourntest.FrameTime
	if q := got[sojourn.LineQueuedNear]; q.Waiting != 4 || q.Oldest != waited {
		t.Errorf("layers queued: %+v", q)
	}
	if q := got[sojourn.LineLayersLoading]; q.Waiting != 4 || q.Oldest != waited {
		t.Errorf("layers loading: %+v", q)
	}
	// A job's age is as of the last tick's beginning.
	if q := got[sojourn.LineDecode]; q.Waiting != 3 || q.Oldest != 5*sojourntest.FrameTime {
		t.Errorf("decode: %+v", q)
	}
	if line, oldest := got.Oldest(); line != sojourn.LineQueuedNear || oldest != waited {
		t.Errorf("the oldest is in %v for %v", line, oldest)
	}

	// The device takes nothing: uploads wait.
	r.Device.Stall(1 << 20)
	c.LetGo("s0.scene")
	r.Frames(20)
	got = s.Backlog()
	for _, l := range []sojourn.Line{sojourn.LineGeometryUpload, sojourn.LineTextureUpload} {
		if q := got[l]; q.Waiting == 0 || q.Oldest < 5*sojourntest.FrameTime {
			t.Errorf("%v: %+v", l, q)
		}
	}
	if got[sojourn.LineGeometryUpload].Bytes == 0 || got[sojourn.LineDecode].Waiting != 0 {
		t.Errorf("%+v", got)
	}
	r.Device.Stall(0)
	r.Settle()
	if got := s.Backlog(); got != (sojourn.Backlog{}) {
		t.Errorf("at rest: %+v", got)
	}

}

// TestBacklogOfRetirement: three retirements a frame; the rest of sixty-four
// entities waits, and what they had on the device ages.
func TestBacklogOfRetirement(t *testing.T) {
	c, scenes := crowded()
	b := work.High()
	b.Name, b.Max[work.Retirements] = "slow to retire", 3
	r := sojourntest.Open(t, c, sojourntest.Options{Work: b})
	w := r.World("w")
	var layers []ecs.Entity
	for _, stem := range scenes {
		layers = append(layers, load(t, w, scene.Request{Stem: stem, Policy: gated}))
	}
	r.Settle()
	for _, e := range layers {
		unload(t, w, e)
	}
	r.Frames(4)
	got := r.Session.Backlog()
	if q := got[sojourn.LineLayersRetiring]; q.Waiting < 6 || q.Oldest != 4*sojourntest.FrameTime {
		t.Errorf("layers retiring: %+v", q)
	}
	if q := got[sojourn.LineEntitiesRetiring]; q.Waiting < 40 || q.Waiting >= 64 {
		t.Errorf("entities retiring: %+v", q)
	}
	if q := got[sojourn.LineDeviceFree]; q.Waiting == 0 || q.Bytes == 0 || q.Oldest <= 0 {
		t.Errorf("device free: %+v", q)
	}
	r.Settle()
}

func TestLanesAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for l := range sojourn.NumLines {
		if name := l.String(); name == "" || seen[name] {
			t.Errorf("line %d is called %q", l, name)
		} else {
			seen[name] = true
		}
	}
	if sojourn.NumLines.String() != "line-?" {
		t.Error("a line that is none has a name")
	}
}

func TestSnapshotHasBacklogAndOverruns(t *testing.T) {
	r := sojourntest.Open(t, shared(), sojourntest.Options{})
	w := r.World("w")
	load(t, w, scene.Request{Stem: "a"})
	r.Session.Meter().Complete("slow", 0)
	var snap sojourn.Snapshot
	r.Session.Snapshot(&snap)
	if snap.Backlog[sojourn.LineQueuedNear].Waiting != 1 || snap.Backlog != r.Session.Backlog() {
		t.Errorf("%+v", snap.Backlog)
	}
	r.Settle()
	r.Session.Meter().Begin()
	r.Clock.Advance(time.Second)
	r.Session.Meter().Complete("slow", time.Second)
	r.Session.Meter().End()
	r.Frames(1)
	r.Session.Snapshot(&snap)
	if len(snap.ByStage) == 0 || snap.ByStage[0].Stage != "slow" || snap.ByStage[0].Times != 1 {
		t.Errorf("%+v", snap.ByStage)
	}
	if f := r.Session.LastFrame(); f.Overruns == 0 || f != snap.History[len(snap.History)-1] {
		t.Errorf("%+v", f)
	}
	if n := testing.AllocsPerRun(50, func() { r.Session.Backlog() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
