package stagestest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/resources"
	"sojourn/stages/work"
)

// orderSeeds are the runs of checkAnyOrder, orderSteps the length of each.
const (
	orderSeeds      = 6
	orderSeedsShort = 2
	orderSteps      = 150
)

// checkAnyOrder: entities come and go, decodes are held and let go, budgets
// change, in seeded random order. What an entity holds is retained at every
// step; in the end all that live are bound, and all that go leave nothing.
func checkAnyOrder(t testing.TB, c Consumer) {
	c.check(t)
	seeds := uint64(orderSeeds)
	if testing.Short() {
		seeds = orderSeedsShort
	}
	for seed := range seeds {
		o := order{
			testCase: newCase(t, &c, caseOptions{keepAliveFull: seed%2 == 1}),
			rng:      rand.New(rand.NewPCG(seed, 1)), wants: make(map[ecs.Entity]int),
		}
		for step := range orderSteps {
			o.step()
			if !o.consistent() {
				t.Errorf("seed %d, step %d", seed, step)
				return
			}
		}
		o.finish()
		if t.Failed() {
			t.Errorf("seed %d", seed)
			return
		}
	}
}

// wantsMissing and wantsNothing stand for no good asset.
const (
	wantsMissing = -1
	wantsNothing = -2
)

type order struct {
	*testCase
	rng   *rand.Rand
	live  []ecs.Entity
	wants map[ecs.Entity]int // index of the asset
}

func (o *order) step() {
	switch n := o.rng.IntN(20); {
	case n < 5:
		o.spawn()
	case n < 7:
		if e, ok := o.pick(); ok {
			o.World.RemoveEntity(e)
			o.forget(e)
		}
	case n < 9:
		o.detachOrAttach()
	case n < 10:
		o.Hold(o.entries[o.rng.IntN(assetsMax)])
	case n < 11:
		o.LetAllGo()
	case n < 12:
		o.budget()
	case n < 14:
		o.LetAllGo()
		o.Await()
		o.Frame()
	default:
		o.Frame()
	}
}

func (o *order) spawn() {
	i := o.rng.IntN(assetsMax+1) - 1
	e := o.c.Spawn(o.Rig, o.stem(i))
	o.live, o.wants[e] = append(o.live, e), i
}

func (o *order) stem(i int) string {
	if i == wantsMissing {
		return o.missing(0).Stem
	}
	return o.keys[i].Stem
}

func (o *order) pick() (ecs.Entity, bool) {
	if len(o.live) == 0 {
		return ecs.Entity{}, false
	}
	return o.live[o.rng.IntN(len(o.live))], true
}

func (o *order) forget(e ecs.Entity) {
	delete(o.wants, e)
	o.live = slices.DeleteFunc(o.live, func(other ecs.Entity) bool { return other == e })
}

func (o *order) detachOrAttach() {
	e, ok := o.pick()
	if !ok {
		return
	}
	if id := o.c.Component(o.World); o.World.Has(e, id) {
		o.World.Remove(e, id)
		o.wants[e] = wantsNothing
		if o.rng.IntN(2) == 0 {
			return // given back another time, or never
		}
	}
	if o.c.Attach != nil {
		o.wants[e] = o.rng.IntN(assetsMax)
		o.c.Attach(o.Rig, e, o.stem(o.wants[e]))
	}
}

func (o *order) budget() {
	b := work.High()
	if o.rng.IntN(2) == 0 {
		b = tiny()
	}
	if err := o.Meter.SetBudget(b); err != nil {
		o.t.Fatal(err)
	}
}

// consistent tells whether each retain that the ledger records for a live
// entity is there in the store.
func (o *order) consistent() bool {
	held := make(map[assets.Handle]int)
	for _, e := range o.live {
		o.Set.Ledger.EachHold(e, func(class resources.HoldClass, _ ecs.ID, v uint64) {
			if class == o.Set.Holds.Retain {
				held[assets.Handle(v)]++
			}
		})
	}
	ok := true
	for h, n := range held {
		if refs := o.Store.Refs(h); refs < n {
			key, _ := o.Store.KeyOf(h)
			o.t.Errorf("%v has %d retains, %d are in the ledger", key, refs, n)
			ok = false
		}
	}
	return ok
}

// finish lets everything come to rest, then go.
func (o *order) finish() {
	o.LetAllGo()
	if err := o.Meter.SetBudget(work.High()); err != nil {
		o.t.Fatal(err)
	}
	o.Settle()
	for _, e := range o.live {
		bound := o.World.Has(e, o.c.Component(o.World)) && o.c.Bound(o.Rig, e)
		if want := o.wants[e] >= 0; bound != want {
			o.t.Errorf("%v, which wants asset %d: bound is %v", e, o.wants[e], bound)
		}
	}
	o.remove(o.live)
	o.Settle()
	o.CheckReleased()
}
