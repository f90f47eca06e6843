package sojourn_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"

	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/gpu"
	"sojourn/sojourntest"
	"sojourn/stages/work"
)

// tally counts what really happens in a world, beside the meter.
type tally struct{ created, removed int64 }

func (t *tally) Notify(_ *ecs.World, e ecs.EntityEvent) {
	switch {
	case e.Contains(event.EntityCreated):
		t.created++
	case e.Contains(event.EntityRemoved):
		t.removed++
	}
}

func (*tally) Subscriptions() event.Subscription { return event.EntityCreated | event.EntityRemoved }
func (*tally) Components() *ecs.Mask             { return nil }

// Whatever way work comes by - cells, loads by hand, another priority, unloading,
// a journey, a world that closes - what is done in a frame was paid for there.
func TestInvariant19_NothingPassesTheMeterBy(t *testing.T) {
	budget := work.High()
	for d := range budget.Max {
		budget.Max[d] = 3
	}
	budget.Max[work.AdoptedBytes], budget.Max[work.UploadBytes] = 3000, 3000
	f := openFar(t, sojourntest.Options{Work: budget})
	real := &tally{}
	f.w.Listen(real)
	other := f.World("other")
	layer := load(t, other, scene.Request{Stem: "cell7", Policy: components.PresentGated})
	paid := work.Cost{}
	for frame := range 600 {
		switch frame {
		case 60:
			_ = other.Unload(layer)
			load(t, f.w, scene.Request{Stem: "cell9", Policy: components.PresentImmediate, Priority: 5})
		case 90:
			f.travel(25)
		case 120:
			f.travel(3)
		case 300:
			f.w.UnloadAll()
		case 330:
			if err := other.Close(); err != nil {
				t.Fatal(err)
			}
		}
		f.Await()
		*real = tally{}
		device := f.Device.Stats()
		f.Session.Tick(sojourntest.FrameTime)
		now, facts := f.Device.Stats(), f.Session.Meter().Facts()
		for d, used := range facts.Used {
			paid[d] += used
		}
		for _, c := range []struct {
			what       string
			done, paid int64
		}{
			{"entities made", real.created, facts.Used[work.EntityOps]},
			{"entities removed", real.removed, facts.Used[work.EntityOps]},
			{"bytes uploaded", now.UploadedBytes - device.UploadedBytes, facts.Used[work.UploadBytes]},
			{"device objects made", made(device, now), facts.Used[work.DeviceCreates]},
			{"strips written", now.TextureWrites - device.TextureWrites, facts.Used[work.DeviceTouches]},
			{"device objects freed", freed(device, now), facts.Used[work.DeviceFrees]},
		} {
			if c.done > c.paid {
				t.Errorf("frame %d: %d %s, %d were paid for", frame, c.done, c.what, c.paid)
			}
		}
		for d, used := range facts.Used {
			if used > budget.Max[d] && facts.Oversizes == 0 {
				t.Errorf("frame %d: %d %v of %d", frame, used, work.Dimension(d), budget.Max[d])
			}
		}
		if err := f.Session.Present(nil); err != nil {
			t.Fatal(err)
		}
		f.Clock.Advance(sojourntest.FrameTime)
	}
	for _, d := range []work.Dimension{work.Admissions, work.AdoptedBytes, work.EntityOps, work.UploadBytes,
		work.DeviceCreates, work.DeviceTouches, work.Retirements, work.DeviceFrees} {
		if paid[d] == 0 {
			t.Errorf("nothing was paid in %v", d)
		}
	}
	if err := f.Session.Meter().SetBudget(work.High()); err != nil {
		t.Fatal(err)
	}
	f.Settle()
}

// made is how many textures and geometries a device has got.
func made(before, now gpu.DeviceStats) int64 {
	return now.TextureCreates - before.TextureCreates + now.GeometryCreates - before.GeometryCreates
}

// freed is how many textures and geometries a device has lost.
func freed(before, now gpu.DeviceStats) int64 {
	return max(0, now.TextureFrees-before.TextureFrees) + max(0, int64(before.Geometries-now.Geometries))
}
