package sound

import (
	"fmt"

	"sojourn/assets"
	"sojourn/assets/cook/unit"
	"sojourn/assets/soundfile"
)

// corruptf makes an error that wraps [assets.ErrCorrupt].
func corruptf(format string, args ...any) error {
	return fmt.Errorf("%w: %w", assets.ErrCorrupt, fmt.Errorf(format, args...))
}

// tooLargef makes an error that wraps [assets.ErrTooLarge].
func tooLargef(format string, args ...any) error {
	return fmt.Errorf("%w: %w", assets.ErrTooLarge, fmt.Errorf(format, args...))
}

// guard runs a decoder that is not ours. A panic in it is an error that wraps
// [assets.ErrDecoderPanic] and [assets.ErrCorrupt].
func guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = corruptf("%w: %v", assets.ErrDecoderPanic, r)
		}
	}()
	return f()
}

// shape is what a sound is besides its samples.
type shape struct {
	rate, channels int
}

// check holds a shape, and a number of frames where one is declared, to the
// limits.
func (s shape) check(frames int64) error {
	switch {
	case s.channels < 1 || s.channels > assets.SoundChannelsMax:
		return corruptf("%d channels, want 1 to %d", s.channels, assets.SoundChannelsMax)
	case s.rate < assets.SoundRateMin || s.rate > assets.SoundRateMax:
		return corruptf("a rate of %d frames per second, want %d to %d", s.rate, assets.SoundRateMin, assets.SoundRateMax)
	case frames > framesMax(s.channels):
		return tooLargef("%d frames of %d channels, limit %d", frames, s.channels, framesMax(s.channels))
	}
	return nil
}

// put emits the one entry of a sound file.
func put(in *unit.Input, emit func(unit.Output), s shape, samples []int16) error {
	if len(samples) == 0 {
		return corruptf("no samples")
	}
	data, err := soundfile.Encode(s.rate, s.channels, samples)
	if err != nil {
		return err
	}
	key, err := assets.NewKey(in.Stem, assets.KindSound)
	if err != nil {
		return err
	}
	emit(unit.Output{Key: key, Suffix: ".pcm", Data: data, Raw: true})
	return nil
}
