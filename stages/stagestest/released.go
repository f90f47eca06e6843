package stagestest

import (
	"fmt"

	"sojourn/assets"
	"sojourn/resources"
)

// CheckReleased fails the test where a rig whose entities all let go still
// holds something: run it after [Rig.Settle].
func (r *Rig) CheckReleased() {
	r.t.Helper()
	l := r.Set.Ledger
	if l.Live() != 0 {
		r.t.Errorf("the ledger keeps %d holds (of the engine's classes:%s)", l.Live(), r.holds())
	}
	var snap assets.Snapshot
	r.Store.Snapshot(&snap)
	for _, row := range snap.Rows {
		if row.Refs != 0 || row.Pins != 0 || row.Names != 0 {
			r.t.Errorf("%v is held: %d retains, %d pins, %d names", row.Key, row.Refs, row.Pins, row.Names)
		}
	}
	for _, b := range snap.Batches {
		r.t.Errorf("batch %q is open: %d pending, %d held", b.Owner, b.Pending, b.Held)
	}
	if st := r.Device.Stats(); st.Textures != 0 || st.Geometries != 0 {
		r.t.Errorf("%d textures and %d geometries are on the device", st.Textures, st.Geometries)
	}
	if st := r.Mixer.Stats(); st.Voices != 0 || st.Sounds != 0 {
		r.t.Errorf("%d voices and %d sounds are in the mixer", st.Voices, st.Sounds)
	}
	if n := r.Device.EarlyFrees(); n != 0 {
		r.t.Errorf("%d device frees came while frames in flight could use them", n)
	}
	if r.Set.Materials.Len() != 0 || r.Set.Rosters.Live() != 0 || len(r.Set.Doomed) != 0 {
		r.t.Errorf("%d materials, %d rosters and %d doomed rosters are left",
			r.Set.Materials.Len(), r.Set.Rosters.Live(), len(r.Set.Doomed))
	}
}

// holds lists what the engine's own classes keep; the rest are the row's.
func (r *Rig) holds() string {
	h, text := r.Set.Holds, ""
	for _, class := range []resources.HoldClass{
		h.Name, h.Retain, h.Geometry, h.Texture, h.Voice, h.Material, h.Row, h.Roster,
	} {
		if n := r.Set.Ledger.LiveIn(class); n > 0 {
			text += fmt.Sprintf(" %s %d", r.Set.Ledger.ClassName(class), n)
		}
	}
	return text
}
