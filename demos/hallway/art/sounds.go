package art

import (
	"encoding/binary"
	"math"
)

// loop is a sound that repeats without a seam.
type loop struct {
	name   string
	rate   int // frames per second
	frames int
	peak   float64 // of 1
	fill   func(l *loop, out []float64)
	seed   uint64
}

func loops() []loop {
	return []loop{
		{name: "hum", rate: 44100, frames: 88200, peak: 0.20, fill: hum},
		{name: "buzz", rate: 48000, frames: 48000, peak: 0.12, fill: buzz},
		{name: "fan", rate: 44100, frames: 66150, peak: 0.20, fill: fan},
		{name: "wind", rate: 22050, frames: 44100, peak: 0.22, fill: wind},
		{name: "drip", rate: 22050, frames: 44100, peak: 0.25, fill: drip},
		{name: "machine", rate: 48000, frames: 96000, peak: 0.22, fill: machine},
		{name: "water", rate: 22050, frames: 33075, peak: 0.15, fill: water},
		{name: "chime", rate: 44100, frames: 88200, peak: 0.14, fill: chime},
	}
}

// Sounds lists the stems of all sounds.
func Sounds() []string {
	var stems []string
	for _, l := range loops() {
		stems = append(stems, "sounds/"+l.name)
	}
	return stems
}

func soundSteps(seed uint64) []step {
	var steps []step
	for i, l := range loops() {
		l.seed = seed + uint64(i)*977
		steps = append(steps, func(dir string) error { return write(dir, "sounds/"+l.name+".wav", l.wav()) })
	}
	return steps
}

// drone is a cell's own sound: a chord on a root of its own.
func drone(seed uint64, cell int) *loop {
	root := 38 + 50*float64(chance(seed, cell, 7))
	return &loop{rate: 48000, frames: 96000, peak: 0.16, seed: seed, fill: func(l *loop, out []float64) {
		for i, gain := range [...]float64{1, 0.6, 0.25, 0.15} {
			l.tone(out, root*[...]float64{1, 1.5, 2, 3.01}[i], gain, float64(cell+i))
		}
		l.swell(out, 1+cell%3, 0.4)
	}}
}

func (l *loop) wav() []byte {
	out := make([]float64, l.frames)
	l.fill(l, out)
	loudest := 1e-9
	for _, v := range out {
		loudest = max(loudest, v, -v)
	}
	size := uint32(2 * l.frames)
	le := binary.LittleEndian
	b := append([]byte("RIFF"), le.AppendUint32(nil, 36+size)...)
	b = append(b, "WAVEfmt "...)
	b = le.AppendUint32(b, 16)
	b = le.AppendUint16(b, 1) // PCM
	b = le.AppendUint16(b, 1) // mono
	b = le.AppendUint32(b, uint32(l.rate))
	b = le.AppendUint32(b, uint32(2*l.rate))
	b = le.AppendUint16(b, 2)
	b = le.AppendUint16(b, 16)
	b = append(b, "data"...)
	b = le.AppendUint32(b, size)
	for _, v := range out {
		b = le.AppendUint16(b, uint16(int16(math.Round(v/loudest*l.peak*32767))))
	}
	return b
}

// tone adds a sine of about so many hertz: the nearest that goes a whole
// number of times into the loop.
func (l *loop) tone(out []float64, hertz, gain, phase float64) {
	turns := math.Round(hertz * float64(l.frames) / float64(l.rate))
	step := 2 * math.Pi * turns / float64(l.frames)
	// A rotating vector costs less than a sine a sample; it is set right again
	// now and then.
	sin, cos := math.Sincos(step)
	var re, im float64
	for i := range out {
		if i%1024 == 0 {
			im, re = math.Sincos(phase + step*float64(i))
		}
		out[i] += gain * im
		re, im = re*cos-im*sin, re*sin+im*cos
	}
}

// noise adds many tones of random phase from low to high hertz, which is
// noise that loops.
func (l *loop) noise(out []float64, low, high, gain float64) {
	const tones = 120
	for i := range tones {
		t := (float64(i) + float64(chance(l.seed, i, 1))) / tones
		hertz := low * math.Pow(high/low, t)
		l.tone(out, hertz, gain/math.Sqrt(tones), 2*math.Pi*float64(chance(l.seed, i, 2)))
	}
}

// swell makes out louder and softer a whole number of times.
func (l *loop) swell(out []float64, turns int, depth float64) {
	for i := range out {
		t := float64(i) / float64(l.frames)
		out[i] *= 1 - depth/2 + depth/2*math.Sin(2*math.Pi*float64(turns)*t)
	}
}

// ping adds a decaying tone at a time, and what is left of it at the loop's
// end to its beginning.
func (l *loop) ping(out []float64, seconds, hertz, gain, decay float64) {
	start := int(seconds * float64(l.rate))
	for i := range int(12 / decay * float64(l.rate)) { // until it is inaudible
		t := float64(i) / float64(l.rate)
		v := gain * math.Exp(-t*decay) * min(t*400, 1) * math.Sin(2*math.Pi*hertz*t)
		out[(start+i)%l.frames] += v
	}
}

func hum(l *loop, out []float64) {
	for i, gain := range [...]float64{1, 0.5, 0.3, 0.12, 0.08} {
		l.tone(out, 50*float64(i+1), gain, float64(i))
	}
	l.swell(out, 1, 0.3)
}

func buzz(l *loop, out []float64) {
	for i := 1; i < 30; i += 2 {
		l.tone(out, 100*float64(i), 1/float64(i), 0)
	}
	l.swell(out, 7, 0.4)
}

func fan(l *loop, out []float64) {
	l.noise(out, 80, 2500, 1)
	l.swell(out, 18, 0.5)
	l.tone(out, 90, 0.5, 0)
}

func wind(l *loop, out []float64) {
	l.noise(out, 120, 900, 1)
	l.swell(out, 1, 0.7)
	l.swell(out, 3, 0.3)
}

func drip(l *loop, out []float64) {
	for i, at := range [...]float64{0.1, 0.85, 1.0, 1.6} {
		l.ping(out, at, 900+260*float64(i%3), 1-0.15*float64(i), 18)
		l.ping(out, at, 2300+310*float64(i), 0.3, 40)
	}
}

func machine(l *loop, out []float64) {
	l.noise(out, 60, 600, 0.8)
	l.swell(out, 8, 0.9)
	l.tone(out, 62, 0.5, 0)
	for i := range 8 {
		l.ping(out, 0.25*float64(i), 180, 0.5, 30)
	}
}

func water(l *loop, out []float64) {
	l.noise(out, 500, 6000, 1)
	l.swell(out, 5, 0.35)
	l.swell(out, 11, 0.3)
}

func chime(l *loop, out []float64) {
	for i, hertz := range [...]float64{523.25, 659.25, 783.99, 1046.5} {
		l.ping(out, 0.5*float64(i), hertz, 1, 3)
		l.ping(out, 0.5*float64(i), 2.76*hertz, 0.2, 7)
	}
}
