package trace

import "time"

// Process is a session's group of tracks. The zero Process gives tracks that
// record nothing.
type Process struct {
	recorder *Recorder
	pid      int32
}

// On tells whether anything is recorded.
func (p Process) On() bool { return p.recorder != nil }

// Track adds a line to the viewer. Its events come from one goroutine at a
// time, or its spans would not nest.
func (p Process) Track(name string) Track {
	r := p.recorder
	if r == nil {
		return Track{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.mu.tracks) >= namesMax {
		return Track{}
	}
	r.mu.tracks = append(r.mu.tracks, trackName{p.pid, name})
	return Track{recorder: r, pid: p.pid, tid: int32(len(r.mu.tracks))}
}

// World names a world for [Args].
func (p Process) World(name string) World {
	r := p.recorder
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.mu.worlds) >= namesMax {
		return 0
	}
	r.mu.worlds = append(r.mu.worlds, name)
	return World(len(r.mu.worlds))
}

// Track is one line of the viewer. The zero Track records nothing, at the cost
// of one comparison. Copies are the same track.
//
// Categories and names are constants, or strings that live anyway, such as
// stems: they are kept, not copied.
type Track struct {
	recorder *Recorder
	pid, tid int32
}

// On tells whether anything is recorded: ask before working out arguments.
func (t Track) On() bool { return t.recorder != nil }

// Now is when a span begins; zero where nothing is recorded.
func (t Track) Now() time.Duration {
	if t.recorder == nil {
		return 0
	}
	return t.recorder.clock.Now()
}

// Span records what began then and ends now.
func (t Track) Span(category, name string, began time.Duration, a Args) {
	if t.recorder != nil { // so short that callers have it inlined
		t.span(category, name, began, &a)
	}
}

func (t Track) span(category, name string, began time.Duration, a *Args) {
	// A clock that went back must not give a negative duration.
	took := max(t.recorder.clock.Now()-began, 0)
	t.recorder.add(&event{
		phase: phaseSpan, pid: t.pid, tid: t.tid, category: category, name: name, at: began, took: took, args: *a,
	})
}

// Instant records a moment.
func (t Track) Instant(category, name string, a Args) {
	if t.recorder == nil {
		return
	}
	t.recorder.add(&event{
		phase: phaseInstant, pid: t.pid, tid: t.tid, category: category, name: name, at: t.recorder.clock.Now(), args: a,
	})
}

// Counter records what a figure is from now on.
func (t Track) Counter(name string, value int64) {
	if t.recorder == nil {
		return
	}
	t.recorder.add(&event{
		phase: phaseCounter, pid: t.pid, tid: t.tid, name: name, at: t.recorder.clock.Now(), args: Args{Units: value},
	})
}
