package sojourn_test

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems"
)

func (m *sim) spawn(w *sojourn.World) {
	stem := fmt.Sprintf("c%d", m.rng.Intn(simCrates+1)) // one that is missing
	if layer, ok := pick(m.rng, m.layers[w]); ok && m.rng.Intn(4) == 0 {
		e, err := sojourn.SpawnInto(w, layer, stem, sojourn.At(0, 0, -3))
		m.note("spawn %s into %v as %v in %s: %v", stem, layer, e, w.Name(), err)
		return
	}
	var e ecs.Entity
	var err error
	switch m.rng.Intn(9) {
	case 0:
		e, err = sojourn.SpawnSound(w, stem, sojourn.At(0, 0, 0), 1, 20)
	case 1:
		e, err = sojourn.SpawnSkybox(w, stem)
	case 2:
		e, err = sojourn.SpawnProbe(w, stem, sojourn.At(0, 0, -3), 20)
	case 3:
		e, err = sojourn.SpawnParticles(w, stem, sojourn.At(0, 0, -3))
	case 4:
		e, err = sojourn.SpawnDecal(w, stem, sojourn.At(0, 0, -3))
	case 5:
		e, err = m.zone(w, stem)
	default:
		e, err = sojourn.Spawn(w, stem, sojourn.At(0, 0, -3))
	}
	if err != nil {
		m.t.Fatal(err)
	}
	m.note("spawn %s as %v in %s", stem, e, w.Name())
	m.loose[w] = append(m.loose[w], e)
}

// zone makes a zone somewhere along the grid, and a source that is in it now
// and again if the world has none.
func (m *sim) zone(w *sojourn.World, stem string) (ecs.Entity, error) {
	at := sojourn.At(0, 0, float32(m.rng.Intn(60)))
	at[0], at[5], at[10] = 20, 20, 20
	return sojourn.SpawnZone(w, assets.SceneZone{
		Sound: stem, Gain: 1, LookUp: stem, Hysteresis: 2, GraceSeconds: m.rng.Float32() * 0.3,
		Keep: []assets.Key{{Stem: stem, Kind: assets.KindModel}, {Stem: "c0", Kind: assets.KindMesh}},
	}, at)
}

// walk moves a world's source, or takes it away.
func (m *sim) walk(w *sojourn.World) {
	sources := systems.NewSources(w.ECS())
	e, ok := m.sources[w]
	if !ok {
		m.sources[w] = sources.Add(components.StreamSource{Forward: 1})
		m.note("a source in %s", w.Name())
		return
	}
	if m.rng.Intn(8) == 0 {
		m.note("no source in %s", w.Name())
		w.ECS().RemoveEntity(e)
		delete(m.sources, w)
		return
	}
	z := float32(m.rng.Intn(60))
	m.note("the source in %s goes to %v", w.Name(), z)
	sources.MoveAt(e, [3]float32{0, 0, z}, 1, [3]float32{})
}

func (m *sim) despawn(w *sojourn.World) {
	list := m.loose[w]
	if len(list) == 0 {
		return
	}
	i := m.rng.Intn(len(list))
	m.note("despawn %v in %s", list[i], w.Name())
	w.ECS().RemoveEntity(list[i])
	m.loose[w] = append(list[:i], list[i+1:]...)
}
