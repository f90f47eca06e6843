package sojourn

import (
	"sojourn/assets"
	"sojourn/gpu"
)

// Textures is the session's table of textures.
func (s *Session) Textures() *gpu.Textures { return s.textures }

// Geometry is the session's table of geometry.
func (s *Session) Geometry() *gpu.Geometry { return s.geometry }

// LastFrame is the frame a world published last.
func (w *World) LastFrame() *gpu.Frame { return w.publisher.Last() }

// Active is the world that is drawn.
func (s *Session) Active() *World { return s.active }

// TakeUp reloads, and calls between where a session changes its sources.
func (s *Session) TakeUp(changes assets.Changes, between func()) int {
	return s.takeUp(changes, between)
}
