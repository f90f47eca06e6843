package resources

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/audio"
	"sojourn/ecs/components"
	"sojourn/gpu"
	"sojourn/journal"
	"sojourn/stages/work"
)

// Set is everything a world stores once.
type Set struct {
	Ledger    *Ledger
	Holds     Holds
	Materials *MaterialIndex
	Rows      *gpu.Materials
	Rosters   *Rosters
	Room      *Room
	Doomed    []int32 // rosters whose entities are to be removed
	Loads     *Loads
	Events    *LayerEvents
	Counts    *LayerCounts
	Cells     *CellCounts
	Namers    *CellNamers
	Reveal    *Reveal
	Dormant   *Dormant
	Own       *OwnAssets
	Emission  *Emission
	// Clock is the session's; nil where there is none.
	Clock work.Clock
	// ArmDebt tells the world's pass that something is owed a look.
	ArmDebt func()
	// Unheard runs a step of the engine's that makes entities and removes them
	// again: nobody who listens to the world is told.
	Unheard func(step func())
	// EntitiesExpected is how large the world was made.
	EntitiesExpected int

	watched ecs.Mask // components whose removal releases
	here    presence
}

// Holds are the engine's own classes of holds in a world's ledger. Values are
// the handles, refs and voices themselves.
type Holds struct {
	Name     HoldClass // assets.Handle: keeps the entry, not the payload
	Retain   HoldClass // assets.Handle
	Geometry HoldClass // gpu.GeometryRef
	Texture  HoldClass // gpu.TextureRef
	Voice    HoldClass // audio.Voice
	Material HoldClass // assets.Handle of the document: one use of its entity
	Row      HoldClass // row of the material table
	Roster   HoldClass // roster whose members go with the holder
}

// Options are what a world's set is made of.
type Options struct {
	Store            *assets.Store
	Geometry         *gpu.Geometry
	Textures         *gpu.Textures
	Mixer            *audio.Mixer
	Clock            work.Clock // nil: sources have no velocity of their own
	EntitiesExpected int
	// Journal is the lifecycle log, or nil, and World the name it uses.
	Journal *journal.Log
	World   string
}

// Install adds a set to a world and returns it. It panics if the world has
// one: two sessions cannot own one world.
func Install(w *ecs.World, o Options) *Set {
	if Of(w) != nil {
		panic("resources: this world is installed already")
	}
	s := &Set{
		Ledger:    NewLedger(o.EntitiesExpected),
		Materials: NewMaterialIndex(w),
		Rows:      gpu.NewMaterials(o.Textures),
		Rosters:   &Rosters{},
		Room:      &Room{open: o.EntitiesExpected},
		Loads:     &Loads{},
		Events:    &LayerEvents{store: o.Store, journal: o.Journal, world: o.World},
		Counts:    &LayerCounts{},
		Cells:     &CellCounts{},
		Namers:    &CellNamers{},
		Reveal:    &Reveal{journal: o.Journal, world: o.World},
		Dormant:   NewDormant(),
		Own:       newOwnAssets(o.Store, o.World),
		Emission:  &Emission{},
		Clock:     o.Clock,
		Doomed:    make([]int32, 0, 64),
		ArmDebt:   func() {},
		Unheard:   func(step func()) { step() },

		EntitiesExpected: o.EntitiesExpected,
	}
	s.Holds = s.addClasses(o)
	s.Own.class = s.Ledger.AddClass("wish", func(_ ecs.Entity, v uint64) { s.Own.got(assets.Handle(v)) })
	s.Emission.class = s.Ledger.AddClass("quads", func(_ ecs.Entity, v uint64) { s.Emission.QuadsMax -= int(v) })
	for _, id := range []ecs.ID{
		ecs.ComponentID[components.Primitive](w), ecs.ComponentID[components.Material](w),
		ecs.ComponentID[components.ModelInstance](w), ecs.ComponentID[components.SoundSource](w),
		ecs.ComponentID[components.Skybox](w), ecs.ComponentID[components.Layer](w),
		ecs.ComponentID[components.Probe](w), ecs.ComponentID[components.LookUp](w),
		ecs.ComponentID[components.Decal](w), ecs.ComponentID[components.ParticleSource](w),
		ecs.ComponentID[components.Zone](w),
	} {
		s.Watch(id)
	}
	s.Room.Add(s.Ledger.grower())
	s.Room.Add(s.Rosters.grower())
	s.Room.Add(s.Materials.grower())
	s.Room.Add(Grower{Kind: RoomMaterials, Used: s.Rows.Taken, Room: s.Rows.Places, Grow: s.Rows.GrowTo})
	s.here = presence{world: w, id: ecs.AddResource(w, s), on: true}
	s.Ledger.here, s.Materials.here = s.here, s.here
	return s
}

// Lost tells whether World.Reset took the set from its world. Nothing on
// record names the right entity then; all that is left is to release it.
func (s *Set) Lost() bool { return s.here.lost() }

func (s *Set) addClasses(o Options) Holds {
	return Holds{
		Name: s.Ledger.AddClass("name", func(_ ecs.Entity, v uint64) { o.Store.Forget(assets.Handle(v)) }),
		Retain: s.Ledger.AddClass("retain", func(_ ecs.Entity, v uint64) {
			o.Store.Release(assets.Handle(v))
		}),
		Geometry: s.Ledger.AddClass("geometry", func(_ ecs.Entity, v uint64) {
			o.Geometry.Leave(gpu.GeometryRef(v))
		}),
		Texture: s.Ledger.AddClass("texture", func(_ ecs.Entity, v uint64) {
			o.Textures.Leave(gpu.TextureRef(v))
		}),
		Voice: s.Ledger.AddClass("voice", func(_ ecs.Entity, v uint64) { o.Mixer.Stop(audio.Voice(v)) }),
		Material: s.Ledger.AddClass("material", func(_ ecs.Entity, v uint64) {
			if s.Materials.Unuse(assets.Handle(v)) {
				s.ArmDebt()
			}
		}),
		Row: s.Ledger.AddClass("row", func(_ ecs.Entity, v uint64) { s.Rows.Free(uint32(v)) }),
		Roster: s.Ledger.AddClass("roster", func(_ ecs.Entity, v uint64) {
			s.Doomed = append(s.Doomed, int32(v))
			s.ArmDebt()
		}),
	}
}

// Of is a world's set, or nil where none is installed.
func Of(w *ecs.World) *Set {
	r := generic.NewResource[Set](w)
	if !r.Has() {
		return nil
	}
	return r.Get()
}

// Must is [Of], and panics where none is installed: a stage was opened outside
// a session or test kit.
func Must(w *ecs.World) *Set {
	s := Of(w)
	if s == nil {
		panic(fmt.Sprintf("resources: world %p has no session: open it through one", w))
	}
	return s
}
