//go:build !headless

package ebitengine

import (
	"image"

	"github.com/hajimehoshi/ebiten/v2"
)

// trimMax bounds how many spare images are freed in one frame: freeing many
// takes more than its share of time.
const trimMax = 4

// pool keeps images that lost their handle, by size class, to be written
// again: making one stalls the frame.
type pool struct {
	spares     [256][]*ebiten.Image
	spareBytes int64
	bytesMax   int64
}

func (p *pool) take(c class) *ebiten.Image {
	if n := len(p.spares[c]); n > 0 {
		img := p.spares[c][n-1]
		p.spares[c][n-1] = nil
		p.spares[c] = p.spares[c][:n-1]
		p.spareBytes -= c.bytes()
		return img
	}
	w, h := c.size()
	return ebiten.NewImageWithOptions(image.Rect(0, 0, w, h), &ebiten.NewImageOptions{Unmanaged: true})
}

func (p *pool) give(c class, img *ebiten.Image) {
	p.spares[c] = append(p.spares[c], img)
	p.spareBytes += c.bytes()
}

// trim frees a few images while the spares take too much, from the class that
// takes most.
func (p *pool) trim() {
	for range trimMax {
		if p.spareBytes <= p.bytesMax {
			return
		}
		var most class
		for c := range p.spares {
			if int64(len(p.spares[c]))*class(c).bytes() > int64(len(p.spares[most]))*most.bytes() {
				most = class(c)
			}
		}
		p.take(most).Deallocate()
	}
}

func (p *pool) close() {
	for c := range p.spares {
		for _, img := range p.spares[c] {
			img.Deallocate()
		}
		p.spares[c] = nil
	}
	p.spareBytes = 0
}
