package scene

import (
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/gpu"
	"sojourn/resources"
)

// Decal puts a picture into the world, on a square of edge one in X and Y of a
// place. The error wraps assets.ErrBadStem.
func (s *Spawner) Decal(texture string, at gpu.Mat4) (ecs.Entity, error) {
	return s.decal(texture, place{world: at})
}

func (s *Spawner) decal(texture string, at place) (ecs.Entity, error) {
	h, err := s.named(texture, assets.KindTexture)
	if err != nil {
		return ecs.Entity{}, err
	}
	e := s.world.NewEntity(s.ids.decal.of(at)...)
	s.transforms.Get(e).World = at.world
	*s.decals.Get(e) = components.Decal{Picture: components.NewPicture(h)}
	s.own(e, s.decals.ID(), h, at)
	return e, nil
}

// Particles puts a source of particles into the world. The error wraps
// assets.ErrBadStem.
func (s *Spawner) Particles(document string, at gpu.Mat4) (ecs.Entity, error) {
	return s.particleSource(document, place{world: at})
}

func (s *Spawner) particleSource(document string, at place) (ecs.Entity, error) {
	h, err := s.named(document, assets.KindParticle)
	if err != nil {
		return ecs.Entity{}, err
	}
	e := s.world.NewEntity(s.ids.particles.of(at)...)
	s.transforms.Get(e).World = at.world
	*s.particles.Get(e) = components.NewParticleSource(h)
	s.own(e, s.particles.ID(), h, at)
	return e, nil
}

// Zone puts a zone into the world: a box of edge one that a place moves, turns
// and scales. What it names is loaded once a streaming source is in it. The
// error wraps assets.ErrBadStem.
func (s *Spawner) Zone(z *assets.SceneZone, at gpu.Mat4) (ecs.Entity, error) {
	return s.zone(z, place{world: at})
}

func (s *Spawner) zone(z *assets.SceneZone, at place) (ecs.Entity, error) {
	e := s.world.NewEntity(s.ids.zone.of(at)...)
	s.transforms.Get(e).World = at.world
	var sound, lookUp assets.Handle
	err := s.zoneName(e, z.Sound, assets.KindSound, &sound)
	if err == nil {
		err = s.zoneName(e, z.LookUp, assets.KindTexture, &lookUp)
	}
	for i := 0; err == nil && i < len(z.Keep); i++ {
		var kept assets.Handle
		err = s.zoneName(e, z.Keep[i].Stem, z.Keep[i].Kind, &kept)
	}
	if err != nil {
		s.set.Ledger.ReleaseEntity(e)
		s.world.RemoveEntity(e)
		return ecs.Entity{}, err
	}
	zone := components.NewZone(sound, lookUp)
	zone.Gain = z.Gain
	zone.FogColor, zone.FogStartMetres, zone.FogEndMetres = z.FogColor, z.FogStart, z.FogEnd
	zone.HysteresisMetres, zone.GraceTime = z.Hysteresis, time.Duration(float64(z.GraceSeconds)*float64(time.Second))
	*s.zones.Get(e) = zone
	s.join(e, at)
	return e, nil
}

// zoneName names an asset once for a zone; an empty stem is none.
func (s *Spawner) zoneName(e ecs.Entity, stem string, kind assets.Kind, h *assets.Handle) error {
	if stem == "" {
		return nil
	}
	named, err := s.named(stem, kind)
	if err != nil {
		return err
	}
	*h = named
	id, again := s.zones.ID(), false
	s.set.Ledger.EachHold(e, func(class resources.HoldClass, of ecs.ID, v uint64) {
		again = again || class == s.set.Holds.Name && of == id && v == uint64(named)
	})
	if again {
		s.store.Forget(named)
		return nil
	}
	s.set.Ledger.Add(e, id, s.set.Holds.Name, uint64(named))
	return nil
}

// effect makes one effect of a scene document.
func (s *Spawner) effect(d *assets.SceneEffect, at place) (ecs.Entity, error) {
	switch d.Kind {
	case assets.EffectParticles:
		return s.particleSource(d.Asset, at)
	case assets.EffectDecal:
		return s.decal(d.Asset, at)
	case assets.EffectProbe:
		return s.probe(d.Asset, d.Radius, at)
	case assets.EffectLookUp:
		return s.lookUp(d.Asset, at)
	}
	return s.zone(d.Zone, at)
}
