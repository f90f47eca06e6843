//go:build !headless

package window

import (
	"image"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
)

// Layout gives the device's internal size, so that the frame is drawn straight
// into the screen and enlarged once, on its way to the window. While the panel
// is open it follows the window instead: the panel's text and the cursor need
// the window's own pixels.
func (g *game) Layout(outsideWidth, outsideHeight int) (int, int) {
	g.width, g.height = max(1, outsideWidth), max(1, outsideHeight)
	g.layoutWidth, g.layoutHeight = g.width, g.height
	if !g.panel.open && g.device != nil {
		g.layoutWidth, g.layoutHeight = g.device.RenderSize(g.width, g.height)
	}
	return g.layoutWidth, g.layoutHeight
}

// DrawFinalScreen enlarges the frame and puts the status line over it in the
// window's own pixels.
func (g *game) DrawFinalScreen(screen ebiten.FinalScreen, frame *ebiten.Image, toScreen ebiten.GeoM) {
	g.enlarger.draw(screen, frame, toScreen, g.hurried())
	g.over(screen)
}

// over puts what has the window's own pixels over the frame: the card of the
// travel screen, unless the panel lies there, and the status line.
func (g *game) over(screen target) {
	if !g.panel.open {
		g.travel.drawCard(screen, g.width, g.height)
	}
	if strip := g.statusStrip(); strip != nil {
		screen.DrawImage(strip, nil)
	}
}

// hurried tells whether the device gives up looks for time. Then the window
// does not wait for the display either: a frame that comes too late for one
// refresh would be held until the next, and drawing would stand still.
func (g *game) hurried() bool { return g.device != nil && g.device.Hurried() }

// statusStrip is the status line as a picture of the window's width, or nil
// before the first frame. It is drawn anew when the line changes.
func (g *game) statusStrip() *ebiten.Image {
	if g.ticks == 0 || g.err != nil {
		return nil
	}
	changed := g.status.refresh(time.Now(), g.seen)
	if g.strip == nil || g.strip.Bounds().Dx() != g.width || g.strip.Bounds().Dy() != g.status.height(g.width) {
		if g.strip != nil {
			g.strip.Deallocate()
		}
		g.strip = ebiten.NewImageWithOptions(image.Rect(0, 0, g.width, g.status.height(g.width)), &ebiten.NewImageOptions{Unmanaged: true})
		changed = true
	}
	if changed {
		g.strip.Clear()
		g.status.draw(g.strip)
	}
	return g.strip
}

// picture is the window as a person sees it, for a screenshot.
func (g *game) picture(frame *ebiten.Image) *image.RGBA {
	whole := ebiten.NewImageWithOptions(image.Rect(0, 0, g.width, g.height), &ebiten.NewImageOptions{Unmanaged: true})
	defer whole.Deallocate()
	var place ebiten.GeoM
	b := frame.Bounds()
	place.Scale(float64(g.width)/float64(b.Dx()), float64(g.height)/float64(b.Dy()))
	g.enlarger.draw(whole, frame, place, g.hurried())
	g.over(whole)
	out := image.NewRGBA(whole.Bounds())
	whole.ReadPixels(out.Pix)
	return out
}
