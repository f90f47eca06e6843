package resources

import (
	"sojourn/assets"
	"sojourn/stages/work"
)

// RoomKind is one sort of thing that structures of a world have room for.
type RoomKind uint8

// The kinds of room.
const (
	RoomEntities   RoomKind = iota // of any sort
	RoomHolds                      // in the ledger
	RoomPrimitives                 // of layers
	RoomWithheld                   // those that come withheld
	RoomAtOnce                     // those that show as they come
	RoomLoose                      // of no layer
	RoomSounds
	RoomModels // instances
	RoomMaterials
	RoomMeshes
	RoomTextures
	RoomEffects // and those after it: a kind for each of assets.EffectKind

	RoomKinds = RoomEffects + RoomKind(assets.EffectKinds) // the number of kinds
)

// TableRows is how many entities one of Arche's tables is made for. Tables of
// what there may be much of are made larger when a world opens ([Room.Open]),
// or before a layer comes.
const TableRows = 32

// openPlacesMax bounds what is made before anybody needs it.
const openPlacesMax = 1 << 16

// Demand is how much more room something to come takes, of each kind.
type Demand [RoomKinds]int

// Grower is one structure that grows with what a world holds. Its functions run
// on the game goroutine, outside queries.
type Grower struct {
	Kind RoomKind
	// Used is how many places are taken, Room how many there are before the
	// structure has to grow.
	Used, Room func() int
	// Grow makes so many places at least, in one step.
	Grow func(places int)
	// Ops is what a step to so many places takes, in entity operations; nil for
	// a structure that is only copied.
	Ops func(places int) int64
}

// Room is every structure of a world that would otherwise grow in whatever
// frame its next entity happens to come. Before a layer's entities are made,
// each structure that is too small for them grows in a step of its own. Game
// goroutine only.
type Room struct {
	growers []Grower
	open    int // places a structure is made with
}

// Add records a structure, for as long as the world lives. One with a place for
// each entity is made as large as the world is expected to become, one of assets
// for many. Rows call it when they open.
func (r *Room) Add(g Grower) {
	if places := r.opening(g.Kind); g.Ops == nil && g.Room() < places {
		g.Grow(places)
	}
	r.growers = append(r.growers, g)
}

// assetPlaces is how many meshes, textures and materials a world is opened for,
// if it expects that many entities.
const assetPlaces = 1024

// opening is how many places a structure that is only copied is opened with.
func (r *Room) opening(k RoomKind) int {
	switch {
	case perEntity(k):
		return r.open
	case k == RoomMaterials || k == RoomMeshes || k == RoomTextures:
		return min(r.open, assetPlaces)
	}
	return 0
}

// perEntity tells whether there are as many of a kind as there are entities.
func perEntity(k RoomKind) bool { return k <= RoomLoose }

// Open makes the tables that may come to have every entity of the world as
// large as it is expected to become, up to a bound.
func (r *Room) Open() {
	places := min(r.open, openPlacesMax)
	for i := range r.growers {
		if g := &r.growers[i]; g.Ops != nil && perEntity(g.Kind) && g.Room() < places {
			g.Grow(places)
		}
	}
}

// Len is the number of structures.
func (r *Room) Len() int { return len(r.growers) }

// Wants is how many places structure i has to grow to for a demand; 0 for none.
// It at least doubles, so that many small layers do not make many steps.
func (r *Room) Wants(i int, d *Demand) int {
	g := &r.growers[i]
	if d[g.Kind] == 0 {
		return 0
	}
	room, want := g.Room(), g.Used()+d[g.Kind]
	if want <= room {
		return 0
	}
	return max(want, 2*room)
}

// placesPerOp is how many places of a structure are copied in the time that one
// entity operation takes.
const placesPerOp = 64

// Cost is what the step of structure i to so many places takes.
func (r *Room) Cost(i, places int) work.Cost {
	if ops := r.growers[i].Ops; ops != nil {
		return work.Of(work.EntityOps, max(ops(places), 1))
	}
	return work.Of(work.EntityOps, int64(1+places/placesPerOp))
}

// Grow makes structure i as large.
func (r *Room) Grow(i, places int) { r.growers[i].Grow(places) }

// WithRoom is a slice with places for so many at least. New memory is not
// touched before it is used.
func WithRoom[T any](s []T, places int) []T {
	if cap(s) >= places {
		return s
	}
	larger := make([]T, len(s), places)
	copy(larger, s)
	return larger
}

// Places is how many places structure i has, for tests.
func (r *Room) Places(i int) int { return r.growers[i].Room() }
