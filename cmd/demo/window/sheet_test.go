package window

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestFigures(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 1 << 20: "1.0 MiB", 999 << 20: "999.0 MiB", 1 << 30: "1.0 GiB",
		5 << 40: "5.0 TiB", 1 << 62: "4194304.0 TiB", -2048: "-2.0 KiB",
	} {
		if got := string(appendBytes(nil, n)); got != want {
			t.Errorf("%d bytes: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1 000", 1234567: "1 234 567", -4200: "-4 200"} {
		if got := string(appendCount(nil, n)); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if got := string(appendMS(nil, 2.005)); got != "2.00 ms" && got != "2.01 ms" {
		t.Errorf("milliseconds: %q", got)
	}
}

func textOf(s *sheet) string {
	var b strings.Builder
	for _, l := range s.Lines() {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

func TestSheetColumns(t *testing.T) {
	var s sheet
	s.begin(40)
	s.left("name", 8).head("count", 6).head("size", 9).end(toneHead)
	s.left("a-long-one", 8).count(12345, 6).bytes(2048, 9).end(toneText)
	s.tail("models/car#wheel", 8).count(1, 6).bytes(0, 9).end(toneText)
	s.tail("mäuse/ä", 8).ms(1.5, 16).end(toneText)
	want := "name      count      size \n" +
		"a-long.. 12 345   2.0 KiB \n" +
		"..#wheel      1         - \n" +
		"mäuse/ä           1.50 ms \n"
	if got := textOf(&s); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if s.Lines()[0].tone != toneHead {
		t.Error("the tone is lost")
	}
}

func TestSheetWraps(t *testing.T) {
	var s sheet
	s.begin(24)
	s.left("error", 6)
	s.wrap(toneBad, 7, "no such file or directory: "+strings.Repeat("x", 40))
	for _, l := range s.Lines() {
		if n := utf8.RuneCountInString(l.text); n > 24 {
			t.Errorf("%q has %d letters", l.text, n)
		}
	}
	if got := strings.Join(strings.Fields(textOf(&s)), ""); got != "errornosuchfileordirectory:"+strings.Repeat("x", 40) {
		t.Errorf("something was lost: %q", got)
	}
	s.begin(24)
	s.wrap(toneText, 0, "")
	if len(s.Lines()) != 0 {
		t.Error("nothing made a line")
	}
}

func TestGauges(t *testing.T) {
	var g gauges
	g.begin()
	g.bytes("textures", 3<<20, 4<<20, 0)
	g.bytes("full", 99, 100, 0)
	g.counts("over", 101, 100)
	g.ms("work", 0.5, 2, 7.25)
	g.bytes("decoded", 5, 0, 9)
	want := "[{textures 0.75 3.0 MiB of 4.0 MiB 3} {full 0.99 99 B of 100 B 4} {over 1.01 101 of 100 5} " +
		"{work 0.25 0.50 of 2.00 ms, worst 7.25 ms 3} {decoded -1 5 B, peak 9 B 3}]"
	if got := fmt.Sprint(g.All()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestFrameTimes(t *testing.T) {
	var f frameTimes
	if mean, worst := f.recent(60); mean != 0 || worst != 0 || f.Len() != 0 || f.graphTop() != graphTopMin {
		t.Error("nothing was measured")
	}
	now := time.Now()
	f.frame(now)
	for i := range 300 {
		now = now.Add(time.Duration(i+1) * time.Millisecond)
		f.frame(now)
	}
	if f.Len() != frameTimesKept || f.At(0) != 61 || f.At(frameTimesKept-1) != 300 {
		t.Errorf("%d kept, from %v to %v", f.Len(), f.At(0), f.At(f.Len()-1))
	}
	if mean, worst := f.recent(3); mean != 299 || worst != 300 {
		t.Errorf("recent: %v, %v", mean, worst)
	}
	if top := f.graphTop(); top != 320 {
		t.Errorf("the graph goes to %v ms", top)
	}
}

func TestStatusLine(t *testing.T) {
	base := seen{fps: 59.96, meanMS: 16.68, worstMS: 18.21, width: 1280, height: 720, limitWidth: 1280, limitHeight: 720, status: "cell 3"}
	size := func(w, h, rw, rh int) seen {
		s := base
		s.width, s.height, s.renderWidth, s.renderHeight = w, h, rw, rh
		return s
	}
	for want, s := range map[string]seen{
		"60 fps   16.7 ms, worst 18.2":                                         base,
		"60 fps   16.7 ms, worst 18.2 ":                                        size(1280, 720, 1280, 720),
		"60 fps   16.7 ms, worst 18.2   drawing at 854x480 to keep 60 fps":     size(1280, 720, 854, 480),
		"60 fps   16.7 ms, worst 18.2   drawing at 1280x720, the largest size": size(1920, 1080, 1280, 720),
		"60 fps   16.7 ms, worst 18.2   drawing at 1067x600 to keep 60 fps":    size(1920, 1080, 1067, 600),
	} {
		if got := string(s.append(nil)); got != strings.TrimSpace(want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	for letters, want := range map[int][2]int{200: {0, 0}, 55: {0, 0}, 54: {0, 1}, 35: {0, 1}, 34: {1, 1}, 32: {1, 1}, 31: {1, 2}, 24: {1, 2}, 1: {1, 2}} {
		l := statusLine{figures: strings.Repeat("f", 20), status: strings.Repeat("s", 12), keys: strings.Repeat("k", 17)}
		if s, k := l.rows(letters); [2]int{s, k} != want || k >= statusRowsMax {
			t.Errorf("with %d letters in a row, rows %d and %d, want %v", letters, s, k, want)
		}
	}
	var l statusLine
	now, looks := time.Now(), 0
	look := func() seen { looks++; return base }
	for i := range 60 {
		l.refresh(now.Add(time.Duration(i)*time.Second/60), look)
	}
	if looks != 4 {
		t.Errorf("%d looks in a second", looks)
	}
	if base.lookOn = true; !l.refresh(now.Add(time.Hour), look) || l.keys != keysLookingOn(false) {
		t.Errorf("the keys of who looks on are %q", l.keys)
	}
	l.refresh(now.Add(time.Hour), look)
	if looks != 5 {
		t.Error("looked again at once")
	}
	if l.soon(); !l.refresh(now.Add(time.Hour), look) {
		t.Error("soon is not at once")
	}
	if keysFor(true, false) == keysFor(false, false) || keysFor(false, true) == keysFor(false, false) {
		t.Error("the keys do not follow what they do")
	}
}
