package window

import "sojourn/demos/demo"

// lookRadPerPixel is how far the view turns for one pixel of the mouse.
const lookRadPerPixel = 0.0028

// A capture moves the cursor by itself for a moment, and a tick after a pause
// can see a leap: neither is the player's doing.
const (
	settleTicks   = 2
	lookPixelsMax = 250
)

// held is what keyboard and mouse tell in one tick.
type held struct {
	left, right, up, down, ahead, back bool // keys held
	toggleFly, togglePanel, escape     bool // keys pressed in this tick
	look                               bool // right button held
	click                              bool // left button pressed in this tick
	cursorX, cursorY                   int
	focused                            bool // the window has the keyboard
	panelOpen, overPanel, typing       bool // what the panel makes of it
}

// act is what comes of one tick's input.
type act struct {
	in          demo.Input
	capture     bool // the cursor belongs to the view
	togglePanel bool
	leaveField  bool // stop typing into the panel
	quit        bool
}

// controls turns keys and mouse into input. The mouse is the view's while the
// right button is held, or after a click into the picture until Esc, a lost
// focus or the panel gives it back.
type controls struct {
	lookOn       bool // the demo takes no input
	clicked      bool // captured by a click
	captured     bool
	settle       int
	lastX, lastY int
}

func (c *controls) step(h held) act {
	var a act
	a.togglePanel = h.togglePanel
	switch {
	case h.togglePanel || !h.focused:
		c.clicked = false
	case h.escape && c.clicked:
		c.clicked = false
	case h.escape && h.typing:
		a.leaveField = true
	case h.escape:
		a.quit = true
	case c.lookOn:
	case h.click && !h.panelOpen && !h.overPanel:
		c.clicked = true
	}
	a.capture = !c.lookOn && h.focused && (c.clicked || h.look && !h.overPanel || h.look && c.captured)
	if h.focused && !h.typing && !c.lookOn {
		a.in.Move = [3]float32{axis(h.left, h.right), axis(h.down, h.up), axis(h.back, h.ahead)}
		a.in.ToggleFly = h.toggleFly
	}
	a.in.LookX, a.in.LookY = c.look(h, a.capture)
	return a
}

// look is how far the mouse turned the view. To the left and down are
// positive: a demo adds x to a yaw about the upward axis, which grows to the
// left.
func (c *controls) look(h held, capture bool) (x, y float32) {
	if capture != c.captured {
		c.captured, c.settle = capture, settleTicks
	}
	dx, dy := h.cursorX-c.lastX, h.cursorY-c.lastY
	c.lastX, c.lastY = h.cursorX, h.cursorY
	if c.settle > 0 {
		c.settle--
		return 0, 0
	}
	if !capture {
		return 0, 0
	}
	return lookRad(-dx), lookRad(dy)
}

func lookRad(pixels int) float32 {
	return float32(min(max(pixels, -lookPixelsMax), lookPixelsMax)) * lookRadPerPixel
}

// axis is -1, 0 or 1; both keys at once cancel out.
func axis(minus, plus bool) float32 {
	switch {
	case plus && !minus:
		return 1
	case minus && !plus:
		return -1
	}
	return 0
}

// inWindow is a place along an edge of the screen in pixels of the window.
func inWindow(at, window, layout int) int {
	if layout <= 0 {
		return at
	}
	return at * window / layout
}
