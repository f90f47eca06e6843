package assets

import "fmt"

// Ticket names one wait for a set of assets: slot and generation. A ticket
// that was closed names nothing any more, also once its slot is reused. The
// zero Ticket names nothing.
type Ticket uint64

// WakeMode says when a ticket wakes its owner.
type WakeMode uint8

const (
	// WakeComplete wakes once, when everything required is there: for gates.
	WakeComplete WakeMode = iota
	// WakeProgress wakes for each asset: for binding what lands.
	WakeProgress
)

// String is the word diagnostics use.
func (m WakeMode) String() string {
	if m == WakeProgress {
		return "progress"
	}
	return "complete"
}

// TicketOptions describes a ticket.
type TicketOptions struct {
	// Owner is who waits, for diagnostics.
	Owner string
	Mode  WakeMode
}

// TicketStatus is where a ticket stands.
type TicketStatus struct {
	// Open is false for a ticket that was closed or never was.
	Open bool
	// Sealed: no requirement will be added.
	Sealed bool
	// Ready: sealed, and nothing is waited for. A failed requirement counts as
	// satisfied, so that a bad asset degrades and never hangs.
	Ready bool
	// Required is the number of requirements; Satisfied those no longer waited
	// for, the failed among them; Failed those alone.
	Required, Satisfied, Failed int
}

// ticketsMax bounds the tickets open at once.
const ticketsMax = 1 << 16

// OpenTicket opens a ticket: then Require each asset, Seal, and Poll or take
// the wakes after each Drain. Close it when the edge was consumed, or to
// cancel. Where too many are open the zero Ticket comes back, which every
// method refuses.
func (s *Store) OpenTicket(o TicketOptions) Ticket {
	t := &s.tickets
	t.mu.Lock()
	defer t.mu.Unlock()
	var i uint32
	switch {
	case t.mu.closed:
		return 0
	case len(t.mu.free) > 0:
		i = t.mu.free[len(t.mu.free)-1]
		t.mu.free = t.mu.free[:len(t.mu.free)-1]
	case len(t.mu.rows) >= ticketsMax:
		return 0
	default:
		i = uint32(len(t.mu.rows))
		t.mu.rows = append(t.mu.rows, ticketRow{generation: 1})
	}
	row := &t.mu.rows[i]
	*row = ticketRow{generation: row.generation, open: true, owner: o.Owner, mode: o.Mode, wakes: row.wakes[:0]}
	t.mu.open++
	return Ticket(row.generation)<<32 | Ticket(i)
}

// Require adds an asset and the phase it must reach, [PhaseDecoded] or
// [PhaseOnDevice]. What is there already is satisfied at once; what is known
// to have failed counts as failed. Requiring the same twice requires it once.
// The ticket holds the asset's name. It does not load: a [Batch] does. The
// error wraps [ErrStale] (ticket or handle) or [ErrClosed] (sealed).
func (s *Store) Require(ticket Ticket, h Handle, p Phase) error {
	if p != PhaseDecoded && p != PhaseOnDevice {
		return fmt.Errorf("assets: a ticket cannot require the phase %q", p)
	}
	t := &s.tickets
	t.mu.Lock()
	defer t.mu.Unlock()
	row := t.rowLocked(ticket)
	if row == nil {
		return fmt.Errorf("%w: ticket %#x", ErrStale, uint64(ticket))
	}
	if row.sealed {
		return fmt.Errorf("ticket of %q: sealed, so it is %w to requirements", row.owner, ErrClosed)
	}
	if _, again := t.findLocked(ticket, h, p); again {
		return nil
	}
	status, ok := s.requireName(h, p)
	if !ok {
		return fmt.Errorf("%w: %#x", ErrStale, uint64(h))
	}
	i := t.addLocked(uint32(ticket), h, p)
	switch status {
	case requirementSatisfied:
		t.settleLocked(i, status, p)
	case requirementFailed:
		t.settleLocked(i, status, PhaseFailed)
	}
	return nil
}

// requireName takes the name hold of a requirement and tells how it starts.
func (s *Store) requireName(h Handle, p Phase) (requirementStatus, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, _ := s.liveLocked(h)
	if e == nil {
		return requirementWaiting, false
	}
	e.names++
	there := e.hasPayload && !e.reloadPending
	switch {
	case p == PhaseDecoded && there, p == PhaseOnDevice && e.onDevice:
		return requirementSatisfied, true
	case e.err != nil && !e.hasPayload && !(e.missing && s.mu.cooking):
		return requirementFailed, true
	}
	return requirementWaiting, true
}

// Waive takes a requirement back, with its name: whoever wanted the asset has
// it, or wants it no more. It tells whether the ticket had such a one. A sealed
// ticket may become ready by it; it does not wake for that.
func (s *Store) Waive(ticket Ticket, h Handle, p Phase) bool {
	t := &s.tickets
	t.mu.Lock()
	defer t.mu.Unlock()
	row := t.rowLocked(ticket)
	if row == nil {
		return false
	}
	i, ok := t.findLocked(ticket, h, p)
	if ok {
		t.waiveLocked(row, i)
		s.Forget(h)
	}
	return ok
}

// Seal says that everything was required. An unsealed ticket is never ready.
func (s *Store) Seal(ticket Ticket) {
	t := &s.tickets
	t.mu.Lock()
	defer t.mu.Unlock()
	if row := t.rowLocked(ticket); row != nil {
		row.sealed = true
	}
}

// Poll tells where a ticket stands. Completions arrive with [Store.Drain].
func (s *Store) Poll(ticket Ticket) TicketStatus {
	t := &s.tickets
	t.mu.Lock()
	defer t.mu.Unlock()
	row := t.rowLocked(ticket)
	if row == nil {
		return TicketStatus{}
	}
	return TicketStatus{
		Open: true, Sealed: row.sealed, Ready: row.ready(),
		Required: row.required, Satisfied: row.satisfied, Failed: row.failed,
	}
}

// TicketWakes appends to dst what woke the ticket since the last call. In mode
// [WakeComplete] that is nothing until the ticket is ready, and then once all
// of it; a reload that re-arms the ticket makes it wake again.
func (s *Store) TicketWakes(ticket Ticket, dst []Wake) []Wake {
	t := &s.tickets
	t.mu.Lock()
	defer t.mu.Unlock()
	row := t.rowLocked(ticket)
	if row == nil || row.mode == WakeComplete && !row.ready() {
		return dst
	}
	dst = append(dst, row.wakes...)
	row.wakes = row.wakes[:0]
	return dst
}

// CloseTicket ends a ticket and its name holds. A stale ticket is ignored.
func (s *Store) CloseTicket(ticket Ticket) {
	t := &s.tickets
	t.mu.Lock()
	defer t.mu.Unlock()
	if row := t.rowLocked(ticket); row != nil {
		s.closeRowLocked(uint32(ticket), row)
	}
}

func (s *Store) closeRowLocked(i uint32, row *ticketRow) {
	t := &s.tickets
	for r := row.first; r != 0; {
		req := t.requirementLocked(r)
		next := req.nextOfTicket
		s.Forget(req.handle)
		t.unlinkLocked(r - 1)
		r = next
	}
	generation := row.generation + 1
	if generation == 0 {
		generation = 1
	}
	*row = ticketRow{generation: generation, wakes: row.wakes[:0]}
	t.mu.free = append(t.mu.free, i)
	t.mu.open--
}

// OpenTickets is the number of open tickets.
func (s *Store) OpenTickets() int {
	s.tickets.mu.Lock()
	defer s.tickets.mu.Unlock()
	return s.tickets.mu.open
}

// closeTickets ends all of them, when the store closes.
func (s *Store) closeTickets() {
	t := &s.tickets
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.closed = true
	for i := range t.mu.rows {
		if row := &t.mu.rows[i]; row.open {
			s.closeRowLocked(uint32(i), row)
		}
	}
}
