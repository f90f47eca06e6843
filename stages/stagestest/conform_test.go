package stagestest_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"go.uber.org/goleak"

	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/stagestest"
	"sojourn/stages/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const kindNote = assets.NumBuiltinKinds

// note is the component of the rows under test: it names, waits, retains.
type note struct {
	stem          string
	asset         assets.Handle
	bound, failed bool
}

type pendingNote struct{}

// flaw is one thing that a row does wrong.
type flaw struct {
	name      string
	decodes   bool // blocks for its asset
	leaks     bool // keeps a retain that the ledger does not know
	open      bool // leaves a query open where its slice ran out
	greedy    bool // does everything in one unit
	forgets   bool // counts late arrivals as looked at
	owes      bool // owes for ever what is missing
	allocates bool
	deaf      bool // names no kind
	unwatched bool // does not let go with the component
	repeats   bool // begins afresh where its slice ran out
	passive   bool // never asks for cold assets
}

type noteRow struct {
	flaw     flaw
	world    *ecs.World
	store    *assets.Store
	set      *resources.Set
	notes    generic.Map[note]
	marker   generic.Map1[pendingNote]
	id, mark ecs.ID
	filter   ecs.CachedFilter
	scratch  []ecs.Entity
	next     int
	sink     []byte
}

func (f flaw) row() stages.Row {
	row := stages.Row{
		Name: "notes", Kinds: assets.Kinds(kindNote), NeedsWarm: true,
		Open: func(w *ecs.World, s stages.Services) (stages.Runner, error) {
			r := &noteRow{
				flaw: f, world: w, store: s.Store, set: resources.Must(w),
				notes: generic.NewMap[note](w), marker: generic.NewMap1[pendingNote](w),
				id: ecs.ComponentID[note](w), mark: ecs.ComponentID[pendingNote](w),
			}
			filter := ecs.All(r.id, r.mark)
			r.filter = w.Cache().Register(&filter)
			if !f.unwatched {
				r.set.Watch(r.id)
			}
			return r, nil
		},
	}
	if f.deaf {
		row.Kinds = 0
	}
	return row
}

// spawn names the asset and records it, as a row's setter does.
func spawn(r *stagestest.Rig, stem string) ecs.Entity {
	e := r.World.NewEntity()
	attach(r, e, stem)
	return e
}

func attach(r *stagestest.Rig, e ecs.Entity, stem string) {
	h, err := r.Store.Name(assets.Key{Stem: stem, Kind: kindNote})
	if err != nil {
		panic(err)
	}
	id, mark := ecs.ComponentID[note](r.World), ecs.ComponentID[pendingNote](r.World)
	if r.World.Has(e, mark) {
		r.World.Add(e, id)
	} else {
		r.World.Add(e, id, mark)
	}
	*(*note)(r.World.Get(e, id)) = note{stem: stem, asset: h}
	r.Set.Ledger.Add(e, id, r.Set.Holds.Name, uint64(h))
}

func (n *noteRow) Run(s *stages.Slice) stages.Outcome {
	if !n.flaw.forgets || n.next >= len(n.scratch) {
		q := n.world.Query(&n.filter)
		n.scratch, n.next = n.scratch[:0], 0
		for q.Next() {
			n.scratch = append(n.scratch, q.Entity())
		}
	}
	if n.flaw.allocates {
		n.sink = make([]byte, 64)
	}
	if n.flaw.greedy && len(n.scratch) > 0 && !s.Begin(work.Of(work.EntityOps, 1)) {
		return stages.Yielded
	}
	for ; n.next < len(n.scratch); n.next++ {
		if n.one(s, n.scratch[n.next]) {
			continue
		}
		if n.flaw.open {
			q := n.world.Query(&n.filter)
			q.Next()
		}
		return stages.Yielded
	}
	if n.flaw.repeats {
		for _, e := range n.scratch {
			n.marker.Remove(e)
		}
	}
	return stages.Done
}

func (n *noteRow) one(s *stages.Slice, e ecs.Entity) bool {
	if !n.world.Alive(e) || !n.notes.Has(e) {
		return true
	}
	h := n.notes.Get(e).asset
	if n.flaw.decodes {
		if key, ok := n.store.KeyOf(h); ok {
			if got, err := n.store.Retain(context.Background(), key); err == nil {
				n.store.Release(got)
			}
		}
	}
	switch n.store.State(h) {
	case assets.StateResident:
	case assets.StateFailed, assets.StateMissing, assets.StateStale:
		if n.flaw.owes {
			s.Owe()
			return true
		}
		n.notes.Get(e).failed = true
		n.marker.Remove(e)
		return true
	default:
		return true
	}
	if !n.flaw.greedy && !s.Begin(work.Of(work.EntityOps, 1)) {
		return false
	}
	if n.store.TryRetain(h) {
		n.notes.Get(e).bound = true
		if !n.flaw.leaks {
			n.set.Ledger.Add(e, n.id, n.set.Holds.Retain, uint64(h))
		}
		if !n.flaw.repeats {
			n.marker.Remove(e)
		}
	}
	s.Commit()
	return true
}

func (n *noteRow) CollectCold(c *stages.Cold) {
	if n.flaw.passive {
		return
	}
	for q := n.world.Query(&n.filter); q.Next(); {
		c.Add((*note)(q.Get(n.id)).asset)
	}
}

func (f flaw) consumer() stagestest.Consumer {
	read := func(r *stagestest.Rig, e ecs.Entity) note {
		id := ecs.ComponentID[note](r.World)
		if !r.World.Has(e, id) {
			return note{}
		}
		return *(*note)(r.World.Get(e, id))
	}
	return stagestest.Consumer{
		Kinds: []assets.KindSpec{assetstest.TextKind(kindNote, "note", ".note")},
		Rows:  func() []stages.Row { return []stages.Row{f.row()} },
		Put: func(s *assetstest.Source, i int) (assets.Key, string) {
			key := assets.Key{Stem: fmt.Sprintf("notes/n%d", i), Kind: kindNote}
			s.SetText(key.Stem+".note", key.Stem)
			return key, key.Stem + ".note"
		},
		Spawn:     spawn,
		Bound:     func(r *stagestest.Rig, e ecs.Entity) bool { return read(r, e).bound },
		Failed:    func(r *stagestest.Rig, e ecs.Entity) bool { return read(r, e).failed },
		Component: ecs.ComponentID[note],
		Attach:    attach,
	}
}

func TestConform_PassesARowThatIsRight(t *testing.T) { stagestest.Conform(t, flaw{}.consumer()) }

// TestConform_CatchesFlaws: each flaw fails the check that is there for it.
func TestConform_CatchesFlaws(t *testing.T) {
	for _, c := range []struct {
		flaw  flaw
		check string
		says  string
	}{
		{flaw{name: "decodes", decodes: true}, "decodes on workers only", "on the tick"},
		{flaw{name: "leaks", leaks: true}, "lets go with the entity", "is held: 1 retains"},
		{flaw{name: "leaks", leaks: true}, "retires to zero", "is held: 4 retains"},
		{flaw{name: "open", open: true}, "closes every query", "left a query open (outcome yielded)"},
		{flaw{name: "greedy", greedy: true}, "resumes where it stopped", "one at a time"},
		{flaw{name: "forgets", forgets: true}, "serves late arrivals", "entities are bound"},
		{flaw{name: "owes", owes: true}, "degrades where an asset is missing", "not at rest"},
		{flaw{name: "allocates", allocates: true}, "allocates nothing when idle", "allocations"},
		{flaw{name: "deaf", deaf: true}, "allocates nothing when idle", "name it in Kinds"},
		{flaw{name: "unwatched", unwatched: true}, "lets go with the component", "the ledger keeps 12 holds"},
		{flaw{name: "repeats", repeats: true}, "makes progress each frame", "1 of 12 bound after"},
		{flaw{name: "passive", passive: true}, "binds", "0 of 12"},
	} {
		t.Run(c.flaw.name+" "+c.check, func(t *testing.T) {
			got := failures(t, c.check, c.flaw.consumer())
			if !strings.Contains(got, c.says) {
				t.Errorf("%q does not say %q:\n%s", c.check, c.says, got)
			}
		})
	}
}

// failures runs one check and returns what it complained about.
func failures(t *testing.T, name string, c stagestest.Consumer) string {
	t.Helper()
	checks := stagestest.Checks()
	i := slices.IndexFunc(checks, func(c stagestest.Check) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no check %q", name)
	}
	rec := &recorder{TB: t}
	rec.do(func() { checks[i].Run(rec, c) })
	for len(rec.cleanups) > 0 {
		f := rec.cleanups[len(rec.cleanups)-1]
		rec.cleanups = rec.cleanups[:len(rec.cleanups)-1]
		rec.do(f)
	}
	return strings.Join(rec.said, "\n")
}

// recorder is a test that keeps its failures to itself.
type recorder struct {
	testing.TB
	said     []string
	cleanups []func()
}

// do runs f as a test is run: on a goroutine of its own that may end early.
func (r *recorder) do(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.said = append(r.said, fmt.Sprint("panic: ", p))
			}
		}()
		f()
	}()
	<-done
}

func (r *recorder) Helper()                   {}
func (r *recorder) Cleanup(f func())          { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Failed() bool              { return len(r.said) > 0 }
func (r *recorder) Error(args ...any)         { r.said = append(r.said, fmt.Sprint(args...)) }
func (r *recorder) Errorf(f string, a ...any) { r.said = append(r.said, fmt.Sprintf(f, a...)) }
func (r *recorder) Fatal(args ...any)         { r.Error(args...); runtime.Goexit() }
func (r *recorder) Fatalf(f string, a ...any) { r.Errorf(f, a...); runtime.Goexit() }
