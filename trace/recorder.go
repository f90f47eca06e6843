package trace

import (
	"sync"
	"time"
)

// Clock tells monotonic time since some fixed start. Tracks ask it from their
// own goroutines.
type Clock interface {
	Now() time.Duration
}

// EventsMaxDefault is how many events a [Recorder] keeps if nothing else is
// asked for: some minutes of frames, in about 40 MB.
const EventsMaxDefault = 1 << 18

// namesMax bounds the processes, tracks and worlds of one recorder. What is
// named beyond records nothing, or no world.
const namesMax = 4096

// Options say what a recorder is made of.
type Options struct {
	Clock Clock
	// EventsMax is how many events are kept, the newest; 0:
	// [EventsMaxDefault].
	EventsMax int
}

// Recorder keeps the last events of any number of tracks. Safe for concurrent
// use. A nil Recorder gives tracks that record nothing.
type Recorder struct {
	clock Clock

	mu struct {
		sync.Mutex
		ring      []event
		serial    uint64 // events ever appended; the next goes to serial % len(ring)
		processes []string
		tracks    []trackName
		worlds    []string
	}
}

type trackName struct {
	pid  int32
	name string
}

// World names a world in the arguments of events; zero is none.
type World int32

// Args say more about an event. What is zero is left out, except the units of
// a span that is told to have some.
type Args struct {
	World    World
	HasUnits bool // also where there were none
	Units    int64
	Bytes    int64
	Key      string // stem of an asset
	Kind     string // of an asset
	Detail   string // an outcome, a reason
}

// phase is the letter that the format gives a sort of event.
type phase byte

const (
	phaseSpan    phase = 'X'
	phaseInstant phase = 'i'
	phaseCounter phase = 'C'
)

type event struct {
	phase    phase
	pid, tid int32
	category string
	name     string
	at, took time.Duration
	args     Args // of a counter, Units is its value
}

// New makes a recorder with all the memory it will use for events.
func New(o Options) *Recorder {
	if o.EventsMax <= 0 {
		o.EventsMax = EventsMaxDefault
	}
	r := &Recorder{clock: o.Clock}
	r.mu.ring = make([]event, o.EventsMax)
	return r
}

// Process names a group of tracks: one session.
func (r *Recorder) Process(name string) Process {
	if r == nil {
		return Process{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.mu.processes) >= namesMax {
		return Process{}
	}
	r.mu.processes = append(r.mu.processes, name)
	return Process{recorder: r, pid: int32(len(r.mu.processes))}
}

// Len is the number of events kept.
func (r *Recorder) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return int(min(r.mu.serial, uint64(len(r.mu.ring))))
}

// Dropped is how many events had to go.
func (r *Recorder) Dropped() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return int64(r.mu.serial - min(r.mu.serial, uint64(len(r.mu.ring))))
}

func (r *Recorder) add(e *event) {
	r.mu.Lock()
	r.mu.ring[r.mu.serial%uint64(len(r.mu.ring))] = *e
	r.mu.serial++
	r.mu.Unlock()
}
