package sojourn

import (
	"sojourn/stages/work"
	"sojourn/trace"
)

// frameCategory is what the trace calls the parts of a frame.
const frameCategory = "frame"

// traceFrame marks the end of a frame and what it used. Counters come once a
// frame, so that the newest part of a full ring has them too.
func (s *Session) traceFrame(f *work.Facts) {
	s.track.Counter("meter: time (us)", f.Elapsed.Microseconds())
	s.track.Counter("meter: upload bytes", f.Used[work.UploadBytes])
	s.track.Counter("meter: adopted bytes", f.Used[work.AdoptedBytes])
	s.track.Instant(frameCategory, "frame", trace.Args{HasUnits: true, Units: f.Frame})
}
