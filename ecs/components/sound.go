package components

import (
	"sojourn/assets"
	"sojourn/audio"
)

// SoundSource plays a sound from its entity's place.
type SoundSource struct {
	sound assets.Handle

	Voice        audio.Voice // zero while silent
	Gain         float32     // 1 is as recorded
	RadiusMetres float32     // silent from here on
	Loop         bool
}

// NewSoundSource names the sound; scene.Spawner records it in the ledger.
func NewSoundSource(sound assets.Handle, gain, radiusMetres float32, loop bool) SoundSource {
	return SoundSource{sound: sound, Gain: gain, RadiusMetres: radiusMetres, Loop: loop}
}

// Sound is the sound's handle.
func (s *SoundSource) Sound() assets.Handle { return s.sound }

// PendingSound marks a source whose sound is not playing yet.
type PendingSound struct{}

// Muted marks a source that holds its sound and is not playing: its layer is
// not presented, or its turn has not come.
type Muted struct{}
