package window

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// statusEvery is how often the line of figures changes: slow enough to read.
const statusEvery = time.Second / 4

// statusLine is the line that is always visible.
type statusLine struct {
	figures string
	status  string // what the demo says
	keys    string
	next    time.Time
	buf     []byte
}

// seen is what the line tells of.
type seen struct {
	fps                       float64
	meanMS, worstMS           float64 // of the last second
	renderWidth, renderHeight int     // the device's internal size; 0: unknown
	width, height             int     // of the window
	limitWidth, limitHeight   int     // the largest internal size
	captured, panel, lookOn   bool
	status                    string
}

// soon makes the next refresh due at once.
func (s *statusLine) soon() { s.next = time.Time{} }

// refresh brings the line up to date, if it is time to, and tells whether it
// did.
func (s *statusLine) refresh(now time.Time, look func() seen) (changed bool) {
	if now.Before(s.next) {
		return false
	}
	s.next = now.Add(statusEvery)
	v := look()
	s.buf = v.append(s.buf[:0])
	keep(&s.figures, s.buf)
	s.status = v.status
	s.keys = keysFor(v.captured, v.panel)
	if v.lookOn {
		s.keys = keysLookingOn(v.panel)
	}
	return true
}

func keysFor(captured, panel bool) string {
	switch {
	case captured:
		return "Esc free mouse   F1 panel   F fly   WASD move   Space/Ctrl up/down"
	case panel:
		return "F1 close panel   F fly   WASD move   right mouse look   Esc quit"
	}
	return "F1 panel   F fly   WASD move   click or right mouse look   Esc quit"
}

// keysLookingOn are those of a demo that takes no input.
func keysLookingOn(panel bool) string {
	if panel {
		return "F1 close panel   Esc quit"
	}
	return "F1 panel: what is in memory   Esc quit"
}

// append adds the figures.
func (v *seen) append(b []byte) []byte {
	b = strconv.AppendFloat(b, v.fps, 'f', 0, 64)
	b = append(b, " fps   "...)
	b = strconv.AppendFloat(b, v.meanMS, 'f', 1, 64)
	b = append(b, " ms, worst "...)
	b = strconv.AppendFloat(b, v.worstMS, 'f', 1, 64)
	return v.appendSize(b)
}

// statusGap is how many letters apart the parts of a row are.
const statusGap = 3

// statusRowsMax is how many rows the line takes at most.
const statusRowsMax = 3

// rows tells in which row of so many letters the demo's word goes, and in which
// the keys, which come last.
func (s *statusLine) rows(letters int) (status, keys int) {
	used := utf8.RuneCountInString(s.figures)
	for _, part := range [...]struct {
		text string
		row  *int
	}{{s.status, &status}, {s.keys, &keys}} {
		n := utf8.RuneCountInString(part.text)
		*part.row = status
		if used+statusGap+n > letters {
			*part.row, used = status+1, -statusGap
		}
		used += statusGap + n
	}
	return status, keys
}

// appendSize tells when the picture has fewer pixels than the window, and why.
func (v *seen) appendSize(b []byte) []byte {
	drawn := v.renderWidth * v.renderHeight
	if drawn == 0 || drawn >= v.width*v.height {
		return b
	}
	b = append(b, "   drawing at "...)
	b = strconv.AppendInt(b, int64(v.renderWidth), 10)
	b = append(b, 'x')
	b = strconv.AppendInt(b, int64(v.renderHeight), 10)
	// Rounding an edge costs at most a row and a column.
	limit := (v.limitWidth - 1) * (v.limitHeight - 1)
	if drawn < min(limit, (v.width-1)*(v.height-1)) {
		return append(b, " to keep 60 fps"...)
	}
	return append(b, ", the largest size"...)
}
