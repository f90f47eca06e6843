//go:build !headless

package window

import (
	"unicode/utf8"

	"github.com/hajimehoshi/ebiten/v2"
)

// statusBar draws the status line over the top of the window: figures at the
// left, keys at the right or, where there is no room, below.
type statusBar struct {
	statusLine
	paint *paint
}

const statusMargin = 6

// height is what the bar takes of a window of this width.
func (s *statusBar) height(width int) int {
	letters := utf8.RuneCountInString(s.figures) + utf8.RuneCountInString(s.keys) + 4
	if letters*letterWidth+2*statusMargin <= width {
		return lineHeight + 4
	}
	return 2*lineHeight + 4
}

func (s *statusBar) draw(screen *ebiten.Image) {
	width := screen.Bounds().Dx()
	height := s.height(width)
	s.paint.rect(0, 0, float32(width), float32(height), colorShade)
	s.paint.flush(screen)
	s.paint.text(screen, statusMargin, 2, toneText, s.figures)
	x, y := width-statusMargin-utf8.RuneCountInString(s.keys)*letterWidth, 2
	if height > lineHeight+4 {
		x, y = statusMargin, 2+lineHeight
	}
	s.paint.text(screen, x, y, toneHead, s.keys)
}
