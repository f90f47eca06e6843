//go:build !headless

package window

import (
	"testing"

	"github.com/hajimehoshi/ebiten/v2"
)

// checkEnlarger runs within the loop, where pixels can be read.
func checkEnlarger(t *testing.T) {
	const width, height, times = 5, 3, 4
	frame, to := ebiten.NewImage(width, height), ebiten.NewImage(width*times, height*times)
	defer frame.Deallocate()
	defer to.Deallocate()
	pix := make([]byte, 4*width*height)
	for i := range width * height {
		copy(pix[4*i:], []byte{byte(16 * i), byte(255 - 16*i), byte(97 * i), 255})
	}
	frame.WritePixels(pix)
	var place ebiten.GeoM
	place.Scale(times, times)
	var e enlarger
	got := make([]byte, 4*width*times*height*times)
	wrong := func() (n int) {
		to.ReadPixels(got)
		for y := range height * times {
			for x := range width * times {
				if [4]byte(got[4*(y*width*times+x):]) != [4]byte(pix[4*(y/times*width+x/times):]) {
					n++
				}
			}
		}
		return n
	}
	e.draw(to, frame, place, true)
	if n := wrong(); n != 0 {
		t.Errorf("sharp: %d pixels are not those of the frame", n)
	}
	e.draw(to, frame, place, false)
	if n := wrong(); n < width*height*times {
		t.Errorf("smooth: only %d pixels differ from the frame's", n)
	}
}
