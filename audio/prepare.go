package audio

import (
	"runtime"
	"unsafe"

	"github.com/gopxl/beep/v2"

	"sojourn/assets"
)

const (
	// prepareFrames is the unit of preparing, about 0.1 ms of work; the worker
	// yields after each.
	prepareFrames = 256
	// resampleQuality is beep's: it interpolates between twice as many frames.
	resampleQuality = 4
)

// preparedFrames is a sound's length at [SampleRate], rounded to a frame.
func preparedFrames(s *assets.Sound) int64 {
	rate := int64(s.Rate)
	return (int64(s.Frames())*SampleRate + rate/2) / rate
}

func preparedBytes(s *assets.Sound) int64 {
	return preparedFrames(s) * int64(min(s.Channels, 2)) * 2
}

// work prepares sounds until there are no more jobs.
func (m *Mixer) work() {
	defer close(m.worked)
	var p preparer
	for s := range m.jobs {
		s.prepared, s.err = p.prepare(s.payload, m.pool, s.unwanted.Load)
		m.finished <- s
	}
}

// preparer is the scratch of one worker.
type preparer struct {
	ring  ring
	buf   [prepareFrames][2]float64
	fresh *beep.Resampler // of the ring, before its first frame; nil: none yet
	used  beep.Resampler
}

// resampler streams the ring at another rate. It is a copy of one that never
// streamed, whose buffers serve each sound anew: beep makes 16 KiB of them, and
// reads nothing there that it did not put in since its first frame.
func (p *preparer) resampler(ratio float64) beep.Streamer {
	if p.fresh == nil {
		p.fresh = beep.ResampleRatio(resampleQuality, ratio, &p.ring)
	}
	p.used = *p.fresh
	p.used.SetRatio(ratio)
	return &p.used
}

// prepare brings a sound to [SampleRate] and at most two channels. The result
// loops where the source does.
func (p *preparer) prepare(src *assets.Sound, pool *assets.Pool, unwanted func() bool) (assets.Bytes, error) {
	out := pool.Get(int(preparedBytes(src)))
	samples := int16s(out.Slice())
	var err error
	if frames := int(preparedFrames(src)); frames > 0 && src.Frames() > 0 {
		err = p.resample(samples, frames, src, unwanted)
	}
	if err != nil {
		out.Free()
		return assets.Bytes{}, err
	}
	return out, nil
}

func (p *preparer) resample(dst []int16, frames int, src *assets.Sound, unwanted func() bool) error {
	p.ring = ring{src: src}
	ring, buf := &p.ring, &p.buf
	var stream beep.Streamer = ring
	overlap := 0
	if src.Rate != SampleRate {
		// The ratio of the rounded lengths, not of the rates: one turn of the
		// source is then a whole number of frames, and loops stay seamless.
		ratio := float64(src.Frames()) / float64(frames)
		stream = p.resampler(ratio)
		overlap = min(frames, int(resampleQuality/ratio)+1)
	}
	// The first frames are interpolated without what lies before them. The
	// second turn has that, so its beginning replaces the first one's.
	for at := 0; at < frames+overlap; {
		n := min(prepareFrames, frames+overlap-at)
		stream.Stream(buf[:n])
		if ring.err != nil {
			return ring.err
		}
		for i := range n {
			store(dst, (at+i)%frames, src.Channels > 1, buf[i])
		}
		at += n
		runtime.Gosched()
		if unwanted() {
			return errCancelled
		}
	}
	return nil
}

func store(dst []int16, frame int, stereo bool, v [2]float64) {
	if stereo {
		dst[2*frame], dst[2*frame+1] = toInt16(v[0]), toInt16(v[1])
		return
	}
	dst[frame] = toInt16(v[0])
}

func toInt16(v float64) int16 {
	v *= 1 << 15
	if v < 0 {
		return int16(max(v-0.5, -1<<15))
	}
	return int16(min(v+0.5, 1<<15-1))
}

// ring streams a sound round and round. More than two channels are folded:
// even ones to the left, odd ones to the right.
type ring struct {
	src *assets.Sound
	at  int
	err error
}

// Stream always fills dst. After a fault it is silent and err says why.
func (r *ring) Stream(dst [][2]float64) (int, bool) {
	if r.err != nil {
		clear(dst)
		return len(dst), true
	}
	if !r.src.Data.Mapped() {
		r.fill(dst)
		return len(dst), true
	}
	if r.err = assets.Guard(func() { r.fill(dst) }); r.err != nil {
		clear(dst)
	}
	return len(dst), true
}

// Err is part of beep.Streamer.
func (r *ring) Err() error { return r.err }

func (r *ring) fill(dst [][2]float64) {
	channels, frames := int(r.src.Channels), r.src.Frames()
	for i := range dst {
		frame := r.src.Samples[r.at*channels:][:channels]
		if r.at++; r.at == frames {
			r.at = 0
		}
		dst[i] = fold(frame)
	}
}

func fold(frame []int16) [2]float64 {
	const scale = 1.0 / (1 << 15)
	if len(frame) == 1 {
		v := float64(frame[0]) * scale
		return [2]float64{v, v}
	}
	var sum [2]float64
	for c, v := range frame {
		sum[c&1] += float64(v) * scale
	}
	return [2]float64{sum[0] / float64((len(frame)+1)/2), sum[1] / float64(len(frame)/2)}
}

// int16s views bytes of a pool, which are aligned, as samples.
func int16s(b []byte) []int16 {
	if len(b) < 2 {
		return nil
	}
	return unsafe.Slice((*int16)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/2)
}
