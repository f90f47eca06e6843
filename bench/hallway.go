package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"sojourn"
	"sojourn/audio"
	"sojourn/demos/demo"
	"sojourn/demos/hallway"
	"sojourn/gpu/headless"
)

const (
	hallwayFewCells  = 2_000
	hallwayManyCells = 100_000
	hallwayFastFly   = 200 // metres per second
	hallwayWarmUp    = 120 // ticks
	hallwayTicks     = 180 // of one repetition
	allocTicks       = 1800
	allocBytesMax    = 16384
)

func hallwayComparisons() []comparison {
	return []comparison{
		{[]string{"hallway-cells"}, compareHallwayCells},
		{[]string{"frame-alloc", "frame-alloc-fast"}, compareFrameAlloc},
	}
}

// flown is a hallway without a window.
type flown struct {
	demo  demo.Demo
	sink  *audio.Manual
	clock *tickClock
}

// tickClock is the session's clock. A session asks it first and last thing in
// a tick, so that what the demo itself measures around a tick stays out.
type tickClock struct {
	start       time.Time
	first, last time.Duration
	asked       bool
}

// Now is the time since the clock was made.
func (c *tickClock) Now() time.Duration {
	c.last = time.Since(c.start)
	if !c.asked {
		c.first, c.asked = c.last, true
	}
	return c.last
}

// took is the time from the first question to the last since it was reset.
func (c *tickClock) took() time.Duration { return c.last - c.first }

func (r *run) openHallway(cells int, speed float64) (*flown, error) {
	f := &flown{sink: audio.NewManual(), clock: &tickClock{start: time.Now()}}
	var err error
	f.demo, err = hallway.Open(demo.Env{
		Device: headless.New(headless.Options{}), Sink: f.sink, Config: sojourn.DefaultConfig(),
		Cells: cells, Seed: 1, FlySpeed: speed, CacheDir: r.content, Progress: os.Stderr, WithClock: f.clock,
	})
	return f, err
}

// tick is one frame; took is the session's part of it.
func (f *flown) tick() (took time.Duration, err error) {
	f.clock.asked = false
	f.demo.Tick(demo.Input{}, tickTime)
	took = f.clock.took()
	f.sink.Advance(audio.SampleRate / 60)
	err = f.demo.Present(nil)
	return took, err
}

// finish unloads the hallway and tells what it should not have done.
func (f *flown) finish() error {
	if r := f.demo.Finish(); len(r.Leaks) > 0 || len(r.Assets.Failed) > 0 {
		return fmt.Errorf("the hallway of %d cells: leaks %v, failed %v", r.Cell, r.Leaks, r.Assets.Failed)
	}
	return nil
}

// compareHallwayCells flies two hallways in turn, tick by tick.
func compareHallwayCells(r *run) error {
	var fly [2]*flown
	var err error
	for i, cells := range []int{hallwayFewCells, hallwayManyCells} {
		if fly[i], err = r.openHallway(cells, hallwayFastFly); err != nil {
			return err
		}
	}
	var took [2]series
	for rep := range repetitions + 1 {
		var measured [2]frames
		ticks := hallwayTicks
		if rep == 0 {
			ticks = hallwayWarmUp
		}
		for range ticks {
			for i, f := range fly {
				before := kernel()
				d, err := f.tick()
				if err != nil {
					return err
				}
				measured[i].add(d, before, kernel())
				waitForWorkers(f.demo.Session())
			}
		}
		if rep > 0 {
			took[0].take(&measured[0], 0.5)
			took[1].take(&measured[1], 0.5)
		}
	}
	r.add(withinOf("hallway-cells", "us", fmt.Sprintf("%d-cells", hallwayFewCells), &took[1], &took[0], 1, 1.5))
	return errors.Join(fly[0].finish(), fly[1].finish())
}

// compareFrameAlloc counts what the whole process allocates in each frame.
func compareFrameAlloc(r *run) error {
	for _, v := range []struct {
		name  string
		speed float64
	}{{"frame-alloc", 0}, {"frame-alloc-fast", hallwayFastFly}} {
		if !r.wants(v.name) {
			continue
		}
		f, err := r.openHallway(hallwayFewCells, v.speed)
		if err != nil {
			return err
		}
		allocs := make([]float64, 0, allocTicks)
		over := 0
		var before, after runtime.MemStats
		for i := range hallwayWarmUp + allocTicks {
			runtime.ReadMemStats(&before)
			if _, err := f.tick(); err != nil {
				return err
			}
			runtime.ReadMemStats(&after)
			waitForWorkers(f.demo.Session())
			if i < hallwayWarmUp {
				continue
			}
			allocs = append(allocs, float64(after.TotalAlloc-before.TotalAlloc))
			if allocs[len(allocs)-1] > allocBytesMax {
				over++
			}
		}
		r.add(atMost(v.name, "B", quantile(allocs, 0.99), allocBytesMax, allocTicks))
		r.note("%s: p50 %.0f, p99 %.0f, largest %.0f bytes in a frame, workers included; %d of %d frames over the limit",
			v.name, median(allocs), quantile(allocs, 0.99), quantile(allocs, 1), over, allocTicks)
		if err := f.finish(); err != nil {
			return err
		}
	}
	return nil
}
