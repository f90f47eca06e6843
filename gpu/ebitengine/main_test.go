//go:build !headless

package ebitengine

import (
	"os"
	"testing"

	"github.com/hajimehoshi/ebiten/v2"
)

// loop is the one game of this test binary. Ebitengine wants the main
// goroutine and runs once a process, so tests send it what must run in Draw.
type loop struct {
	work chan func(screen *ebiten.Image)
	done chan struct{}
	// each, where set, runs in every Draw; size overrides the layout.
	each func(screen *ebiten.Image)
	size func() (width, height int)
}

var game = &loop{work: make(chan func(*ebiten.Image)), done: make(chan struct{})}

func (g *loop) Update() error {
	select {
	case <-g.done:
		return ebiten.Termination
	default:
		return nil
	}
}

func (g *loop) Draw(screen *ebiten.Image) {
	if g.each != nil {
		g.each(screen)
	}
	select {
	case f := <-g.work:
		f(screen)
	default:
	}
}

func (g *loop) Layout(int, int) (int, int) {
	if g.size != nil {
		return g.size()
	}
	return layoutWidth, layoutHeight
}

// The size of the test game's screen, in pixels.
const layoutWidth, layoutHeight = 320, 180

// inDraw runs f in the game's Draw and waits for it. An error fails the test.
func inDraw(t testing.TB, f func(screen *ebiten.Image) error) {
	t.Helper()
	result := make(chan error)
	game.work <- func(screen *ebiten.Image) { result <- f(screen) }
	if err := <-result; err != nil {
		t.Fatal(err)
	}
}

func TestMain(m *testing.M) {
	ebiten.SetWindowSize(layoutWidth, layoutHeight)
	ebiten.SetVsyncEnabled(false)
	beforeLoop()
	code := make(chan int, 1)
	go func() {
		code <- m.Run()
		close(game.done)
	}()
	if err := ebiten.RunGame(game); err != nil {
		panic(err)
	}
	os.Exit(<-code)
}
