package sojourn_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"sojourn/assets"
	"sojourn/ecs/systems/scene"
	"sojourn/sojourntest"
	"sojourn/stages/work"
	"sojourn/trace"
	"sojourn/trace/tracetest"
)

func newTrace(events int) *trace.Recorder {
	return trace.New(trace.Options{Clock: work.NewSystemClock(), EventsMax: events})
}

// checked is what a recorder has kept, as a viewer reads it.
func checked(t *testing.T, r *trace.Recorder) []tracetest.Event {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	events, err := tracetest.Check(&b)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// TestTraceTellsOfEverything: two worlds load and unload; frames, passes,
// stages, decodes, uploads and frees are all there, under the right names.
func TestTraceTellsOfEverything(t *testing.T) {
	rec := newTrace(0)
	r := sojourntest.Open(t, shared(), sojourntest.Options{Trace: rec, Workers: 2})
	h, err := r.Session.Store().Retain(context.Background(), assets.Key{Stem: "blue", Kind: assets.KindMaterial})
	if err != nil {
		t.Fatal(err)
	}
	r.Session.Store().Release(h)
	for _, name := range []string{"here", "there"} {
		w := r.World(name)
		layer := load(t, w, scene.Request{Stem: "full", Policy: gated})
		r.Settle()
		unload(t, w, layer)
		r.Settle()
	}
	r.Frames(4)
	events := checked(t, rec)
	frames, units := 0, 0.0
	seen := map[string]bool{}
	for i := range events {
		e := &events[i]
		if e.Process != "session" {
			t.Fatalf("%+v", e)
		}
		switch e.Category {
		case "frame":
			if e.Name == "frame" {
				frames++
			}
			seen[e.Name] = true
		case "pass", "stage":
			seen[fmt.Sprint(e.Category, " ", e.Name, " in ", e.Args["world"], " ", e.Args["world_id"])] = true
			if e.Category == "stage" {
				units += e.Args["units"].(float64)
			}
		case "decode", "read":
			if e.Name != "blue" && !strings.HasPrefix(e.Track, "decode worker ") || e.Args["kind"] == nil || e.Args["bytes"] == nil {
				t.Errorf("%+v", e)
			}
			seen[fmt.Sprint(e.Category, " ", e.Args["kind"], " ", e.Name)] = true
			seen[e.Track] = true
		case "upload", "free":
			if e.Args["bytes"] == nil || e.Track != "game" {
				t.Errorf("%+v", e)
			}
			seen[fmt.Sprint(e.Name, " ", e.Args["key"])] = true
		}
	}
	var facts int64 // of the frames: each has an account
	for _, f := range r.Session.History(nil) {
		facts = f.Frame
	}
	if int64(frames) != facts || units == 0 {
		t.Errorf("%d frames are marked of %d, %v units", frames, facts, units)
	}
	for _, want := range []string{
		"blocking retain 1", "tick", "mailbox", "systems", "publish", "present",
		"pass pass in here 1", "pass pass in there 2", "stage layers in here 1", "stage layers in there 2", "stage retirement in there 2",
		"decode scene full", "decode texture cloth", "decode mesh red", "decode sound hum",
		"geometry upload red", "texture create cloth", "texture free <nil>", "geometry free <nil>",
	} {
		if !seen[want] {
			t.Errorf("no event of %q", want)
		}
	}
	if t.Failed() {
		t.Log(seen)
	}
}

// TestTracedFramesAllocateNothing: a steady frame costs no memory while it is
// recorded, also once the ring is full.
func TestTracedFramesAllocateNothing(t *testing.T) {
	rec := newTrace(256)
	r := sojourntest.Open(t, shared(), sojourntest.Options{Trace: rec})
	load(t, r.World("w"), scene.Request{Stem: "full", Policy: gated})
	r.Settle()
	frame := func() {
		r.Session.Tick(sojourntest.FrameTime)
		if err := r.Session.Present(nil); err != nil {
			t.Error(err)
		}
	}
	for range 100 {
		frame()
	}
	if rec.Dropped() == 0 {
		t.Fatal("the ring is not full")
	}
	if n := testing.AllocsPerRun(50, frame); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
