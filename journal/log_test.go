package journal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sojourn/journal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type ticking struct{ now atomic.Int64 }

func (c *ticking) Now() time.Duration { return time.Duration(c.now.Add(1)) * time.Millisecond }

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		event journal.Event
		want  string
	}{
		{journal.Event{Kind: journal.WorldOpened, World: "main"}, `{"ms":1,"event":"world opened","world":"main"}`},
		{
			journal.Event{Kind: journal.LayerUnloaded, World: "a<b", Layer: 7, Key: `odd "stem"`, Asset: "scene", Reason: "presented"},
			`{"ms":1,"event":"layer unloaded","world":"a<b","layer":7,"key":"odd \"stem\"","kind":"scene","reason":"presented"}`,
		},
		{
			journal.Event{Kind: journal.AssetEvicted, Key: "rock", Asset: "texture", Bytes: 4096, Reason: "evicted"},
			`{"ms":1,"event":"asset evicted","key":"rock","kind":"texture","bytes":4096,"reason":"evicted"}`,
		},
	} {
		var b bytes.Buffer
		l := journal.New(&b, journal.Options{Clock: &ticking{}})
		l.Note(tt.event)
		if err := l.Close(); err != nil || b.String() != tt.want+"\n" {
			t.Errorf("%v, %s\nwant %s", err, b.String(), tt.want)
		}
	}
}

func TestEveryKindHasAName(t *testing.T) {
	seen := map[string]bool{}
	for k := range journal.NumKinds {
		name := k.String()
		if name == "" || seen[name] {
			t.Errorf("kind %d is called %q", k, name)
		}
		seen[name] = true
	}
	if journal.NumKinds.String() != "event-?" {
		t.Error("a kind that is none has a name")
	}
}

// slow is a disk that holds each write until it is let go.
type slow struct {
	bytes.Buffer
	entered, gate chan struct{}
}

func (s *slow) Write(b []byte) (int, error) {
	select {
	case s.entered <- struct{}{}:
	default:
	}
	<-s.gate
	return s.Buffer.Write(b)
}

// TestFullQueueLeavesOutAndSaysSo: nobody waits for a slow disk, and what the
// queue had no room for is counted in a line.
func TestFullQueueLeavesOutAndSaysSo(t *testing.T) {
	disk := &slow{entered: make(chan struct{}, 1), gate: make(chan struct{})}
	l := journal.New(disk, journal.Options{Clock: &ticking{}, QueueMax: 4})
	note := func(n int) {
		for range n {
			l.Note(journal.Event{Kind: journal.AssetDecoded, Key: "x"})
		}
	}
	note(1)
	<-disk.entered // the writer is at it: from here on nothing leaves the queue
	note(10)
	close(disk.gate)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text := disk.String()
	if n := strings.Count(text, "asset decoded"); n != 5 || !strings.Contains(text, `"reason":"6 came while the queue was full"`) {
		t.Errorf("%d events in\n%s", n, text)
	}
}

type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

func TestCloseTellsWhatWasNotWritten(t *testing.T) {
	want := errors.New("disk full")
	l := journal.New(full{want}, journal.Options{Clock: &ticking{}})
	l.Note(journal.Event{})
	for range 2 {
		if err := l.Close(); !errors.Is(err, want) {
			t.Errorf("%v", err)
		}
	}
	l.Note(journal.Event{})
}

func TestNobodyHears(t *testing.T) {
	var l *journal.Log
	l.Note(journal.Event{Kind: journal.LayerReady})
	if l.On() || l.Close() != nil {
		t.Error("a log that is not there hears")
	}
}

func TestManyTellers(t *testing.T) {
	var b bytes.Buffer
	l := journal.New(&b, journal.Options{Clock: &ticking{}})
	var all sync.WaitGroup
	for i := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 200 {
				l.Note(journal.Event{Kind: journal.AssetFreed, Key: fmt.Sprint(i)})
			}
		}()
	}
	all.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	d, n, last := json.NewDecoder(&b), 0, 0.0
	for d.More() {
		var e struct{ MS float64 }
		if err := d.Decode(&e); err != nil {
			t.Fatal(err)
		}
		if n++; e.MS <= last {
			t.Fatalf("line %d at %v after %v", n, e.MS, last)
		}
		last = e.MS
	}
	if n != 1600 {
		t.Errorf("%d lines", n)
	}
}

func TestTellingAllocatesNothing(t *testing.T) {
	disk := &slow{entered: make(chan struct{}, 1), gate: make(chan struct{})}
	l := journal.New(disk, journal.Options{Clock: &ticking{}})
	l.Note(journal.Event{Kind: journal.AssetFreed})
	<-disk.entered // the encoding is the writer's, and it stands still
	if n := testing.AllocsPerRun(1000, func() {
		l.Note(journal.Event{Kind: journal.AssetFreed, Key: "rock", Reason: "released"})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	close(disk.gate)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
