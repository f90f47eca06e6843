//go:build !headless

package window

import (
	"image"

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
	g.enlarge.GeoM, g.enlarge.Filter, g.enlarge.Blend = toScreen, ebiten.FilterLinear, ebiten.BlendCopy
	screen.DrawImage(frame, &g.enlarge)
	if strip := g.statusStrip(); strip != nil {
		screen.DrawImage(strip, nil)
	}
}

// statusStrip is the status line as a picture of the window's width, or nil
// before the first frame. It is drawn anew each frame, over a few rows only.
func (g *game) statusStrip() *ebiten.Image {
	if g.ticks == 0 || g.err != nil {
		return nil
	}
	if g.strip == nil || g.strip.Bounds().Dx() != g.width {
		if g.strip != nil {
			g.strip.Deallocate()
		}
		g.strip = ebiten.NewImageWithOptions(image.Rect(0, 0, g.width, 2*lineHeight+4), &ebiten.NewImageOptions{Unmanaged: true})
	}
	g.strip.Clear()
	g.status.draw(g.strip, g)
	return g.strip
}

// picture is the window as a person sees it, for a screenshot.
func (g *game) picture(frame *ebiten.Image) *image.RGBA {
	whole := ebiten.NewImageWithOptions(image.Rect(0, 0, g.width, g.height), &ebiten.NewImageOptions{Unmanaged: true})
	defer whole.Deallocate()
	var o ebiten.DrawImageOptions
	b := frame.Bounds()
	o.GeoM.Scale(float64(g.width)/float64(b.Dx()), float64(g.height)/float64(b.Dy()))
	o.Filter = ebiten.FilterLinear
	whole.DrawImage(frame, &o)
	if strip := g.statusStrip(); strip != nil {
		whole.DrawImage(strip, nil)
	}
	out := image.NewRGBA(whole.Bounds())
	whole.ReadPixels(out.Pix)
	return out
}
