//go:build !headless

package window

import (
	"unicode/utf8"

	"github.com/hajimehoshi/ebiten/v2"
)

// statusBar draws the status line over the top of the window: figures, what the
// demo says and keys, in as many rows as they need.
type statusBar struct {
	statusLine
	paint *paint
}

const statusMargin = 6

// room is how many letters a row of a window of this width has.
func (s *statusBar) room(width int) int { return (width - 2*statusMargin) / letterWidth }

// height is what the bar takes of a window of this width.
func (s *statusBar) height(width int) int {
	_, keysRow := s.rows(s.room(width))
	return (keysRow+1)*lineHeight + 4
}

func (s *statusBar) draw(screen *ebiten.Image) {
	width := screen.Bounds().Dx()
	s.paint.rect(0, 0, float32(width), float32(s.height(width)), colorShade)
	s.paint.flush(screen)
	statusRow, keysRow := s.rows(s.room(width))
	s.paint.text(screen, statusMargin, 2, toneText, s.figures)
	x := statusMargin
	if statusRow == 0 {
		x += (utf8.RuneCountInString(s.figures) + statusGap) * letterWidth
	}
	s.paint.text(screen, x, 2+statusRow*lineHeight, toneText, s.status)
	x = statusMargin
	if keysRow == statusRow {
		x = width - statusMargin - utf8.RuneCountInString(s.keys)*letterWidth
	}
	s.paint.text(screen, x, 2+keysRow*lineHeight, toneHead, s.keys)
}
