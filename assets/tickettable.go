package assets

import (
	"sync"

	"sojourn/chunked"
)

// ticketTable is the tickets and what they wait for. Workers never touch it:
// completions come through the mailbox. Its lock is taken before the store's.
type ticketTable struct {
	mu struct {
		sync.Mutex
		closed       bool
		rows         []ticketRow
		free         []uint32
		open         int
		requirements chunked.List[requirement]
		spare        int32               // a list of unused requirements, one up
		heads        chunked.List[int32] // by entry slot: its requirements, one up; 0: none
		letters      []letter
	}
}

type ticketRow struct {
	generation                  uint32
	open, sealed                bool
	mode                        WakeMode
	owner                       string
	first                       int32 // its requirements, one up; 0: none
	required, satisfied, failed int
	wakes                       []Wake
}

func (row *ticketRow) ready() bool { return row.sealed && row.satisfied == row.required }

type requirementStatus uint8

const (
	requirementWaiting requirementStatus = iota
	requirementSatisfied
	requirementFailed
)

// requirement is one asset of one ticket. It is on two lists: those of its
// entry, so that a completion finds it without a scan, and those of its ticket.
type requirement struct {
	handle       Handle
	ticket       uint32
	phase        Phase
	status       requirementStatus
	prev, next   int32 // of the same entry, one up
	prevOfTicket int32
	nextOfTicket int32
}

func (t *ticketTable) rowLocked(ticket Ticket) *ticketRow {
	i := uint32(ticket)
	if int(i) >= len(t.mu.rows) {
		return nil
	}
	row := &t.mu.rows[i]
	if !row.open || row.generation != uint32(ticket>>32) {
		return nil
	}
	return row
}

func (t *ticketTable) headLocked(h Handle) int32 {
	if int(h.Slot()) >= t.mu.heads.Len() {
		return 0
	}
	return *t.mu.heads.At(int(h.Slot()))
}

// requirementLocked is a requirement by its number, one up.
func (t *ticketTable) requirementLocked(r int32) *requirement {
	return t.mu.requirements.At(int(r - 1))
}

// findLocked is where a ticket's requirement of an asset is.
func (t *ticketTable) findLocked(ticket Ticket, h Handle, p Phase) (i int32, ok bool) {
	for r := t.headLocked(h); r != 0; r = t.requirementLocked(r).next {
		req := t.requirementLocked(r)
		if req.ticket == uint32(ticket) && req.handle == h && req.phase == p {
			return r - 1, true
		}
	}
	return 0, false
}

func (t *ticketTable) addLocked(ticket uint32, h Handle, p Phase) int32 {
	for int(h.Slot()) >= t.mu.heads.Len() {
		t.mu.heads.Add(0)
	}
	var i int32
	if t.mu.spare != 0 {
		i = t.mu.spare - 1
		t.mu.spare = t.requirementLocked(i + 1).next
	} else {
		i = int32(t.mu.requirements.Len())
		t.mu.requirements.Add(requirement{})
	}
	row := &t.mu.rows[ticket]
	head := t.mu.heads.At(int(h.Slot()))
	*t.requirementLocked(i + 1) = requirement{handle: h, ticket: ticket, phase: p, next: *head, nextOfTicket: row.first}
	if *head != 0 {
		t.requirementLocked(*head).prev = i + 1
	}
	*head = i + 1
	if row.first != 0 {
		t.requirementLocked(row.first).prevOfTicket = i + 1
	}
	row.first = i + 1
	row.required++
	return i
}

// unlinkLocked takes a requirement off its entry's list and makes it spare.
func (t *ticketTable) unlinkLocked(i int32) {
	req := t.mu.requirements.At(int(i))
	if req.prev == 0 {
		*t.mu.heads.At(int(req.handle.Slot())) = req.next
	} else {
		t.requirementLocked(req.prev).next = req.next
	}
	if req.next != 0 {
		t.requirementLocked(req.next).prev = req.prev
	}
	*req = requirement{next: t.mu.spare}
	t.mu.spare = i + 1
}

// waiveLocked takes a requirement off its ticket: it leaves the counts, the
// wakes and both lists.
func (t *ticketTable) waiveLocked(row *ticketRow, i int32) {
	req := *t.mu.requirements.At(int(i))
	row.required--
	switch req.status {
	case requirementSatisfied:
		row.satisfied--
		row.dropOne(req.handle, req.phase)
	case requirementFailed:
		row.satisfied--
		row.failed--
		row.dropOne(req.handle, PhaseFailed)
	}
	if req.prevOfTicket == 0 {
		row.first = req.nextOfTicket
	} else {
		t.requirementLocked(req.prevOfTicket).nextOfTicket = req.nextOfTicket
	}
	if req.nextOfTicket != 0 {
		t.requirementLocked(req.nextOfTicket).prevOfTicket = req.prevOfTicket
	}
	t.unlinkLocked(i)
}

// drop forgets the wakes of one asset.
func (row *ticketRow) drop(h Handle) {
	kept := row.wakes[:0]
	for _, w := range row.wakes {
		if w.Handle != h {
			kept = append(kept, w)
		}
	}
	row.wakes = kept
}

// dropOne forgets one wake of an asset, if it was not taken yet.
func (row *ticketRow) dropOne(h Handle, p Phase) {
	for i, w := range row.wakes {
		if w.Handle == h && w.Phase == p {
			row.wakes = append(row.wakes[:i], row.wakes[i+1:]...)
			return
		}
	}
}

// settleLocked ends the wait of one requirement.
func (t *ticketTable) settleLocked(i int32, status requirementStatus, p Phase) {
	req := t.mu.requirements.At(int(i))
	row := &t.mu.rows[req.ticket]
	req.status = status
	row.satisfied++
	if status == requirementFailed {
		row.failed++
	}
	row.wakes = append(row.wakes, Wake{Handle: req.handle, Kind: req.handle.Kind(), Phase: p})
}

// noteLocked moves a completion into the requirements it answers: those of
// this very asset and phase, or all of this asset when it failed.
func (t *ticketTable) noteLocked(h Handle, p Phase) {
	for r := t.headLocked(h); r != 0; r = t.requirementLocked(r).next {
		req := t.requirementLocked(r)
		switch {
		case req.handle != h || req.status != requirementWaiting:
		case p == PhaseFailed:
			t.settleLocked(r-1, requirementFailed, p)
		case p == req.phase:
			t.settleLocked(r-1, requirementSatisfied, p)
		}
	}
}

// rearmLocked makes every requirement of a reloaded asset wait again.
func (t *ticketTable) rearmLocked(h Handle) {
	for r := t.headLocked(h); r != 0; r = t.requirementLocked(r).next {
		req := t.requirementLocked(r)
		if req.handle != h || req.status == requirementWaiting {
			continue
		}
		row := &t.mu.rows[req.ticket]
		row.satisfied--
		if req.status == requirementFailed {
			row.failed--
		}
		req.status = requirementWaiting
		row.drop(h)
	}
}
