package systems

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/ecs/components"
	"sojourn/gpu"
)

// surroundingsView picks what a frame has around everything: of several that
// are ready, the one whose entity's number is lowest, so that frames are
// stable.
type surroundingsView struct {
	world                                  *ecs.World
	textures                               *gpu.Textures
	skies, probes, lookUps, zones          ecs.CachedFilter
	skybox, probe, lookUp, zone, transform ecs.ID
}

func newSurroundingsView(w *ecs.World, t *gpu.Textures) surroundingsView {
	v := surroundingsView{
		world: w, textures: t,
		skybox:    ecs.ComponentID[components.Skybox](w),
		probe:     ecs.ComponentID[components.Probe](w),
		lookUp:    ecs.ComponentID[components.LookUp](w),
		zone:      ecs.ComponentID[components.Zone](w),
		transform: ecs.ComponentID[components.Transform](w),
	}
	withheld := ecs.ComponentID[components.Withheld](w)
	skies := ecs.All(v.skybox).Without(withheld, ecs.ComponentID[components.PendingSkybox](w))
	probes := ecs.All(v.probe, v.transform).Without(withheld, ecs.ComponentID[components.PendingProbe](w))
	lookUps := ecs.All(v.lookUp).Without(withheld, ecs.ComponentID[components.PendingLookUp](w))
	zones := ecs.All(v.zone).Without(withheld)
	v.zones = w.Cache().Register(&zones)
	v.skies, v.probes, v.lookUps = w.Cache().Register(&skies), w.Cache().Register(&probes), w.Cache().Register(&lookUps)
	return v
}

func (v *surroundingsView) publish(f *gpu.Frame) {
	f.Skybox, f.Probe, f.LookUp = v.pickSky(), v.pickProbe(f.Camera.Pos), v.pickLookUp()
	v.fog(&f.Camera)
}

// fog puts that of an occupied zone in the place of the camera's.
func (v *surroundingsView) fog(c *gpu.Camera) {
	best := ^uint32(0)
	q := v.world.Query(&v.zones)
	for q.Next() {
		z := (*components.Zone)(q.Get(v.zone))
		if z.State != components.ZoneOccupied || z.FogEndMetres == 0 || q.Entity().ID() >= best {
			continue
		}
		best = q.Entity().ID()
		c.FogColor, c.FogStart, c.FogEnd = z.FogColor, z.FogStartMetres, z.FogEndMetres
	}
}

// image is the published image of a picture, or zero.
func (v *surroundingsView) image(p *components.Picture) gpu.TextureID {
	i := v.textures.Index(p.Joined)
	if i == gpu.NoMap {
		return 0
	}
	return v.textures.Table()[i]
}

func (v *surroundingsView) pickSky() (id gpu.TextureID) {
	best := ^uint32(0)
	q := v.world.Query(&v.skies)
	for q.Next() {
		image := v.image((*components.Skybox)(q.Get(v.skybox)).Self())
		if image == 0 || q.Entity().ID() >= best {
			continue
		}
		best, id = q.Entity().ID(), image
	}
	return id
}

func (v *surroundingsView) pickLookUp() (id gpu.TextureID) {
	best := ^uint64(0)
	q := v.world.Query(&v.lookUps)
	for q.Next() {
		image := v.image((*components.LookUp)(q.Get(v.lookUp)).Self())
		rank := uint64(q.Entity().ID())
		if !q.Has(v.zone) {
			rank |= 1 << 32 // after those of zones
		}
		if image == 0 || rank >= best {
			continue
		}
		best, id = rank, image
	}
	return id
}

// pickProbe is the picture of the nearest probe in whose radius a place is.
func (v *surroundingsView) pickProbe(pos [3]float32) (id gpu.TextureID) {
	near, best := float32(0), ^uint32(0)
	q := v.world.Query(&v.probes)
	for q.Next() {
		probe := (*components.Probe)(q.Get(v.probe))
		m := &(*components.Transform)(q.Get(v.transform)).World
		image := v.image(probe.Self())
		dx, dy, dz := pos[0]-m[12], pos[1]-m[13], pos[2]-m[14]
		away, number := dx*dx+dy*dy+dz*dz, q.Entity().ID()
		if image == 0 || !(away <= probe.RadiusMetres*probe.RadiusMetres) {
			continue
		}
		if id == 0 || away < near || away == near && number < best {
			near, best, id = away, number, image
		}
	}
	return id
}
