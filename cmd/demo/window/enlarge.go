//go:build !headless

package window

import (
	"fmt"

	"github.com/hajimehoshi/ebiten/v2"
)

// enlargeShader copies one texel for each pixel and does nothing else: on a
// software renderer this pass over the whole window costs more than all that
// is drawn before it.
const enlargeShader = `//kage:unit texels
package main

func Fragment(dst vec4, src vec2) vec4 {
	return imageSrc0UnsafeAt(src)
}
`

// enlarger brings the frame to the window's size.
type enlarger struct {
	shader  *ebiten.Shader // made at its first use
	sharp   ebiten.DrawTrianglesShaderOptions
	smooth  ebiten.DrawImageOptions
	corners [3]ebiten.Vertex
	indices [3]uint16
}

// target is an image, or the final screen.
type target interface {
	DrawImage(img *ebiten.Image, o *ebiten.DrawImageOptions)
	DrawTrianglesShader(vertices []ebiten.Vertex, indices []uint16, s *ebiten.Shader, o *ebiten.DrawTrianglesShaderOptions)
}

// draw covers a target with the frame, moved and scaled by place: with smooth
// edges between its pixels or, in a fraction of the time, with sharp ones.
func (e *enlarger) draw(to target, frame *ebiten.Image, place ebiten.GeoM, sharp bool) {
	if !sharp {
		e.smooth.GeoM, e.smooth.Filter, e.smooth.Blend = place, ebiten.FilterLinear, ebiten.BlendCopy
		to.DrawImage(frame, &e.smooth)
		return
	}
	if e.shader == nil {
		s, err := ebiten.NewShader([]byte(enlargeShader))
		if err != nil {
			panic(fmt.Sprintf("window: the shader does not compile: %v", err))
		}
		e.shader, e.indices = s, [3]uint16{0, 1, 2}
	}
	// One triangle twice as large as the frame: no edge runs through it.
	b := frame.Bounds()
	for i := range e.corners {
		x, y := float64(b.Dx()*2*(i&1)), float64(b.Dy()*(i&2))
		dx, dy := place.Apply(x, y)
		e.corners[i] = ebiten.Vertex{
			DstX: float32(dx), DstY: float32(dy),
			SrcX: float32(float64(b.Min.X) + x), SrcY: float32(float64(b.Min.Y) + y),
		}
	}
	e.sharp.Images[0], e.sharp.Blend = frame, ebiten.BlendCopy
	to.DrawTrianglesShader(e.corners[:], e.indices[:], e.shader, &e.sharp)
}
