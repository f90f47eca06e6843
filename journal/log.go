package journal

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// Clock tells monotonic time since some fixed start. It is asked on whichever
// goroutine tells of an event.
type Clock interface {
	Now() time.Duration
}

// QueueMaxDefault is how many events may wait to be written if nothing else is
// asked for.
const QueueMaxDefault = 8192

// Options say what a log is made of.
type Options struct {
	Clock Clock
	// QueueMax bounds the events that wait to be written; what comes while the
	// queue is full is left out, and a line says how many. 0:
	// [QueueMaxDefault].
	QueueMax int
}

// Event is one thing that happened. What is zero is left out of its line.
type Event struct {
	Kind  Kind
	World string
	Layer uint32 // entity of the layer
	Key   string // stem of the asset, or of the layer's document
	Asset string // name of the asset's kind
	Bytes int64
	// Reason says why, or in which state.
	Reason string

	at time.Duration
}

// Log writes events. Safe for concurrent use. Close it after whoever tells it
// of events.
type Log struct {
	clock Clock
	wake  chan struct{} // holds one token: something waits
	done  chan struct{} // closed when the writer has ended

	mu struct {
		sync.Mutex
		queue   []Event
		dropped int64
		closed  bool
	}

	// The writer's, until done is closed.
	spare []Event // the other buffer of the queue
	out   *bufio.Writer
	json  *json.Encoder
	err   error // the first; nothing is written after it
}

// New starts a log on w, which stays the caller's to close, after the log.
func New(w io.Writer, o Options) *Log {
	if o.QueueMax <= 0 {
		o.QueueMax = QueueMaxDefault
	}
	l := &Log{
		clock: o.Clock, wake: make(chan struct{}, 1), done: make(chan struct{}),
		spare: make([]Event, 0, o.QueueMax), out: bufio.NewWriter(w),
	}
	l.mu.queue = make([]Event, 0, o.QueueMax)
	l.json = json.NewEncoder(l.out)
	l.json.SetEscapeHTML(false)
	go l.write()
	return l
}

// On tells whether anybody hears: ask before working out what to say.
func (l *Log) On() bool { return l != nil }

// Note tells of an event. It never waits for the writer and allocates nothing.
// After Close it does nothing.
func (l *Log) Note(e Event) {
	if l == nil {
		return
	}
	l.mu.Lock()
	switch {
	case l.mu.closed:
		l.mu.Unlock()
		return
	case len(l.mu.queue) == cap(l.mu.queue):
		l.mu.dropped++
	default:
		e.at = l.clock.Now() // under the lock, so that lines are in order
		l.mu.queue = append(l.mu.queue, e)
	}
	l.mu.Unlock()
	l.rouse()
}

func (l *Log) rouse() {
	select {
	case l.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// Close writes what waits, flushes, and tells what could not be written.
// Closing again tells the same.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	l.mu.closed = true
	l.mu.Unlock()
	l.rouse()
	<-l.done
	if l.err != nil {
		return fmt.Errorf("lifecycle log: %w", l.err)
	}
	return nil
}

// write is the writer's loop. It flushes whenever it has caught up.
func (l *Log) write() {
	defer close(l.done)
	for range l.wake {
		l.mu.Lock()
		batch := l.mu.queue
		l.mu.queue, l.spare = l.spare[:0], nil
		dropped, closed := l.mu.dropped, l.mu.closed
		l.mu.dropped = 0
		l.mu.Unlock()

		for i := range batch {
			l.line(batch[i].line())
		}
		if dropped > 0 {
			l.line(&line{MS: millis(l.clock.Now()), Event: "events left out", Reason: fmt.Sprint(dropped, " came while the queue was full")})
		}
		if l.err == nil {
			l.err = l.out.Flush()
		}
		clear(batch)
		l.spare = batch
		if closed {
			return
		}
	}
}

// line is an event as it is written.
type line struct {
	MS     float64 `json:"ms"`
	Event  string  `json:"event"`
	World  string  `json:"world,omitempty"`
	Layer  uint32  `json:"layer,omitempty"`
	Key    string  `json:"key,omitempty"`
	Asset  string  `json:"kind,omitempty"`
	Bytes  int64   `json:"bytes,omitempty"`
	Reason string  `json:"reason,omitempty"`
}

func (e *Event) line() *line {
	return &line{
		MS: millis(e.at), Event: e.Kind.String(), World: e.World, Layer: e.Layer,
		Key: e.Key, Asset: e.Asset, Bytes: e.Bytes, Reason: e.Reason,
	}
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

func (l *Log) line(one *line) {
	if l.err == nil {
		l.err = l.json.Encode(one)
	}
}
