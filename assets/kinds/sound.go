package kinds

import (
	"sojourn/assets"
	"sojourn/assets/soundfile"
)

func sound() assets.KindSpec {
	return assets.NewKindSpec(assets.KindOptions[assets.Sound]{
		Kind: assets.KindSound, Name: assets.KindSound.String(), Suffixes: []string{".pcm"},
		Decode: func(l *assets.Load, out *assets.Sound) error {
			data, err := whole(l, soundfile.FileBytesMax)
			if err != nil {
				return err
			}
			if *out, err = soundfile.DecodeChunks(data, l.Yield); err != nil {
				data.Free()
			}
			return err
		},
		Free: freeSound,
		Size: func(s *assets.Sound) assets.Footprint { return bytesFootprint(&s.Data) },
	})
}

func freeSound(s *assets.Sound) {
	s.Samples = nil
	s.Data.Free()
}
