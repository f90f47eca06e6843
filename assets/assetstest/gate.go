package assetstest

// gate holds the reads of one entry.
type gate struct {
	open    chan struct{} // closed when the gate opens
	reached chan struct{} // closed when the first read is held
	held    int
}

// Hold makes reads and mappings of an entry wait until [Source.LetGo]. Those
// under way already go on.
func (s *Source) Hold(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.gates[name] == nil && !s.mu.closed {
		s.mu.gates[name] = &gate{open: make(chan struct{}), reached: make(chan struct{})}
	}
}

// LetGo opens the gate of an entry: what is held goes on, and later reads pass.
func (s *Source) LetGo(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.mu.gates[name]; g != nil {
		close(g.open)
		delete(s.mu.gates, name)
	}
}

// WaitHeld waits until a read of an entry is held at its gate. It returns at
// once where there is no gate.
func (s *Source) WaitHeld(name string) {
	s.mu.Lock()
	g := s.mu.gates[name]
	s.mu.Unlock()
	if g == nil {
		return
	}
	select {
	case <-g.reached:
	case <-g.open:
	}
}

// Held is how many reads of an entry are held now.
func (s *Source) Held(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.mu.gates[name]; g != nil {
		return g.held
	}
	return 0
}

// pass waits at the gate of an entry, if there is one.
func (s *Source) pass(name string) {
	s.mu.Lock()
	g := s.mu.gates[name]
	if g == nil {
		s.mu.Unlock()
		return
	}
	g.held++
	if g.held == 1 {
		select {
		case <-g.reached:
		default:
			close(g.reached)
		}
	}
	s.mu.Unlock()
	<-g.open
	s.mu.Lock()
	g.held--
	s.mu.Unlock()
}
