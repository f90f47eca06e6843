package resources

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/mlange-42/arche/ecs"
)

func TestLedgerReleasesOnceNewestFirst(t *testing.T) {
	b := newBench()
	e := b.world.NewEntity()
	b.ledger.Add(e, b.one, b.a, 1)
	b.ledger.Add(e, b.one, b.b, 2)
	b.ledger.Add(e, b.two, b.a, 3)
	b.ledger.Add(e, b.two, b.a, 1) // the same value, by another consumer
	if b.ledger.Live() != 4 || b.ledger.LiveIn(b.a) != 3 || b.ledger.LiveIn(b.b) != 1 {
		t.Fatalf("%d live, %d and %d by class", b.ledger.Live(), b.ledger.LiveIn(b.a), b.ledger.LiveIn(b.b))
	}
	if !b.ledger.Drop(e, b.two, b.a, 1) || b.ledger.Drop(e, b.two, b.a, 1) || !b.ledger.Holds(e, b.a, 1) {
		t.Error("a drop is for one consumer's hold, once")
	}
	if got := b.take(); !slices.Equal(got, []release{{e, "a", 1}}) {
		t.Errorf("%v", got)
	}
	if n := b.ledger.ReleaseComponent(e, b.one); n != 2 {
		t.Errorf("%d released with the component", n)
	}
	if got := b.take(); !slices.Equal(got, []release{{e, "b", 2}, {e, "a", 1}}) {
		t.Errorf("%v, want newest first", got)
	}
	if n := b.ledger.ReleaseComponent(e, b.one); n != 0 {
		t.Errorf("%d released again", n)
	}
	if n := b.ledger.ReleaseEntity(e); n != 1 || b.ledger.Live() != 0 {
		t.Errorf("%d released with the entity, %d live", n, b.ledger.Live())
	}
	if n := b.ledger.ReleaseEntity(e) + b.ledger.ReleaseAll(); n != 0 {
		t.Errorf("%d released again", n)
	}
}

func TestLedgerStrangers(t *testing.T) {
	b := newBench()
	e := b.world.NewEntity()
	if b.ledger.Drop(e, b.one, b.a, 1) || b.ledger.Holds(e, b.a, 1) || b.ledger.ReleaseEntity(e) != 0 ||
		b.ledger.ReleaseComponent(e, b.one) != 0 {
		t.Error("an unknown entity holds something")
	}
	b.ledger.EachHold(e, func(HoldClass, ecs.ID, uint64) { t.Error("a hold of a stranger") })
	b.ledger.Add(e, b.one, b.a, 1)
	if b.ledger.Drop(e, b.one, b.a, 2) || b.ledger.Drop(e, b.one, b.b, 1) || b.ledger.Drop(e, b.two, b.a, 1) {
		t.Error("a drop must match in everything")
	}
}

// TestLedgerReusedIDs: holds of a dead entity never pass to the next owner of
// its id.
func TestLedgerReusedIDs(t *testing.T) {
	b := newBench()
	old := b.world.NewEntity()
	b.ledger.Add(old, b.one, b.a, 1)
	b.world.RemoveEntity(old) // without a word to the ledger
	next := b.world.NewEntity()
	if next.ID() != old.ID() {
		t.Skip("the world did not reuse the id")
	}
	if b.ledger.Holds(next, b.a, 1) || b.ledger.ReleaseEntity(next) != 0 {
		t.Fatal("the successor has its predecessor's hold")
	}
	b.ledger.Add(next, b.one, b.a, 2)
	if got := b.take(); !slices.Equal(got, []release{{old, "a", 1}}) || b.ledger.Unseen() != 1 {
		t.Errorf("%v, %d unseen", got, b.ledger.Unseen())
	}
	if b.ledger.ReleaseEntity(old) != 0 || !b.ledger.Holds(next, b.a, 2) {
		t.Error("the stale entity reaches its successor's hold")
	}
}

func TestLedgerEachHoldAndHolder(t *testing.T) {
	b := newBench()
	x, y := b.world.NewEntity(), b.world.NewEntity()
	b.ledger.Add(x, b.one, b.a, 7)
	b.ledger.Add(x, b.one, b.a, 7)
	b.ledger.Add(y, b.two, b.a, 7)
	b.ledger.Add(y, b.two, b.b, 7)
	var holders []ecs.Entity
	b.ledger.EachHolder(b.a, 7, func(e ecs.Entity) { holders = append(holders, e) })
	if !slices.Equal(holders, []ecs.Entity{x, x, y}) {
		t.Errorf("holders %v", holders)
	}
	var text []string
	b.ledger.EachHold(y, func(c HoldClass, consumer ecs.ID, v uint64) {
		text = append(text, fmt.Sprintf("%s %t %d", b.ledger.ClassName(c), consumer == b.two, v))
	})
	if got := strings.Join(text, "; "); got != "b true 7; a true 7" {
		t.Errorf("holds %q", got)
	}
}

// TestLedgerReleaseMayLookBack: a release that asks the ledger finds the hold
// gone, and one that releases more releases it once.
func TestLedgerReleaseMayLookBack(t *testing.T) {
	w := ecs.NewWorld()
	id := ecs.ComponentID[first](&w)
	l := NewLedger(1)
	var class HoldClass
	calls := 0
	class = l.AddClass("nosy", func(e ecs.Entity, v uint64) {
		calls++
		if l.Holds(e, class, v) {
			t.Error("the hold is still there while it is released")
		}
	})
	e := w.NewEntity()
	l.Add(e, id, class, 1)
	l.Add(e, id, class, 2)
	l.ReleaseEntity(e)
	if calls != 2 {
		t.Errorf("%d releases of 2", calls)
	}
}

func TestLedgerClassesAreBounded(t *testing.T) {
	l := NewLedger(0)
	for range HoldClassesMax {
		l.AddClass("x", func(ecs.Entity, uint64) {})
	}
	defer func() {
		if recover() == nil {
			t.Error("one class too many is taken")
		}
	}()
	l.AddClass("x", func(ecs.Entity, uint64) {})
}

// TestLedgerModel compares a ledger with a plain map under random commands.
func TestLedgerModel(t *testing.T) {
	for seed := range int64(20) {
		rng := rand.New(rand.NewSource(seed))
		b := newBench()
		model := map[ecs.Entity]map[release]int{}
		var alive []ecs.Entity
		drop := func(e ecs.Entity, n int) {
			total := 0
			for _, k := range model[e] {
				total += k
			}
			if n != total || len(b.take()) != total {
				t.Fatalf("seed %d: released %d of %d", seed, n, total)
			}
			delete(model, e)
		}
		for range 600 {
			switch k := rng.Intn(6); {
			case k == 0 || len(alive) == 0:
				alive = append(alive, b.world.NewEntity())
			case k == 1:
				i := rng.Intn(len(alive))
				e := alive[i]
				drop(e, b.ledger.ReleaseEntity(e))
				b.world.RemoveEntity(e)
				alive = slices.Delete(alive, i, i+1)
			case k == 2:
				e := alive[rng.Intn(len(alive))]
				r := release{e, "a", uint64(rng.Intn(3))}
				had := model[e][r] > 0
				if b.ledger.Drop(e, b.one, b.a, r.value) != had || len(b.take()) != map[bool]int{true: 1}[had] {
					t.Fatalf("seed %d: drop", seed)
				}
				if had {
					model[e][r]--
				}
			default:
				e := alive[rng.Intn(len(alive))]
				r := release{e, "a", uint64(rng.Intn(3))}
				if model[e] == nil {
					model[e] = map[release]int{}
				}
				model[e][r]++
				b.ledger.Add(e, b.one, b.a, r.value)
			}
			want := 0
			for e, holds := range model {
				for r, n := range holds {
					want += n
					if b.ledger.Holds(e, b.a, r.value) != (n > 0) {
						t.Fatalf("seed %d: holds", seed)
					}
				}
			}
			if b.ledger.Live() != want || b.ledger.Unseen() != 0 {
				t.Fatalf("seed %d: %d live, want %d", seed, b.ledger.Live(), want)
			}
		}
	}
}

func TestLedgerSteadyAddAndDropAllocateNothing(t *testing.T) {
	w := ecs.NewWorld(64)
	id := ecs.ComponentID[first](&w)
	l := NewLedger(8)
	class := l.AddClass("a", func(ecs.Entity, uint64) {})
	entities := make([]ecs.Entity, 8)
	for i := range entities {
		entities[i] = w.NewEntity()
	}
	round := func() {
		for i, e := range entities {
			l.Add(e, id, class, uint64(i))
			l.Add(e, id, class, uint64(i+1))
			l.Drop(e, id, class, uint64(i))
		}
		for _, e := range entities {
			l.ReleaseComponent(e, id)
		}
		l.Sweep(&w, 8)
	}
	round()
	if n := testing.AllocsPerRun(100, round); n != 0 {
		t.Errorf("%v allocations in a steady round", n)
	}
}

func TestSweepFindsWhatDiedUnseen(t *testing.T) {
	b := newBench()
	var entities []ecs.Entity
	for i := range 10 {
		e := b.world.NewEntity()
		b.ledger.Add(e, b.one, b.a, uint64(i))
		entities = append(entities, e)
	}
	if n := b.ledger.Sweep(&b.world, 100); n != 0 {
		t.Errorf("%d of the living swept", n)
	}
	b.world.RemoveEntity(entities[3])
	b.world.RemoveEntity(entities[8])
	found := 0
	for range 8 { // a few a call, round and round
		found += b.ledger.Sweep(&b.world, 3)
	}
	if found != 2 || b.ledger.Unseen() != 2 || b.ledger.Live() != 8 {
		t.Errorf("%d found, %d unseen, %d live", found, b.ledger.Unseen(), b.ledger.Live())
	}
}

// TestSweepAfterReset: World.Reset tells nobody and starts ids anew, so that
// what is on record lies past the world's end or names strangers.
func TestSweepAfterReset(t *testing.T) {
	for _, repopulate := range []bool{false, true} {
		o := newEngine(t)
		w := ecs.NewWorld(16)
		set := Install(&w, o.Options)
		id := ecs.ComponentID[first](&w)
		set.Watch(id)
		l := set.NewListener()
		w.SetListener(l)
		released := 0
		class := set.Ledger.AddClass("x", func(ecs.Entity, uint64) { released++ })
		for range 5 {
			e := w.NewEntity(id)
			set.Ledger.Add(e, id, class, 1)
			set.Ledger.Add(e, id, class, 2)
		}
		if set.Lost() || set.Ledger.Sweep(&w, 100) != 0 {
			t.Fatal("a world in order has lost its set")
		}
		w.Reset()
		if repopulate {
			for range 3 {
				w.NewEntity(id)
			}
		}
		if !set.Lost() || Of(&w) != nil {
			t.Error("a reset world still has its set")
		}
		if n := set.Ledger.Sweep(&w, 1); n != 5 || set.Ledger.Unseen() != 5 || released != 10 || set.Ledger.Live() != 0 {
			t.Errorf("repopulate %v: swept %d, %d unseen, %d released, %d live", repopulate, n, set.Ledger.Unseen(), released, set.Ledger.Live())
		}
	}
}
