//go:build !headless

package window

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"path/filepath"
	"testing"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"sojourn"
	"sojourn/assets"
	"sojourn/demos/demo"
	"sojourn/gpu/ebitengine"
)

// fake is a demo that paints one colour.
type fake struct {
	session  *sojourn.Session
	ticks    int
	dt       time.Duration
	onTick   func(tick int)
	presents int
	failAt   int
	color    color.RGBA
	travel   bool
}

var errFake = errors.New("the device fell off")

func (f *fake) Tick(_ demo.Input, dt time.Duration) {
	f.ticks++
	f.dt = dt
	if f.session != nil {
		f.session.Tick(dt)
	}
	if f.onTick != nil {
		f.onTick(f.ticks)
	}
}

func (f *fake) Present(target any) error {
	f.presents++
	if f.ticks == f.failAt {
		return errFake
	}
	target.(*ebiten.Image).Fill(f.color)
	if f.session != nil {
		return f.session.Present(nil)
	}
	return nil
}

func (f *fake) Travel() (demo.Travel, bool) {
	return demo.Travel{To: "the far end", Note: "nearly there", Ready: 0.5}, f.travel
}

func (f *fake) Session() *sojourn.Session { return f.session }
func (f *fake) Status() string            { return "all is well" }
func (f *fake) Finish() demo.Report       { return demo.Report{} }

// on runs f on the main goroutine.
func on(f func() error) error {
	done := make(chan error)
	onMain <- func() { done <- f() }
	return <-done
}

// The one run of this process goes through every page, without a session, with
// one, and with an answer opened.
func TestRunShowsPanelAndTakesPictures(t *testing.T) {
	if !unused.CompareAndSwap(true, false) {
		t.Skip("Ebitengine's loop runs once a process")
	}
	const perPage, width, height = 6, 800, 600
	session, key := openSession(t)
	h, err := session.Store().Name(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	f := &fake{color: color.RGBA{20, 60, 200, 255}}
	frames := perPage * (int(pageCount) + 2)
	o := Options{Title: "test", Width: width, Height: height, Frames: frames, PaceMax: true}
	for i := range int(pageCount) + 2 {
		o.Shots = append(o.Shots, Shot{filepath.Join(dir, fmt.Sprintf("%d.png", i)), (i + 1) * perPage})
	}
	away := Shot{filepath.Join(dir, "away.png"), 3}
	o.Shots = append(o.Shots, away)
	device := ebitengine.New(ebitengine.Options{})
	g := newGame(f, device, o)
	f.onTick = func(tick int) {
		if tick == 2 {
			checkEnlarger(t)
		}
		f.travel = tick >= away.Frame-1 && tick <= away.Frame+1
		switch step := tick / perPage; {
		case tick%perPage != 0 || step > int(pageCount)+1:
		case step == 1:
			g.panel.toggle()
		case step == 2:
			f.session = session
			g.panel.view.soon()
		default:
			g.panel.choose(page(step - 2))
			if step-2 == int(pageAssets) {
				g.panel.view.assets.open = map[assets.Key]*answer{key: {}}
			}
		}
	}
	if err := on(g.run); err != nil {
		t.Fatal(err)
	}
	if f.ticks != frames || f.dt != time.Second/60 || f.presents < frames/2 {
		t.Errorf("%d ticks of %v, %d frames drawn", f.ticks, f.dt, f.presents)
	}
	checkTravelScreen(t, readPNG(t, away.Path), f.color)
	o.Shots = o.Shots[:len(o.Shots)-1]
	seen := map[string]int{}
	for i, s := range o.Shots {
		p := readPNG(t, s.Path)
		if b := p.Bounds(); b.Dx() != width || b.Dy() != height {
			t.Errorf("picture %d is %v", i, b)
		}
		if got := color.RGBAModel.Convert(p.At(width-4, height/2)); got != f.color {
			t.Errorf("picture %d: beside the panel is %v", i, got)
		}
		if covered := color.RGBAModel.Convert(p.At(width/2, height-30)) != f.color; covered != (i > 0) {
			t.Errorf("picture %d: the panel covers the middle: %v", i, covered)
		}
		seen[sum(p)]++
	}
	if len(seen) != len(o.Shots) {
		t.Errorf("%d different pictures of %d", len(seen), len(o.Shots))
	}
	device.Close()
	session.Store().Forget(h)
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// checkTravelScreen: nothing of the frame is seen beside or through the screen,
// and its card is there.
func checkTravelScreen(t *testing.T, p image.Image, frame color.RGBA) {
	t.Helper()
	b := p.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(p.At(x, y)).(color.RGBA) }
	letters := 0
	for y := panelTop; y < b.Dy(); y++ {
		for x := range b.Dx() {
			switch at(x, y) {
			case frame:
				t.Fatalf("the bare frame is seen at %d, %d", x, y)
			case toneColors[toneHead]:
				letters++
			}
		}
	}
	if letters < 200 {
		t.Errorf("%d pixels of the card's heading", letters)
	}
	bar := (b.Dy()-cardHeight)/2 + cardMargin + 2*lineHeight + 6 + cardBar/2
	if l, r := at(b.Dx()/2-40, bar), at(b.Dx()/2+40, bar); l != colorWork || r != colorTrough {
		t.Errorf("half done is shown as %v and %v", l, r)
	}
}

// sum tells pictures apart, without the line of figures at the top.
func sum(p image.Image) string {
	n := uint64(14695981039346656037)
	for y := panelTop; y < p.Bounds().Dy(); y++ {
		for x := range p.Bounds().Dx() {
			r, g, b, _ := p.At(x, y).RGBA()
			n = (n ^ uint64(r)<<32 ^ uint64(g)<<16 ^ uint64(b)) * 1099511628211
		}
	}
	return fmt.Sprintf("%016x", n)
}

func TestRunRefusesBadOptions(t *testing.T) {
	if err := Run(&fake{}, nil, Options{Frames: 5, Shots: []Shot{{"a.png", 6}}}); !errors.Is(err, ErrOptions) {
		t.Error(err)
	}
}

// What fails in a frame ends the run in the next update, without a loop: the
// loop calls nothing but Update and Draw.
func TestDrawErrorEndsTheRun(t *testing.T) {
	f := &fake{failAt: 1}
	g := &game{demo: f}
	g.Draw(nil)
	if f.presents != 0 {
		t.Error("drawn before the first tick")
	}
	g.ticks, f.ticks = 1, 1
	g.Draw(nil)
	if err := g.Update(); !errors.Is(err, errFake) || g.drawn != 0 {
		t.Errorf("%v after %d frames", err, g.drawn)
	}
	g.Draw(nil)
	if f.presents != 1 {
		t.Error("drawn after the error")
	}
}

// A run whose frames are done waits for the last one to be drawn, but not for
// ever: a minimised window draws nothing.
func TestLastFrameIsAwaited(t *testing.T) {
	g := &game{demo: &fake{}, options: Options{Frames: 3}, ticks: 3}
	for range undrawnTicksMax {
		if err := g.Update(); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Update(); !errors.Is(err, ebiten.Termination) || g.ticks != 3 {
		t.Errorf("%v after %d ticks", err, g.ticks)
	}
}

func TestInSight(t *testing.T) {
	clip := image.Rect(0, 100, 200, 180)
	for name, c := range map[string]struct{ top, lines, first, count int }{
		"all of it":       {100, 3, 0, 3},
		"scrolled a bit":  {90, 100, 0, 6},
		"far down":        {100 - 50*lineHeight, 100, 50, 5},
		"past the end":    {100 - 98*lineHeight, 100, 98, 2},
		"wholly above":    {100 - 300*lineHeight, 100, 300, 0},
		"wholly below":    {400, 100, 0, 0},
		"nothing to show": {100, 0, 0, 0},
	} {
		first, count := inSight(clip, image.Rect(0, c.top, 200, c.top+c.lines*lineHeight), c.lines)
		if count != c.count || count > 0 && first != c.first {
			t.Errorf("%s: %d from %d, want %d from %d", name, count, first, c.count, c.first)
		}
	}
}
