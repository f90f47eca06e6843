package portals

import (
	"bytes"
	"strings"
	"testing"

	"sojourn/demos/demo"
	"sojourn/stages/work"
	"sojourn/trace"
	"sojourn/trace/tracetest"
)

// TestGoroutinesDecodeAsWorkersDo: however many goroutines wait, as many decode
// at a time as the store has workers.
func TestGoroutinesDecodeAsWorkersDo(t *testing.T) {
	for _, workers := range []int{1, 2} {
		rec := trace.New(trace.Options{Clock: work.NewSystemClock(), EventsMax: 1 << 17})
		tr := open(t, func(e *demo.Env) { e.Mode, e.Workers, e.Trace = "goroutines", workers, rec })
		if n := tr.session.Store().Workers(); n != workers {
			t.Fatalf("%d workers, want %d", n, workers)
		}
		tr.run(nil)
		var b bytes.Buffer
		if err := rec.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		events, err := tracetest.Check(&b)
		if err != nil {
			t.Fatal(err)
		}
		tracks, decodes := map[string]bool{}, 0
		for _, e := range events {
			// A blocking retain at work has one of the store's frames, each with a
			// track of its own.
			if strings.HasPrefix(e.Track, "blocking retain") {
				tracks[e.Track] = true
				decodes++
			}
		}
		if decodes == 0 || len(tracks) > workers {
			t.Errorf("%d decodes by blocking retains, at most %d at a time with %d workers", decodes, len(tracks), workers)
		}
	}
}
