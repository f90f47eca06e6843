//go:build !headless

package otosink

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"sojourn/audio"
)

type silence struct{}

func (silence) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Two sessions in one process, one after the other: the one context is shared
// where there is a device, and where there is none both are told so.
func TestCaseA20_AudioTwoSessions(t *testing.T) {
	var texts [2]string
	goroutines := 0
	for i := range texts {
		sink, err := Open()
		if err != nil {
			if !errors.Is(err, ErrNoDevice) {
				t.Fatalf("Open %d: %v", i, err)
			}
			texts[i] = err.Error()
		} else {
			playOnce(t, sink)
		}
		if i == 0 {
			goroutines = runtime.NumGoroutine()
		} else if n := runtime.NumGoroutine(); n > goroutines {
			t.Errorf("goroutines: %d after the first session, %d after the second", goroutines, n)
		}
	}
	if strings.Contains(texts[1], "already created") {
		t.Fatalf("second session made a second context: %s", texts[1])
	}
	if texts[0] != texts[1] {
		t.Fatalf("sessions differ: %q, then %q", texts[0], texts[1])
	}
	t.Logf("device: %q", texts[0])
}

func playOnce(t *testing.T, sink audio.Sink) {
	t.Helper()
	if _, err := Open(); !errors.Is(err, ErrInUse) {
		t.Errorf("a second sink at the same time: %v, want ErrInUse", err)
	}
	if err := sink.Start(silence{}); err != nil {
		t.Errorf("Start: %v", err)
	}
	for range 2 {
		if err := sink.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
}

func TestGateEndsReading(t *testing.T) {
	var g gate
	g.set(silence{})
	var p [16]byte
	if n, err := g.Read(p[:]); n != len(p) || err != nil {
		t.Fatalf("open gate: %d, %v", n, err)
	}
	g.set(nil)
	if _, err := g.Read(p[:]); err != io.EOF {
		t.Fatalf("closed gate: %v, want EOF", err)
	}
}
