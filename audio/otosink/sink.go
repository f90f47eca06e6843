//go:build !headless

package otosink

import (
	"io"
	"sync"

	"github.com/ebitengine/oto/v3"

	"sojourn/audio"
)

// playerBufferBytes is what a player reads ahead: 40 ms.
const playerBufferBytes = audio.SampleRate * 8 * 40 / 1000

// sink is one player on the shared device.
type sink struct {
	ctx    *oto.Context
	player *oto.Player
	gate   gate
	closed bool
}

// gate lets reads through until it is closed.
type gate struct {
	mu  sync.Mutex
	src io.Reader
}

// Read gives silence's end once the gate is closed, so that the player stops.
func (g *gate) Read(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.src == nil {
		return 0, io.EOF
	}
	return g.src.Read(p)
}

func (g *gate) set(src io.Reader) {
	g.mu.Lock()
	g.src = src
	g.mu.Unlock()
}

// Name is "oto".
func (s *sink) Name() string { return "oto" }

// Start begins to play src.
func (s *sink) Start(src io.Reader) error {
	s.gate.set(src)
	s.player = s.ctx.NewPlayer(&s.gate)
	s.player.SetBufferSize(playerBufferBytes)
	s.player.Play()
	return s.Err()
}

// Err tells why the device or the player stopped, or nil.
func (s *sink) Err() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if s.player == nil {
		return nil
	}
	return s.player.Err()
}

// Close ends playing; a read that is under way ends before it returns. The
// device stays open for the next sink.
func (s *sink) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.player != nil {
		s.player.Pause()
	}
	s.gate.set(nil)
	giveBack()
	return nil
}
