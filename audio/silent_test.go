package audio

import (
	"sync/atomic"
	"testing"
	"time"
)

type counter struct{ bytes atomic.Int64 }

func (c *counter) Read(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return len(p), nil
}

func TestSilentReadsAtTheRate(t *testing.T) {
	ticks := make(chan time.Time)
	s := NewSilent(ticks)
	var c counter
	if err := s.Start(&c); err != nil {
		t.Fatal(err)
	}
	now := time.Unix(100, 0)
	ticks <- now
	for range 1000 { // an odd period loses nothing
		now = now.Add(16_666_667 * time.Nanosecond)
		ticks <- now
	}
	ticks <- now // the one before is through
	if got, want := c.bytes.Load()/frameBytes, int64(1000*800); got < want || got > want+1 {
		t.Errorf("%d frames in 1000 ticks of a sixtieth, want %d", got, want)
	}
	before := c.bytes.Load()
	ticks <- now.Add(time.Hour)
	ticks <- now.Add(time.Hour)
	if got, most := (c.bytes.Load()-before)/frameBytes, int64(SampleRate/10+1); got > most {
		t.Errorf("caught up %d frames after an hour, at most %d", got, most)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestManualBeforeAndAfter(t *testing.T) {
	s := NewManual()
	if s.Advance(10) != nil {
		t.Error("reads before Start")
	}
	var c counter
	s.Start(&c)
	if got := len(s.Advance(10)); got != 20 || c.bytes.Load() != 80 {
		t.Errorf("%d samples, %d bytes", got, c.bytes.Load())
	}
	s.Close()
	if s.Advance(10) != nil || s.Err() != nil {
		t.Error("reads after Close")
	}
}
