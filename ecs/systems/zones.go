package systems

import (
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// ZonesRow keeps in memory what a zone names while a streaming source is in it,
// and for its grace afterwards. The zone's sound and look-up table are
// components of its entity meanwhile, bound by their own rows. Zones are only
// looked at when a source moved, so that a pass without costs what sources
// there are.
func ZonesRow() stages.Row {
	return stages.Row{Name: "zones", Kinds: zoneKinds, Open: openZones}
}

// zoneKinds is what a zone can name.
const zoneKinds assets.KindSet = 1<<assets.KindTexture | 1<<assets.KindMesh | 1<<assets.KindModel |
	1<<assets.KindMaterial | 1<<assets.KindSound | 1<<assets.KindParticle

type zones struct {
	world      *ecs.World
	store      *assets.Store
	set        *resources.Set
	clock      work.Clock
	zones      generic.Map[components.Zone]
	transforms generic.Map[components.Transform]
	marker     generic.Map1[components.PendingZone]
	marked     generic.Map[components.PendingZone]
	effects    zoneEffects
	classes    scene.Classes

	sourceFilter *generic.Filter1[components.StreamSource]
	zoneFilter   ecs.CachedFilter
	sources      [][3]float32 // where they were when zones were looked at last
	sourcesNow   [][3]float32

	changed []ecs.Entity // a source came into them or left, and that is not seen to yet
	grace   []ecs.Entity
	pending Queue

	// What zones wait for comes in a batch of their own: it may be slow, and
	// nothing else is to wait for it. The scope has what came until the zones
	// have had a look.
	asked *assets.Batch
	came  *assets.Scope
}

func openZones(w *ecs.World, s stages.Services) (stages.Runner, error) {
	r := &zones{
		world: w, store: s.Store, set: resources.Must(w), clock: s.Clock,
		zones:        generic.NewMap[components.Zone](w),
		transforms:   generic.NewMap[components.Transform](w),
		marker:       generic.NewMap1[components.PendingZone](w),
		marked:       generic.NewMap[components.PendingZone](w),
		classes:      scene.NewClasses(w),
		sourceFilter: generic.NewFilter1[components.StreamSource](),
	}
	r.effects = newZoneEffects(w, s.Store, r.set)
	r.asked, r.came = s.Store.NewBatch(assets.BatchOptions{Owner: "zones"}), assets.NewScopeOwned(s.Store, "zones")
	r.sourceFilter.Register(w)
	all := ecs.All(r.zones.ID(), r.transforms.ID())
	r.zoneFilter = w.Cache().Register(&all)
	r.pending = NewQueue(w, []ecs.ID{r.zones.ID(), r.transforms.ID(), r.marked.ID()})
	return r, nil
}

// Run looks who came and went, then takes in what occupied zones name, then
// gives back what zones had whose grace is over.
func (r *zones) Run(s *stages.Slice) stages.Outcome {
	if r.moved() {
		r.look()
	}
	s.SetClass(work.Ordinary)
	left := r.effects.tidy(s) && r.turn(s) && r.effects.tidy(s)
	taken := r.takeIn(s) // a destination's have a share of their own
	if !left || !taken || !r.giveBack(s) {
		return stages.Yielded
	}
	return stages.Done
}

// moved tells whether sources are not where they were.
func (r *zones) moved() bool {
	r.sourcesNow = r.sourcesNow[:0]
	q := r.sourceFilter.Query(r.world)
	for q.Next() {
		r.sourcesNow = append(r.sourcesNow, q.Get().Pos)
	}
	if v := r.set.Reveal; v.Pending {
		r.sourcesNow = append(r.sourcesNow, v.Pos) // where the player will be
	}
	if slices.Equal(r.sources, r.sourcesNow) {
		return false
	}
	r.sources, r.sourcesNow = r.sourcesNow, r.sources
	return true
}

// look lists the zones that a source came into or left.
func (r *zones) look() {
	r.changed = r.changed[:0]
	q := r.world.Query(&r.zoneFilter)
	for q.Next() {
		if r.differs(q.Entity()) {
			r.changed = append(r.changed, q.Entity())
		}
	}
}

// differs tells whether a zone's state is not what its sources make it.
func (r *zones) differs(e ecs.Entity) bool {
	occupied := r.zones.Get(e).State == components.ZoneOccupied
	return occupied != r.inside(e)
}

// inside tells whether a source is in a zone. One that is there stays until it
// is past the hysteresis. Nothing is in a zone whose layer is leaving.
func (r *zones) inside(e ecs.Entity) bool {
	z := r.zones.Get(e)
	margin := float32(0)
	if z.State == components.ZoneOccupied {
		margin = z.HysteresisMetres
	}
	for _, pos := range r.sources {
		if inBox(&r.transforms.Get(e).World, pos, margin) {
			return !r.classes.Leaving(e)
		}
	}
	return false
}

// turn sees to the zones that changed.
func (r *zones) turn(s *stages.Slice) bool {
	for n := len(r.changed); n > 0; n = len(r.changed) {
		e := r.changed[n-1]
		if r.world.Alive(e) && r.zones.Has(e) && r.transforms.Has(e) && r.differs(e) {
			if !s.Begin(work.Of(work.EntityOps, 2)) {
				return false
			}
			r.change(e)
			s.Commit()
		}
		r.changed = r.changed[:n-1]
	}
	return true
}

func (r *zones) change(e ecs.Entity) {
	if r.zones.Get(e).State == components.ZoneOccupied {
		r.leave(e)
	} else {
		r.enter(e)
	}
}

// enter begins to want what the zone does not hold from before.
func (r *zones) enter(e ecs.Entity) {
	r.zones.Get(e).State = components.ZoneOccupied
	r.wantAll(e)
	if !r.marked.Has(e) {
		r.marker.Add(e)
	}
	r.effects.begin(e)
}

// leave ends the zone's effects, and begins its grace.
func (r *zones) leave(e ecs.Entity) {
	z := r.zones.Get(e)
	z.State, z.LeftAt = components.ZoneGrace, r.clock.Now()
	for h, ok := r.set.NextWish(e, r.zones.ID(), every); ok; h, ok = r.set.NextWish(e, r.zones.ID(), every) {
		r.set.Got(e, r.zones.ID(), h)
	}
	if r.marked.Has(e) {
		r.marker.Remove(e)
	}
	r.effects.end(e)
	r.grace = append(r.grace, e)
}

func every(assets.Handle) bool { return true }
