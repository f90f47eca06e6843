package main

import (
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/stages"
	"sojourn/stages/stagestest"
)

func TestBannersConform(t *testing.T) {
	stagestest.Conform(t, stagestest.Consumer{
		Kinds:     []assets.KindSpec{PaletteKind()},
		Rows:      func() []stages.Row { return []stages.Row{BannersRow()} },
		Put:       putPalette,
		Spawn:     spawnBanner,
		Bound:     func(r *stagestest.Rig, e ecs.Entity) bool { return banner(r, e).Color != [3]uint8{} },
		Failed:    func(r *stagestest.Rig, e ecs.Entity) bool { return banner(r, e).Err != nil },
		Component: ecs.ComponentID[Banner],
		Attach:    addBanner,
	})
}

func TestLampsConform(t *testing.T) {
	stagestest.Conform(t, stagestest.Consumer{
		Kinds: []assets.KindSpec{PaletteKind()},
		Rows:  func() []stages.Row { return []stages.Row{LampsRow(NewRack(256))} },
		Put:   putPalette,
		Spawn: spawnLamp,
		Bound: func(r *stagestest.Rig, e ecs.Entity) bool {
			return NewLamps(r.World, r.Store).Circuit(e) != 0
		},
		Failed: func(r *stagestest.Rig, e ecs.Entity) bool {
			return r.World.Has(e, ecs.ComponentID[FailedLamp](r.World))
		},
		Component: ecs.ComponentID[Lamp],
		Attach:    setLamp,
	})
}

// TestLampsWaitForRoom: a lamp that found the rack full is lit by the next
// circuit that comes free, and owes nothing meanwhile.
func TestLampsWaitForRoom(t *testing.T) {
	rack := NewRack(2)
	r := stagestest.NewRig(t, stagestest.RigOptions{
		Rows: []stages.Row{LampsRow(rack)}, Kinds: []assets.KindSpec{PaletteKind()},
	})
	var lamps []ecs.Entity
	for i := range 3 {
		key, _ := putPalette(r.Source, i)
		lamps = append(lamps, spawnLamp(r, key.Stem))
	}
	r.Settle()
	if rack.Lit() != 2 {
		t.Fatalf("%d circuits lit", rack.Lit())
	}
	hang := NewLamps(r.World, r.Store)
	for i, e := range lamps {
		if hang.Circuit(e) != 0 {
			r.World.RemoveEntity(e)
			lamps = append(lamps[:i], lamps[i+1:]...)
			break
		}
	}
	r.Settle()
	for _, e := range lamps {
		if hang.Circuit(e) == 0 {
			t.Errorf("%v is dark", e)
		}
		r.World.RemoveEntity(e)
	}
	r.Settle()
	r.CheckReleased()
	if rack.Lit() != 0 {
		t.Errorf("%d circuits lit", rack.Lit())
	}
}

func TestLampChangesItsPalette(t *testing.T) {
	rack := NewRack(4)
	r := stagestest.NewRig(t, stagestest.RigOptions{
		Rows: []stages.Row{LampsRow(rack)}, Kinds: []assets.KindSpec{PaletteKind()},
	})
	first, _ := putPalette(r.Source, 1)
	second, _ := putPalette(r.Source, 2)
	e := spawnLamp(r, first.Stem)
	r.Settle()
	for _, stem := range []string{second.Stem, "palettes/none", first.Stem} {
		setLamp(r, e, stem)
		r.Settle()
	}
	c := NewLamps(r.World, r.Store).Circuit(e)
	if rack.Color(c) != [3]uint8{1, 1, 2} || rack.Lit() != 1 || r.Refs(first) != 1 || r.Refs(second) != 0 {
		t.Errorf("circuit %d shows %v, %d lit, %d and %d retains", c, rack.Color(c), rack.Lit(), r.Refs(first), r.Refs(second))
	}
}

func putPalette(s *assetstest.Source, i int) (assets.Key, string) {
	key := assets.Key{Stem: fmt.Sprintf("palettes/p%d", i), Kind: KindPalette}
	entry := key.Stem + ".palette"
	s.SetText(entry, fmt.Sprintf("palette 1\n#%02x0101 first\n#%02x0102 last\n", i+1, i))
	return key, entry
}

func banner(r *stagestest.Rig, e ecs.Entity) Banner {
	m := generic.NewMap[Banner](r.World)
	if !m.Has(e) {
		return Banner{}
	}
	return *m.Get(e)
}

func spawnBanner(r *stagestest.Rig, stem string) ecs.Entity {
	m := generic.NewMap1[Banner](r.World)
	return m.NewWith(&Banner{Stem: stem})
}

func addBanner(r *stagestest.Rig, e ecs.Entity, stem string) {
	m := generic.NewMap1[Banner](r.World)
	m.Assign(e, &Banner{Stem: stem})
}

func spawnLamp(r *stagestest.Rig, stem string) ecs.Entity {
	e := r.World.NewEntity()
	setLamp(r, e, stem)
	return e
}

func setLamp(r *stagestest.Rig, e ecs.Entity, stem string) {
	if err := NewLamps(r.World, r.Store).Set(e, stem); err != nil {
		panic(err)
	}
}
