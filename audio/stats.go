package audio

import (
	"fmt"
	"strings"

	"sojourn/assets"
)

// Stats is what a mixer is doing.
type Stats struct {
	Sink         string // the sink in use
	SinkFailure  error  // why the first sink was replaced by silence, or nil
	Voices       int    // sounding or about to
	Waiting      int    // of these, waiting for their PCM
	Sounds       int    // retained
	PCMBytes     int64  // prepared, or about to be
	PCMPeakBytes int64
	PCMBytesMax  int64
	FramesRead   uint64 // by the sinks so far
	Failures     int    // sounds that could not be prepared
	LastFailure  error
}

// Row is one sound in use.
type Row struct {
	Sound    assets.Handle
	Voices   int   // including ended ones that are not swept yet
	PCMBytes int64 // prepared beside the stored samples; 0 where those serve
	Ready    bool
}

// Voices is how many voices sound or are about to.
func (m *Mixer) Voices() int { return m.voices }

// PCMBytes is what prepared PCM takes, including PCM being prepared.
func (m *Mixer) PCMBytes() int64 { return m.pcmBytes }

// PCMBytesMax bounds [Mixer.PCMBytes].
func (m *Mixer) PCMBytesMax() int64 { return m.options.PCMBytesMax }

// Stats tells what the mixer is doing.
func (m *Mixer) Stats() Stats {
	s := Stats{
		Sink: m.sink.Name(), SinkFailure: m.sinkFailure, Voices: m.voices,
		PCMBytes: m.pcmBytes, PCMPeakBytes: m.pcmPeakBytes, PCMBytesMax: m.options.PCMBytesMax,
		FramesRead: m.out.frames.Load(), Failures: m.failures, LastFailure: m.lastFailure,
	}
	for i := range m.slots {
		if m.slots[i].phase() == phaseWaiting {
			s.Waiting++
		}
	}
	for i := range m.sounds {
		if m.sounds[i].state != soundFree {
			s.Sounds++
		}
	}
	return s
}

// Snapshot appends a row for each sound in use to dst.
func (m *Mixer) Snapshot(dst []Row) []Row {
	for i := range m.sounds {
		if s := &m.sounds[i]; s.state != soundFree {
			dst = append(dst, Row{
				Sound: s.handle, Voices: int(s.voices), PCMBytes: s.bytes, Ready: s.state == soundReady,
			})
		}
	}
	return dst
}

// held is the report of [Mixer.Close].
func (m *Mixer) held() error {
	var text strings.Builder
	for i := range m.slots {
		s := &m.slots[i]
		switch s.phase() {
		case phaseWaiting, phaseLive:
			if !s.options.Loop {
				continue
			}
			key, _ := m.store.KeyOf(m.sounds[s.sound].handle)
			fmt.Fprintf(&text, "; %s played for owner %d", key.Stem, s.options.Owner)
		}
	}
	if text.Len() == 0 { // only such as end by themselves
		return nil
	}
	return fmt.Errorf("%w by the mixer%s", assets.ErrHeld, text.String())
}
