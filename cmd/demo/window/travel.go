//go:build !headless

package window

import (
	"image"
	"image/color"
	"math"
	"unicode/utf8"

	"github.com/hajimehoshi/ebiten/v2"

	"sojourn/demos/demo"
)

// travelScreen stands in for a place where a [demo.Traveller] has none: a
// tunnel over the whole frame, and in the window's own pixels a card that says
// where to.
type travelScreen struct {
	paint *paint
	about string // what the demo is
	shown bool   // over the frame drawn last
	says  demo.Travel

	card     *ebiten.Image
	cardSays demo.Travel
	place    ebiten.DrawImageOptions
}

// note asks the demo about the frame it has just presented, and tells whether
// the screen came or went.
func (s *travelScreen) note(d demo.Demo) (changed bool) {
	before := s.shown
	s.shown = false
	if t, ok := d.(demo.Traveller); ok {
		s.says, s.shown = t.Travel()
	}
	return s.shown != before
}

// The tunnel is frames within frames, which come nearer.
const (
	tunnelFrames = 9
	tunnelTicks  = 24 // until each stands where the next one did
)

// tunnelShades are the frames' colours, which alternate, at the near end.
var tunnelShades = [2][3]float64{{58, 46, 104}, {38, 30, 74}}

// tunnel covers every pixel of the frame.
func (s *travelScreen) tunnel(frame *ebiten.Image, ticks int) {
	b := frame.Bounds()
	x, y := float32(b.Min.X+b.Max.X)/2, float32(b.Min.Y+b.Max.Y)/2
	s.paint.rect(float32(b.Min.X), float32(b.Min.Y), float32(b.Max.X), float32(b.Max.Y), tunnelShade(ticks, 0, 1))
	for i := 1; i <= tunnelFrames; i++ {
		// Evenly apart as seen from within: sizes go by one over the distance.
		near := 1 / (float64(i) + 1 - float64(ticks%tunnelTicks)/tunnelTicks)
		w, h := float32(b.Dx())/2*float32(near), float32(b.Dy())/2*float32(near)
		s.paint.rect(x-w, y-h, x+w, y+h, tunnelShade(ticks, i, near))
	}
	s.paint.flush(frame)
}

// tunnelShade is the colour of the i-th frame, darker the farther it is.
func tunnelShade(ticks, i int, near float64) color.RGBA {
	c, light := tunnelShades[(i+ticks/tunnelTicks)%2], math.Sqrt(near)
	return color.RGBA{uint8(c[0] * light), uint8(c[1] * light), uint8(c[2] * light), 255}
}

// The card, in pixels of the window.
const (
	cardWidthMax = 560
	cardMargin   = 14
	cardBar      = 8
	cardHeight   = 2*cardMargin + 2*lineHeight + cardBar + 2*lineHeight + 14
)

// colorCard is what the card's text stands on.
var colorCard = color.RGBA{12, 10, 24, 235}

// refresh brings the card up to date, for a window of this width. It is nil
// where no screen is shown.
func (s *travelScreen) refresh(width int) *ebiten.Image {
	if !s.shown {
		return nil
	}
	width = min(width, cardWidthMax)
	fresh := s.card == nil || s.card.Bounds().Dx() != width
	if fresh {
		s.close()
		s.card = ebiten.NewImageWithOptions(image.Rect(0, 0, width, cardHeight), &ebiten.NewImageOptions{Unmanaged: true})
	}
	if fresh || s.cardSays != s.says {
		s.cardSays = s.says
		s.card.Clear()
		s.draw()
	}
	return s.card
}

func (s *travelScreen) draw() {
	width, bar := float32(s.card.Bounds().Dx()), float32(cardMargin+2*lineHeight+6)
	right := width - cardMargin
	s.paint.rect(0, 0, width, cardHeight, colorCard)
	s.paint.rect(cardMargin, bar, right, bar+cardBar, colorTrough)
	s.paint.rect(cardMargin, bar, cardMargin+(right-cardMargin)*float32(min(max(s.says.Ready, 0), 1)), bar+cardBar, colorWork)
	s.paint.flush(s.card)
	y := int(bar) + cardBar + 8
	s.heading(cardMargin, cardMargin, "Travelling to "+s.says.To)
	s.paint.text(s.card, cardMargin, y, toneText, s.says.Note)
	s.paint.text(s.card, cardMargin, y+lineHeight, toneDim, s.about)
}

// heading is twice as large as other text where there is room for it.
func (s *travelScreen) heading(x, y int, text string) {
	scale := 1
	if utf8.RuneCountInString(text)*2*letterWidth <= s.card.Bounds().Dx()-2*cardMargin {
		scale = 2
	}
	s.paint.textScaled(s.card, x, y, float64(scale), toneHead, text)
}

// drawCard puts the card in the middle of a window of this size.
func (s *travelScreen) drawCard(to target, width, height int) {
	card := s.refresh(width)
	if card == nil {
		return
	}
	b := card.Bounds()
	s.place.GeoM.Reset()
	s.place.GeoM.Translate(float64((width-b.Dx())/2), float64((height-b.Dy())/2))
	to.DrawImage(card, &s.place)
}

func (s *travelScreen) close() {
	if s.card != nil {
		s.card.Deallocate()
		s.card = nil
	}
}
