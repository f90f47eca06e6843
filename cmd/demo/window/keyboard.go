//go:build !headless

package window

import (
	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"
)

// readHeld reads keyboard and mouse, in Update.
func readHeld() held {
	h := held{
		left:        anyHeld(ebiten.KeyA, ebiten.KeyArrowLeft),
		right:       anyHeld(ebiten.KeyD, ebiten.KeyArrowRight),
		ahead:       anyHeld(ebiten.KeyW, ebiten.KeyArrowUp),
		back:        anyHeld(ebiten.KeyS, ebiten.KeyArrowDown),
		up:          anyHeld(ebiten.KeySpace, ebiten.KeyE),
		down:        anyHeld(ebiten.KeyControl, ebiten.KeyQ),
		toggleFly:   inpututil.IsKeyJustPressed(ebiten.KeyF) || inpututil.IsKeyJustPressed(ebiten.KeyTab),
		togglePanel: inpututil.IsKeyJustPressed(ebiten.KeyF1),
		escape:      inpututil.IsKeyJustPressed(ebiten.KeyEscape),
		look:        ebiten.IsMouseButtonPressed(ebiten.MouseButtonRight),
		click:       inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonLeft),
		focused:     ebiten.IsFocused(),
	}
	h.cursorX, h.cursorY = ebiten.CursorPosition()
	return h
}

func anyHeld(a, b ebiten.Key) bool { return ebiten.IsKeyPressed(a) || ebiten.IsKeyPressed(b) }
