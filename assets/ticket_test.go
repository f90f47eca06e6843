package assets_test

import (
	"errors"
	"testing"

	"sojourn/assets"
)

func TestTicket_SealAndEdges(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 1 << 20})
	b.src.SetText("a.txt", "a")
	b.src.SetText("b.txt", "b")
	ha, hb := b.name("a"), b.name("b")
	b.Release(b.retain("a"))
	gate := b.OpenTicket(assets.TicketOptions{Owner: "gate"})
	steps := b.OpenTicket(assets.TicketOptions{Owner: "steps", Mode: assets.WakeProgress})
	for _, ticket := range []assets.Ticket{gate, steps} {
		for _, h := range []assets.Handle{ha, ha, hb} {
			if err := b.Require(ticket, h, assets.PhaseDecoded); err != nil {
				t.Fatal(err)
			}
		}
	}
	if st := b.Poll(gate); st.Required != 2 || st.Satisfied != 1 || st.Ready {
		t.Errorf("%+v", st)
	}
	if w := b.TicketWakes(steps, nil); len(w) != 1 || w[0].Handle != ha {
		t.Errorf("wakes %v", w)
	}
	b.Release(b.retain("b"))
	b.Drain(nil)
	if b.Poll(gate).Ready || len(b.TicketWakes(gate, nil)) != 0 {
		t.Error("an unsealed ticket was satisfied")
	}
	b.Seal(gate)
	b.Seal(steps)
	if err := b.Require(gate, ha, assets.PhaseDecoded); !errors.Is(err, assets.ErrClosed) {
		t.Error(err)
	}
	if w := b.TicketWakes(gate, nil); len(w) != 2 || !b.Poll(gate).Ready {
		t.Errorf("gate %v", w)
	}
	if w := b.TicketWakes(gate, nil); len(w) != 0 {
		t.Errorf("the edge came twice: %v", w)
	}
	if w := b.TicketWakes(steps, nil); len(w) != 1 || w[0].Handle != hb {
		t.Errorf("wakes %v", w)
	}
	// Evicting is no step back; a reload is.
	b.SetKeepAlive(0)
	if !b.Poll(gate).Ready {
		t.Error("an eviction took a satisfied requirement back")
	}
	b.src.SetText("a.txt", "!corrupt")
	b.Reload("a", assets.AllKinds)
	if st := b.Poll(gate); st.Ready || st.Satisfied != 1 {
		t.Errorf("a reload did not re-arm: %+v", st)
	}
	if _, err := b.Retain(ctx, key("a")); err == nil {
		t.Error("no error")
	}
	b.Drain(nil)
	if st := b.Poll(gate); !st.Ready || st.Failed != 1 {
		t.Errorf("%+v", st)
	}
	if w := b.TicketWakes(gate, nil); len(w) != 1 || w[0].Phase != assets.PhaseFailed {
		t.Errorf("gate %v", w)
	}
	for _, ticket := range []assets.Ticket{gate, steps} {
		b.CloseTicket(ticket)
	}
	b.Forget(ha)
	b.Forget(hb)
}

// TestTicket_Waive: who has what it wanted takes that off a ticket that lasts.
func TestTicket_Waive(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 1 << 20})
	b.src.SetText("a.txt", "a")
	b.src.SetText("c.txt", "!corrupt")
	ha, hb, hc := b.name("a"), b.name("b"), b.name("c")
	b.Release(b.retain("a"))
	_, _ = b.Retain(ctx, key("c"))
	b.Drain(nil)
	lasting := b.OpenTicket(assets.TicketOptions{Owner: "world", Mode: assets.WakeProgress})
	for _, h := range []assets.Handle{ha, hb, hc} {
		if err := b.Require(lasting, h, assets.PhaseDecoded); err != nil {
			t.Fatal(err)
		}
	}
	names := func(h assets.Handle) int {
		var snap assets.Snapshot
		b.Snapshot(&snap)
		for _, row := range snap.Rows {
			if row.Handle == h {
				return row.Names
			}
		}
		return 0
	}
	for _, step := range []struct {
		h    assets.Handle
		want assets.TicketStatus
	}{
		{hb, assets.TicketStatus{Open: true, Required: 2, Satisfied: 2, Failed: 1}}, // in the middle, waited for
		{ha, assets.TicketStatus{Open: true, Required: 1, Satisfied: 1, Failed: 1}}, // there
		{hc, assets.TicketStatus{Open: true}},                                       // failed
	} {
		if !b.Waive(lasting, step.h, assets.PhaseDecoded) || b.Waive(lasting, step.h, assets.PhaseDecoded) {
			t.Error("a requirement is waived once")
		}
		if st := b.Poll(lasting); st != step.want {
			t.Errorf("%+v, want %+v", st, step.want)
		}
		if n := names(step.h); n != 1 {
			t.Errorf("%d names on what was waived, want the test's own", n)
		}
	}
	if w := b.TicketWakes(lasting, nil); len(w) != 0 {
		t.Errorf("wakes of what was waived: %v", w)
	}
	b.CloseTicket(lasting)
	if b.Waive(lasting, ha, assets.PhaseDecoded) {
		t.Error("a closed ticket had a requirement")
	}
	for _, h := range []assets.Handle{ha, hb, hc} {
		b.Forget(h)
	}
}

// What was decoded before a reload must not satisfy a ticket after it.
func TestTicket_OldNewsSatisfyNobody(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "a")
	h := b.name("a")
	ticket := b.OpenTicket(assets.TicketOptions{})
	if err := b.Require(ticket, h, assets.PhaseDecoded); err != nil {
		t.Fatal(err)
	}
	b.Seal(ticket)
	b.Release(b.retain("a")) // the letter is in the mailbox
	b.Reload("a", assets.AllKinds)
	if w := b.Drain(nil); len(w) != 0 {
		t.Errorf("wakes %v", w)
	}
	if b.Poll(ticket).Ready {
		t.Error("ready by old news")
	}
	b.Release(b.retain("a"))
	b.Drain(nil)
	if !b.Poll(ticket).Ready {
		t.Error("not ready")
	}
	b.CloseTicket(ticket)
	b.Forget(h)
}

func TestTicket_DevicePhases(t *testing.T) {
	b := open(t, assets.Options{})
	h := b.name("a")
	ready := func() bool {
		ticket := b.OpenTicket(assets.TicketOptions{})
		defer b.CloseTicket(ticket)
		if err := b.Require(ticket, h, assets.PhaseOnDevice); err != nil {
			t.Fatal(err)
		}
		b.Seal(ticket)
		return b.Poll(ticket).Ready
	}
	b.NotePhase(h, assets.PhaseOnDevice)
	b.NotePhase(h, assets.PhaseOnDevice)
	if !ready() || !b.OnDevice(h) || len(b.Drain(nil)) != 1 {
		t.Error("on the device")
	}
	b.NotePhase(h, assets.PhaseUnloaded)
	if ready() || b.OnDevice(h) {
		t.Error("left the device")
	}
	ticket := b.OpenTicket(assets.TicketOptions{})
	_ = b.Require(ticket, h, assets.PhaseOnDevice)
	b.Seal(ticket)
	b.NotePhase(h, assets.PhaseFailed)
	b.Drain(nil)
	if st := b.Poll(ticket); !st.Ready || st.Failed != 1 {
		t.Errorf("%+v", st)
	}
	for _, p := range []assets.Phase{assets.PhaseFailed, assets.PhaseUnloaded} {
		if err := b.Require(ticket, h, p); err == nil {
			t.Errorf("%v can be required", p)
		}
	}
	b.CloseTicket(ticket)
	b.Forget(h)
}

func TestDrain_AllocatesNothing(t *testing.T) {
	b := open(t, assets.Options{})
	var handles []assets.Handle
	for _, stem := range []string{"a", "b", "c"} {
		handles = append(handles, b.name(stem))
	}
	var wakes []assets.Wake
	run := func() {
		ticket := b.OpenTicket(assets.TicketOptions{Mode: assets.WakeProgress})
		for _, h := range handles {
			if err := b.Require(ticket, h, assets.PhaseOnDevice); err != nil {
				t.Fatal(err)
			}
			b.NotePhase(h, assets.PhaseOnDevice)
		}
		b.Seal(ticket)
		wakes = b.Drain(wakes[:0])
		if !b.Poll(ticket).Ready {
			t.Fatal("not ready")
		}
		wakes = b.TicketWakes(ticket, wakes[:0])
		b.CloseTicket(ticket)
		for _, h := range handles {
			b.NotePhase(h, assets.PhaseUnloaded)
		}
	}
	run()
	run()
	if n := testing.AllocsPerRun(50, run); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if n := testing.AllocsPerRun(50, func() { wakes = b.Drain(wakes[:0]) }); n > 0 {
		t.Errorf("%v allocations when idle", n)
	}
	for _, h := range handles {
		b.Forget(h)
	}
}
