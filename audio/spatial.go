package audio

import "math"

// GainMax is the loudest gain a voice can have; more is clamped.
const GainMax = 64

// panFullMetres is the distance from which a sound is panned in full. Nearer
// ones move to the middle, so that walking through one does not flip sides.
const panFullMetres = 1

// listener is where the mixer hears from; right is of unit length.
type listener struct {
	pos, right [3]float32
}

// place gives the gains of the left and right channel for a voice: squared
// linear rolloff to zero at the radius, and equal-power pan. Anything that is
// not finite is silent.
func (l *listener) place(o *VoiceOptions) (left, right float32) {
	gain := min(max(o.Gain, 0), GainMax)
	if gain != gain {
		return 0, 0
	}
	if o.Flat {
		return gain, gain
	}
	var squares, side float64
	for i := range o.Pos {
		d := float64(o.Pos[i]) - float64(l.pos[i])
		squares += d * d
		side += d * float64(l.right[i])
	}
	radius := float64(o.Radius)
	distance := math.Sqrt(squares)
	if !(distance < radius) || math.IsInf(radius, 0) || side != side {
		return 0, 0
	}
	near := 1 - distance/radius
	pan := side / max(distance, panFullMetres)
	angle := (min(max(pan, -1), 1) + 1) * math.Pi / 4
	level := float64(gain) * near * near
	return float32(level * math.Cos(angle)), float32(level * math.Sin(angle))
}

func packGains(left, right float32) uint64 {
	return uint64(math.Float32bits(left))<<32 | uint64(math.Float32bits(right))
}

func unpackGains(w uint64) (left, right float32) {
	return math.Float32frombits(uint32(w >> 32)), math.Float32frombits(uint32(w))
}
