package audio

import (
	"math"
	"testing"
)

func TestPlace(t *testing.T) {
	const half = math.Sqrt2 / 2
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	at := func(x, z float32) VoiceOptions {
		return VoiceOptions{Gain: 1, Radius: 10, Pos: [3]float32{x, 0, z}}
	}
	tests := []struct {
		name        string
		o           VoiceOptions
		left, right float32
	}{
		{"here", at(0, 0), half, half},
		{"ahead, half way out", at(0, 5), half / 4, half / 4},
		{"right", at(5, 0), 0, 0.25},
		{"left", at(-5, 0), 0.25, 0},
		{"near the ear it pans half as far", at(0.5, 0), 0.9025 * float32(math.Cos(3*math.Pi/8)), 0.9025 * float32(math.Sin(3*math.Pi/8))},
		{"at the radius", at(0, 10), 0, 0},
		{"beyond the radius", at(0, 1e9), 0, 0},
		{"no radius", VoiceOptions{Gain: 1}, 0, 0},
		{"quieter", VoiceOptions{Gain: 0.5, Radius: 10}, half / 2, half / 2},
		{"flat", VoiceOptions{Gain: 0.5, Flat: true, Pos: [3]float32{99, 0, 0}}, 0.5, 0.5},
		{"too loud", VoiceOptions{Gain: 1000, Flat: true}, GainMax, GainMax},
		{"negative gain", VoiceOptions{Gain: -1, Flat: true}, 0, 0},
		{"gain is not a number", VoiceOptions{Gain: nan, Radius: 10}, 0, 0},
		{"place is not a number", VoiceOptions{Gain: 1, Radius: 10, Pos: [3]float32{nan}}, 0, 0},
		{"place is infinite", VoiceOptions{Gain: 1, Radius: 10, Pos: [3]float32{inf}}, 0, 0},
		{"radius is infinite", VoiceOptions{Gain: 1, Radius: inf}, 0, 0},
		{"radius is not a number", VoiceOptions{Gain: 1, Radius: nan}, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ear := listener{right: [3]float32{1, 0, 0}}
			left, right := ear.place(&tt.o)
			if !near(left, tt.left, 1e-6) || !near(right, tt.right, 1e-6) {
				t.Errorf("gains %v, %v, want %v, %v", left, right, tt.left, tt.right)
			}
			if l, r := unpackGains(packGains(left, right)); l != left || r != right {
				t.Errorf("packing %v, %v gives %v, %v", left, right, l, r)
			}
		})
	}
}

func TestPlaceKeepsPower(t *testing.T) {
	ear := listener{right: [3]float32{0, 0, -1}}
	for turn := range 36 {
		sin, cos := math.Sincos(float64(turn) * math.Pi / 18)
		o := VoiceOptions{Gain: 1, Radius: 10, Pos: [3]float32{float32(5 * sin), 0, float32(5 * cos)}}
		left, right := ear.place(&o)
		if power := left*left + right*right; !near(power, 1.0/16, 1e-6) {
			t.Errorf("turn %d: power %v, want %v", turn, power, 1.0/16)
		}
	}
}
