package ebitengine

import (
	"math"
	"math/rand"
	"testing"
	"time"
)

// drive runs an adapter for some seconds against a model of frame times.
func drive(a *adapter, seconds float64, frameMS func(pixels float64) float64) (changes int) {
	now := a.last
	if now.IsZero() {
		now = time.Unix(0, 0)
	}
	end := now.Add(time.Duration(seconds * 1e9))
	for now.Before(end) {
		step := a.step
		now = now.Add(time.Duration(frameMS(1280*720*area(a.step)) * 1e6))
		a.sample(now)
		if a.step != step {
			changes++
		}
	}
	return changes
}

func TestAdaptiveSize(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	model := func(fixed, perPixels, noise float64) func(float64) float64 {
		return func(pixels float64) float64 {
			return max(1, fixed+perPixels*pixels/(1280*720)+noise*rng.NormFloat64())
		}
	}
	paced := func(f func(float64) float64) func(float64) float64 {
		return func(pixels float64) float64 { return math.Ceil(f(pixels)/(1000/60.0)) * 1000 / 60 }
	}
	tests := []struct {
		name     string
		frame    func(float64) float64
		from, to int // steps that are right after five seconds
	}{
		{"fast", model(3, 6, 0.5), 0, 0},
		{"28 ms at full size", model(6, 22, 1), 2, 3},
		{"as slow as software", model(11, 20, 1), 4, 4},
		{"a window that costs most of a frame", model(13, 38, 1), 5, 5},
		{"hopeless", model(40, 20, 1), 5, 5},
		{"paced and fast", paced(model(3, 6, 0.5)), 0, 0},
		{"paced and slow", paced(model(4, 20, 0.5)), 1, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := newAdapter(true)
			drive(&a, 5, tt.frame)
			if a.step < tt.from || a.step > tt.to {
				t.Errorf("step %d after five seconds, want %d to %d", a.step, tt.from, tt.to)
			}
			if n := drive(&a, 60, tt.frame); n > 8 {
				t.Errorf("%d changes in a minute", n)
			}
		})
	}
}

func TestAdaptiveSizeComesBack(t *testing.T) {
	a := newAdapter(true)
	drive(&a, 5, func(p float64) float64 { return 10 + 40*p/(1280*720) })
	if a.step == 0 {
		t.Fatal("did not shrink")
	}
	drive(&a, 120, func(p float64) float64 { return 2 + 5*p/(1280*720) })
	if a.step != 0 {
		t.Errorf("step %d long after the load went", a.step)
	}
}

func TestAdaptiveSizeOffAndPauses(t *testing.T) {
	a := newAdapter(false)
	drive(&a, 5, func(float64) float64 { return 50 })
	if a.step != 0 {
		t.Error("changed while off")
	}
	a = newAdapter(true)
	drive(&a, 60, func(float64) float64 { return 1500 })
	if a.step != 0 {
		t.Error("pauses counted as frames")
	}
}

func TestSizeForKeepsShape(t *testing.T) {
	for step, want := range [][2]int{{1280, 720}, {1067, 600}, {853, 480}, {640, 360}, {480, 270}} {
		a := adapter{step: step}
		w, h := a.sizeFor(1280, 720, 1280, 720)
		if w != want[0] || h != want[1] {
			t.Errorf("step %d: %dx%d, want %v", step, w, h, want)
		}
		if w2, h2 := a.sizeFor(w, h, 1280, 720); w2 != w || h2 != h {
			t.Errorf("step %d: a target of %dx%d is drawn at %dx%d", step, w, h, w2, h2)
		}
	}
	a := adapter{step: 3}
	if w, h := a.sizeFor(1000, 1000, 1280, 720); w != h || w*h > 640*360+1000 {
		t.Errorf("a square became %dx%d", w, h)
	}
	if w, h := a.sizeFor(320, 180, 1280, 720); w != 320 || h != 180 {
		t.Errorf("a small target became %dx%d", w, h)
	}
	if w, h := a.sizeFor(1, 1<<24, 1280, 720); w < 1 || h < 1 {
		t.Errorf("a sliver became %dx%d", w, h)
	}
}
