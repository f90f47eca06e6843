package assets

// Limits on one sound.
const (
	SoundFramesMax   = 1 << 28
	SoundChannelsMax = 8
	SoundRateMin     = 1000   // frames per second
	SoundRateMax     = 384000 // frames per second
)

// Sound is decoded PCM. Samples is a view into Data and lives exactly as long.
type Sound struct {
	Rate     int32   // frames per second
	Channels int32   // interleaved
	Samples  []int16 // Frames x Channels
	Data     Bytes   // owns what Samples shows
}

// Frames is the number of sample frames.
func (s *Sound) Frames() int {
	if s.Channels == 0 {
		return 0
	}
	return len(s.Samples) / int(s.Channels)
}

// Blob is any other file, as it is. Fonts are blobs too.
type Blob struct {
	Data Bytes
}
