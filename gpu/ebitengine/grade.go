//go:build !headless

package ebitengine

import (
	"image"

	"github.com/hajimehoshi/ebiten/v2"

	"sojourn/gpu"
)

// surface is an image that frames are drawn to on their way to the target.
type surface struct {
	image *ebiten.Image
	part  *ebiten.Image // of image, the size of the frame
}

// of is the part of this size. The image is made with room for the largest.
func (s *surface) of(w, h, wMax, hMax int) *ebiten.Image {
	if s.image == nil || s.image.Bounds().Dx() < w || s.image.Bounds().Dy() < h {
		s.close()
		s.image = ebiten.NewImageWithOptions(
			image.Rect(0, 0, max(w, wMax), max(h, hMax)), &ebiten.NewImageOptions{Unmanaged: true})
	}
	if size := image.Rect(0, 0, w, h); s.part == nil || s.part.Bounds() != size {
		s.part = s.image.SubImage(size).(*ebiten.Image)
	}
	return s.part
}

func (s *surface) close() {
	if s.image != nil {
		s.image.Deallocate()
	}
	*s = surface{}
}

// lookUp is the table that grades a frame, or nil: also where the texture is
// not there in full yet, as a coarser level has another shape.
func (d *Device) lookUp(frame *gpu.Frame) *texture {
	t := d.textures.At(frame.LookUp)
	if t == nil || gpu.LookUpEdge((*t).desc.Width, (*t).desc.Height) == 0 {
		return nil
	}
	return *t
}

// gradeTo draws a finished frame through a look-up table.
func (d *Device) gradeTo(target, frame *ebiten.Image, table *texture) {
	p := &d.painter
	at := table.layout.level(0)
	p.grade = [4]float32{float32(at.Min.X), float32(at.Min.Y), float32(table.desc.Height), 0}
	p.options.Blend = ebiten.BlendCopy
	p.options.Images = [imagesPerDraw]*ebiten.Image{frame, table.image}
	to, from := target.Bounds(), frame.Bounds()
	for i := range p.corners {
		x, y := i%2, i/2
		p.corners[i] = ebiten.Vertex{
			DstX: float32(to.Min.X + x*to.Dx()), DstY: float32(to.Min.Y + y*to.Dy()),
			SrcX: float32(from.Min.X + x*from.Dx()), SrcY: float32(from.Min.Y + y*from.Dy()),
		}
	}
	target.DrawTrianglesShader32(p.corners[:], gradeIndices[:], d.shaders[variantGrade], &p.options)
	p.options.Images = [imagesPerDraw]*ebiten.Image{}
}

var gradeIndices = [6]uint32{0, 1, 2, 1, 2, 3}

// probed is a camera whose ambient light has the colour of a probe's picture,
// in the brightness it had.
func probed(ambient [3]float32, f face) [3]float32 {
	whole := f.average[0] + f.average[1] + f.average[2]
	if !f.alive || !f.averaged || !(whole > 0) {
		return ambient
	}
	bright := ambient[0] + ambient[1] + ambient[2]
	for k := range ambient {
		ambient[k] = bright * f.average[k] / whole
	}
	return ambient
}
