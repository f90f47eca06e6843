// Package tracetest checks written traces against the trace event format, as
// far as a viewer relies on it.
package tracetest

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Event is one event as it was written.
type Event struct {
	Name, Category, Phase string
	AtNS, TookNS          int64
	Process, Track        string // by their metadata
	PID, TID              int64
	Args                  map[string]any
}

// End is when a span ended.
func (e *Event) End() int64 { return e.AtNS + e.TookNS }

type written struct {
	Name  *string        `json:"name"`
	Cat   string         `json:"cat"`
	Phase *string        `json:"ph"`
	TS    *float64       `json:"ts"`
	Dur   *float64       `json:"dur"`
	PID   *int64         `json:"pid"`
	TID   *int64         `json:"tid"`
	Scope string         `json:"s"`
	Args  map[string]any `json:"args"`
}

type track struct{ pid, tid int64 }

// Check reads a whole trace and gives its events without the metadata. The
// error tells the first thing that is wrong: an event without name, phase,
// time, process or track; a negative duration; a phase that is none; spans of
// one track that overlap without one lying in the other; a process or track
// that nothing names.
func Check(r io.Reader) ([]Event, error) {
	var file struct {
		TraceEvents []written `json:"traceEvents"`
	}
	d := json.NewDecoder(r)
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("not a trace: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the trace")
	}
	processes, tracks := map[int64]string{}, map[track]string{}
	for i := range file.TraceEvents {
		e := &file.TraceEvents[i]
		if err := e.check(); err != nil {
			return nil, fmt.Errorf("event %d: %w", i, err)
		}
		name, _ := e.Args["name"].(string)
		switch {
		case *e.Phase == "M" && *e.Name == "process_name":
			processes[*e.PID] = name
		case *e.Phase == "M" && *e.Name == "thread_name":
			tracks[track{*e.PID, *e.TID}] = name
		}
	}
	var out []Event
	for i := range file.TraceEvents {
		e := &file.TraceEvents[i]
		if *e.Phase == "M" {
			continue
		}
		p, t := processes[*e.PID], tracks[track{*e.PID, *e.TID}]
		if p == "" || t == "" {
			return nil, fmt.Errorf("event %d (%s): process %d is called %q and track %d %q: no metadata", i, *e.Name, *e.PID, p, *e.TID, t)
		}
		out = append(out, e.event(p, t))
	}
	return out, nesting(out)
}

func (e *written) check() error {
	switch {
	case e.Name == nil || *e.Name == "":
		return fmt.Errorf("no name")
	case e.Phase == nil || !strings.Contains("XiCM", *e.Phase) || len(*e.Phase) != 1:
		return fmt.Errorf("%s: its phase is none of X, i, C and M", *e.Name)
	case e.TS == nil || *e.TS < 0:
		return fmt.Errorf("%s: no time, or a negative one", *e.Name)
	case e.PID == nil || e.TID == nil:
		return fmt.Errorf("%s: no process or no track", *e.Name)
	case *e.Phase == "X" && (e.Dur == nil || *e.Dur < 0):
		return fmt.Errorf("%s: a span without a duration, or with a negative one", *e.Name)
	case *e.Phase == "i" && e.Scope != "t" && e.Scope != "p" && e.Scope != "g":
		return fmt.Errorf("%s: an instant of scope %q", *e.Name, e.Scope)
	case (*e.Phase == "C" || *e.Phase == "M") && len(e.Args) == 0:
		return fmt.Errorf("%s: a counter or metadata without a value", *e.Name)
	}
	if *e.Phase == "C" {
		for name, v := range e.Args {
			if _, ok := v.(float64); !ok {
				return fmt.Errorf("%s: its %s is no number", *e.Name, name)
			}
		}
	}
	return nil
}

func (e *written) event(process, name string) Event {
	out := Event{
		Name: *e.Name, Category: e.Cat, Phase: *e.Phase, AtNS: nanos(*e.TS), PID: *e.PID, TID: *e.TID,
		Process: process, Track: name, Args: e.Args,
	}
	if e.Dur != nil {
		out.TookNS = nanos(*e.Dur)
	}
	return out
}

func nanos(micros float64) int64 { return int64(math.Round(micros * 1e3)) }

// nesting tells of two spans of one track that overlap and do not nest.
func nesting(events []Event) error {
	spans := map[track][]*Event{}
	for i := range events {
		if e := &events[i]; e.Phase == "X" {
			t := track{e.PID, e.TID}
			spans[t] = append(spans[t], e)
		}
	}
	for _, list := range spans {
		slices.SortStableFunc(list, func(a, b *Event) int {
			if a.AtNS != b.AtNS {
				return int(a.AtNS - b.AtNS)
			}
			return int(b.TookNS - a.TookNS)
		})
		var open []*Event
		for _, e := range list {
			for len(open) > 0 && open[len(open)-1].End() <= e.AtNS {
				open = open[:len(open)-1]
			}
			if n := len(open); n > 0 && open[n-1].End() < e.End() {
				return fmt.Errorf("track %s: %s (%d to %d ns) reaches out of %s (%d to %d ns)",
					e.Track, e.Name, e.AtNS, e.End(), open[n-1].Name, open[n-1].AtNS, open[n-1].End())
			}
			open = append(open, e)
		}
	}
	return nil
}
