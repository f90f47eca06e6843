package scene

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/gpu"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// Spawner makes the engine's entities in one world, with everything they hold
// recorded in its ledger. Game goroutine; never inside a query.
type Spawner struct {
	world    *ecs.World
	store    *assets.Store
	textures *gpu.Textures
	set      *resources.Set

	transforms generic.Map[components.Transform]
	primitives generic.Map[components.Primitive]
	materials  generic.Map[components.Material]
	models     generic.Map[components.ModelInstance]
	sounds     generic.Map[components.SoundSource]
	skyboxes   generic.Map[components.Skybox]
	probes     generic.Map[components.Probe]
	lookUps    generic.Map[components.LookUp]
	decals     generic.Map[components.Decal]
	particles  generic.Map[components.ParticleSource]
	zones      generic.Map[components.Zone]
	members    generic.Map[components.Member]
	attached   generic.Map[components.Attached]
	withheld   generic.Map[components.Withheld]

	ids spawnIDs
}

// spawnIDs are the component sets of each sort of entity, kept so that making
// one builds no slice.
type spawnIDs struct {
	primitive, sound, skybox variants
	probe, lookUp, decal     variants
	particles, zone          variants
	attached, model          variants // attached: a part of a model
	material                 []ecs.ID
}

// variants of a sort of entity: alone, in a layer that is withheld, in one
// that is shown as it comes.
type variants struct {
	loose, withheld, shown []ecs.ID
}

func (v *variants) of(at place) []ecs.ID {
	switch {
	case at.layer.IsZero():
		return v.loose
	case at.withheld:
		return v.withheld
	}
	return v.shown
}

// NewSpawner makes the spawner of an installed world.
func NewSpawner(w *ecs.World, sv stages.Services) *Spawner {
	s := &Spawner{
		world: w, store: sv.Store, textures: sv.Textures, set: resources.Must(w),
		transforms: generic.NewMap[components.Transform](w),
		primitives: generic.NewMap[components.Primitive](w),
		materials:  generic.NewMap[components.Material](w),
		models:     generic.NewMap[components.ModelInstance](w),
		sounds:     generic.NewMap[components.SoundSource](w),
		skyboxes:   generic.NewMap[components.Skybox](w),
		probes:     generic.NewMap[components.Probe](w),
		lookUps:    generic.NewMap[components.LookUp](w),
		decals:     generic.NewMap[components.Decal](w),
		particles:  generic.NewMap[components.ParticleSource](w),
		zones:      generic.NewMap[components.Zone](w),
		members:    generic.NewMap[components.Member](w),
		attached:   generic.NewMap[components.Attached](w),
		withheld:   generic.NewMap[components.Withheld](w),
	}
	member, withheld := s.members.ID(), ecs.ComponentID[components.Withheld](w)
	with := func(ids []ecs.ID, more ...ecs.ID) []ecs.ID { return append(append([]ecs.ID(nil), ids...), more...) }
	vary := func(ids ...ecs.ID) variants {
		return variants{loose: ids, withheld: with(ids, member, withheld), shown: with(ids, member)}
	}
	s.ids = spawnIDs{
		primitive: vary(s.transforms.ID(), s.primitives.ID(), ecs.ComponentID[components.PendingMesh](w)),
		sound:     vary(s.transforms.ID(), s.sounds.ID(), ecs.ComponentID[components.PendingSound](w)),
		skybox:    vary(s.skyboxes.ID(), ecs.ComponentID[components.PendingSkybox](w)),
		probe:     vary(s.transforms.ID(), s.probes.ID(), ecs.ComponentID[components.PendingProbe](w)),
		lookUp:    vary(s.lookUps.ID(), ecs.ComponentID[components.PendingLookUp](w)),
		decal:     vary(s.transforms.ID(), s.decals.ID(), ecs.ComponentID[components.PendingDecal](w)),
		particles: vary(s.transforms.ID(), s.particles.ID(), ecs.ComponentID[components.PendingParticles](w)),
		zone:      vary(s.transforms.ID(), s.zones.ID(), ecs.ComponentID[components.PendingZone](w)),
		material:  []ecs.ID{s.materials.ID(), ecs.ComponentID[components.PendingMaterial](w)},
		model:     vary(s.transforms.ID(), s.models.ID(), ecs.ComponentID[components.PendingModel](w)),
	}
	s.ids.attached = vary(with(s.ids.primitive.loose, s.attached.ID())...)
	return s
}

// place says where a new entity belongs.
type place struct {
	world    gpu.Mat4
	layer    ecs.Entity // zero: loose
	withheld bool
	// destination is the generation whose reveal waits for it, or 0.
	destination uint32
	root        ecs.Entity // zero: not attached
	local       gpu.Mat4
}

// primitive makes one primitive. mesh and material are stems of checked
// documents; an empty material means the default one.
func (s *Spawner) primitive(mesh, material string, at place) (ecs.Entity, error) {
	h, err := s.store.Name(assets.Key{Stem: mesh, Kind: assets.KindMesh})
	if err != nil {
		return ecs.Entity{}, fmt.Errorf("mesh: %w", err)
	}
	document, owner, row, err := s.useMaterial(material)
	if err != nil {
		s.store.Forget(h)
		return ecs.Entity{}, fmt.Errorf("material: %w", err)
	}
	if at.destination != 0 {
		s.hurry(owner, at.destination)
	}
	ids := s.ids.primitive.of(at)
	if !at.root.IsZero() {
		ids = s.ids.attached.of(at)
	}
	e := s.world.NewEntity(ids...)
	s.transforms.Get(e).World = at.world
	*s.primitives.Get(e) = components.NewPrimitive(h, owner, row)
	s.set.Ledger.Add(e, s.primitives.ID(), s.set.Holds.Name, uint64(h))
	s.set.Ledger.Add(e, s.primitives.ID(), s.set.Holds.Material, uint64(document))
	if !at.root.IsZero() {
		*s.attached.Get(e) = components.Attached{Root: at.root, Local: at.local}
	}
	s.join(e, at)
	return e, nil
}

// hurry marks a material that a destination uses: what it still waits for
// spends the destination's share.
func (s *Spawner) hurry(owner ecs.Entity, generation uint32) {
	m := s.materials.Get(owner)
	m.Destination = generation
	for _, ref := range m.Joined {
		if ref != 0 {
			s.textures.SetClass(ref, work.Destination)
		}
	}
}

func (s *Spawner) join(e ecs.Entity, at place) {
	if !at.layer.IsZero() {
		s.members.Get(e).Layer = at.layer
	}
	s.set.ArmDebt()
}

// PrimitiveCost is what making a primitive takes: two entities where it is the
// first of its material.
func (s *Spawner) PrimitiveCost(material string) work.Cost {
	if s.knows(material) {
		return work.Of(work.EntityOps, 1)
	}
	return work.Of(work.EntityOps, 2)
}

func (s *Spawner) knows(material string) bool {
	var document assets.Handle
	if material != "" {
		h, ok := s.store.Find(assets.Key{Stem: material, Kind: assets.KindMaterial})
		if !ok {
			return false
		}
		document = h
	}
	_, ok := s.set.Materials.Find(document)
	return ok
}

// useMaterial finds or makes the entity of a material document and counts one
// more user.
func (s *Spawner) useMaterial(stem string) (document assets.Handle, owner ecs.Entity, row uint32, err error) {
	known := true
	if stem != "" {
		document, known = s.store.Find(assets.Key{Stem: stem, Kind: assets.KindMaterial})
	}
	if known {
		if e, ok := s.set.Materials.Find(document); ok { // it holds the document's name
			m := s.materials.Get(e)
			m.Users++
			return document, e, m.Row, nil
		}
	}
	if stem != "" {
		if document, err = s.store.Name(assets.Key{Stem: stem, Kind: assets.KindMaterial}); err != nil {
			return 0, ecs.Entity{}, 0, err
		}
	}
	row = s.set.Rows.Alloc()
	e := s.world.NewEntity(s.ids.material...)
	m := s.materials.Get(e)
	*m = components.NewMaterial(document, row)
	m.Users = 1
	if stem != "" {
		s.set.Ledger.Add(e, s.materials.ID(), s.set.Holds.Name, uint64(document))
	}
	s.set.Ledger.Add(e, s.materials.ID(), s.set.Holds.Row, uint64(row))
	s.set.Materials.Set(document, e)
	return document, e, row, nil
}

// Model puts a model into the world; its parts come once it is in memory. The
// error wraps assets.ErrBadStem. Removing the entity removes the parts.
func (s *Spawner) Model(stem string, at gpu.Mat4) (ecs.Entity, error) {
	return s.model(stem, place{world: at})
}

func (s *Spawner) model(stem string, at place) (ecs.Entity, error) {
	key, err := assets.NewKey(stem, assets.KindModel)
	if err != nil {
		return ecs.Entity{}, err
	}
	h, err := s.store.Name(key)
	if err != nil {
		return ecs.Entity{}, err
	}
	e := s.world.NewEntity(s.ids.model.of(at)...)
	s.transforms.Get(e).World = at.world
	*s.models.Get(e) = components.NewModelInstance(h)
	s.set.Ledger.Add(e, s.models.ID(), s.set.Holds.Name, uint64(h))
	s.join(e, at)
	return e, nil
}

// Part makes one part of a model instance, of the same layer.
func (s *Spawner) Part(root ecs.Entity, model *assets.Model, part int) (ecs.Entity, error) {
	p := &model.Parts[part]
	local := model.Nodes[p.Node].World
	world := mul(s.transforms.Get(root).World, local)
	at := place{world: world, root: root, local: local}
	if s.members.Has(root) {
		at.layer, at.withheld = s.members.Get(root).Layer, s.withheld.Has(root)
	}
	return s.primitive(p.Mesh, p.Material, at)
}

// Sound puts a sound source into the world. The error wraps assets.ErrBadStem.
func (s *Spawner) Sound(stem string, at gpu.Mat4, gain, radiusMetres float32, loop bool) (ecs.Entity, error) {
	key, err := assets.NewKey(stem, assets.KindSound)
	if err != nil {
		return ecs.Entity{}, err
	}
	return s.sound(key.Stem, gain, radiusMetres, loop, place{world: at})
}

func (s *Spawner) sound(stem string, gain, radiusMetres float32, loop bool, at place) (ecs.Entity, error) {
	h, err := s.store.Name(assets.Key{Stem: stem, Kind: assets.KindSound})
	if err != nil {
		return ecs.Entity{}, err
	}
	e := s.world.NewEntity(s.ids.sound.of(at)...)
	s.transforms.Get(e).World = at.world
	*s.sounds.Get(e) = components.NewSoundSource(h, gain, radiusMetres, loop)
	s.set.Ledger.Add(e, s.sounds.ID(), s.set.Holds.Name, uint64(h))
	s.join(e, at)
	return e, nil
}
