package gpu_test

import (
	"testing"

	"sojourn/gpu"
	"sojourn/gpu/headless"
	"sojourn/stages/work"
)

func newMeter(b work.Budget) *work.Meter {
	m := work.NewMeter(&handClock{}, b)
	m.NewFrame()
	m.Begin()
	return m
}

func image(t *testing.T, dev gpu.Device) gpu.TextureID {
	t.Helper()
	id, err := dev.CreateTexture(gpu.TextureDesc{Width: 4, Height: 4, Levels: 1})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestFreesAgeByPresents(t *testing.T) {
	for _, frames := range []int{-1, 1, 2, 3} {
		dev := headless.New(headless.Options{FramesInFlight: frames})
		r := gpu.NewRetirement(dev)
		id := image(t, dev)
		table := []gpu.TextureID{id}
		present := func() {
			if err := dev.Present(nil, &gpu.Frame{Textures: table}); err != nil {
				t.Fatal(err)
			}
			r.Presented()
		}
		present()
		table[0] = 0
		r.FreeTexture(id)
		m := newMeter(work.High())
		for n := 0; n < dev.FramesInFlight(); n++ {
			if r.Pump(m); dev.Stats().Textures != 1 {
				t.Fatalf("%d frames in flight: freed after %d presents", frames, n)
			}
			present()
		}
		if r.Pump(m); dev.Stats().Textures != 0 || r.Pending() != 0 || dev.EarlyFrees() != 0 {
			t.Errorf("%d frames in flight: %d images, %d pending, %d early", frames, dev.Stats().Textures, r.Pending(), dev.EarlyFrees())
		}
	}
}

func TestFreesAreIdempotentById(t *testing.T) {
	dev := headless.New(headless.Options{})
	r := gpu.NewRetirement(dev)
	id := image(t, dev)
	r.FreeTexture(id)
	r.FreeTexture(id)
	r.FreeTexture(0)
	r.FreeGeometry(gpu.GeometryID(id)) // the same number names another thing there
	if r.Pending() != 2 || r.Stats().Repeated != 1 {
		t.Errorf("%d pending, %+v", r.Pending(), r.Stats())
	}
	r.Flush()
	if s := r.Stats(); s.Freed != 1 || s.Stale != 1 || dev.Stats().Textures != 0 {
		t.Errorf("%+v", s)
	}
	r.FreeTexture(id) // long gone
	r.Flush()
	if s := r.Stats(); s.Freed != 1 || s.Stale != 2 || r.Pending() != 0 {
		t.Errorf("%+v", s)
	}
}

func TestFreesStayWithinTheFramesCount(t *testing.T) {
	dev := headless.New(headless.Options{FramesInFlight: -1})
	r := gpu.NewRetirement(dev)
	for range 150 {
		r.FreeTexture(image(t, dev))
	}
	m := newMeter(work.High())
	for _, want := range []int{150 - 64, 150 - 128, 0, 0} {
		if r.Pump(m); r.Pending() != want || dev.Stats().Textures != want {
			t.Fatalf("%d pending, want %d", r.Pending(), want)
		}
		m.NewFrame()
		m.Begin()
	}
}

// refusing answers destroys as told.
type refusing struct {
	gpu.Device
	err error
}

func (d *refusing) DestroyTexture(id gpu.TextureID) error {
	if d.err != nil {
		return d.err
	}
	return d.Device.DestroyTexture(id)
}

func TestARefusedFreeStaysRecorded(t *testing.T) {
	for _, refusal := range []error{gpu.ErrBackpressure, headless.ErrInjected} {
		dev := &refusing{Device: headless.New(headless.Options{FramesInFlight: -1}), err: refusal}
		r := gpu.NewRetirement(dev)
		r.FreeTexture(image(t, dev))
		m := newMeter(work.High())
		r.Pump(m)
		r.Pump(m)
		if r.Pending() != 1 || r.Stats().Failed != 2 || m.Facts().Failures != 2 {
			t.Errorf("%v: %d pending, %+v", refusal, r.Pending(), r.Stats())
		}
		dev.err = nil
		if r.Pump(m); r.Pending() != 0 || dev.Stats().Textures != 0 {
			t.Errorf("%v: %d pending after the device recovered", refusal, r.Pending())
		}
	}
}
