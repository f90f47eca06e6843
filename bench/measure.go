package main

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// repetitions is how often each variant runs, in turn with the others.
const repetitions = 7

// quantile is the value below which a share q of a series lies.
func quantile(series []float64, q float64) float64 {
	if len(series) == 0 {
		return 0
	}
	s := slices.Clone(series)
	slices.Sort(s)
	return s[min(len(s)-1, int(q*float64(len(s))))]
}

func median(series []float64) float64 { return quantile(series, 0.5) }

func mean(series []float64) (m float64) {
	for _, v := range series {
		m += v / float64(len(series))
	}
	return m
}

// kernelSink keeps the compiler from leaving the kernel out.
var kernelSink atomic.Uint64

// kernel is a fixed amount of work in registers, some 20 us. Where it takes
// longer than it usually does, something else had the processor.
func kernel() time.Duration {
	began := time.Now()
	x := uint64(began.UnixNano()) | 1
	for range 12_000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	kernelSink.Store(x)
	return time.Since(began)
}

// disturbedFactor is how far over its lower quartile a kernel may be.
const disturbedFactor = 1.75

// frames are measured frames, each with the slower of the kernels on its two
// sides.
type frames struct {
	took, reference []float64
}

// measure runs one frame between two kernels and records it, in microseconds.
func (f *frames) measure(frame func()) { f.measureOn(1, frame) }

// measureOn is measure for a frame that uses so many processors: it is only as
// quiet as the worst of them.
func (f *frames) measureOn(processors int, frame func()) {
	before := kernelOn(processors)
	began := time.Now()
	frame()
	took := time.Since(began)
	f.add(took, before, kernelOn(processors))
}

// kernelOn runs the kernel on several processors at once, and tells how long
// that took.
func kernelOn(processors int) time.Duration {
	if processors == 1 {
		return kernel()
	}
	began := time.Now()
	var wg sync.WaitGroup
	for range processors {
		wg.Go(func() { kernel() })
	}
	wg.Wait()
	return time.Since(began)
}

func (f *frames) add(took, before, after time.Duration) {
	f.took = append(f.took, micros(took))
	f.reference = append(f.reference, micros(max(before, after)))
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// processorsFree is how many processors' worth of work this process gets done
// when it has work for so many: on a machine that others use, often fewer. What
// several goroutines do to each other shows only with more than one.
func processorsFree(processors int) float64 {
	const kernels, tries = 50, 15
	work := func() {
		for range kernels {
			kernel()
		}
	}
	var alone, together []float64
	for range tries {
		began := time.Now()
		work()
		alone = append(alone, micros(time.Since(began)))
		began = time.Now()
		var wg sync.WaitGroup
		for range processors {
			wg.Go(work)
		}
		wg.Wait()
		together = append(together, micros(time.Since(began)))
	}
	return float64(processors) * median(alone) / median(together)
}

// quiet are the frames beside which nothing else had the processor, and the
// share that was dropped.
func (f *frames) quiet() (took []float64, dropped float64) {
	limit := disturbedFactor * quantile(f.reference, 0.25)
	for i, t := range f.took {
		if f.reference[i] <= limit {
			took = append(took, t)
		}
	}
	if len(f.took) == 0 {
		return nil, 0
	}
	return took, 1 - float64(len(took))/float64(len(f.took))
}

// series is one variant over the repetitions: a figure of each, and what was
// dropped.
type series struct {
	figures, drops []float64
}

// take adds a repetition: a quantile of its quiet frames.
func (s *series) take(f *frames, q float64) {
	took, dropped := f.quiet()
	s.figures = append(s.figures, quantile(took, q))
	s.drops = append(s.drops, dropped)
}

func (s *series) median() float64 { return median(s.figures) }

// ratioOf is the median of the ratios within each repetition.
func ratioOf(over, under *series) float64 {
	ratios := make([]float64, len(over.figures))
	for i := range ratios {
		ratios[i] = over.figures[i] / under.figures[i]
	}
	return median(ratios)
}

// dropped is the mean share over variants.
func dropped(of ...*series) float64 {
	sum, n := 0.0, 0
	for _, s := range of {
		for _, d := range s.drops {
			sum += d
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// timed is how long f took, after a collection so that no variant pays for
// another's garbage.
func timed(f func() error) (time.Duration, error) {
	runtime.GC()
	began := time.Now()
	err := f()
	return time.Since(began), err
}
