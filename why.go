package sojourn

import (
	"sojourn/assets"
	"sojourn/gpu"
)

// Availability tells whether a page of diagnostics can be filled.
type Availability uint8

// The availabilities.
const (
	// NotCompiled: build tags left it out; see assets.Diagnostics.
	NotCompiled Availability = iota
	// NotBound: there is no session, or it is closed.
	NotBound
	// Bound: it is filled.
	Bound
)

var availabilityNames = [...]string{"not compiled", "not bound", "bound"}

// String is what a page says.
func (a Availability) String() string {
	if int(a) < len(availabilityNames) {
		return availabilityNames[a]
	}
	return "availability-?"
}

// Diagnostics tells which pages can be filled. It may be called on a nil
// session.
func (s *Session) Diagnostics() (store, device Availability) {
	return s.available(assets.Diagnostics), s.available(gpu.Diagnostics)
}

func (s *Session) available(compiled bool) Availability {
	switch {
	case !compiled:
		return NotCompiled
	case s == nil || s.closed || s.store == nil:
		return NotBound
	}
	return Bound
}

// Why is why an asset is in memory: every holder, of the store and of the
// session. For panels, not for frames.
type Why struct {
	assets.Why
	Entities []Holder // ledgers, one for each retain
	Uploads  int      // retains of uploads that wait
	Mixer    int      // retains of the mixer
	// Others is what is left: retains of the game's own.
	Others int
}

// Why asks the store, every world's ledger, the device's tables and the mixer.
// It is false for a key without an entry. Game goroutine, between ticks.
func (s *Session) Why(k assets.Key) (Why, bool) {
	store, ok := s.store.Why(k)
	w := Why{Why: store}
	if !ok {
		return w, false
	}
	w.Entities = s.Holders(w.Handle, nil)
	if k.Kind == assets.KindMesh {
		w.Uploads = s.geometry.Holds(w.Handle)
	}
	if k.Kind == assets.KindSound {
		for _, row := range s.mixer.Snapshot(nil) {
			if row.Sound == w.Handle {
				w.Mixer++
			}
		}
	}
	w.Others = w.Refs - len(w.Entities) - w.Uploads - w.Mixer
	for _, h := range w.Holdings {
		w.Others -= h.N
	}
	return w, true
}
