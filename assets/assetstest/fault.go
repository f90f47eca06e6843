package assetstest

import "errors"

// ErrInjected is what faults fail with unless they say otherwise.
var ErrInjected = errors.New("injected fault")

// FaultKind is what goes wrong.
type FaultKind uint8

// The faults.
const (
	FaultNone    FaultKind = iota
	FaultOpen              // opening fails
	FaultRead              // reads that reach At fail, after what lies before it
	FaultShort             // the entry ends at At, though it declares more
	FaultCorrupt           // the byte at At is flipped
	FaultNoMap             // mapping is refused
	FaultPanic             // reads panic
)

// Fault is what goes wrong with one opening of an entry.
type Fault struct {
	Kind FaultKind
	At   int64
	Err  error // nil: ErrInjected
}

func (f Fault) err() error {
	if f.Err != nil {
		return f.Err
	}
	return ErrInjected
}

// Script sets what goes wrong with the next openings of an entry, one fault
// each; after them nothing does.
func (s *Source) Script(name string, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.scripts[name] = append([]Fault(nil), faults...)
}

func (s *Source) nextFaultLocked(name string) Fault {
	script := s.mu.scripts[name]
	if len(script) == 0 {
		return Fault{}
	}
	s.mu.scripts[name] = script[1:]
	return script[0]
}
