package window

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// tone is how a line is meant; the screen gives it a colour.
type tone uint8

const (
	toneText tone = iota
	toneDim
	toneHead
	toneGood
	toneWarn
	toneBad

	toneCount
)

// line is one line of text in letters of one width.
type line struct {
	text string
	tone tone
}

// sheet builds lines of columns. Begun again, it keeps the strings of lines
// that came out the same, so that a view that does not change costs no memory.
type sheet struct {
	lines   []line
	n       int
	columns int // letters in a line
	buf     []byte
}

// begin starts over, for lines of so many letters.
func (s *sheet) begin(columns int) {
	s.n, s.columns, s.buf = 0, columns, s.buf[:0]
}

// Lines are those built since begin; they are the sheet's.
func (s *sheet) Lines() []line { return s.lines[:s.n] }

// end ends the line.
func (s *sheet) end(t tone) {
	if s.n == len(s.lines) {
		s.lines = append(s.lines, line{})
	}
	l := &s.lines[s.n]
	keep(&l.text, s.buf)
	l.tone = t
	s.n++
	s.buf = s.buf[:0]
}

// keep sets a string to what the bytes say, and leaves an equal one alone.
func keep(to *string, b []byte) {
	if *to != string(b) {
		*to = string(b)
	}
}

// blank ends with an empty line.
func (s *sheet) blank() { s.end(toneText) }

// note is a whole line.
func (s *sheet) note(t tone, parts ...string) {
	for _, p := range parts {
		s.buf = append(s.buf, p...)
	}
	s.end(t)
}

// text adds text as it is.
func (s *sheet) text(text string) *sheet {
	s.buf = append(s.buf, text...)
	return s
}

// left adds a column of text; what does not fit loses its end.
func (s *sheet) left(text string, width int) *sheet {
	if n := utf8.RuneCountInString(text); n <= width {
		s.buf = append(s.buf, text...)
		return s.pad(width - n + 1)
	}
	s.buf = append(s.buf, firstRunes(text, width-2)...)
	s.buf = append(s.buf, ".."...)
	return s.pad(1)
}

// tail adds a column of text; what does not fit loses its beginning, which is
// where keys are alike.
func (s *sheet) tail(text string, width int) *sheet {
	n := utf8.RuneCountInString(text)
	if n <= width {
		return s.left(text, width)
	}
	s.buf = append(s.buf, ".."...)
	s.buf = append(s.buf, text[len(firstRunes(text, n-width+2)):]...)
	return s.pad(1)
}

func firstRunes(text string, n int) string {
	for i := range text {
		if n <= 0 {
			return text[:i]
		}
		n--
	}
	return text
}

func (s *sheet) pad(n int) *sheet {
	for range n {
		s.buf = append(s.buf, ' ')
	}
	return s
}

// right moves what was added since from to the right end of a column.
func (s *sheet) right(from, width int) *sheet {
	n := len(s.buf) - from
	if n < width {
		s.pad(width - n)
		copy(s.buf[from+width-n:], s.buf[from:from+n])
		for i := from; i < from+width-n; i++ {
			s.buf[i] = ' '
		}
	}
	return s.pad(1)
}

// head adds a right-aligned heading.
func (s *sheet) head(text string, width int) *sheet {
	from := len(s.buf)
	s.buf = append(s.buf, text...)
	return s.right(from, width)
}

// count adds a right-aligned number.
func (s *sheet) count(n int64, width int) *sheet {
	from := len(s.buf)
	s.buf = appendCount(s.buf, n)
	return s.right(from, width)
}

// countOrDash is count, and a dash for zero, so that numbers stand out.
func (s *sheet) countOrDash(n int64, width int) *sheet {
	if n == 0 {
		return s.head("-", width)
	}
	return s.count(n, width)
}

// bytes adds a right-aligned size; a dash for zero, so that sizes stand out.
func (s *sheet) bytes(n int64, width int) *sheet {
	from := len(s.buf)
	if n == 0 {
		s.buf = append(s.buf, '-')
	} else {
		s.buf = appendBytes(s.buf, n)
	}
	return s.right(from, width)
}

// ms adds right-aligned milliseconds.
func (s *sheet) ms(ms float64, width int) *sheet {
	from := len(s.buf)
	s.buf = appendMS(s.buf, ms)
	return s.right(from, width)
}

// number adds a number where it stands.
func (s *sheet) number(n int64) *sheet {
	s.buf = appendCount(s.buf, n)
	return s
}

// size adds a size where it stands.
func (s *sheet) size(n int64) *sheet {
	s.buf = appendBytes(s.buf, n)
	return s
}

// room is what is left of the line, less what later columns take.
func (s *sheet) room(later int) int {
	return max(8, s.columns-utf8.RuneCount(s.buf)-later-1)
}

// wrap adds text over as many lines as it needs, broken at spaces where there
// are any, with an indent from the second on.
func (s *sheet) wrap(t tone, indent int, text string) {
	width := max(16, s.columns-indent)
	for first := true; text != ""; first = false {
		if !first {
			s.pad(indent)
		}
		part := firstRunes(text, width)
		if len(part) < len(text) {
			if i := strings.LastIndexByte(part, ' '); i > len(part)/2 {
				part = part[:i+1]
			}
		}
		text = text[len(part):]
		s.buf = append(s.buf, strings.TrimRight(part, " ")...)
		s.end(t)
	}
}

// gauge is one bar: how much of a limit is used.
type gauge struct {
	label  string
	share  float64 // of the limit; negative: there is none to speak of
	figure string
	tone   tone
}

// gauges are a row of bars, rebuilt in place as a sheet is.
type gauges struct {
	list []gauge
	n    int
	buf  []byte
}

func (g *gauges) begin()       { g.n = 0 }
func (g *gauges) All() []gauge { return g.list[:g.n] }

// end ends a bar, whose figure is what was added to buf; without a limit only
// the figure is shown.
func (g *gauges) end(label string, used, limit float64) {
	if g.n == len(g.list) {
		g.list = append(g.list, gauge{})
	}
	b := &g.list[g.n]
	g.n++
	b.label, b.share, b.tone = label, -1, toneGood
	if limit > 0 {
		b.share = used / limit
	}
	switch {
	case b.share > 1:
		b.tone = toneBad
	case b.share > 0.9:
		b.tone = toneWarn
	}
	keep(&b.figure, g.buf)
	g.buf = g.buf[:0]
}

// bytes adds a bar of bytes; limit 0 says that nothing may stay.
func (g *gauges) bytes(label string, used, limit, peak int64) {
	g.buf = appendBytes(g.buf, used)
	if limit > 0 {
		g.buf = append(g.buf, " of "...)
		g.buf = appendBytes(g.buf, limit)
	}
	if peak > 0 {
		g.buf = append(g.buf, ", peak "...)
		g.buf = appendBytes(g.buf, peak)
	}
	g.end(label, float64(used), float64(limit))
}

// counts adds a bar of numbers.
func (g *gauges) counts(label string, used, limit int64) {
	g.buf = appendCount(g.buf, used)
	g.buf = append(g.buf, " of "...)
	g.buf = appendCount(g.buf, limit)
	g.end(label, float64(used), float64(limit))
}

// ms adds a bar of milliseconds.
func (g *gauges) ms(label string, used, limit, worst float64) {
	g.buf = strconv.AppendFloat(g.buf, used, 'f', 2, 64)
	g.buf = append(g.buf, " of "...)
	g.buf = appendMS(g.buf, limit)
	g.buf = append(g.buf, ", worst "...)
	g.buf = appendMS(g.buf, worst)
	g.end(label, used, limit)
}
