//go:build !headless

package window

import (
	"image"
	"image/color"

	"github.com/ebitengine/debugui"
	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/text/v2"
)

// The panel's letters all have one size, in pixels at scale 1.
const (
	letterWidth = 6
	lineHeight  = 16
)

// toneColors are how the tones look.
var toneColors = [toneCount]color.RGBA{
	toneText: {226, 226, 226, 255},
	toneDim:  {150, 150, 155, 255},
	toneHead: {255, 214, 130, 255},
	toneGood: {150, 214, 150, 255},
	toneWarn: {255, 176, 70, 255},
	toneBad:  {255, 120, 110, 255},
}

// Colours of bars and graphs.
var (
	colorTrough = color.RGBA{20, 20, 22, 255}
	colorStripe = color.RGBA{200, 200, 210, 110}
	colorWork   = color.RGBA{90, 170, 255, 255}
	colorSlow   = color.RGBA{255, 176, 70, 255}
	colorPeak   = color.RGBA{255, 100, 90, 255}
	colorFrame  = color.RGBA{110, 160, 115, 255}
	colorHover  = color.RGBA{30, 30, 30, 30}
	colorShade  = color.RGBA{0, 0, 0, 150}
)

// paint draws rectangles and lines of text. Rectangles are gathered and drawn
// in one call.
type paint struct {
	white    *ebiten.Image
	vertices []ebiten.Vertex
	indices  []uint16
	letters  text.DrawOptions
	solid    ebiten.DrawTrianglesOptions
}

func newPaint() *paint {
	white := ebiten.NewImage(3, 3)
	white.Fill(color.White)
	return &paint{white: white.SubImage(image.Rect(1, 1, 2, 2)).(*ebiten.Image)}
}

// rect gathers one rectangle of a premultiplied colour.
func (p *paint) rect(x0, y0, x1, y1 float32, c color.RGBA) {
	if x1 <= x0 || y1 <= y0 {
		return
	}
	first := uint16(len(p.vertices))
	r, g, b, a := float32(c.R)/255, float32(c.G)/255, float32(c.B)/255, float32(c.A)/255
	for i := range 4 {
		v := ebiten.Vertex{DstX: x0, DstY: y0, SrcX: 1, SrcY: 1, ColorR: r, ColorG: g, ColorB: b, ColorA: a}
		if i&1 != 0 {
			v.DstX = x1
		}
		if i&2 != 0 {
			v.DstY = y1
		}
		p.vertices = append(p.vertices, v)
	}
	p.indices = append(p.indices, first, first+1, first+2, first+1, first+3, first+2)
}

// flush draws what was gathered.
func (p *paint) flush(dst *ebiten.Image) {
	if len(p.indices) > 0 {
		p.solid.ColorScaleMode = ebiten.ColorScaleModePremultipliedAlpha
		dst.DrawTriangles(p.vertices, p.indices, p.white, &p.solid)
	}
	p.vertices, p.indices = p.vertices[:0], p.indices[:0]
}

// text draws one line of text.
func (p *paint) text(dst *ebiten.Image, x, y int, t tone, s string) { p.textScaled(dst, x, y, 1, t, s) }

// textScaled draws it so many times as large.
func (p *paint) textScaled(dst *ebiten.Image, x, y int, scale float64, t tone, s string) {
	if s == "" {
		return
	}
	p.letters.GeoM.Reset()
	p.letters.GeoM.Scale(scale, scale)
	p.letters.GeoM.Translate(float64(x), float64(y))
	p.letters.ColorScale.Reset()
	p.letters.ColorScale.ScaleWithColor(toneColors[t])
	debugui.DrawText(dst, s, &p.letters)
}
