package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

// copyEvents is how many events are copied out of the ring under one lock.
const copyEvents = 512

// WriteJSON writes what is kept in the trace event format, oldest first as
// events were appended. Recording may go on meanwhile: what was appended after
// the call is left out, and what was dropped before it could be copied too.
func (r *Recorder) WriteJSON(w io.Writer) error {
	out := writer{w: bufio.NewWriterSize(w, 64<<10)}
	r.mu.Lock()
	end := r.mu.serial
	at := end - min(end, uint64(len(r.mu.ring)))
	dropped := at
	processes, tracks := slices.Clone(r.mu.processes), slices.Clone(r.mu.tracks)
	out.worlds = slices.Clone(r.mu.worlds)
	r.mu.Unlock()

	out.text(`{"displayTimeUnit":"ms","otherData":{"dropped_events":"`).number(int64(dropped)).text("\"},\"traceEvents\":[")
	for i, name := range processes {
		out.metadata("process_name", int32(i+1), 0, name, 0)
	}
	for i, t := range tracks {
		out.metadata("thread_name", t.pid, int32(i+1), t.name, 0)
		out.metadata("thread_sort_index", t.pid, int32(i+1), "", i+1)
	}
	batch := make([]event, 0, copyEvents)
	for at < end && out.err == nil {
		if batch, at = r.copy(batch[:0], at, end); len(batch) == 0 {
			break
		}
		for i := range batch {
			out.event(&batch[i])
		}
	}
	out.text("\n]}\n")
	if out.err == nil {
		out.err = out.w.Flush()
	}
	if out.err != nil {
		return fmt.Errorf("trace: %w", out.err)
	}
	return nil
}

// copy appends events from at on, as far as they are still there, and gives
// where to go on.
func (r *Recorder) copy(dst []event, at, end uint64) ([]event, uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := uint64(len(r.mu.ring))
	at = max(at, r.mu.serial-min(r.mu.serial, n))
	for ; at < end && len(dst) < cap(dst); at++ {
		dst = append(dst, r.mu.ring[at%n])
	}
	return dst, at
}

// writer builds one line at a time.
type writer struct {
	w      *bufio.Writer
	buf    []byte
	worlds []string
	lines  int
	err    error // the first; nothing is written after it
}

func (w *writer) text(s string) *writer {
	if w.err == nil {
		_, w.err = w.w.WriteString(s)
	}
	return w
}

func (w *writer) number(n int64) *writer { return w.text(strconv.FormatInt(n, 10)) }

// head begins an event's line in the buffer.
func (w *writer) head(name string, ph phase, at time.Duration, pid, tid int32) {
	sep := ",\n"
	if w.lines == 0 {
		sep = "\n"
	}
	w.lines++
	b := append(append(w.buf[:0], sep...), `{"name":`...)
	b = appendString(b, name)
	b = append(append(b, `,"ph":"`...), byte(ph), '"')
	b = appendMicros(append(b, `,"ts":`...), at)
	b = strconv.AppendInt(append(b, `,"pid":`...), int64(pid), 10)
	w.buf = strconv.AppendInt(append(b, `,"tid":`...), int64(tid), 10)
}

func (w *writer) flush() {
	if w.err == nil {
		_, w.err = w.w.Write(append(w.buf, '}'))
	}
}

// metadata names a process or a track, or gives a track its place.
func (w *writer) metadata(what string, pid, tid int32, name string, sort int) {
	w.head(what, 'M', 0, pid, tid)
	if name == "" {
		w.buf = strconv.AppendInt(append(w.buf, `,"args":{"sort_index":`...), int64(sort), 10)
	} else {
		w.buf = appendString(append(w.buf, `,"args":{"name":`...), name)
	}
	w.buf = append(w.buf, '}')
	w.flush()
}

func (w *writer) event(e *event) {
	w.head(e.name, e.phase, e.at, e.pid, e.tid)
	b := w.buf
	if e.category != "" {
		b = appendString(append(b, `,"cat":`...), e.category)
	}
	switch e.phase {
	case phaseSpan:
		b = appendMicros(append(b, `,"dur":`...), e.took)
	case phaseInstant:
		b = append(b, `,"s":"t"`...)
	case phaseCounter:
		b = strconv.AppendInt(append(b, `,"args":{"value":`...), e.args.Units, 10)
		w.buf = append(b, '}')
		w.flush()
		return
	}
	w.buf = w.args(b, &e.args)
	w.flush()
}

func (w *writer) args(b []byte, a *Args) []byte {
	before := len(b)
	b = append(b, `,"args":`...)
	sep := byte('{')
	field := func(name string) {
		b = append(append(append(b, sep, '"'), name...), `":`...)
		sep = ','
	}
	if a.World > 0 && int(a.World) <= len(w.worlds) {
		field("world")
		b = appendString(b, w.worlds[a.World-1])
		field("world_id")
		b = strconv.AppendInt(b, int64(a.World), 10)
	}
	if a.HasUnits || a.Units != 0 {
		field("units")
		b = strconv.AppendInt(b, a.Units, 10)
	}
	if a.Bytes != 0 {
		field("bytes")
		b = strconv.AppendInt(b, a.Bytes, 10)
	}
	if a.Key != "" {
		field("key")
		b = appendString(b, a.Key)
	}
	if a.Kind != "" {
		field("kind")
		b = appendString(b, a.Kind)
	}
	if a.Detail != "" {
		field("detail")
		b = appendString(b, a.Detail)
	}
	if sep == '{' {
		return b[:before]
	}
	return append(b, '}')
}

// appendMicros adds a time in microseconds, to the nanosecond.
func appendMicros(b []byte, d time.Duration) []byte {
	if d < 0 {
		b, d = append(b, '-'), -d
	}
	b = strconv.AppendInt(b, int64(d/time.Microsecond), 10)
	n := int64(d % time.Microsecond)
	return append(b, '.', byte('0'+n/100), byte('0'+n/10%10), byte('0'+n%10))
}

// appendString adds a string as JSON. One that needs no escape, as names and
// stems do not, costs no memory.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, err := json.Marshal(s)
			if err != nil {
				return append(b, `""`...) // a string always has a form
			}
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
