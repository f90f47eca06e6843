//go:build !headless

package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sojourn"
	"sojourn/audio"
	"sojourn/cmd/demo/window"
	"sojourn/demos/demo"
	"sojourn/demos/portals"
	"sojourn/gpu/ebitengine"
)

// onMain takes what must run on the main goroutine: Ebitengine's loop.
var onMain = make(chan func())

func TestMain(m *testing.M) {
	code := make(chan int, 1)
	go func() { code <- m.Run() }()
	for {
		select {
		case f := <-onMain:
			f()
		case c := <-code:
			os.Exit(c)
		}
	}
}

// witness notes, for each frame, what the demo says it shows.
type witness struct {
	*portals.Portals
	ticks int
	shown map[int]shown // by tick, of the frames that were drawn
}

type shown struct {
	leg    int
	travel bool
}

func (w *witness) Tick(in demo.Input, dt time.Duration) {
	w.Portals.Tick(in, dt)
	w.ticks++
}

func (w *witness) Present(target any) error {
	_, travel := w.Travel()
	w.shown[w.ticks] = shown{w.Way().Leg, travel}
	return w.Portals.Present(target)
}

// TestEveryPictureIsAPlaceOrTheTravelScreen takes a picture of every frame of
// the window, over several edges: each has the travel screen's card over it,
// or is the picture of a place but for its sparks.
func TestEveryPictureIsAPlaceOrTheTravelScreen(t *testing.T) {
	const width, height, frames = 480, 270, 150
	dir := t.TempDir()
	device := ebitengine.New(ebitengine.Options{RenderWidthMax: width, RenderHeightMax: height})
	p, err := portals.Open(demo.Env{
		Device: device, Sink: audio.NewSilent(nil), Config: sojourn.DefaultConfig(), Seed: 1, CacheDir: dir, Rounds: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{Portals: p, shown: map[int]shown{}}
	o := window.Options{Width: width, Height: height, Frames: frames, PaceMax: true, LookOn: true}
	for i := range frames {
		o.Shots = append(o.Shots, window.Shot{Path: picturePath(dir, i+1), Frame: i + 1})
	}
	done := make(chan error)
	onMain <- func() { done <- window.Run(w, device, o) }
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if r := p.Finish(); len(r.Leaks) != 0 {
		t.Errorf("leaks %v", r.Leaks)
	}
	places, screens := 0, 0
	var rest image.Image // of the leg that the frames are of, from its end
	restLeg := -1
	for tick := frames; tick >= 1; tick-- {
		s, drawn := w.shown[tick]
		if !drawn {
			continue
		}
		picture := readPicture(t, dir, tick)
		if card := headings(picture) > 100; card != s.travel {
			t.Fatalf("frame %d of leg %d: the travel screen's card is there: %v", tick, s.leg, card)
		}
		if s.travel {
			screens++
			continue
		}
		if s.leg != restLeg {
			rest, restLeg = picture, s.leg
		}
		places++
		if n := colors(picture); n < 200 {
			t.Errorf("frame %d of leg %d has %d colours: it is bare", tick, s.leg, n)
		}
		if share := apart(picture, rest); share > 0.03 {
			t.Errorf("frame %d of leg %d: %.1f %% of it is not as at rest", tick, s.leg, 100*share)
		}
	}
	if places < 10 || screens < 10 || w.shown[frames].leg < 2 {
		t.Errorf("%d frames of places and %d of the travel screen, up to leg %d", places, screens, w.shown[frames].leg)
	}
}

func picturePath(dir string, tick int) string {
	return filepath.Join(dir, fmt.Sprintf("%04d.png", tick))
}

func readPicture(t *testing.T, dir string, tick int) image.Image {
	t.Helper()
	f, err := os.Open(picturePath(dir, tick))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// pixels calls f with each pixel below the status line.
func pixels(p image.Image, f func(x, y int, c color.RGBA)) {
	for y := 60; y < p.Bounds().Dy(); y++ {
		for x := range p.Bounds().Dx() {
			f(x, y, color.RGBAModel.Convert(p.At(x, y)).(color.RGBA))
		}
	}
}

// headings counts pixels in the colour of the card's heading, which no place has.
func headings(p image.Image) (n int) {
	pixels(p, func(_, _ int, c color.RGBA) {
		if c == (color.RGBA{255, 214, 130, 255}) {
			n++
		}
	})
	return n
}

func colors(p image.Image) int {
	seen := map[color.RGBA]bool{}
	pixels(p, func(_, _ int, c color.RGBA) { seen[c] = true })
	return len(seen)
}

// apart is the share of pixels that clearly differ.
func apart(p, q image.Image) float64 {
	n, all := 0, 0
	pixels(p, func(x, y int, c color.RGBA) {
		all++
		d := color.RGBAModel.Convert(q.At(x, y)).(color.RGBA)
		for _, e := range [3]int{int(c.R) - int(d.R), int(c.G) - int(d.G), int(c.B) - int(d.B)} {
			if e > 24 || e < -24 {
				n++
				return
			}
		}
	})
	return float64(n) / float64(all)
}
