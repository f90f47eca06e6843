package hallway

import (
	"bytes"
	"strings"
	"testing"

	"sojourn/demos/demo"
	"sojourn/journal"
	"sojourn/stages/work"
	"sojourn/trace"
	"sojourn/trace/tracetest"
)

// TestFlightTellsOfItself: the trace of a flight opens in a viewer, and its
// log has each layer come and go.
func TestFlightTellsOfItself(t *testing.T) {
	clock := work.NewSystemClock()
	rec := trace.New(trace.Options{Clock: clock})
	var lines, file bytes.Buffer
	log := journal.New(&lines, journal.Options{Clock: clock})
	f := fly(t, func(e *demo.Env) { e.Cells = 1000; e.FlySpeed = 60; e.Trace, e.Journal = rec, log })
	f.frames(200)
	r := f.Finish()
	clean(t, &r)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := rec.WriteJSON(&file); err != nil {
		t.Fatal(err)
	}
	events, err := tracetest.Check(&file)
	if err != nil {
		t.Fatal(err)
	}
	decodes := 0
	for i := range events {
		if events[i].Category == "decode" {
			decodes++
		}
	}
	if rec.Dropped() != 0 || decodes < int(r.Assets.Decodes) {
		t.Errorf("%d events dropped, %d decodes of %d", rec.Dropped(), decodes, r.Assets.Decodes)
	}
	for event, want := range map[string]int64{
		"layer requested": r.Cells.Entered, "layer unloaded": r.Cells.Left, "layer retired": r.Cells.Left, "asset freed": r.Assets.Freed,
	} {
		if n := int64(strings.Count(lines.String(), `"event":"`+event+`"`)); n != want {
			t.Errorf("%s: %d lines, want %d", event, n, want)
		}
	}
}
