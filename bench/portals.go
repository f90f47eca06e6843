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
	"sojourn/demos/portals"
	"sojourn/gpu/headless"
)

const (
	portalsAllocRounds = 4
	portalsFrame       = time.Second / 60

	// unpooledFactorMin is 84.7 % less.
	unpooledFactorMin = 6.5
)

func portalsComparisons() []comparison {
	return []comparison{
		{[]string{"portals-p99-count", "portals-p99-naive", "portals-reveal"}, comparePortals},
		{[]string{"portals-alloc", "portals-alloc-unpooled"}, comparePortalsAlloc},
	}
}

// journey is one mode over the repetitions.
type journey struct {
	mode   string
	p99    series
	reveal []float64 // ms from edge to reveal, of each leg
	frames int
}

// comparePortals runs a round of the route in each mode in turn, at real pace,
// and takes the frames between each edge and the first in which nothing was
// under way.
func comparePortals(r *run) error {
	var js []*journey
	for _, mode := range portals.Modes() {
		js = append(js, &journey{mode: mode})
	}
	for range repetitions {
		for _, j := range js {
			if err := r.travel(j); err != nil {
				return fmt.Errorf("%s: %w", j.mode, err)
			}
		}
	}
	of := map[string]*journey{}
	for _, j := range js {
		of[j.mode] = j
		r.note("portals %s: p99 %.0f us, median time to reveal %.1f ms, mean %.1f, of %d frames", j.mode, j.p99.median(), median(j.reveal), mean(j.reveal), j.frames)
	}
	ours, count, naive, each := of["sojourn"], of["count"], of["naive"], of["goroutines"]
	r.add(fasterOf("portals-p99-count", "us", "count", &ours.p99, &count.p99, 1, 2.5))
	r.add(fasterOf("portals-p99-naive", "us", "naive", &ours.p99, &naive.p99, 1, 10))
	r.add(within("portals-reveal", "ms", "goroutines", median(ours.reveal), median(each.reveal), 1.15, len(ours.reveal)))
	return nil
}

func (r *run) openPortals(mode string, rounds int, spareBytesMax int64) (*portals.Portals, *audio.Manual, error) {
	sink := audio.NewManual()
	p, err := portals.Open(demo.Env{
		Device: headless.New(headless.Options{}), Sink: sink, Config: sojourn.DefaultConfig(), Seed: 1,
		CacheDir: r.content, Progress: os.Stderr, Mode: mode, Rounds: rounds, SpareBytesMax: spareBytesMax,
	})
	return p, sink, err
}

// travel is one round in one mode.
func (r *run) travel(j *journey) error {
	p, sink, err := r.openPortals(j.mode, 1, 0)
	if err != nil {
		return err
	}
	var f frames
	since := 0.0 // ms from the edge, at real pace
	for !p.Over() {
		before, was, began := kernel(), p.Way(), time.Now()
		p.Tick(demo.Input{}, tickTime)
		w := p.Way()
		took := time.Duration(w.TickMS * float64(time.Millisecond))
		if w.Open && w.Leg > 0 {
			if f.add(took, before, kernel()); w.Frames == 1 {
				since = 0
			}
			if w.Shown && !(was.Shown && was.Leg == w.Leg) {
				j.reveal = append(j.reveal, since+w.TickMS)
			}
		}
		sink.Advance(audio.SampleRate / 60)
		if err := p.Present(nil); err != nil {
			return errors.Join(err, p.Session().Close())
		}
		restOfFrame(began, func() bool { return p.Way().Loading })
		since += max(portalsFrame, time.Since(began)).Seconds() * 1e3
	}
	j.p99.take(&f, 0.99)
	j.frames += len(f.took)
	return endPortals(p)
}

// restOfFrame gives decoding the time that a frame at real pace has left.
// Where nothing decodes any more it does not wait, and the frame counts as if
// it had.
func restOfFrame(began time.Time, decoding func() bool) {
	for end := began.Add(portalsFrame); time.Now().Before(end) && decoding(); {
		time.Sleep(200 * time.Microsecond)
	}
}

// endPortals unloads and tells what the run should not have done.
func endPortals(p *portals.Portals) error {
	r := p.Finish()
	d := r.Details.(*portals.Details)
	if len(r.Leaks)+len(d.OverBudget)+len(d.Failures)+d.Total.RequiredMissing > 0 || d.Stuck != "" {
		return fmt.Errorf("leaks %v, over budget %v, failures %v, %d missing at a reveal, %s",
			r.Leaks, d.OverBudget, d.Failures, d.Total.RequiredMissing, d.Stuck)
	}
	return nil
}

// allocations are the largest of the rounds from the second on.
type allocations struct {
	tick  float64 // of the game goroutine in one tick
	frame float64 // of the whole process from one tick to the next, decoding included
	first float64 // as tick, in the first round
	ticks int
}

// comparePortalsAlloc takes the largest allocation of the game goroutine in one
// tick, from the second round on: in the first, tables and rosters grow to what
// the stops need, in steps before the entities come. With one processor no worker
// runs during a tick, so that the process's count is the game's own; what
// decoders allocate they allocate between ticks. That part is what buffers that
// are lent again save: the same route without any of them is run beside it.
func comparePortalsAlloc(r *run) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	ours, err := r.allocate(0)
	if err != nil {
		return err
	}
	fresh, err := r.allocate(-1)
	if err != nil {
		return fmt.Errorf("without pooled buffers: %w", err)
	}
	r.add(atMost("portals-alloc", "B", ours.tick, allocBytesMax, ours.ticks))
	r.add(faster("portals-alloc-unpooled", "B", "unpooled", ours.frame, fresh.frame, unpooledFactorMin, ours.ticks))
	r.note("portals-alloc: in the first round at most %.0f bytes; without pooled buffers a tick allocates at most %.0f", ours.first, fresh.tick)
	r.note("portals-alloc-unpooled: the largest frame of the whole process, decoding included: %.1f %% less than without pooled buffers",
		100*(1-ours.frame/fresh.frame))
	return nil
}

// allocate runs rounds of the route with so many bytes of freed buffers kept.
func (r *run) allocate(spareBytesMax int64) (a allocations, err error) {
	p, sink, err := r.openPortals("sojourn", portalsAllocRounds, spareBytesMax)
	if err != nil {
		return a, err
	}
	var m runtime.MemStats
	for !p.Over() {
		began := time.Now()
		runtime.ReadMemStats(&m)
		before := m.TotalAlloc
		p.Tick(demo.Input{}, tickTime)
		w := p.Way()
		sink.Advance(audio.SampleRate / 60)
		if err := p.Present(nil); err != nil {
			return a, errors.Join(err, p.Session().Close())
		}
		restOfFrame(began, func() bool { return p.Way().Loading })
		runtime.ReadMemStats(&m)
		switch {
		case !w.Open || w.Leg == 0:
		case w.Leg <= portals.Stops:
			a.first = max(a.first, w.AllocBytes)
		default:
			a.tick, a.frame = max(a.tick, w.AllocBytes), max(a.frame, float64(m.TotalAlloc-before))
			a.ticks++
		}
	}
	return a, endPortals(p)
}
