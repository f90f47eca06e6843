package sojourn

import (
	"sojourn/stages/work"
	"sojourn/trace"
)

// frameCategory is what the trace calls the parts of a frame.
const frameCategory = "frame"

// countersRepeat is how many frames a counter that does not change is left
// out: the newest part of a full ring must have it too.
const countersRepeat = 64

// traceFrame marks the end of a frame, what it used and what is left to do.
func (s *Session) traceFrame(f *work.Facts) {
	s.track.Counter("meter: time (us)", f.Elapsed.Microseconds())
	s.track.Counter("meter: upload bytes", f.Used[work.UploadBytes])
	s.track.Counter("meter: adopted bytes", f.Used[work.AdoptedBytes])
	s.track.Counter("meter: device creates", f.Used[work.DeviceCreates])
	s.track.Counter("meter: device touches", f.Used[work.DeviceTouches])
	b := s.Backlog()
	for l := range NumLines {
		if b[l].Waiting != s.counted[l].Waiting || f.Frame%countersRepeat == 0 {
			s.track.Counter(lineNames[l], int64(b[l].Waiting))
		}
	}
	s.counted = b
	s.track.Instant(frameCategory, "frame", trace.Args{HasUnits: true, Units: f.Frame})
}
