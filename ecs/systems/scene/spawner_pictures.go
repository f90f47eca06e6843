package scene

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/gpu"
)

// Skybox puts a picture behind the world. The error wraps assets.ErrBadStem.
func (s *Spawner) Skybox(texture string) (ecs.Entity, error) {
	return s.skybox(texture, place{})
}

func (s *Spawner) skybox(texture string, at place) (ecs.Entity, error) {
	h, err := s.named(texture, assets.KindTexture)
	if err != nil {
		return ecs.Entity{}, err
	}
	e := s.world.NewEntity(s.ids.skybox.of(at)...)
	*s.skyboxes.Get(e) = components.NewSkybox(h)
	s.own(e, s.skyboxes.ID(), h, at)
	return e, nil
}

// Probe gives the light within a radius around a place the colour of a picture.
// The error wraps assets.ErrBadStem.
func (s *Spawner) Probe(texture string, at gpu.Mat4, radiusMetres float32) (ecs.Entity, error) {
	return s.probe(texture, radiusMetres, place{world: at})
}

func (s *Spawner) probe(texture string, radiusMetres float32, at place) (ecs.Entity, error) {
	h, err := s.named(texture, assets.KindTexture)
	if err != nil {
		return ecs.Entity{}, err
	}
	e := s.world.NewEntity(s.ids.probe.of(at)...)
	s.transforms.Get(e).World = at.world
	*s.probes.Get(e) = components.Probe{Picture: components.NewPicture(h), RadiusMetres: radiusMetres}
	s.own(e, s.probes.ID(), h, at)
	return e, nil
}

// LookUp grades the world's picture by a table. The error wraps
// assets.ErrBadStem.
func (s *Spawner) LookUp(texture string) (ecs.Entity, error) {
	return s.lookUp(texture, place{})
}

func (s *Spawner) lookUp(texture string, at place) (ecs.Entity, error) {
	h, err := s.named(texture, assets.KindTexture)
	if err != nil {
		return ecs.Entity{}, err
	}
	e := s.world.NewEntity(s.ids.lookUp.of(at)...)
	*s.lookUps.Get(e) = components.LookUp{Picture: components.NewPicture(h)}
	s.own(e, s.lookUps.ID(), h, at)
	return e, nil
}

// named is a name on an asset by its stem, checked.
func (s *Spawner) named(stem string, kind assets.Kind) (assets.Handle, error) {
	key, err := assets.NewKey(stem, kind)
	if err != nil {
		return 0, err
	}
	return s.store.Name(key)
}

// own records the name of one of the world's own assets, and that it is waited
// for.
func (s *Spawner) own(e ecs.Entity, consumer ecs.ID, h assets.Handle, at place) {
	s.set.Ledger.Add(e, consumer, s.set.Holds.Name, uint64(h))
	s.set.Want(e, consumer, h)
	s.join(e, at)
}
