package systems

import (
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/assets/docfile"
	"sojourn/assets/ktx2"
	"sojourn/assets/meshfile"
	"sojourn/assets/soundfile"
	"sojourn/audio"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/gpu"
	"sojourn/stages"
	"sojourn/stages/stagestest"
)

func TestBuiltinRowsCarryTheirNames(t *testing.T) {
	rows := Builtin()
	if len(builtinNames) != len(rows) {
		t.Fatalf("%d names for %d rows", len(builtinNames), len(rows))
	}
	for id, want := range map[BuiltinID]string{
		StageCells: "cells", StageLayers: "layers", StageModels: "models", StageMaterials: "materials",
		StagePrimitives: "primitives", StageSkybox: "skybox",
		StageDecals: "decals", StageParticles: "particles", StageZones: "zones", StageSounds: "sounds", StageRetirement: "retirement",
	} {
		if rows[id].Name != want || builtinNames[id] != want {
			t.Errorf("stage %d is %q, named %q, want %q", id, rows[id].Name, builtinNames[id], want)
		}
	}
	if _, err := stages.NewTable(rows[:]...); err != nil {
		t.Error(err)
	}
}

func TestConform_Primitives(t *testing.T) {
	stagestest.Conform(t, stagestest.Consumer{
		Rows: func() []stages.Row { return []stages.Row{PrimitivesRow(), MaterialsRow()} },
		Put: func(s *assetstest.Source, i int) (assets.Key, string) {
			return putMesh(s, fmt.Sprintf("rocks/r%d", i), i)
		},
		Spawn: func(r *stagestest.Rig, stem string) ecs.Entity { return spawnPart(r, stem, "") },
		Bound: func(r *stagestest.Rig, e ecs.Entity) bool {
			return at[components.Primitive](r, e).Geometry != 0 && !has[components.PendingMesh](r, e)
		},
		Failed:    has[components.FailedMesh],
		Component: ecs.ComponentID[components.Primitive],
	})
}

func TestConform_Materials(t *testing.T) {
	stagestest.Conform(t, stagestest.Consumer{
		Rows: func() []stages.Row { return []stages.Row{MaterialsRow(), PrimitivesRow()} },
		Put: func(s *assetstest.Source, i int) (assets.Key, string) {
			putMesh(s, "quad", 0)
			m := docfile.DefaultMaterial()
			for slot, name := range map[assets.MapSlot]string{assets.MapBaseColor: "base", assets.MapClearcoat: "coat"} {
				key, _ := putTexture(s, fmt.Sprintf("paint/p%d_%s", i, name), i)
				m.Maps[slot] = key.Stem
			}
			key := assets.Key{Stem: fmt.Sprintf("paint/p%d", i), Kind: assets.KindMaterial}
			return key, put(s, key.Stem+".material", must(docfile.EncodeMaterial(&m)))
		},
		Spawn: func(r *stagestest.Rig, stem string) ecs.Entity { return spawnPart(r, "quad", stem) },
		Bound: func(r *stagestest.Rig, e ecs.Entity) bool {
			owner := at[components.Primitive](r, e).Material()
			m := at[components.Material](r, owner)
			return !has[components.PendingMaterial](r, owner) && !has[components.PendingMaps](r, owner) &&
				m.Joined[assets.MapBaseColor] != 0 && m.Joined[assets.MapClearcoat] != 0
		},
		Failed: func(r *stagestest.Rig, e ecs.Entity) bool {
			return at[components.Material](r, at[components.Primitive](r, e).Material()).Failed
		},
		Component: ecs.ComponentID[components.Primitive],
	})
}

func TestConform_Models(t *testing.T) {
	const parts = 3
	stagestest.Conform(t, stagestest.Consumer{
		Rows: func() []stages.Row {
			return []stages.Row{ModelsRow(), MaterialsRow(), PrimitivesRow(), scene.RetireRow()}
		},
		Put: func(s *assetstest.Source, i int) (assets.Key, string) {
			shared, _ := putMesh(s, "wheel", 0)
			own, _ := putMesh(s, fmt.Sprintf("cars/c%d#body", i), i)
			m := assets.Model{Nodes: []assets.ModelNode{{Name: "root", Parent: -1, Local: assets.IdentityTransform(), World: identity()}}}
			for p := range parts {
				mesh := shared.Stem
				if p == 0 {
					mesh = own.Stem
				}
				m.Parts = append(m.Parts, assets.ModelPart{Mesh: mesh})
			}
			key := assets.Key{Stem: fmt.Sprintf("cars/c%d", i), Kind: assets.KindModel}
			return key, put(s, key.Stem+".model", must(docfile.EncodeModel(&m)))
		},
		Spawn: func(r *stagestest.Rig, stem string) ecs.Entity {
			return must(scene.NewSpawner(r.World, r.Services()).Model(stem, identity()))
		},
		Bound: func(r *stagestest.Rig, e ecs.Entity) bool {
			return at[components.ModelInstance](r, e).Part == parts && !has[components.PendingModel](r, e)
		},
		Failed:    has[components.FailedModel],
		Component: ecs.ComponentID[components.ModelInstance],
	})
}

func TestConform_Skybox(t *testing.T) {
	stagestest.Conform(t, stagestest.Consumer{
		Rows: func() []stages.Row { return []stages.Row{SkyboxRow()} },
		Put: func(s *assetstest.Source, i int) (assets.Key, string) {
			return putTexture(s, fmt.Sprintf("skies/s%d", i), i)
		},
		Spawn: func(r *stagestest.Rig, stem string) ecs.Entity {
			return must(scene.NewSpawner(r.World, r.Services()).Skybox(stem))
		},
		Bound: func(r *stagestest.Rig, e ecs.Entity) bool { return at[components.Skybox](r, e).Joined != 0 },
		Failed: func(r *stagestest.Rig, e ecs.Entity) bool {
			return at[components.Skybox](r, e).Joined == 0 && !has[components.PendingSkybox](r, e)
		},
		Component: ecs.ComponentID[components.Skybox],
	})
}

func TestConform_Probes(t *testing.T) {
	stagestest.Conform(t, stagestest.Consumer{
		Rows: func() []stages.Row { return []stages.Row{SkyboxRow()} },
		Put: func(s *assetstest.Source, i int) (assets.Key, string) {
			return putTexture(s, fmt.Sprintf("rooms/r%d", i), i)
		},
		Spawn: func(r *stagestest.Rig, stem string) ecs.Entity {
			return must(scene.NewSpawner(r.World, r.Services()).Probe(stem, identity(), 5))
		},
		Bound: func(r *stagestest.Rig, e ecs.Entity) bool { return at[components.Probe](r, e).Joined != 0 },
		Failed: func(r *stagestest.Rig, e ecs.Entity) bool {
			return at[components.Probe](r, e).Joined == 0 && !has[components.PendingProbe](r, e)
		},
		Component: ecs.ComponentID[components.Probe],
	})
}

func TestConform_LookUps(t *testing.T) {
	stagestest.Conform(t, stagestest.Consumer{
		Rows: func() []stages.Row { return []stages.Row{SkyboxRow()} },
		Put: func(s *assetstest.Source, i int) (assets.Key, string) {
			return putTexture(s, fmt.Sprintf("grades/g%d", i), i)
		},
		Spawn: func(r *stagestest.Rig, stem string) ecs.Entity {
			return must(scene.NewSpawner(r.World, r.Services()).LookUp(stem))
		},
		Bound: func(r *stagestest.Rig, e ecs.Entity) bool { return at[components.LookUp](r, e).Joined != 0 },
		Failed: func(r *stagestest.Rig, e ecs.Entity) bool {
			return at[components.LookUp](r, e).Joined == 0 && !has[components.PendingLookUp](r, e)
		},
		Component: ecs.ComponentID[components.LookUp],
	})
}

func TestConform_Sounds(t *testing.T) {
	stagestest.Conform(t, stagestest.Consumer{
		Rows: func() []stages.Row { return []stages.Row{SoundsRow()} },
		Put: func(s *assetstest.Source, i int) (assets.Key, string) {
			key := assets.Key{Stem: fmt.Sprintf("hums/h%d", i), Kind: assets.KindSound}
			return key, put(s, key.Stem+".pcm", must(soundfile.Encode(audio.SampleRate, 1, make([]int16, 4800+i))))
		},
		Spawn: func(r *stagestest.Rig, stem string) ecs.Entity {
			return must(scene.NewSpawner(r.World, r.Services()).Sound(stem, identity(), 1, 50, true))
		},
		Bound: func(r *stagestest.Rig, e ecs.Entity) bool {
			return r.Mixer.Playing(at[components.SoundSource](r, e).Voice)
		},
		Failed: func(r *stagestest.Rig, e ecs.Entity) bool {
			return !has[components.PendingSound](r, e) && !has[components.Muted](r, e) && at[components.SoundSource](r, e).Voice == 0
		},
		Component: ecs.ComponentID[components.SoundSource],
	})
}

// spawnPart makes one primitive, by way of a model of one part.
func spawnPart(r *stagestest.Rig, mesh, material string) ecs.Entity {
	root := r.World.NewEntity(ecs.ComponentID[components.Transform](r.World))
	model := assets.Model{
		Nodes: []assets.ModelNode{{World: identity()}},
		Parts: []assets.ModelPart{{Mesh: mesh, Material: material}},
	}
	e := must(scene.NewSpawner(r.World, r.Services()).Part(root, &model, 0))
	r.World.RemoveEntity(root)
	return e
}

// at is an entity's component, or a zero one where it has none.
func at[T any](r *stagestest.Rig, e ecs.Entity) *T {
	if !has[T](r, e) {
		return new(T)
	}
	m := generic.NewMap[T](r.World)
	return m.Get(e)
}

func has[T any](r *stagestest.Rig, e ecs.Entity) bool {
	return r.World.Alive(e) && r.World.Has(e, ecs.ComponentID[T](r.World))
}

func identity() gpu.Mat4 { return gpu.Mat4{0: 1, 5: 1, 10: 1, 15: 1} }

func put(s *assetstest.Source, entry string, data []byte) string {
	s.Set(entry, data)
	return entry
}

func putMesh(s *assetstest.Source, stem string, i int) (assets.Key, string) {
	v := []assets.Vertex{{}, {Pos: [3]float32{1, 0, 0}}, {Pos: [3]float32{0, float32(i + 1), 0}}}
	return assets.Key{Stem: stem, Kind: assets.KindMesh}, put(s, stem+".mesh", must(meshfile.Encode(v, []uint32{0, 1, 2})))
}

func putTexture(s *assetstest.Source, stem string, i int) (assets.Key, string) {
	levels := &ktx2.Levels{Width: 4, Height: 4, SRGB: true}
	for edge := 4; edge > 0; edge /= 2 {
		pixels := make([]byte, edge*edge*4)
		for p := range pixels {
			pixels[p] = byte(i)
		}
		levels.Pixels = append(levels.Pixels, pixels)
	}
	return assets.Key{Stem: stem, Kind: assets.KindTexture}, put(s, stem+".ktx2", must(ktx2.Encode(levels)))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
