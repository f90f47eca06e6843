package systems

import (
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/assets/docfile"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/stagestest"
)

func TestConform_Decals(t *testing.T) {
	stagestest.Conform(t, stagestest.Consumer{
		Rows: func() []stages.Row { return []stages.Row{DecalsRow()} },
		Put: func(s *assetstest.Source, i int) (assets.Key, string) {
			return putTexture(s, fmt.Sprintf("marks/m%d", i), i)
		},
		Spawn: func(r *stagestest.Rig, stem string) ecs.Entity {
			return must(scene.NewSpawner(r.World, r.Services()).Decal(stem, identity()))
		},
		Bound: func(r *stagestest.Rig, e ecs.Entity) bool { return at[components.Decal](r, e).Joined != 0 },
		Failed: func(r *stagestest.Rig, e ecs.Entity) bool {
			return at[components.Decal](r, e).Joined == 0 && !has[components.PendingDecal](r, e)
		},
		Component: ecs.ComponentID[components.Decal],
	})
}

func TestConform_Particles(t *testing.T) {
	stagestest.Conform(t, stagestest.Consumer{
		Rows: func() []stages.Row { return []stages.Row{ParticlesRow()} },
		Put: func(s *assetstest.Source, i int) (assets.Key, string) {
			return putParticles(s, fmt.Sprintf("fx/f%d", i), i)
		},
		Spawn: func(r *stagestest.Rig, stem string) ecs.Entity {
			return must(scene.NewSpawner(r.World, r.Services()).Particles(stem, identity()))
		},
		Bound: func(r *stagestest.Rig, e ecs.Entity) bool {
			src := at[components.ParticleSource](r, e)
			return src.Quads > 0 && src.Joined != 0
		},
		Failed: func(r *stagestest.Rig, e ecs.Entity) bool {
			return at[components.ParticleSource](r, e).Quads == 0 && !has[components.PendingParticles](r, e)
		},
		Component: ecs.ComponentID[components.ParticleSource],
	})
}

// A zone's entity carries the source that is in it.
func TestConform_Zones(t *testing.T) {
	stagestest.Conform(t, stagestest.Consumer{
		Rows: func() []stages.Row { return []stages.Row{ZonesRow()} },
		Put: func(s *assetstest.Source, i int) (assets.Key, string) {
			return putTexture(s, fmt.Sprintf("walls/w%d", i), i)
		},
		Spawn: func(r *stagestest.Rig, stem string) ecs.Entity {
			z := assets.SceneZone{Keep: []assets.Key{{Stem: stem, Kind: assets.KindTexture}}}
			e := must(scene.NewSpawner(r.World, r.Services()).Zone(&z, identity()))
			r.World.Add(e, ecs.ComponentID[components.StreamSource](r.World))
			return e
		},
		Bound: func(r *stagestest.Rig, e ecs.Entity) bool { return zoneHolds(r, e) > 0 },
		Failed: func(r *stagestest.Rig, e ecs.Entity) bool {
			return at[components.Zone](r, e).State == components.ZoneOccupied && !has[components.PendingZone](r, e) && zoneHolds(r, e) == 0
		},
		Component: ecs.ComponentID[components.Zone],
	})
}

// zoneHolds is how many assets a zone itself holds.
func zoneHolds(r *stagestest.Rig, e ecs.Entity) (n int) {
	id := ecs.ComponentID[components.Zone](r.World)
	r.Set.Ledger.EachHold(e, func(class resources.HoldClass, consumer ecs.ID, _ uint64) {
		if class == r.Set.Holds.Retain && consumer == id {
			n++
		}
	})
	return n
}

func putParticles(s *assetstest.Source, stem string, i int) (assets.Key, string) {
	p := docfile.DefaultParticles()
	p.Rate = float32(i + 1)
	key, _ := putTexture(s, stem+"_puff", i)
	p.Texture = key.Stem
	return assets.Key{Stem: stem, Kind: assets.KindParticle}, put(s, stem+".particle", must(docfile.EncodeParticles(&p)))
}
