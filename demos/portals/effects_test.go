package portals

import (
	"testing"

	"sojourn/gpu"
)

// Each stop shows its stain, its sparks, its light and its grade, which is the
// zone's own and not the one that all stops share.
func TestStopsShowTheirEffects(t *testing.T) {
	tr := open(t, nil)
	grades := map[gpu.TextureID]bool{}
	looked := 0
	tr.run(func() {
		if tr.route.phase != phaseResting && tr.route.phase != phaseStaying || tr.route.to == nil || tr.route.atRest == 0 {
			return
		}
		f := tr.Portals.device.frame
		decals, particles := 0, 0
		for _, s := range f.Sprites {
			if s.Lit {
				decals++
			} else {
				particles += int(s.Count)
			}
		}
		if decals != 1 || particles < 50 || f.Probe == 0 || f.LookUp == 0 || f.Camera.FogEnd != 50 {
			t.Fatalf("stop %s: %d decals, %d particles, probe %#x, look-up %#x, fog to %v",
				tr.route.to.name, decals, particles, f.Probe, f.LookUp, f.Camera.FogEnd)
		}
		grades[f.LookUp] = true
		looked++
	})
	if looked < stopCount || len(grades) < 2 {
		t.Errorf("looked at %d frames, %d grades", looked, len(grades))
	}
}
