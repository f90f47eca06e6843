package audio

import "sync/atomic"

// Voice names one sound being played: slot and generation. A voice that ended
// is refused by every method, also when its slot plays something else by now.
// The zero Voice names nothing.
type Voice uint64

// VoicesMax is how many voices can sound, or wait for their PCM, at once.
const VoicesMax = 64

// slotsMax leaves room for voices that were cut while the sink was reading.
const slotsMax = 2 * VoicesMax

// VoiceOptions says how a sound is played.
type VoiceOptions struct {
	Owner  uint64     // for [Mixer.StopOwner]: a world, a layer's generation
	Gain   float32    // 1 is as recorded; clamped to 0..[GainMax]
	Radius float32    // metres; silent from here on
	Loop   bool       // until stopped
	Pos    [3]float32 // in the listener's space, metres
	Flat   bool       // heard at Gain wherever the listener is
}

// A slot's phase. The game goroutine moves it forward, except that the reader
// alone makes phaseDone, by compare-and-swap.
const (
	phaseFree     = iota
	phaseWaiting  // its PCM is being prepared
	phaseLive     // the reader mixes it
	phaseStopping // the reader ramps it down
	phaseDone     // the reader let go of it; to be swept
	phaseCut      // a later read will not touch it; to be swept
)

const phaseBits = 8

// slot is what the game goroutine and the reader share of one voice.
type slot struct {
	// word is generation<<phaseBits | phase. It publishes the plain fields
	// below: they change only while the reader cannot see the slot live.
	word atomic.Uint64
	// gains is the target of both channels, see packGains.
	gains atomic.Uint64

	samples  []int16 // interleaved
	channels int     // 1 or 2
	loop     bool
	fold     bool // play stereo samples as their mean

	// The game goroutine's own.
	options    VoiceOptions
	sound      int32  // index of its sound
	generation uint32 // of the last voice in this slot
	stopSweeps int32  // sweeps since Stop
	cutRead    uint64 // the read that was under way when it was cut
}

func (s *slot) phase() uint64 { return s.word.Load() & (1<<phaseBits - 1) }

// counts tells whether the slot has a voice that was not cut.
func (s *slot) counts() bool {
	p := s.phase()
	return p != phaseFree && p != phaseCut
}

func (s *slot) set(phase uint64) { s.word.Store(uint64(s.generation)<<phaseBits | phase) }

// move goes from one phase to another unless the reader was faster.
func (s *slot) move(from, to uint64) bool {
	g := uint64(s.generation) << phaseBits
	return s.word.CompareAndSwap(g|from, g|to)
}

func makeVoice(index int, generation uint32) Voice {
	return Voice(generation)<<32 | Voice(index)
}

func (v Voice) index() int         { return int(uint32(v)) }
func (v Voice) generation() uint32 { return uint32(v >> 32) }
