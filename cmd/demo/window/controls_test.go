package window

import (
	"testing"

	"sojourn/demos/demo"
)

func TestKeysMove(t *testing.T) {
	for name, c := range map[string]struct {
		held held
		want demo.Input
	}{
		"nothing":        {held{}, demo.Input{}},
		"ahead":          {held{ahead: true}, demo.Input{Move: [3]float32{0, 0, 1}}},
		"back":           {held{back: true}, demo.Input{Move: [3]float32{0, 0, -1}}},
		"left":           {held{left: true}, demo.Input{Move: [3]float32{-1, 0, 0}}},
		"right":          {held{right: true}, demo.Input{Move: [3]float32{1, 0, 0}}},
		"up and right":   {held{up: true, right: true}, demo.Input{Move: [3]float32{1, 1, 0}}},
		"down":           {held{down: true}, demo.Input{Move: [3]float32{0, -1, 0}}},
		"opposites":      {held{ahead: true, back: true, left: true}, demo.Input{Move: [3]float32{-1, 0, 0}}},
		"fly":            {held{toggleFly: true}, demo.Input{ToggleFly: true}},
		"mouse, free":    {held{cursorX: 40, cursorY: 10}, demo.Input{}},
		"into the panel": {held{ahead: true, toggleFly: true, typing: true}, demo.Input{}},
	} {
		c.held.focused = true
		var controls controls
		if a := controls.step(c.held); a.in != c.want || a.quit || a.capture {
			t.Errorf("%s: %+v, want %+v", name, a, c.want)
		}
	}
	var unfocused controls
	if a := unfocused.step(held{ahead: true, toggleFly: true, look: true}); a.in != (demo.Input{}) || a.capture {
		t.Errorf("without focus: %+v", a)
	}
}

// A demo that takes no input gets none, and the mouse stays free.
func TestLookingOn(t *testing.T) {
	c := controls{lookOn: true}
	for _, h := range []held{{click: true}, {look: true}, {ahead: true, toggleFly: true}} {
		h.focused = true
		if a := c.step(h); a.in != (demo.Input{}) || a.capture || a.quit {
			t.Errorf("%+v gives %+v", h, a)
		}
	}
	if a := c.step(held{focused: true, togglePanel: true}); !a.togglePanel {
		t.Error("the panel does not open")
	}
	if a := c.step(held{focused: true, escape: true}); !a.quit {
		t.Error("Esc does not quit")
	}
}

// step is one tick of a script: what is done, and what the mouse is then.
type step struct {
	held    held
	capture bool
	quit    bool
}

func TestTheMouseAlwaysComesBack(t *testing.T) {
	click, escape := held{click: true}, held{escape: true}
	for name, script := range map[string][]step{
		"click, Esc, Esc":         {{click, true, false}, {held{}, true, false}, {escape, false, false}, {held{}, false, false}, {escape, false, true}},
		"Esc at once":             {{escape, false, true}},
		"right button":            {{held{look: true}, true, false}, {held{look: true}, true, false}, {held{}, false, false}},
		"Esc while right is held": {{held{look: true, escape: true}, true, true}},
		"the panel takes it":      {{click, true, false}, {held{togglePanel: true}, false, false}, {held{panelOpen: true}, false, false}},
		"no click past the panel": {{held{click: true, panelOpen: true}, false, false}, {held{click: true, panelOpen: true, overPanel: true}, false, false}},
		"right button over panel": {{held{look: true, panelOpen: true, overPanel: true}, false, false}},
		"right button, then over": {{held{look: true, panelOpen: true}, true, false}, {held{look: true, panelOpen: true, overPanel: true}, true, false}, {held{panelOpen: true, overPanel: true}, false, false}},
	} {
		var c controls
		for i, s := range script {
			s.held.focused = true
			if a := c.step(s.held); a.capture != s.capture || a.quit != s.quit {
				t.Errorf("%s: step %d: capture %v, quit %v; want %v, %v", name, i, a.capture, a.quit, s.capture, s.quit)
			}
		}
		if a := c.step(held{}); a.capture {
			t.Errorf("%s: still captured without focus", name)
		}
		if a := c.step(held{focused: true}); a.capture {
			t.Errorf("%s: captured again when focus came back", name)
		}
	}
}

func TestEscLeavesTheFilterFirst(t *testing.T) {
	var c controls
	if a := c.step(held{focused: true, escape: true, typing: true, panelOpen: true}); !a.leaveField || a.quit {
		t.Errorf("typing: %+v", a)
	}
	if a := c.step(held{focused: true, escape: true, panelOpen: true}); a.leaveField || !a.quit {
		t.Errorf("not typing: %+v", a)
	}
}

func TestMouseTurnsTheView(t *testing.T) {
	var c controls
	at := func(x, y int) act { return c.step(held{focused: true, look: true, cursorX: x, cursorY: y}) }
	for i := range settleTicks {
		if a := at(500+300*i, 300); a.in.LookX != 0 || a.in.LookY != 0 {
			t.Fatalf("tick %d of the capture turned by %v, %v", i, a.in.LookX, a.in.LookY)
		}
	}
	last := 500 + 300*(settleTicks-1)
	if a := at(last+10, 280); a.in.LookX != lookRad(-10) || a.in.LookY != lookRad(-20) {
		t.Errorf("right and up: %v, %v", a.in.LookX, a.in.LookY)
	}
	if a := at(last+10, 280); a.in.LookX != 0 || a.in.LookY != 0 {
		t.Errorf("at rest: %v, %v", a.in.LookX, a.in.LookY)
	}
	if a := at(last+90000, -90000); a.in.LookX != -lookPixelsMax*lookRadPerPixel || a.in.LookY != -lookPixelsMax*lookRadPerPixel {
		t.Errorf("a leap: %v, %v", a.in.LookX, a.in.LookY)
	}
}

func TestCursorIsToldInWindowPixels(t *testing.T) {
	for _, c := range [][4]int{{240, 1280, 480, 640}, {-3, 1280, 480, -8}, {77, 1280, 1280, 77}, {77, 1280, 0, 77}} {
		if got := inWindow(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("%d of %d in %d: %d, want %d", c[0], c[2], c[1], got, c[3])
		}
	}
}
