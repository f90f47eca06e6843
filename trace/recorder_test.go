package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sojourn/trace"
	"sojourn/trace/tracetest"
)

// ticking moves on with every look, for whichever goroutine looks.
type ticking struct{ now atomic.Int64 }

func (c *ticking) Now() time.Duration { return time.Duration(c.now.Add(1)) }

func written(t *testing.T, r *trace.Recorder) ([]tracetest.Event, string) {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	events, err := tracetest.Check(&b)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return events, text
}

func TestEventsAreWritten(t *testing.T) {
	r := trace.New(trace.Options{Clock: &ticking{}, EventsMax: 16})
	p := r.Process("session")
	game, worker := p.Track("game"), p.Track("decode worker 1")
	w := p.World(`the "odd" one`)
	outer := game.Now()
	inner := game.Now()
	game.Span("stage", "models", inner, trace.Args{World: w, HasUnits: true, Detail: "done"})
	game.Span("frame", "pass", outer, trace.Args{})
	game.Instant("frame", "present", trace.Args{Units: 7})
	game.Counter("uploads waiting", 3)
	worker.Span("decode", "cells/1/wände", worker.Now(), trace.Args{Bytes: 4096, Key: "k", Kind: "texture", Detail: "failed"})
	events, text := written(t, r)
	if len(events) != 5 || r.Len() != 5 || r.Dropped() != 0 {
		t.Fatalf("%d events, %d kept, %d dropped", len(events), r.Len(), r.Dropped())
	}
	for i, want := range []string{
		`models X session/game stage map[detail:done units:0 world:the "odd" one world_id:1]`,
		`pass X session/game frame map[]`,
		`present i session/game frame map[units:7]`,
		`uploads waiting C session/game  map[value:3]`,
		`cells/1/wände X session/decode worker 1 decode map[bytes:4096 detail:failed key:k kind:texture]`,
	} {
		e := &events[i]
		if got := fmt.Sprintf("%s %s %s/%s %s %v", e.Name, e.Phase, e.Process, e.Track, e.Category, e.Args); got != want {
			t.Errorf("event %d is %s\nwant %s", i, got, want)
		}
	}
	// One look at the clock is a nanosecond, and written as a thousandth.
	if events[0].AtNS != 2 || events[0].TookNS != 1 || events[1].AtNS != 1 || events[1].TookNS != 3 || !strings.Contains(text, `"ts":0.002`) {
		t.Errorf("%+v\n%s", events[:2], text)
	}
}

func TestOldestIsDroppedAndCounted(t *testing.T) {
	r := trace.New(trace.Options{Clock: &ticking{}, EventsMax: 4})
	track := r.Process("session").Track("game")
	for i := range 11 {
		track.Counter("n", int64(i))
	}
	events, text := written(t, r)
	if len(events) != 4 || events[0].Args["value"] != 7.0 || events[3].Args["value"] != 10.0 || r.Dropped() != 7 || r.Len() != 4 {
		t.Errorf("%d dropped, %+v", r.Dropped(), events)
	}
	if !strings.Contains(text, `"dropped_events":"7"`) {
		t.Error(text)
	}
}

func TestNothingRecordsNothing(t *testing.T) {
	var r *trace.Recorder
	p := r.Process("session")
	track := p.Track("game")
	if p.On() || track.On() || p.World("w") != 0 || track.Now() != 0 {
		t.Error("a recorder that is not there records")
	}
	track.Span("a", "b", 0, trace.Args{})
	track.Instant("a", "b", trace.Args{})
	track.Counter("c", 1)
	if events, _ := written(t, trace.New(trace.Options{Clock: &ticking{}})); len(events) != 0 {
		t.Errorf("%+v", events)
	}
}

func TestClockThatGoesBack(t *testing.T) {
	r := trace.New(trace.Options{Clock: &ticking{}, EventsMax: 1})
	r.Process("session").Track("game").Span("a", "b", time.Hour, trace.Args{})
	if events, _ := written(t, r); events[0].TookNS != 0 {
		t.Errorf("%+v", events)
	}
}

// TestManyTracks: workers append while the game does, and while it is written.
func TestManyTracks(t *testing.T) {
	const tracks, spans = 8, 500
	r := trace.New(trace.Options{Clock: &ticking{}, EventsMax: tracks * spans * 2})
	p := r.Process("session")
	var all sync.WaitGroup
	for i := range tracks {
		all.Add(1)
		go func() {
			defer all.Done()
			track := p.Track(fmt.Sprint("worker ", i))
			for range spans {
				outer := track.Now()
				track.Span("t", "inner", track.Now(), trace.Args{})
				track.Span("t", "outer", outer, trace.Args{})
			}
		}()
	}
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Error(err)
	}
	if _, err := tracetest.Check(&b); err != nil {
		t.Errorf("written meanwhile: %v", err)
	}
	all.Wait()
	if events, _ := written(t, r); len(events) != tracks*spans*2 || r.Dropped() != 0 {
		t.Errorf("%d events, %d dropped", len(events), r.Dropped())
	}
}

func TestAppendingAllocatesNothing(t *testing.T) {
	r := trace.New(trace.Options{Clock: &ticking{}, EventsMax: 64})
	p := r.Process("session")
	for name, track := range map[string]trace.Track{"on": p.Track("game"), "off": {}} {
		if n := testing.AllocsPerRun(200, func() {
			began := track.Now()
			track.Instant("frame", "present", trace.Args{Units: 1})
			track.Counter("uploads", 4)
			track.Span("stage", "models", began, trace.Args{World: 1, HasUnits: true, Detail: "done"})
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

func TestWriteTellsWhyItFailed(t *testing.T) {
	r := trace.New(trace.Options{Clock: &ticking{}, EventsMax: 4096})
	track := r.Process("session").Track("game")
	for range 4096 {
		track.Instant("a", "b", trace.Args{})
	}
	want := errors.New("disk full")
	if err := r.WriteJSON(full{want}); !errors.Is(err, want) {
		t.Errorf("%v", err)
	}
}

func TestTooManyNames(t *testing.T) {
	p := trace.New(trace.Options{Clock: &ticking{}, EventsMax: 1}).Process("session")
	for range 4096 {
		p.Track("t")
		p.World("w")
	}
	if p.Track("one more").On() || p.World("one more") != 0 {
		t.Error("names have no limit")
	}
}
