package assets_test

import (
	"errors"

	"sojourn/assets"
)

// simTicket is what the model knows of a ticket.
type simTicket struct {
	ticket assets.Ticket
	mode   assets.WakeMode
	sealed bool
	needs  []simNeed
}

type simNeed struct {
	handle assets.Handle
	phase  assets.Phase
	status simStatus
}

type simStatus uint8

const (
	simWaits simStatus = iota
	simThere
	simFailed
)

func (g *sim) actTicket() {
	if len(g.tickets) < 4 && g.rng.IntN(2) == 0 {
		t := &simTicket{mode: assets.WakeMode(g.rng.IntN(2))}
		t.ticket = g.OpenTicket(assets.TicketOptions{Owner: "sim", Mode: t.mode})
		if t.ticket>>32 > 1 {
			g.reached["slot reused"]++
		}
		if st := g.Poll(t.ticket); st != (assets.TicketStatus{Open: true}) {
			g.breaks(13, "a new ticket begins with %+v", st)
		}
		g.tickets = append(g.tickets, t)
		return
	}
	t, ok := some(g, g.tickets)
	if !ok || len(g.names) == 0 {
		return
	}
	if len(t.needs) > 0 && g.rng.IntN(4) == 0 {
		g.waive(t, g.rng.IntN(len(t.needs)))
		return
	}
	n := simNeed{phase: assets.Phase(g.rng.IntN(2))}
	n.handle, _ = some(g, g.names)
	err := g.Require(t.ticket, n.handle, n.phase)
	if t.sealed != errors.Is(err, assets.ErrClosed) || !t.sealed && err != nil {
		g.breaks(12, "a requirement of a ticket (sealed %v): %v", t.sealed, err)
	}
	if t.sealed {
		return
	}
	for _, other := range t.needs {
		if other.handle == n.handle && other.phase == n.phase {
			return
		}
	}
	row, _ := g.row(n.handle)
	switch {
	case n.phase == assets.PhaseDecoded && row.Payload && !row.Pending, n.phase == assets.PhaseOnDevice && g.OnDevice(n.handle):
		n.status = simThere
	case row.Err && !row.Payload:
		n.status = simFailed
	}
	t.needs = append(t.needs, n)
}

// waive takes a requirement back, sealed or not; taking it back again does
// nothing.
func (g *sim) waive(t *simTicket, i int) {
	n := takeOut(&t.needs, i)
	if !g.Waive(t.ticket, n.handle, n.phase) {
		g.breaks(12, "a requirement could not be waived")
	}
	if g.Waive(t.ticket, n.handle, n.phase) {
		g.breaks(12, "a requirement was waived twice")
	}
	g.reached["waived"]++
	g.checkTickets(12)
}

func (g *sim) actTicketEnds() {
	if len(g.tickets) == 0 {
		return
	}
	i := g.rng.IntN(len(g.tickets))
	t := g.tickets[i]
	if !t.sealed {
		t.sealed = true
		g.Seal(t.ticket)
		return
	}
	wakes := g.TicketWakes(t.ticket, nil)
	if ready, _, _ := t.counts(); t.mode == assets.WakeComplete && !ready && len(wakes) > 0 {
		g.breaks(12, "a ticket that waits for all of it woke early: %v", wakes)
	} else if ready {
		g.reached["ticket ready"]++
	}
	for _, w := range wakes {
		if !t.wants(w) {
			g.breaks(12, "a ticket got a wake it did not ask for: %v", w)
		}
	}
	if g.rng.IntN(2) == 0 {
		g.closeTicket(i)
	}
}

func (g *sim) closeTicket(i int) {
	t := takeOut(&g.tickets, i)
	g.CloseTicket(t.ticket)
	g.shutTickets = append(g.shutTickets, t.ticket)
	if len(g.shutTickets) > 8 {
		g.shutTickets = g.shutTickets[4:]
	}
}

func (t *simTicket) wants(w assets.Wake) bool {
	for _, n := range t.needs {
		if n.handle == w.Handle && (w.Phase == n.phase || w.Phase == assets.PhaseFailed) {
			return true
		}
	}
	return false
}

func (t *simTicket) counts() (ready bool, satisfied, failed int) {
	for _, n := range t.needs {
		switch n.status {
		case simThere:
			satisfied++
		case simFailed:
			satisfied++
			failed++
		}
	}
	return t.sealed && satisfied == len(t.needs), satisfied, failed
}

// actStaleTicket uses a ticket that was closed; its slot may be another's.
func (g *sim) actStaleTicket() {
	old, ok := some(g, g.shutTickets)
	if !ok {
		return
	}
	g.reached["stale ticket"]++
	switch g.rng.IntN(5) {
	case 0:
		g.Seal(old)
	case 1:
		g.CloseTicket(old)
	case 2:
		if len(g.names) > 0 {
			if err := g.Require(old, g.names[0], assets.PhaseDecoded); !errors.Is(err, assets.ErrStale) {
				g.breaks(13, "a closed ticket took a requirement: %v", err)
			}
		}
	case 3:
		if w := g.TicketWakes(old, nil); len(w) > 0 {
			g.breaks(13, "a closed ticket gave wakes: %v", w)
		}
	}
	if st := g.Poll(old); st != (assets.TicketStatus{}) {
		g.breaks(13, "a closed ticket says %+v", st)
	}
	g.checkTickets(13)
}

// checkTickets compares every open ticket with the model.
func (g *sim) checkTickets(invariant int) {
	for _, t := range g.tickets {
		ready, satisfied, failed := t.counts()
		want := assets.TicketStatus{
			Open: true, Sealed: t.sealed, Ready: ready, Required: len(t.needs), Satisfied: satisfied, Failed: failed,
		}
		if got := g.Poll(t.ticket); got != want {
			g.breaks(invariant, "ticket %#x: %+v, want %+v", uint64(t.ticket), got, want)
		}
	}
}

func (g *sim) actDevice() {
	h, ok := some(g, g.names)
	if !ok {
		return
	}
	switch p := assets.PhaseOnDevice + assets.Phase(g.rng.IntN(3)); p {
	case assets.PhaseOnDevice:
		g.fact(h).device = true
		g.NotePhase(h, p)
	case assets.PhaseFailed:
		g.fact(h).failed = true
		g.NotePhase(h, p)
	default:
		g.NotePhase(h, p)
	}
}

// actDrain takes the mail: each wake must be true, and reach who waits for it.
func (g *sim) actDrain() {
	g.wakes = g.Drain(g.wakes[:0])
	for _, w := range g.wakes {
		g.trace += uint64(w.Handle) * 1099511628211
		g.checkWake(w)
		for _, t := range g.tickets {
			for i := range t.needs {
				n := &t.needs[i]
				switch {
				case n.handle != w.Handle || n.status != simWaits:
				case w.Phase == assets.PhaseFailed:
					n.status = simFailed
				case w.Phase == n.phase:
					n.status = simThere
				}
			}
		}
	}
	for _, t := range g.tickets {
		for _, n := range t.needs {
			row, _ := g.row(n.handle)
			there := row.Payload && !row.Pending
			if n.status == simWaits && (n.phase == assets.PhaseDecoded && there || row.Err && !row.Payload) {
				g.breaks(12, "a ticket waits for %v (%v), whose state is %v", row.Key, n.phase, g.State(n.handle))
			}
		}
	}
	g.checkTickets(12)
}

func (g *sim) checkWake(w assets.Wake) {
	row, ok := g.row(w.Handle)
	if !ok {
		g.breaks(32, "a wake names the stale handle %#x", uint64(w.Handle))
		return
	}
	f := g.fact(w.Handle)
	if w.Kind != row.Key.Kind {
		g.breaks(12, "a wake of %v says kind %v", row.Key, w.Kind)
	}
	if w.Phase == assets.PhaseDecoded && !f.decoded || w.Phase == assets.PhaseOnDevice && !f.device || w.Phase == assets.PhaseFailed && !f.failed {
		g.breaks(12, "a wake says %v of %v, which is not so since its last reload", w.Phase, row.Key)
	}
	if w.Phase == assets.PhaseUnloaded {
		if !f.mayBeUnsaid {
			g.breaks(7, "a wake says that %v was unloaded, and neither a reload nor a failure was", row.Key)
		}
		f.mayBeUnsaid = false
	}
}

// reload is what a watcher calls after a save.
func (g *sim) reload(k assets.Key) {
	kinds := assets.Kinds(simKinds[g.rng.IntN(2)], k.Kind)
	for _, row := range g.audit.Rows {
		if row.Key.Family() != k.Family() || !kinds.Has(row.Key.Kind) {
			continue
		}
		f := g.fact(row.Handle)
		f.decoded, f.device, f.failed, f.mayBeUnsaid = false, false, false, true
		for _, t := range g.tickets {
			for i := range t.needs {
				if t.needs[i].handle == row.Handle {
					t.needs[i].status = simWaits
				}
			}
		}
		if row.Payload {
			kept := g.pins[:0]
			for _, p := range g.pins {
				if p != row.Handle {
					kept = append(kept, p)
				}
			}
			g.pins = kept
		}
		for _, h := range g.replacing.shared {
			g.replacing.dropped = g.replacing.dropped || h == row.Handle
		}
		if row.Refs > 0 {
			g.reached["reload pending"]++
		}
	}
	for a := range g.absent {
		if a.Family() == k.Family() && kinds.Has(a.Kind) {
			delete(g.absent, a)
		}
	}
	g.Reload(k.Family(), kinds)
}
