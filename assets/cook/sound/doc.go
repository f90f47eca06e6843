// Package sound imports WAV, Ogg Vorbis and MP3: one 16-bit PCM sound at the
// file's own rate, which the mixer converts when it plays.
//
// A file that is cut short or damaged is an error, never a shorter sound.
// Sizes are checked against their limits before memory is taken, and decoders
// that are not ours run behind a guard that turns a panic into an error.
package sound

import "sojourn/assets"

// pcmBytesMax bounds one decoded sound, whatever its number of channels.
const pcmBytesMax = 512 << 20

// sampleBytes is the size of a decoded sample.
const sampleBytes = 2

// framesMax is the most frames a sound of so many channels may have.
func framesMax(channels int) int64 {
	return min(assets.SoundFramesMax, pcmBytesMax/sampleBytes/int64(channels))
}
