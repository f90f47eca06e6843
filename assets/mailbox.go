package assets

// Phase is how far an asset has come, as a wake reports it.
type Phase uint8

// The phases.
const (
	// PhaseDecoded: the payload is in memory.
	PhaseDecoded Phase = iota
	// PhaseOnDevice: the device has its copy.
	PhaseOnDevice
	// PhaseFailed: the load, or the device, failed.
	PhaseFailed
	// PhaseUnloaded: a reload, or a change of the sources, made the asset
	// loadable again: ask again. Tickets cannot require it.
	PhaseUnloaded
)

var phaseNames = [...]string{
	PhaseDecoded: "decoded", PhaseOnDevice: "on device", PhaseFailed: "failed", PhaseUnloaded: "unloaded",
}

// String is the word diagnostics use.
func (p Phase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return "phase-?"
}

// Wake says that an asset reached a phase.
type Wake struct {
	Handle Handle
	Kind   Kind
	Phase  Phase
}

// letter is a wake on its way to the game goroutine, with the version of the
// asset it speaks of: what was said of an older one must satisfy nobody.
type letter struct {
	handle  Handle
	version uint32
	phase   Phase
}

// mailCompactMin is how long the mailbox may grow before letters that would
// wake nobody are thrown out: those about entries that are gone, and about
// older versions. What is left is at most one letter for each named entry and
// phase, so the mailbox never grows beyond twice that, or this, whichever is
// more; no letter that somebody may wait for is ever lost.
const mailCompactMin = 4096

// mailLocked appends to the mailbox. An entry nobody named has nobody who
// waits. Equal letters that were not read yet are one.
func (s *Store) mailLocked(slot uint32, p Phase) {
	e := s.entryLocked(slot)
	if e.names == 0 || e.mailed&(1<<p) != 0 {
		return
	}
	if len(s.mu.mail) >= s.mu.mailFull {
		s.compactMailLocked()
	}
	e.mailed |= 1 << p
	h := s.handleLocked(slot)
	s.mu.mail = append(s.mu.mail, letter{handle: h, version: s.coolAt(slot).version.Load(), phase: p})
	s.mailWaits.Store(true)
}

func (s *Store) compactMailLocked() {
	kept := s.mu.mail[:0]
	for _, m := range s.mu.mail {
		if hs, _ := s.word(m.handle); hs != nil && s.coolAt(m.handle.Slot()).version.Load() == m.version {
			kept = append(kept, m)
		}
	}
	s.mu.mail = kept
	s.mu.mailFull = max(mailCompactMin, 2*len(kept))
}

// Drain hands over what happened since the last call: it appends the wakes to
// dst and moves completions into the tickets that wait for them. Call it once
// a tick, on the game goroutine. With nothing to report it takes no lock.
func (s *Store) Drain(dst []Wake) []Wake {
	if s.blocked.Load() {
		s.mu.Lock()
		s.lookLocked()
		s.mu.Unlock()
	}
	if !s.mailWaits.Load() {
		return dst
	}
	t := &s.tickets
	t.mu.Lock()
	defer t.mu.Unlock()
	s.mu.Lock()
	t.mu.letters, s.mu.mail = s.mu.mail, t.mu.letters[:0]
	s.mailWaits.Store(false)
	for _, m := range t.mu.letters {
		if e, _ := s.liveLocked(m.handle); e != nil && s.coolAt(m.handle.Slot()).version.Load() == m.version {
			e.mailed &^= 1 << m.phase
		}
	}
	s.mu.Unlock()

	for _, m := range t.mu.letters {
		hs, _ := s.word(m.handle)
		if hs == nil || s.coolAt(m.handle.Slot()).version.Load() != m.version {
			continue
		}
		dst = append(dst, Wake{Handle: m.handle, Kind: m.handle.Kind(), Phase: m.phase})
		t.noteLocked(m.handle, m.phase)
	}
	return dst
}

// NotePhase is how the device tells of its copy: [PhaseOnDevice] when it can
// be drawn, [PhaseFailed] when it could not be made, [PhaseUnloaded] when it
// is gone. Tickets learn of it at the next Drain. Telling twice is telling
// once. Call it on the game goroutine; a stale handle is ignored.
func (s *Store) NotePhase(h Handle, p Phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, _ := s.liveLocked(h)
	if e == nil {
		return
	}
	switch p {
	case PhaseOnDevice:
		if !e.onDevice {
			e.onDevice = true
			s.mailLocked(h.Slot(), p)
		}
	case PhaseFailed:
		e.onDevice = false
		s.mailLocked(h.Slot(), p)
	case PhaseUnloaded:
		e.onDevice = false
	}
}

// OnDevice tells whether the device has told of a copy that is still there.
func (s *Store) OnDevice(h Handle) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, _ := s.liveLocked(h)
	return e != nil && e.onDevice
}
