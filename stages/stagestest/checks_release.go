package stagestest

import (
	"slices"
	"testing"

	"github.com/mlange-42/arche/ecs"
)

// checkShared: two entities on one asset. One goes, the asset stays; both go,
// it goes.
func checkShared(t testing.TB, c Consumer) {
	c.check(t)
	k := newCase(t, &c, caseOptions{})
	key := k.keys[0]
	a, b := c.Spawn(k.Rig, key.Stem), c.Spawn(k.Rig, key.Stem)
	k.Settle()
	k.wantBound([]ecs.Entity{a, b})
	decodes := k.Decodes()
	k.World.RemoveEntity(a)
	k.Settle()
	k.wantBound([]ecs.Entity{b})
	if k.Refs(key) == 0 {
		t.Errorf("%v is not retained though an entity is bound to it", key)
	}
	if k.Decodes() != decodes {
		t.Errorf("%v was decoded again", key)
	}
	k.World.RemoveEntity(b)
	k.Settle()
	k.CheckReleased()
}

// checkRetires: all that was ever bound goes, entities included.
func checkRetires(t testing.TB, c Consumer) {
	c.check(t)
	for _, o := range []caseOptions{{}, {tiny: true}, {keepAliveFull: true}} {
		k := newCase(t, &c, o)
		before := k.entities()
		for range 2 {
			all := append(k.spawnAll(), k.spawnAll()...)
			k.Settle()
			k.wantBound(all)
			k.remove(all)
			k.Settle()
			k.CheckReleased()
		}
		if n := k.entities(); n != before {
			t.Errorf("%d entities are left of %d", n, before)
		}
	}
}

// checkEntityRemoval: a plain RemoveEntity lets go at once, at every stage of
// an entity's life.
func checkEntityRemoval(t testing.TB, c Consumer) {
	c.check(t)
	for _, at := range lives() {
		k := newCase(t, &c, caseOptions{})
		all := at.bring(k)
		k.remove(all)
		k.wantUnheld(at.name, all)
		k.LetAllGo()
		k.Settle()
		k.CheckReleased()
	}
}

// checkComponentRemoval: so does taking the component away.
func checkComponentRemoval(t testing.TB, c Consumer) {
	c.check(t)
	for _, at := range lives() {
		k := newCase(t, &c, caseOptions{})
		all := at.bring(k)
		id := c.Component(k.World)
		for _, e := range all {
			k.World.Remove(e, id)
		}
		k.wantUnheld(at.name, all)
		k.LetAllGo()
		k.Settle()
		k.CheckReleased()
		k.remove(all)
		k.Settle()
		k.CheckReleased()
	}
}

// life is a stage of an entity's life in which it is made to go.
type life struct {
	name  string
	bring func(k *testCase) []ecs.Entity
}

func lives() []life {
	return []life{
		{"new", func(k *testCase) []ecs.Entity { return k.spawnAll() }},
		{"waiting for a decode", func(k *testCase) []ecs.Entity {
			for _, entry := range k.entries {
				k.Hold(entry)
			}
			all := k.spawnAll()
			k.Frame()
			k.Frame()
			return all
		}},
		{"half bound", func(k *testCase) []ecs.Entity {
			if err := k.Meter.SetBudget(tiny()); err != nil {
				k.t.Fatal(err)
			}
			all := k.spawnAll()
			for range assetsMax {
				k.Await()
				k.Frame()
			}
			return all
		}},
		{"bound", func(k *testCase) []ecs.Entity {
			all := k.spawnAll()
			k.Settle()
			k.wantBound(all)
			return all
		}},
	}
}

// wantUnheld fails the test where the ledger still records a retain of these
// entities right after they let go. What they shared with others, copies on the
// device and voices may take some frames.
func (k *testCase) wantUnheld(when string, all []ecs.Entity) {
	k.t.Helper()
	for _, key := range k.keys {
		h, ok := k.Store.Find(key)
		if !ok {
			continue
		}
		k.Set.Ledger.EachHolder(k.Set.Holds.Retain, uint64(h), func(e ecs.Entity) {
			if slices.Contains(all, e) {
				k.t.Errorf("%s: %v keeps its retain of %v", when, e, key)
			}
		})
	}
}

// checkReattach: a component that is taken away and given back binds afresh,
// also before the row had a look in between.
func checkReattach(t testing.TB, c Consumer) {
	c.check(t)
	if c.Attach == nil {
		return
	}
	for _, lookBetween := range []bool{false, true} {
		k := newCase(t, &c, caseOptions{})
		all := k.spawnAll()
		k.Settle()
		id := c.Component(k.World)
		for i, e := range all {
			k.World.Remove(e, id)
			if lookBetween {
				k.Frame()
			}
			c.Attach(k.Rig, e, k.keys[(i+1)%len(k.keys)].Stem)
		}
		k.Settle()
		k.wantBound(all)
		k.remove(all)
		k.Settle()
		k.CheckReleased()
	}
}

// checkClose: a world that ends with everything in it, or half way to it,
// leaves nothing. Closing the rig looks.
func checkClose(t testing.TB, c Consumer) {
	c.check(t)
	for _, at := range lives() {
		k := newCase(t, &c, caseOptions{})
		at.bring(k)
		k.Close()
	}
}

// entities is how many live in the world.
func (k *testCase) entities() int { return k.World.Stats().Entities.Used }
