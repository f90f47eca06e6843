package sound

import (
	"github.com/jfreymuth/vorbis"

	"sojourn/assets/cook/unit"
)

// ImportOGG cooks an Ogg Vorbis file with one stream. It is a
// [unit.Importer].
//
// Pages are taken apart here, so that a missing, damaged or cut page is found
// and an empty one is harmless; packets are decoded by a library.
func ImportOGG(in *unit.Input, emit func(unit.Output)) error {
	packets, err := packetsOf(in)
	if err != nil {
		return err
	}
	v := vorbisStream{}
	var audio []packet
	if audio, err = v.open(packets); err != nil {
		return err
	}
	samples, err := v.decode(audio)
	if err != nil {
		return err
	}
	return put(in, emit, v.shape, samples)
}

// vorbisStream is one stream being decoded.
type vorbisStream struct {
	shape
	decoder vorbis.Decoder
}

// open reads the three headers and gives the packets after them.
func (v *vorbisStream) open(packets []packet) ([]packet, error) {
	if len(packets) < 3 {
		return nil, corruptf("unexpected end in the headers")
	}
	body, err := vorbisHeader(packets[0].data, vorbisIdentification)
	if err != nil {
		return nil, err
	}
	if v.shape, err = checkIdentification(body); err != nil {
		return nil, err
	}
	if _, err = vorbisHeader(packets[1].data, vorbisComment); err != nil {
		return nil, err
	}
	if body, err = vorbisHeader(packets[2].data, vorbisSetup); err != nil {
		return nil, err
	}
	if err = checkSetup(body); err != nil {
		return nil, err
	}
	// The decoder does not need the comments, and would take memory for as
	// many as they claim to be.
	for _, p := range []packet{packets[0], packets[2]} {
		if err := guard(func() error { return v.decoder.ReadHeader(p.data) }); err != nil {
			return nil, corruptf("Vorbis header: %w", err)
		}
	}
	return packets[3:], nil
}

// decode gives the samples of all packets, trimmed to what the page positions
// say: the first page with sound tells where the stream starts, the last where
// it ends.
func (v *vorbisStream) decode(packets []packet) ([]int16, error) {
	if len(packets) == 0 {
		return nil, corruptf("unexpected end after the headers")
	}
	last := packets[len(packets)-1]
	limit := framesMax(v.channels)
	var (
		samples []int16
		start   int64 // position of the first frame kept
		skip    int64 // frames before it
		known   bool  // that start and skip are
	)
	buffer := make([]float32, v.decoder.BufferSize())
	for i, p := range packets {
		var out []float32
		err := guard(func() (err error) {
			if len(p.data) == 0 { // means nothing; the decoder would make a block of it
				return nil
			}
			out, err = v.decoder.DecodeInto(p.data, buffer)
			return err
		})
		if err != nil {
			return nil, corruptf("Vorbis packet %d: %w", i, err)
		}
		for _, s := range out {
			if s != s {
				s = 0
			}
			samples = append(samples, fromFloat(float64(s)))
		}
		frames := int64(len(samples) / v.channels)
		if frames > limit+int64(len(buffer)) {
			return nil, tooLargef("more than %d frames of %d channels", limit, v.channels)
		}
		if p.lastOnPage && p.position >= 0 && !known && frames > 0 {
			known = true
			// Where the first page is also the last, the position can only
			// mean the end.
			if i < len(packets)-1 {
				skip = max(frames-p.position, 0)
				start = max(p.position-frames, 0)
			}
		}
	}
	frames := int64(len(samples)/v.channels) - skip
	if last.position >= 0 {
		want := last.position - start
		if want > frames {
			return nil, corruptf("unexpected end: the last page is at frame %d, there are %d", want, frames)
		}
		frames = max(want, 0)
	}
	if err := v.check(frames); err != nil {
		return nil, err
	}
	return samples[skip*int64(v.channels):][:frames*int64(v.channels)], nil
}
