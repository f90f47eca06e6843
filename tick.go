package sojourn

import (
	"time"

	"sojourn/gpu"
	"sojourn/trace"
)

// sweepLook is how many ledger entries one tick checks for entities that died
// unseen.
const sweepLook = 64

// Tick runs one step of the session: what workers finished, the residency pass
// of each world, the game's systems, and the frame to draw.
func (s *Session) Tick(dt time.Duration) {
	if s.closed {
		return
	}
	s.ticks++
	tick := s.track.Now()
	s.takeChanges()
	s.store.EnterTick()
	s.store.NoteTime(s.options.Clock.Now())
	s.meter.Begin()
	s.takeMail()
	s.closeReset()
	s.meter.Passed("mailbox")
	s.passes()
	s.meter.Passed("passes")
	s.retireWorlds()
	s.meter.Passed(stageWorldRetirement)
	s.meter.End()

	if s.runSystems(dt); !s.closed {
		s.meter.Begin()
		s.publish()
		s.meter.End()
		s.mixer.Sweep()
	}
	s.store.LeaveTick()
	s.track.Span(frameCategory, "tick", tick, trace.Args{})
}

// takeMail takes over what workers finished.
func (s *Session) takeMail() {
	began := s.track.Now()
	s.wakes = s.store.Drain(s.wakes[:0])
	s.track.Span(frameCategory, "mailbox", began, trace.Args{HasUnits: true, Units: int64(len(s.wakes))})
}

// closeReset closes the worlds that a game has reset under the session:
// nothing on their record names the right entity any more.
func (s *Session) closeReset() {
	for i := 0; i < len(s.worlds); {
		w := s.worlds[i]
		if !w.set.Lost() {
			i++
			continue
		}
		s.fault(w, w.Close())
	}
}

// runSystems runs the game's steps. One of them may close a world, or the
// session: what is closed runs no more.
func (s *Session) runSystems(dt time.Duration) {
	began := s.track.Now()
	for _, w := range s.worlds {
		w.set.Emission.Time += dt
		for _, f := range w.systems {
			if w.closed {
				break
			}
			f(w, dt)
		}
	}
	s.track.Span(frameCategory, "systems", began, trace.Args{})
}

// passes runs each world's slice; worlds take turns to go first, because the
// first of a frame has the most left.
func (s *Session) passes() {
	pending := false
	for _, w := range s.worlds {
		pending = pending || w.set.Reveal.Pending
	}
	s.meter.SetRevealPending(pending)
	n := len(s.worlds)
	if n == 0 {
		return
	}
	s.first = (s.first + 1) % n
	for i := range n {
		w := s.worlds[(s.first+i)%n]
		w.pass.Rearm(s.wakes)
		w.pass.Run(s.meter, s.wakes)
		w.set.Ledger.Sweep(&w.ecs, sweepLook)
	}
}

// publish uploads under the meter and extracts the active world's frame.
func (s *Session) publish() {
	began := s.track.Now()
	s.retire.Pump(s.meter)
	s.uploads.Pump(s.meter)
	s.meter.Passed("device work")
	s.drawn = s.active
	if s.drawn != nil {
		s.publishFrame()
	}
	s.meter.Passed("publish")
	s.track.Span(frameCategory, "publish", began, trace.Args{})
}

// publishFrame extracts the frame of the world that is drawn, and puts the
// ears there.
func (s *Session) publishFrame() {
	f := s.extract()
	if len(f.Items) > 0 && !s.shown {
		s.shown = true
		s.meter.SetUnlimitedTime(false)
	}
	s.listen(&s.drawn.Camera)
}

// extract fills the frame of the world that is drawn.
func (s *Session) extract() *gpu.Frame {
	s.drawnLeft, s.drawnAge = s.drawn.set.Counts.Left, s.drawn.set.Reveal.Generation
	return s.drawn.publisher.Publish(s.drawn.Camera)
}

// listen puts the ears where the eyes are.
func (s *Session) listen(c *gpu.Camera) {
	s.mixer.SetListener(c.Pos, [3]float32{c.View[0], c.View[4], c.View[8]})
}

// Present draws the frame published last on target, which is the device's kind
// of image, and begins the next frame's account. A headless session calls it
// once after each Tick, with nil.
func (s *Session) Present(target any) error {
	if s.closed {
		return ErrClosed
	}
	var err error
	began := s.track.Now()
	if w := s.drawn; w != nil {
		if w.set.Counts.Left != s.drawnLeft || w.set.Reveal.Generation != s.drawnAge {
			s.extract() // a layer was quiesced since: it must not show once more
		}
		err = s.device.Present(target, w.publisher.Last())
	} else {
		// Nothing is drawn, and the frame counts: what was freed ages by it.
		err = s.device.Present(nil, &s.blank)
	}
	s.track.Span(frameCategory, "present", began, trace.Args{})
	s.endFrame()
	return err
}

// endFrame closes the frame's account and begins the next.
func (s *Session) endFrame() {
	f := s.meter.Facts()
	s.history.add(f)
	if s.track.On() {
		s.traceFrame(&f)
	}
	s.retire.Presented()
	s.meter.NewFrame()
}

// Idle tells whether nothing is under way: no load, no retirement, no upload,
// no free, no open ticket and no owed look.
func (s *Session) Idle() bool {
	for _, w := range s.worlds {
		p, r := w.Pending()
		if p+r > 0 || w.pass.Last().Owed {
			return false
		}
	}
	return len(s.retiring) == 0 && s.uploads.Pending() == 0 && s.retire.Pending() == 0 &&
		s.store.OpenTickets() == 0
}
