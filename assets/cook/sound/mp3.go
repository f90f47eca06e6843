package sound

import (
	"bytes"
	"errors"
	"io"

	"github.com/hajimehoshi/go-mp3"

	"sojourn/assets"
	"sojourn/assets/cook/unit"
)

// ImportMP3 cooks an MPEG 1 or 2 layer III file. It is a [unit.Importer].
//
// Frames are counted here first, so that a missing, damaged or cut one is
// found; a library decodes them. The silence that an encoder added and noted
// down is taken off, so that loops close. A file of mono frames becomes a mono
// sound.
func ImportMP3(in *unit.Input, emit func(unit.Output)) error {
	s, junkBytes, err := scanMP3(in.Data)
	if err != nil {
		return err
	}
	if junkBytes > 0 {
		in.Warn("%d bytes before the first frame were left out", junkBytes)
	}
	samples, err := s.decode()
	if err != nil {
		return err
	}
	return put(in, emit, s.shape, s.trimmed(samples))
}

// decode gives the samples of all frames.
func (s *mp3Stream) decode() ([]int16, error) {
	const stereoBytes = 2 * sampleBytes // the library's output is always stereo
	want := s.count * s.perMP3
	var samples []int16
	err := guard(func() error {
		// Without Seek the library does not read the file twice.
		d, err := mp3.NewDecoder(struct{ io.Reader }{bytes.NewReader(s.audio)})
		if err != nil {
			return err
		}
		buffer := make([]byte, assets.ChunkBytesMax)
		for {
			n, err := io.ReadFull(d, buffer)
			if len(samples)/s.channels+n/stereoBytes > want {
				return corruptf("more sound than its %d frames hold", s.count)
			}
			for i := 0; i+stereoBytes <= n; i += stereoBytes {
				samples = append(samples, int16(uint16(buffer[i])|uint16(buffer[i+1])<<8))
				if s.channels == 2 {
					samples = append(samples, int16(uint16(buffer[i+2])|uint16(buffer[i+3])<<8))
				}
			}
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	if err != nil {
		return nil, corruptf("MP3: %w", err)
	}
	if got := len(samples) / s.channels; got != want {
		return nil, corruptf("damaged: %d PCM frames came out, the file's %d frames hold %d", got, s.count, want)
	}
	return samples, nil
}

// trimmed takes off the silence of encoder and decoder.
func (s *mp3Stream) trimmed(samples []int16) []int16 {
	const decoderDelay = 529 // PCM frames, of any layer III decoder
	total := len(samples) / s.channels
	length := total - s.delay - s.padding
	if !s.gapless || length <= 0 {
		return samples
	}
	from := min(s.delay+decoderDelay, total)
	to := min(from+length, total)
	return samples[from*s.channels : to*s.channels]
}
