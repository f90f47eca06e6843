package sojourn_test

import (
	"errors"
	"testing"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/resources"
	"sojourn/sojourntest"
)

// What a game put into a layer goes with it, and is there again after it.
func TestWhatAGamePutsIntoALayerComesBack(t *testing.T) {
	r := sojourntest.Open(t, farContent(), sojourntest.Options{})
	w := r.World("w")
	yard := func() ecs.Entity { return load(t, w, scene.Request{Stem: "cell3", Policy: components.PresentGated}) }
	models := func() (at []float32) {
		id, place := ecs.ComponentID[components.ModelInstance](w.ECS()), ecs.ComponentID[components.Transform](w.ECS())
		q := w.ECS().Query(ecs.All(id, place))
		for q.Next() {
			at = append(at, (*components.Transform)(q.Get(place)).World[12])
		}
		return at
	}
	drawn := func() int { return r.Device.Stats().DrawnItems }
	first := yard()
	if _, err := sojourn.SpawnInto(w, first, "crate9", sojourn.At(1, 0, -4)); !errors.Is(err, scene.ErrNoLayer) {
		t.Errorf("before its entities are there: %v", err)
	}
	r.Settle()
	plain := drawn()
	kept, err := sojourn.SpawnInto(w, first, "crate9", sojourn.At(1, 0, -4))
	if err != nil {
		t.Fatal(err)
	}
	gone, err := sojourn.SpawnInto(w, first, "crate8", sojourn.At(2, 0, -4))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sojourn.SpawnInto(w, first, "../x", sojourn.At(0, 0, 0)); !errors.Is(err, assets.ErrBadStem) {
		t.Errorf("%v", err)
	}
	r.Settle()
	if drawn() != plain+2 {
		t.Errorf("%d items are drawn, want %d", drawn(), plain+2)
	}
	place := ecs.ComponentID[components.Transform](w.ECS())
	(*components.Transform)(w.ECS().Get(kept, place)).World[12] = 7
	w.ECS().RemoveEntity(gone)
	for range 3 {
		if err := w.Unload(first); err != nil {
			t.Fatal(err)
		}
		r.Frame()
		if drawn() != 0 {
			t.Fatalf("%d items are drawn after the layer left", drawn())
		}
		r.Settle()
		if n := w.Set().Dormant.Live(); n != 1 || len(models()) != 0 {
			t.Fatalf("%d records, models at %v", n, models())
		}
		first = yard()
		r.Settle()
		if at := models(); len(at) != 1 || at[0] != 7 || drawn() != plain+1 || w.Set().Dormant.Live() != 0 {
			t.Fatalf("models at %v, %d drawn, %d records", at, drawn(), w.Set().Dormant.Live())
		}
	}
	// A hard edge takes it along like everything of the layer.
	if _, err := w.Travel(sojourn.Destination{Cause: "portal", RadiusMetres: 1}); err != nil {
		t.Fatal(err)
	}
	withheld := ecs.All(place).Without(ecs.ComponentID[components.Withheld](w.ECS()))
	q := w.ECS().Query(&withheld)
	if n := q.Count(); n != 0 {
		t.Errorf("%d entities are in sight after the edge", n)
	}
	q.Close()
	r.Settle()
	if n := w.Set().Dormant.Live(); n != 1 {
		t.Errorf("%d records", n)
	}
	if _, err := sojourn.SpawnInto(w, first, "crate9", sojourn.At(0, 0, 0)); !errors.Is(err, scene.ErrNoLayer) {
		t.Errorf("%v", err)
	}
}

func TestDormantRecordsAreBounded(t *testing.T) {
	d := resources.NewDormant()
	key := func(s string) assets.Key { return assets.Key{Stem: s, Kind: assets.KindScene} }
	for range resources.DormantMax / 2 {
		d.Add(key("old"), resources.DormantSpawn{Model: "a"})
		d.Add(key("new"), resources.DormantSpawn{Model: "b"})
	}
	d.Add(key("newest"), resources.DormantSpawn{Model: "c"})
	if d.Waiting(key("old")) != 0 || d.Waiting(key("new")) != resources.DormantMax/2 || d.Lost() != resources.DormantMax/2 || d.Live() != resources.DormantMax/2+1 {
		t.Errorf("%d old, %d new, %d lost, %d live", d.Waiting(key("old")), d.Waiting(key("new")), d.Lost(), d.Live())
	}
	for d.Waiting(key("new")) > 0 {
		if s, ok := d.Take(key("new")); !ok || s.Model != "b" {
			t.Fatal(s, ok)
		}
	}
	if s, ok := d.Take(key("newest")); !ok || s.Model != "c" || d.Live() != 0 {
		t.Error(s, ok, d.Live())
	}
	if _, ok := d.Take(key("newest")); ok {
		t.Error("one too many")
	}
}
