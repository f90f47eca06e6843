package systems

import (
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// ambientRadiusMetres is the reach of a zone's sound: in all of it alike.
const ambientRadiusMetres = 1e6

// zoneEffects gives an occupied zone's entity its sound source and its look-up
// table, and takes them away again. That it has them is a hold of the zone's,
// so that they go with the component, too.
type zoneEffects struct {
	world   *ecs.World
	store   *assets.Store
	set     *resources.Set
	zones   generic.Map[components.Zone]
	sounds  generic.Map[components.SoundSource]
	lookUps generic.Map[components.LookUp]
	class   resources.HoldClass
	sound   []ecs.ID // component, marker
	grade   []ecs.ID
	scratch []ecs.ID
	over    *[]overZone // that still have the components
}

// overZone is a zone whose effects are over.
type overZone struct {
	entity ecs.Entity
	parts  zoneParts
}

// zoneParts says which components an entity has from its zone: the value of the
// hold.
type zoneParts uint64

const (
	zoneSound zoneParts = 1 << iota
	zoneGrade
	zonePartsEnd
)

func newZoneEffects(w *ecs.World, store *assets.Store, set *resources.Set) zoneEffects {
	z := zoneEffects{
		world: w, store: store, set: set,
		zones:   generic.NewMap[components.Zone](w),
		sounds:  generic.NewMap[components.SoundSource](w),
		lookUps: generic.NewMap[components.LookUp](w),
		over:    new([]overZone),
	}
	z.sound = []ecs.ID{z.sounds.ID(), ecs.ComponentID[components.PendingSound](w), ecs.ComponentID[components.Muted](w)}
	z.grade = []ecs.ID{z.lookUps.ID(), ecs.ComponentID[components.PendingLookUp](w)}
	z.class = set.Ledger.AddClass("zone effects", func(e ecs.Entity, v uint64) {
		*z.over = append(*z.over, overZone{e, zoneParts(v)})
		set.ArmDebt() // the world may be locked
	})
	return z
}

// begin gives a zone's entity what its zone names. An entity that has such a
// component of the game's keeps it.
func (z *zoneEffects) begin(e ecs.Entity) {
	zone := *z.zones.Get(e)
	parts := zoneParts(0)
	if zone.Sound().Valid() && !z.sounds.Has(e) && z.name(e, z.sounds.ID(), zone.Sound()) {
		z.world.Add(e, z.sound[:2]...)
		*z.sounds.Get(e) = components.NewSoundSource(zone.Sound(), zone.Gain, ambientRadiusMetres, true)
		parts |= zoneSound
	}
	if zone.LookUp().Valid() && !z.lookUps.Has(e) && z.name(e, z.lookUps.ID(), zone.LookUp()) {
		z.world.Add(e, z.grade...)
		*z.lookUps.Get(e) = components.LookUp{Picture: components.NewPicture(zone.LookUp())}
		z.set.Want(e, z.lookUps.ID(), zone.LookUp())
		parts |= zoneGrade
	}
	if parts != 0 {
		z.set.Ledger.Add(e, z.zones.ID(), z.class, uint64(parts))
	}
}

// name takes one more name on an asset that the zone has a name on.
func (z *zoneEffects) name(e ecs.Entity, consumer ecs.ID, h assets.Handle) bool {
	key, ok := z.store.KeyOf(h)
	if !ok {
		return false
	}
	again, err := z.store.Name(key)
	if err != nil {
		return false
	}
	z.set.Ledger.Add(e, consumer, z.set.Holds.Name, uint64(again))
	return true
}

// end takes them away.
func (z *zoneEffects) end(e ecs.Entity) {
	for parts := zoneParts(1); parts < zonePartsEnd; parts++ {
		if z.set.Ledger.Drop(e, z.zones.ID(), z.class, uint64(parts)) {
			return
		}
	}
}

// tidy takes the components off whose zone's effects are over.
func (z *zoneEffects) tidy(s *stages.Slice) bool {
	for n := len(*z.over); n > 0; n = len(*z.over) {
		over := (*z.over)[n-1]
		if z.world.Alive(over.entity) {
			if !s.Begin(work.Of(work.EntityOps, 1)) {
				return false
			}
			z.strip(over)
			s.Commit()
		}
		*z.over = (*z.over)[:n-1]
	}
	return true
}

func (z *zoneEffects) strip(over overZone) {
	z.scratch = z.scratch[:0]
	if over.parts&zoneSound != 0 {
		z.scratch = append(z.scratch, z.sound...)
	}
	if over.parts&zoneGrade != 0 {
		z.scratch = append(z.scratch, z.grade...)
	}
	z.scratch = slices.DeleteFunc(z.scratch, func(id ecs.ID) bool { return !z.world.Has(over.entity, id) })
	if len(z.scratch) > 0 {
		z.world.Remove(over.entity, z.scratch...)
	}
}
