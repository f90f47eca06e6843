//go:build !headless

package ebitengine

import (
	"fmt"
	"image"
	"slices"
	"testing"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
)

// benchWorld is a hall with about 15 visible cells, 600 items and 20,000
// triangles before culling.
func benchWorld(b *testing.B) *world {
	w := newWorld(b, Options{}, func(w *world) { corridor(w, 15, 36, 5) })
	w.look(vec3{0.5, 1.7, 1}, vec3{0, 1.4, -10})
	return w
}

// BenchmarkBuild is the processor's part of a frame: culling, order,
// transformation, light, clipping.
func BenchmarkBuild(b *testing.B) {
	w := benchWorld(b)
	d := w.device
	b.ReportAllocs()
	for b.Loop() {
		d.builder.build(&w.frame, 1280, 720, d.meshOf, d.faceOf)
	}
	b.ReportMetric(float64(d.builder.drawnTriangles), "triangles")
	b.ReportMetric(float64(len(d.builder.batches)), "batches")
	b.ReportMetric(float64(len(d.builder.vertices)), "vertices")
}

// BenchmarkOrder is the order alone.
func BenchmarkOrder(b *testing.B) {
	w := benchWorld(b)
	d := w.device
	d.builder.build(&w.frame, 1280, 720, d.meshOf, d.faceOf)
	for b.Loop() {
		d.builder.order.sort(d.builder.sorted, d.builder.states, len(d.builder.looks.all))
	}
	b.ReportMetric(float64(len(d.builder.order.edges)), "edges")
}

// BenchmarkFrame is a whole frame at each internal size, with the drawing
// waited for: one operation is one frame of the game.
func BenchmarkFrame(b *testing.B) {
	for _, share := range steps {
		width, height := int(1280*share), int(720*share)
		b.Run(fmt.Sprintf("%dx%d", width, height), func(b *testing.B) {
			w := benchWorld(b)
			var target *ebiten.Image
			inDraw(b, func(*ebiten.Image) error {
				target = ebiten.NewImageWithOptions(image.Rect(0, 0, width, height), &ebiten.NewImageOptions{Unmanaged: true})
				return nil
			})
			var pixel [4]byte
			for b.Loop() {
				inDraw(b, func(*ebiten.Image) error {
					if err := w.device.Present(target, &w.frame); err != nil {
						return err
					}
					target.SubImage(image.Rect(0, 0, 1, 1)).(*ebiten.Image).ReadPixels(pixel[:])
					return nil
				})
			}
		})
	}
}

// BenchmarkWindow is a window of 1280x720 with the hall in it, as a player has
// it: the size of frames adapts. "layout" takes Device.RenderSize for the
// window's layout, "scaled" lets the device scale to a layout of the window's
// size. It reports the median of the frames after the first five seconds.
func BenchmarkWindow(b *testing.B) {
	for _, name := range []string{"layout", "scaled"} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, Options{Adaptive: true}, func(w *world) { corridor(w, 15, 36, 5) })
			w.look(vec3{0.5, 1.7, 1}, vec3{0, 1.4, -10})
			var times []float64
			var last time.Time
			done := make(chan struct{})
			began := time.Now()
			inDraw(b, func(*ebiten.Image) error {
				ebiten.SetWindowSize(1280, 720)
				game.size = func() (int, int) { return 1280, 720 }
				if name == "layout" {
					game.size = func() (int, int) { return w.device.RenderSize(1280, 720) }
				}
				game.each = func(screen *ebiten.Image) {
					if err := w.device.Present(screen, &w.frame); err != nil {
						b.Error(err)
					}
					now := time.Now()
					if now.Sub(began) > 5*time.Second {
						times = append(times, now.Sub(last).Seconds()*1000)
					}
					if last = now; now.Sub(began) > 9*time.Second {
						game.each, game.size = nil, nil
						ebiten.SetWindowSize(layoutWidth, layoutHeight)
						close(done)
					}
				}
				return nil
			})
			<-done
			for b.Loop() { // the frames above are what is measured
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)/2], "ms/frame-p50")
			b.ReportMetric(times[len(times)*9/10], "ms/frame-p90")
			b.ReportMetric(float64(w.device.Stats().RenderWidth), "pixels-wide")
		})
	}
}
