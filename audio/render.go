package audio

import (
	"encoding/binary"
	"math"
	"sync/atomic"
)

const (
	frameBytes  = 8   // two channels of four bytes
	blockFrames = 256 // unit of mixing
	// rampFrames is how long a gain takes to a new target: 5 ms.
	rampFrames = SampleRate * 5 / 1000
	// residueDecay takes what a cut voice left back within 3 ms.
	residueDecay = 0.9
	residueMin   = 1e-6
	// clipKnee is where the output begins to bend towards 1.
	clipKnee = 0.75
)

// render is the reader's own state; only Read touches it, except frames.
type render struct {
	heard   [slotsMax]heard
	block   [2 * blockFrames]float32
	residue [2]float32

	carry      [frameBytes]byte // a frame of which carryFrom bytes went out
	carryFrom  int
	carryValid bool

	frames atomic.Uint64
}

// heard is what the reader knows of the voice in one slot.
type heard struct {
	generation uint64
	live       bool
	at         int        // next frame
	gain       [2]float32 // now
	target     [2]float32
	step       [2]float32 // from frame to frame
	last       [2]float32 // last output
}

// Read fills p with the next frames. It is called by the sink, by one
// goroutine at a time; it never blocks, allocates or fails.
func (m *Mixer) Read(p []byte) (int, error) {
	m.reads.Add(1)
	defer m.reads.Add(1)
	done := 0
	if m.out.carryValid {
		done = m.out.giveCarry(p)
	}
	for len(p)-done >= frameBytes {
		frames := min(blockFrames, (len(p)-done)/frameBytes)
		encode(p[done:], m.mix(frames))
		done += frames * frameBytes
	}
	if done < len(p) {
		encode(m.out.carry[:], m.mix(1))
		m.out.carryFrom, m.out.carryValid = 0, true
		done += m.out.giveCarry(p[done:])
	}
	return done, nil
}

func (r *render) giveCarry(p []byte) int {
	n := copy(p, r.carry[r.carryFrom:])
	r.carryFrom += n
	r.carryValid = r.carryFrom < frameBytes
	return n
}

func encode(p []byte, samples []float32) {
	for i, v := range samples {
		binary.LittleEndian.PutUint32(p[4*i:], math.Float32bits(v))
	}
}

// mix renders frames into the block and gives its used part.
func (m *Mixer) mix(frames int) []float32 {
	r := &m.out
	block := r.block[:2*frames]
	clear(block)
	settle(&r.residue, block)
	for i := range m.slots {
		m.mixSlot(&m.slots[i], &r.heard[i], block)
	}
	for i, v := range block {
		if v > clipKnee || v < -clipKnee {
			block[i] = softClip(v)
		}
	}
	r.frames.Add(uint64(frames))
	return block
}

func (m *Mixer) mixSlot(s *slot, h *heard, block []float32) {
	word := s.word.Load()
	generation, phase := word>>phaseBits, word&(1<<phaseBits-1)
	playing := phase == phaseLive || phase == phaseStopping
	if h.live && (!playing || generation != h.generation) {
		m.out.leave(h, block)
	}
	if !playing {
		return
	}
	var target [2]float32
	if phase == phaseLive {
		target[0], target[1] = unpackGains(s.gains.Load())
	}
	if !h.live {
		*h = heard{generation: generation, live: true}
		if !s.loop { // the attack of a one-shot is its own; loops fade in
			h.gain, h.target = target, target
		}
	}
	h.aim(target)
	rest, ended := h.play(s, block)
	if ended || phase == phaseStopping && h.gain == [2]float32{} {
		m.out.leave(h, rest)
		s.finish(generation)
	}
}

// finish tells the game goroutine that the reader let go of the voice.
func (s *slot) finish(generation uint64) {
	g := generation << phaseBits
	if !s.word.CompareAndSwap(g|phaseLive, g|phaseDone) {
		s.word.CompareAndSwap(g|phaseStopping, g|phaseDone)
	}
}

// leave turns the level a voice ended at into a residue that decays over the
// rest of the block and, beyond it, over the next ones.
func (r *render) leave(h *heard, rest []float32) {
	residue := h.last
	settle(&residue, rest)
	r.residue[0] += residue[0]
	r.residue[1] += residue[1]
	h.live, h.last = false, [2]float32{}
}

// settle mixes a decaying residue into the block and keeps what remains.
func settle(residue *[2]float32, block []float32) {
	for c, v := range residue {
		for i := c; i < len(block) && v != 0; i += 2 {
			v *= residueDecay
			if v < residueMin && v > -residueMin {
				v = 0
			}
			block[i] += v
		}
		residue[c] = v
	}
}

// aim sets out for new gains, to be reached in [rampFrames].
func (h *heard) aim(target [2]float32) {
	if target == h.target {
		return
	}
	h.target = target
	for c := range target {
		distance := target[c] - h.gain[c]
		h.step[c] = max(distance, -distance) / rampFrames
	}
}

// play mixes one voice into the block. Where the voice comes to its end, rest
// is what it left of the block.
func (h *heard) play(s *slot, block []float32) (rest []float32, ended bool) {
	total := len(s.samples) / s.channels
	if total == 0 {
		return block, true
	}
	silent := h.target == [2]float32{} && h.gain == [2]float32{}
	if silent {
		h.last = [2]float32{}
	}
	for len(block) > 0 {
		if h.at >= total {
			if !s.loop {
				return block, true
			}
			h.at = 0
		}
		run := min(len(block)/2, total-h.at)
		if !silent {
			h.run(s, h.at, block[:2*run])
		}
		h.at += run
		block = block[2*run:]
	}
	return block, !s.loop && h.at >= total
}

const sampleScale = 1.0 / (1 << 15)

// run mixes consecutive frames, with the gains moving towards their target.
func (h *heard) run(s *slot, at int, block []float32) {
	src := s.samples[at*s.channels:]
	gain, target, step := h.gain, h.target, h.step
	var left, right float32
	for i := 0; i < len(block); i += 2 {
		if gain != target {
			gain[0] = approach(gain[0], target[0], step[0])
			gain[1] = approach(gain[1], target[1], step[1])
		}
		if s.channels == 1 {
			left = float32(src[i>>1]) * sampleScale
			right = left
		} else {
			left, right = float32(src[i])*sampleScale, float32(src[i+1])*sampleScale
			if s.fold {
				left = (left + right) / 2
				right = left
			}
		}
		left *= gain[0]
		right *= gain[1]
		block[i] += left
		block[i+1] += right
	}
	h.gain, h.last = gain, [2]float32{left, right}
}

func approach(v, target, step float32) float32 {
	return v + min(max(target-v, -step), step)
}

// softClip bends what is over the knee so that it stays within 1.
func softClip(v float32) float32 {
	const room = 1 - clipKnee
	if v < 0 {
		return -softClip(-v)
	}
	return clipKnee + room*float32(math.Tanh(float64((v-clipKnee)/room)))
}

func decode(dst []float32, p []byte) []float32 {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(p[4*i:]))
	}
	return dst
}
