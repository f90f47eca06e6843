//go:build !headless

package window

import (
	"errors"
	"fmt"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"sojourn/demos/demo"
	"sojourn/gpu/ebitengine"
)

// tickTime is one step of a demo.
const tickTime = time.Second / 60

// undrawnTicksMax is how many updates a run that is over waits for its last
// frame: a minimised window draws none.
const undrawnTicksMax = 120

// Run runs the demo in a window, on the calling goroutine, which must be the
// main one. It returns when the window is closed, Esc was pressed,
// Options.Frames ticks are done or, without that, a [demo.Ending] is over. The error wraps [ErrOptions] where there was
// no run at all, [ErrShot] where only a screenshot is missing; any other one
// is the demo's, and ended the run. The demo is not finished and the device is
// not closed: both are the caller's. Once a process: Ebitengine has one loop.
func Run(d demo.Demo, device *ebitengine.Device, o Options) error {
	if err := o.complete(); err != nil {
		return err
	}
	return newGame(d, device, o).run()
}

// run is the loop.
func (g *game) run() error {
	o := &g.options
	ebiten.SetWindowTitle(o.Title)
	ebiten.SetWindowSize(o.Width, o.Height)
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	ebiten.SetRunnableOnUnfocused(true)
	ebiten.SetTPS(60)
	ebiten.SetScreenClearedEveryFrame(false) // the device paints every pixel
	if o.PaceMax {
		ebiten.SetTPS(ebiten.SyncWithFPS)
		ebiten.SetVsyncEnabled(false)
	}
	err := ebiten.RunGame(g)
	return errors.Join(err, g.shots.wait(g.ticks))
}

// game is the loop: Update and Draw run on one goroutine, in turn.
type game struct {
	demo     demo.Demo
	device   *ebitengine.Device
	options  Options
	controls controls
	captured bool
	panel    panel
	status   statusBar
	travel   travelScreen
	shots    *shotQueue
	times    frameTimes

	width, height int // of the window
	// layoutWidth and layoutHeight are the screen's size as Layout gave it:
	// the unit that the cursor is told in.
	layoutWidth, layoutHeight int

	strip    *ebiten.Image // the status line, of the window's width
	enlarger enlarger
	ticks    int
	drawn    int // ticks that the last frame showed
	undrawn  int // updates that waited for the last frame
	err      error
}

func newGame(d demo.Demo, device *ebitengine.Device, o Options) *game {
	g := &game{demo: d, device: device, options: o, shots: newShotQueue(o.Shots), width: o.Width, height: o.Height}
	g.panel.open = o.Panel
	g.panel.paint = newPaint()
	g.status.paint = g.panel.paint
	g.travel.paint, g.travel.about = g.panel.paint, o.About
	g.controls.lookOn = o.LookOn
	g.panel.view.assets.all = true
	return g
}

// Update runs one tick, or ends the run.
func (g *game) Update() error {
	if g.err != nil {
		return g.end(g.err)
	}
	if g.options.Frames > 0 && g.ticks >= g.options.Frames {
		if g.drawn < g.ticks && g.undrawn < undrawnTicksMax {
			g.undrawn++
			return nil
		}
		return g.end(ebiten.Termination)
	}
	if e, ends := g.demo.(demo.Ending); ends && g.options.Frames == 0 && e.Over() {
		return g.end(ebiten.Termination)
	}
	over, typing, err := g.panel.update(g)
	if err != nil {
		return g.end(fmt.Errorf("panel: %w", err))
	}
	h := readHeld()
	// The turn of the view must not depend on how large the frame is drawn.
	h.cursorX = inWindow(h.cursorX, g.width, g.layoutWidth)
	h.cursorY = inWindow(h.cursorY, g.height, g.layoutHeight)
	h.panelOpen, h.overPanel, h.typing = g.panel.open, over, typing
	a := g.controls.step(h)
	if a.quit {
		return g.end(ebiten.Termination)
	}
	if a.togglePanel {
		g.panel.toggle()
	}
	g.panel.leaveField = a.leaveField
	g.capture(a.capture)
	g.demo.Tick(a.in, tickTime)
	g.ticks++
	return nil
}

// end gives the mouse back, whatever ends the run.
func (g *game) end(err error) error {
	g.capture(false)
	return err
}

func (g *game) capture(on bool) {
	if on == g.captured {
		return
	}
	g.captured = on
	mode := ebiten.CursorModeVisible
	if on {
		mode = ebiten.CursorModeCaptured
	}
	ebiten.SetCursorMode(mode)
}

// Draw shows the frame, then what lies over it, then takes the picture of
// both.
func (g *game) Draw(screen *ebiten.Image) {
	if g.ticks == 0 || g.err != nil {
		return
	}
	g.times.frame(time.Now())
	if err := g.demo.Present(screen); err != nil {
		g.err = fmt.Errorf("drawing after tick %d: %w", g.ticks, err)
		return
	}
	if g.travel.note(g.demo) {
		g.status.soon()
	}
	if g.travel.shown {
		g.travel.tunnel(screen, g.ticks)
	}
	g.panel.draw(screen)
	g.drawn = g.ticks
	if !g.options.PaceMax && ebiten.IsVsyncEnabled() == g.hurried() {
		ebiten.SetVsyncEnabled(!g.hurried())
	}
	if g.shots.due(g.ticks) {
		g.shots.take(g.ticks, g.picture(screen))
	}
}

// seen is what the status line tells of now.
func (g *game) seen() seen {
	s := seen{
		fps: ebiten.ActualFPS(), width: g.width, height: g.height, limitWidth: g.options.Width, limitHeight: g.options.Height,
		captured: g.captured, panel: g.panel.open, lookOn: g.options.LookOn, status: g.demo.Status(),
	}
	s.meanMS, s.worstMS = g.times.recent(60)
	if g.device != nil {
		d := g.device.Stats()
		s.renderWidth, s.renderHeight = d.RenderWidth, d.RenderHeight
	}
	return s
}
