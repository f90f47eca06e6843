package sojourn

import (
	"errors"
	"slices"

	"sojourn/ecs/systems/scene"
	"sojourn/stages/work"
)

// stageWorldRetirement is what the meter and diagnostics call the release of
// closed worlds.
const stageWorldRetirement = "world retirement"

// Retiring appends the closed worlds that still hold something, first closed
// first. A world is gone once it is not listed any more.
func (s *Session) Retiring(dst []*World) []*World { return append(dst, s.retiring...) }

// retireWorlds lets go of what closed worlds hold, a few entities at a time, as
// the frame allows: first come first served, each from where it stopped.
func (s *Session) retireWorlds() {
	for len(s.retiring) > 0 {
		w := s.retiring[0]
		if !w.retireSome(s.meter) {
			return
		}
		s.retiring = slices.Delete(s.retiring, 0, 1)
		if err := w.released(); err != nil {
			s.fault(w, err)
		}
	}
}

// retireAll lets go of all closed worlds now, for the end of the session.
func (s *Session) retireAll() error {
	var errs []error
	for _, w := range s.retiring {
		errs = append(errs, w.released())
	}
	s.retiring = nil
	return errors.Join(errs...)
}

// retireSome goes on until nothing is left, or the frame has no more.
func (w *World) retireSome(m *work.Meter) (done bool) {
	loads, ledger := w.set.Loads, w.set.Ledger
	for !done {
		if !m.Reserve(stageWorldRetirement, work.Ordinary, work.Of(work.Retirements, scene.ReleaseStep)) {
			return false
		}
		began := m.Now()
		if len(loads.Emptying) > 0 {
			if loads.Emptying[0].ReleaseSome(scene.ReleaseStep); loads.Emptying[0].Len() == 0 {
				loads.Emptied()
			}
		} else {
			done = ledger.ReleaseNext(scene.ReleaseStep)
			w.set.Doomed = w.set.Doomed[:0] // the rosters end with the world
		}
		m.Complete(stageWorldRetirement, m.Now()-began)
	}
	return true
}

// fault records an error that nobody was there to be given.
func (s *Session) fault(w *World, err error) {
	s.faults = append(s.faults, err)
	if s.options.Log != nil {
		s.options.Log.Error("a world was closed", "world", w.name, "reason", err)
	}
}
