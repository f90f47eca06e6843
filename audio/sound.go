package audio

import (
	"fmt"
	"sync/atomic"

	"sojourn/assets"
)

// soundsMax is how many different sounds can be in use at once.
const soundsMax = slotsMax

// A sound's state, the game goroutine's.
const (
	soundFree = iota
	soundPreparing
	soundReady
	soundFailed
)

// sound is PCM that voices share. It holds one retain on the stored sound
// while any voice uses it, or while the worker still reads it.
type sound struct {
	handle   assets.Handle
	payload  *assets.Sound // valid under the retain
	state    uint8
	voices   int32
	samples  []int16 // of the payload, or of prepared
	channels int
	bytes    int64 // charged for prepared

	// The worker's from hand-over until it comes back.
	prepared assets.Bytes
	err      error

	unwanted atomic.Bool // the worker may give up
}

// checkSound tells why a sound cannot be played.
func checkSound(s *assets.Sound) error {
	switch {
	case s.Rate < assets.SoundRateMin || s.Rate > assets.SoundRateMax:
		return fmt.Errorf("sample rate %d is outside %d..%d", s.Rate, assets.SoundRateMin, assets.SoundRateMax)
	case s.Channels < 1 || s.Channels > assets.SoundChannelsMax:
		return fmt.Errorf("%d channels, 1 to %d are possible", s.Channels, assets.SoundChannelsMax)
	}
	return nil
}

// needsPreparing tells whether the reader can use the stored samples as they
// are. Mapped ones are copied: a file that is truncated under its mapping
// must not fault inside the sink's callback.
func needsPreparing(s *assets.Sound) bool {
	return s.Rate != SampleRate || s.Channels > 2 || s.Data.Mapped()
}

func (m *Mixer) findSound(h assets.Handle) int32 {
	for i := range m.sounds {
		if m.sounds[i].handle == h {
			return int32(i)
		}
	}
	return -1
}

// useSound gives the index of a sound, retained and with its preparation under
// way, for one more voice.
func (m *Mixer) useSound(h assets.Handle) (int32, error) {
	if !h.Valid() {
		return -1, ErrNotReady
	}
	if i := m.findSound(h); i >= 0 {
		s := &m.sounds[i]
		if s.state == soundFailed {
			return -1, s.err
		}
		s.unwanted.Store(false)
		s.voices++
		return i, nil
	}
	i := m.findSound(0)
	if i < 0 {
		return -1, ErrFull
	}
	if h.Kind() != assets.KindSound {
		return -1, fmt.Errorf("%w: it is a %v", ErrBadSound, h.Kind())
	}
	if !m.store.TryRetain(h) {
		return -1, ErrNotReady
	}
	s := &m.sounds[i]
	if err := m.openSound(s, h); err != nil {
		m.store.Release(h)
		return -1, err
	}
	s.voices = 1
	return i, nil
}

func (m *Mixer) openSound(s *sound, h assets.Handle) error {
	payload := m.payloads.At(h)
	if payload == nil {
		return ErrNotReady
	}
	if err := checkSound(payload); err != nil {
		key, _ := m.store.KeyOf(h)
		return fmt.Errorf("%w: %s: %w", ErrBadSound, key.Stem, err)
	}
	if !needsPreparing(payload) {
		s.handle, s.payload, s.state = h, payload, soundReady
		s.samples, s.channels = payload.Samples, int(payload.Channels)
		return nil
	}
	bytes := preparedBytes(payload)
	if bytes > m.options.PCMBytesMax-m.pcmBytes {
		return ErrFull
	}
	s.handle, s.payload, s.state = h, payload, soundPreparing
	s.bytes = bytes
	m.pcmBytes += bytes
	m.pcmPeakBytes = max(m.pcmPeakBytes, m.pcmBytes)
	m.queue(s)
	return nil
}

// queue hands a sound to the worker. Neither channel can be full: both have
// room for every sound there is.
func (m *Mixer) queue(s *sound) {
	s.state = soundPreparing
	s.unwanted.Store(false)
	m.jobs <- s
}

// collect takes back what the worker finished.
func (m *Mixer) collect() {
	for {
		select {
		case s := <-m.finished:
			switch {
			case s.err == nil:
				s.state = soundReady
				s.samples, s.channels = int16s(s.prepared.Slice()), min(int(s.payload.Channels), 2)
			case s.err == errCancelled && s.voices > 0:
				m.queue(s) // wanted again in the meantime
			default:
				s.state = soundFailed
				if s.err != errCancelled {
					m.failures++
					key, _ := m.store.KeyOf(s.handle)
					s.err = fmt.Errorf("%w: %s: %w", ErrBadSound, key.Stem, s.err)
					m.lastFailure = s.err
				}
			}
		default:
			return
		}
	}
}

// dropSound takes one voice off a sound and frees it with the last.
func (m *Mixer) dropSound(i int32) {
	s := &m.sounds[i]
	s.voices--
	m.freeSoundIfUnused(s)
}

func (m *Mixer) freeSoundIfUnused(s *sound) {
	if s.voices > 0 || s.state == soundFree {
		return
	}
	if s.state == soundPreparing {
		s.unwanted.Store(true)
		return
	}
	s.prepared.Free()
	m.pcmBytes -= s.bytes
	m.store.Release(s.handle)
	s.handle, s.payload, s.samples, s.err = 0, nil, nil, nil
	s.state, s.bytes = soundFree, 0
}
