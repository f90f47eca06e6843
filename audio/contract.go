package audio

import "io"

// SampleRate is the mixer's rate in frames per second. Sounds of other rates
// are resampled on a worker when they are prepared.
const SampleRate = 48000

// Sink plays what a reader gives: interleaved stereo, 32-bit little-endian
// floats at [SampleRate].
type Sink interface {
	// Name says which sink this is, for the report.
	Name() string
	// Start begins to read src from a goroutine of the sink's own until
	// Close. src never blocks and never fails.
	Start(src io.Reader) error
	// Err reports why a sink that started stopped, or nil.
	Err() error
	// Close ends reading before it returns.
	Close() error
}
