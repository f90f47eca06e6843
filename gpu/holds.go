package gpu

import "sojourn/assets"

// Holds is how many retains the table has on a mesh: one for each upload that
// waits. It looks at every entry, so it is for panels, not for frames.
func (g *Geometry) Holds(mesh assets.Handle) int {
	n := 0
	for i := range g.entries {
		if e := &g.entries[i]; e.key == mesh && e.queued != 0 && e.staged == 0 && e.users > 0 {
			n++
		}
	}
	return n
}
