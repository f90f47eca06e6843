package resources

import (
	"maps"
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/ecs/components"
)

// MaterialIndex finds the one entity that carries a material document in this
// world, and counts its users. The materials row removes unused ones.
type MaterialIndex struct {
	world     *ecs.World
	materials generic.Map[components.Material]
	entities  map[assets.Handle]ecs.Entity
	room      int // entities the map holds before it grows
	unused    []ecs.Entity
	here      presence
}

// NewMaterialIndex makes an empty index.
func NewMaterialIndex(w *ecs.World) *MaterialIndex {
	return &MaterialIndex{
		world:     w,
		materials: generic.NewMap[components.Material](w),
		entities:  make(map[assets.Handle]ecs.Entity, materialsExpected),
		room:      materialsExpected,
	}
}

const materialsExpected = 256

// grower makes room for materials. A map grows in parts; made anew it does so
// once, in a step that was paid for.
func (x *MaterialIndex) grower() Grower {
	return Grower{
		Kind: RoomMaterials, Used: x.Len, Room: func() int { return x.room },
		Grow: func(places int) {
			larger := make(map[assets.Handle]ecs.Entity, places)
			maps.Copy(larger, x.entities)
			x.entities, x.room = larger, places
			x.unused = WithRoom(x.unused, places)
		},
	}
}

// Find is the entity for a document.
func (x *MaterialIndex) Find(document assets.Handle) (ecs.Entity, bool) {
	e, ok := x.entities[document]
	return e, ok
}

// Set records the entity for a document.
func (x *MaterialIndex) Set(document assets.Handle, e ecs.Entity) {
	x.entities[document] = e
	if n := len(x.entities); cap(x.unused) < n { // letting go of it must not allocate
		x.unused = slices.Grow(x.unused, 2*n-len(x.unused))
	}
}

// Delete forgets a document's entity.
func (x *MaterialIndex) Delete(document assets.Handle) { delete(x.entities, document) }

// Len is the number of materials.
func (x *MaterialIndex) Len() int { return len(x.entities) }

// Unuse takes back one use and tells whether it was the last. The entity stays
// until [MaterialIndex.TakeUnused], because the world may be locked now.
func (x *MaterialIndex) Unuse(document assets.Handle) (last bool) {
	e, ok := x.entities[document]
	if !ok || x.here.lost() || !x.world.Alive(e) {
		return false
	}
	m := x.materials.Get(e)
	m.Users--
	if m.Users > 0 {
		return false
	}
	x.unused = append(x.unused, e)
	return true
}

// TakeUnused appends the entities whose last user went, some of which may have
// been taken up again since.
func (x *MaterialIndex) TakeUnused(dst []ecs.Entity) []ecs.Entity {
	dst = append(dst, x.unused...)
	x.unused = x.unused[:0]
	return dst
}
