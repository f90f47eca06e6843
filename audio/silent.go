package audio

import (
	"io"
	"time"
)

const (
	silentPeriod = 10 * time.Millisecond
	// silentLagMax is how much a silent sink catches up after a pause, such as
	// a suspended machine.
	silentLagMax = 100 * time.Millisecond
)

// Silent is a [Sink] that drops what it reads, at the rate a device would
// read it. It is for machines without sound.
type Silent struct {
	ticks  <-chan time.Time
	ticker *time.Ticker
	stop   chan struct{}
	done   chan struct{}
}

// NewSilent makes a silent sink that reads whenever ticks delivers a time, as
// many frames as passed since the last. With nil it brings a ticker of its own.
func NewSilent(ticks <-chan time.Time) *Silent { return &Silent{ticks: ticks} }

// Name is "silent".
func (s *Silent) Name() string { return "silent" }

// Start begins to read.
func (s *Silent) Start(src io.Reader) error {
	if s.ticks == nil {
		s.ticker = time.NewTicker(silentPeriod)
		s.ticks = s.ticker.C
	}
	s.stop, s.done = make(chan struct{}), make(chan struct{})
	go s.run(src)
	return nil
}

func (s *Silent) run(src io.Reader) {
	defer close(s.done)
	var buf [blockFrames * frameBytes]byte
	var last time.Time
	var owed int64 // frames times nanoseconds per second
	for {
		select {
		case <-s.stop:
			return
		case now := <-s.ticks:
			if !last.IsZero() {
				owed += int64(min(max(now.Sub(last), 0), silentLagMax)) * SampleRate
			}
			last = now
		}
		for frames := owed / int64(time.Second); frames > 0; frames = owed / int64(time.Second) {
			n := min(frames, blockFrames)
			_, _ = src.Read(buf[:n*frameBytes]) // a source never fails
			owed -= n * int64(time.Second)
		}
	}
}

// Err is nil: silence does not fail.
func (s *Silent) Err() error { return nil }

// Close ends reading.
func (s *Silent) Close() error {
	if s.stop == nil {
		return nil
	}
	close(s.stop)
	<-s.done
	s.stop = nil
	if s.ticker != nil {
		s.ticker.Stop()
	}
	return nil
}

// Manual is a [Sink] without a goroutine or clock: it reads when its owner
// says so. Headless sessions and tests use it, so that nothing depends on
// time. All its methods belong to one goroutine.
type Manual struct {
	src     io.Reader
	bytes   []byte
	samples []float32
}

// NewManual makes a manual sink.
func NewManual() *Manual { return &Manual{} }

// Name is "manual".
func (s *Manual) Name() string { return "manual" }

// Start keeps src for [Manual.Advance].
func (s *Manual) Start(src io.Reader) error {
	s.src = src
	return nil
}

// Advance reads the next frames on the calling goroutine and gives their
// samples, left and right in turn, valid until the next call. Before Start and
// after Close it gives nothing.
func (s *Manual) Advance(frames int) []float32 {
	if s.src == nil || frames <= 0 {
		return nil
	}
	if n := frames * frameBytes; cap(s.bytes) < n {
		s.bytes, s.samples = make([]byte, n), make([]float32, 2*frames)
	}
	n, _ := s.src.Read(s.bytes[:frames*frameBytes])
	return decode(s.samples[:n/4], s.bytes[:n])
}

// Err is nil: nothing can fail.
func (s *Manual) Err() error { return nil }

// Close ends reading.
func (s *Manual) Close() error {
	s.src = nil
	return nil
}
