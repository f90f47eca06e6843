package assetstest

import (
	"testing"

	"sojourn/assets"
)

// CheckLeaks fails the test where a store holds something: a retain, a pin, a
// load under way, a batch that was not adopted, an open ticket. It then frees
// what is parked and fails where a byte is left. Call it when every holder
// should have let go, before the store closes.
func CheckLeaks(t testing.TB, store *assets.Store) {
	t.Helper()
	var snap assets.Snapshot
	store.Snapshot(&snap)
	for _, row := range snap.Rows {
		if row.Refs > 0 || row.Pins > 0 || row.InFlight {
			why, _ := store.Why(row.Key)
			t.Errorf("leak: %v", why)
		}
	}
	for _, b := range snap.Batches {
		t.Errorf("leak: batch %q: %d of %d pending, %d not adopted", b.Owner, b.Pending, b.Total, b.Held)
	}
	for _, ticket := range snap.Tickets {
		t.Errorf("leak: ticket %q is open: %d of %d", ticket.Owner, ticket.Satisfied, ticket.Required)
	}
	store.SetKeepAlive(0)
	st := store.Stats()
	if st.Retains != st.Releases || st.CPUBytes != 0 || st.MappedBytes != 0 || st.ColdBytes != 0 ||
		st.InFlightBytes+st.UnadoptedBytes != 0 || st.QueueLen != 0 || st.Resident != 0 {
		t.Errorf("leak: %d retains, %d releases, %d bytes (%d mapped, %d cold), %d in flight, %d queued, %d resident",
			st.Retains, st.Releases, st.CPUBytes, st.MappedBytes, st.ColdBytes, st.InFlightBytes+st.UnadoptedBytes, st.QueueLen, st.Resident)
	}
}

// CheckSource fails the test where an entry or lease of a source is still out,
// or a lease was released twice. Call it after the store closed.
func CheckSource(t testing.TB, s *Source) {
	t.Helper()
	if c := s.Counts(); c.Entries != 0 || c.Leases != 0 || c.Released != 0 {
		t.Errorf("leak: source %s: %d entries open, %d leases out, %d released twice", s.Name(), c.Entries, c.Leases, c.Released)
	}
}
