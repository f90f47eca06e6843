package sojourn_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/sojourntest"
)

func TestInvariant01_NothingIsLeft(t *testing.T) {
	r := sojourntest.Open(t, shared(), sojourntest.Options{})
	w := r.World("w")
	load(t, w, scene.Request{Stem: "full", Policy: gated})
	load(t, w, scene.Request{Stem: "a", Policy: gated})
	loose := []ecs.Entity{spawn(t, w, "cs"), spawn(t, w, "red"), spawn(t, w, "none")}
	sound, err := sojourn.SpawnSound(w, "hum", sojourn.At(0, 0, 0), 1, 10)
	if err != nil {
		t.Fatal(err)
	}
	sky, err := sojourn.SpawnSkybox(w, "cloth")
	if err != nil {
		t.Fatal(err)
	}
	r.Settle()
	pinned, _ := r.Session.Store().Find(assets.Key{Stem: "cloth", Kind: assets.KindTexture})
	if !r.Session.Store().Pin(pinned) {
		t.Fatal("no pin")
	}
	if n := w.Set().Ledger.Live(); n == 0 || r.Device.Stats().DrawnItems == 0 {
		t.Fatalf("%d holds", n)
	}
	w.UnloadAll()
	for _, e := range append(loose, sound, sky) {
		w.ECS().RemoveEntity(e)
	}
	r.Settle()
	var snap assets.Snapshot
	r.Session.Store().Snapshot(&snap)
	for _, row := range snap.Rows {
		if row.Refs != 0 || (row.Pins != 0) != (row.Key.Stem == "cloth") {
			t.Errorf("%v has %d retains and %d pins", row.Key, row.Refs, row.Pins)
		}
	}
	if w.Set().Ledger.Live() != 0 {
		t.Errorf("%d holds in the ledger", w.Set().Ledger.Live())
	}
	r.Session.Store().Unpin(pinned)
	r.CheckEmpty()
}

func TestInvariant02_TwoEntitiesOneMesh(t *testing.T) {
	r := sojourntest.Open(t, shared(), sojourntest.Options{})
	w := r.World("w")
	a, b := spawn(t, w, "ca"), spawn(t, w, "ca")
	r.Settle()
	if n := refs(r, "ca#mesh", assets.KindMesh); n != 2 || r.Device.Stats().Geometries != 1 {
		t.Fatalf("%d retains, %d geometries", n, r.Device.Stats().Geometries)
	}
	w.ECS().RemoveEntity(a)
	r.Settle()
	if n := refs(r, "ca#mesh", assets.KindMesh); n != 1 || r.Device.Stats().DrawnItems != 1 {
		t.Errorf("%d retains, %d items with one left", n, r.Device.Stats().DrawnItems)
	}
	w.ECS().RemoveEntity(b)
	r.Settle()
	if resident(r, "ca#mesh", assets.KindMesh) || r.Device.Stats().Geometries != 0 {
		t.Error("the mesh outlives its users")
	}
}

func TestInvariant03_MaterialsShareATexture(t *testing.T) {
	r := sojourntest.Open(t, shared(), sojourntest.Options{})
	w := r.World("w")
	red, blue, crate := spawn(t, w, "red"), spawn(t, w, "blue"), spawn(t, w, "ca")
	r.Settle()
	if n := refs(r, "cloth", assets.KindTexture); n != 2 {
		t.Fatalf("%d retains by two materials", n)
	}
	for _, e := range []ecs.Entity{red, crate} {
		w.ECS().RemoveEntity(e)
	}
	r.Settle()
	if !resident(r, "cloth", assets.KindTexture) || resident(r, "ca#texture", assets.KindTexture) || resident(r, "red", assets.KindMaterial) {
		t.Error("the first release must free what only that material held")
	}
	w.ECS().RemoveEntity(blue)
	r.Settle()
	if resident(r, "cloth", assets.KindTexture) {
		t.Error("the second release must free the shared texture")
	}
	r.CheckEmpty()
}

func TestInvariant04_AdditiveLayersShareATexture(t *testing.T) {
	r := sojourntest.Open(t, shared(), sojourntest.Options{})
	w := r.World("w")
	a, b := load(t, w, scene.Request{Stem: "a", Policy: gated}), load(t, w, scene.Request{Stem: "b", Policy: gated})
	r.Settle()
	before := decodes(r)
	unload(t, w, a)
	r.Settle()
	if !resident(r, "cs#texture", assets.KindTexture) || resident(r, "ca#texture", assets.KindTexture) {
		t.Error("unloading the first")
	}
	unload(t, w, b)
	r.Settle()
	if resident(r, "cs#texture", assets.KindTexture) || decodes(r) != before {
		t.Error("unloading the second")
	}
	r.CheckEmpty()
}

// TestInvariant05_ReplaceKeepsSharedAssets: with nothing kept alive and next to
// no budget, what both scenes use is never freed and decoded again.
func TestInvariant05_ReplaceKeepsSharedAssets(t *testing.T) {
	for _, p := range []components.PresentPolicy{
		components.PresentImmediate, components.PresentGated, components.PresentManual, components.PresentDeadline,
	} {
		for _, ops := range []int64{1, 3, 100} {
			t.Run(fmt.Sprintf("policy %d, %d operations", p, ops), func(t *testing.T) {
				c := shared()
				// Many shared things, in an order in which one goes when the
				// other comes.
				var models []string
				for i := range 6 {
					stem := fmt.Sprintf("m%d", i)
					c.Crate(stem)
					models = append([]string{stem}, models...)
				}
				c.Scene("old", append(models, "ca")...)
				c.Scene("new", append([]string{"cb"}, models...)...)
				r := sojourntest.Open(t, c, sojourntest.Options{})
				w := r.World("w")
				old := load(t, w, scene.Request{Stem: "old", Policy: gated})
				r.Settle()
				if err := r.Session.Meter().SetBudget(smallBudget(ops)); err != nil {
					t.Fatal(err)
				}
				before := decodes(r)
				if p == components.PresentDeadline {
					r.Device.Stall(-1) // the new crate never comes in time
				}
				e := load(t, w, scene.Request{Stem: "new", Policy: p, Replace: true, Deadline: time.Second})
				if err := w.Show(e); err != nil {
					t.Fatal(err)
				}
				for frames := 0; ; frames++ {
					r.Frames(1)
					if frames == 2000 {
						t.Fatal("the replacement does not come")
					}
					l, _ := w.Layer(e)
					if _, there := w.Layer(old); !there && l.State == components.LayerPresented {
						break
					}
					for i := range 6 {
						if !resident(r, fmt.Sprintf("m%d#texture", i), assets.KindTexture) || !resident(r, fmt.Sprintf("m%d#mesh", i), assets.KindMesh) {
							t.Fatalf("m%d is not resident during the replacement", i)
						}
					}
				}
				r.Device.Stall(0)
				r.Settle()
				// The scene, and the crate that only the new one has: model,
				// mesh, material, texture. Models and documents are only
				// needed while a scene spawns.
				var snap assets.Snapshot
				r.Session.Store().Snapshot(&snap)
				if extra := decodes(r) - before; extra != 1+4+6 {
					t.Errorf("%d decodes, want the scene, 4 of the new crate and the 6 shared models", extra)
				}
				if n := r.Device.Stats().DrawnItems; n != 7 {
					t.Errorf("%d items", n)
				}
			})
		}
	}
}

func TestInvariant06_PendingPrimitiveHoldsNoRetain(t *testing.T) {
	c := shared()
	r := sojourntest.Open(t, c, sojourntest.Options{})
	w := r.World("w")
	// The model is there, its mesh is not.
	model, err := r.Session.Store().Retain(context.Background(), assets.Key{Stem: "ca", Kind: assets.KindModel})
	if err != nil {
		t.Fatal(err)
	}
	c.Hold("ca#mesh.mesh")
	e := spawn(t, w, "ca")
	for c.Held("ca#mesh.mesh") == 0 || entities[components.PendingMesh](w) == 0 {
		r.Frame()
	}
	for range 5 {
		r.Frame()
	}
	h, ok := r.Session.Store().Find(assets.Key{Stem: "ca#mesh", Kind: assets.KindMesh})
	if !ok || r.Session.Store().Refs(h) != 0 {
		t.Errorf("a pending primitive's mesh has %d retains", r.Session.Store().Refs(h))
	}
	w.Holders(h, func(ecs.Entity) { t.Error("the ledger has a retain of a pending primitive") })
	w.ECS().RemoveEntity(e)
	for range 5 {
		r.Frame()
	}
	c.LetGo("ca#mesh.mesh")
	r.Session.Store().Release(model)
	r.Settle()
	r.CheckEmpty()
}

// TestInvariant14_DiagnosticsMoveNothing: counters that only diagnostics read
// wake nobody: an asset of no concern lands, and no stage commits or frame
// changes.
func TestInvariant14_WhatLandsForOthersChangesNothing(t *testing.T) {
	r := sojourntest.Open(t, shared(), sojourntest.Options{})
	w := r.World("w")
	spawn(t, w, "ca")
	r.Settle()
	before, hash := w.Set().Ledger.Live(), r.Device.DrawHash()
	b := r.Session.Store().NewBatch(assets.BatchOptions{Owner: "stranger", Closure: true})
	for _, stem := range []string{"a", "b", "full"} {
		h, err := r.Session.Store().Name(assets.Key{Stem: stem, Kind: assets.KindScene})
		if err != nil {
			t.Fatal(err)
		}
		b.Add(h)
		r.Session.Store().Forget(h)
	}
	b.Submit()
	for !b.Done() {
		r.Frames(1)
		if n := w.Pass().Last().Committed; n != 0 {
			t.Errorf("%d commits for a stranger's assets", n)
		}
	}
	r.Settle()
	if w.Set().Ledger.Live() != before || r.Device.DrawHash() != hash {
		t.Error("a stranger's assets changed the world")
	}
	b.Cancel()
}

func TestInvariant27_NothingPendsAfterARoute(t *testing.T) {
	c := shared()
	r := sojourntest.Open(t, c, sojourntest.Options{})
	w := r.World("w")
	for i := range 12 {
		for j, stem := range []string{"a", "b", "full"} {
			load(t, w, scene.Request{Stem: stem, Policy: components.PresentPolicy((i + j) % 3), Replace: i%2 == 0})
		}
		for range i % 5 {
			r.Frame()
		}
		w.UnloadAll()
	}
	r.Settle()
	st, res := r.Session.Store().Stats(), r.Session.Residency()
	p, retiring := w.Pending()
	if p+retiring+st.OpenTickets+st.QueueLen+st.Running+res.UploadsPending+res.FreesPending != 0 || st.InFlightBytes+st.UnadoptedBytes != 0 {
		t.Errorf("%d publications, %d retirements, %+v", p, retiring, res)
	}
	for range 4 {
		r.Frame()
	}
	if r.Session.Residency().Voices != 0 {
		t.Error("voices")
	}
	r.CheckEmpty()
}

func TestInvariant34_WorldsShareTheStoreAndNothingElse(t *testing.T) {
	r := sojourntest.Open(t, shared(), sojourntest.Options{})
	a, b := r.World("a"), r.World("b")
	for _, w := range []*sojourn.World{a, b} {
		load(t, w, scene.Request{Stem: "full", Policy: gated})
		spawn(t, w, "cs")
	}
	r.Settle()
	if d := r.Session.Store().Stats().Decodes; d != uint64(r.Session.Store().Stats().Resident)+4 {
		// The scene and the models it names were decoded once and let go again.
		t.Errorf("%d decodes, %d resident", d, r.Session.Store().Stats().Resident)
	}
	before := holds(b)
	text := fmt.Sprint(b.Counts(), b.Set().Rosters.Live(), b.Set().Materials.Len(), entities[components.Primitive](b))
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	r.Settle()
	if got := fmt.Sprint(b.Counts(), b.Set().Rosters.Live(), b.Set().Materials.Len(), entities[components.Primitive](b)); got != text {
		t.Errorf("the other world had %s, has %s", text, got)
	}
	for class, n := range holds(b) {
		if before[class] != n {
			t.Errorf("the other world's %s holds went from %d to %d", class, before[class], n)
		}
	}
	if n := refs(r, "ca#mesh", assets.KindMesh); n != 1 || r.Device.Stats().DrawnItems != 4 {
		t.Errorf("%d retains, %d items", n, r.Device.Stats().DrawnItems)
	}
	r.Frames(4)
	if r.Session.Mixer().Voices() != 1 {
		t.Errorf("%d voices", r.Session.Mixer().Voices())
	}
}

func holds(w *sojourn.World) map[string]int {
	m := map[string]int{}
	h := &w.Set().Holds
	for class := range h.Roster + 1 {
		m[w.Set().Ledger.ClassName(class)] = w.Set().Ledger.LiveIn(class)
	}
	return m
}

func TestInvariant35_LoadingAgainAndAgainLeavesNothing(t *testing.T) {
	for _, keepAliveMB := range []int{0, 64} {
		r := sojourntest.Open(t, shared(), sojourntest.Options{KeepAliveMB: keepAliveMB})
		w := r.World("w")
		var first string
		var memory uint64
		for round := range 20 {
			e := load(t, w, scene.Request{Stem: "full", Policy: gated})
			loose := spawn(t, w, "cs")
			r.Settle()
			unload(t, w, e)
			w.ECS().RemoveEntity(loose)
			r.Settle()
			for range 4 {
				r.Frame()
			}
			st := r.Session.Store().Stats()
			now := fmt.Sprintf("%d entities, %d of %d holds, %d rosters, %d materials, %d rows, %d resident, %d cold bytes, %d keys, %d device bytes",
				w.ECS().Stats().Entities.Used, w.Set().Ledger.Live(), st.Retains-st.Releases, w.Set().Rosters.Live(), w.Set().Materials.Len(),
				w.Set().Rows.Live(), st.Resident, st.ColdBytes, st.Entries, r.Device.Stats().TextureBytes+r.Device.Stats().GeometryBytes)
			if round == 0 {
				first, memory = now, uint64(w.ECS().Stats().Memory)
			} else if now != first || uint64(w.ECS().Stats().Memory) != memory {
				t.Fatalf("round %d: %s, %d bytes of world\nfirst:   %s, %d", round, now, w.ECS().Stats().Memory, first, memory)
			}
		}
		r.CheckEmpty()
	}
}
