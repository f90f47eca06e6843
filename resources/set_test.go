package resources

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/generic"
	"go.uber.org/goleak"

	"sojourn/assets"
	"sojourn/chunked"
	"sojourn/ecs/components"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestInstallOnce(t *testing.T) {
	o := newEngine(t)
	w := ecs.NewWorld()
	if Of(&w) != nil {
		t.Fatal("a fresh world has a set")
	}
	mustPanic(t, "Must of a world without a set", func() { Must(&w) })
	set := Install(&w, o.Options)
	if Of(&w) != set || Must(&w) != set {
		t.Error("the set installed is not the one found")
	}
	mustPanic(t, "a second install", func() { Install(&w, o.Options) })
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s did not panic", what)
		}
	}()
	f()
}

func TestListenerReleasesAndArms(t *testing.T) {
	o := newEngine(t)
	w := ecs.NewWorld(16)
	set := Install(&w, o.Options)
	one, two, three := ecs.ComponentID[first](&w), ecs.ComponentID[second](&w), ecs.ComponentID[third](&w)
	set.Watch(one)
	set.Watch(two)
	armed, released := 0, []uint64(nil)
	set.ArmDebt = func() { armed++ }
	class := set.Ledger.AddClass("x", func(_ ecs.Entity, v uint64) { released = append(released, v) })
	l := set.NewListener()
	w.SetListener(l)
	if l.Subscriptions()&(event.EntityRemoved|event.ComponentRemoved) == 0 || !l.Components().Get(one) || l.Components().Get(three) {
		t.Error("subscriptions")
	}
	plain := w.NewEntity(three)
	w.Remove(plain, three)
	if armed != 0 {
		t.Errorf("armed %d times by what nobody watches", armed)
	}
	e := w.NewEntity(one, two, three)
	if armed == 0 {
		t.Error("a watched component that comes must arm the debt")
	}
	armed = 0
	set.Ledger.Add(e, one, class, 1)
	set.Ledger.Add(e, two, class, 2)
	w.Remove(e, three)
	if len(released) != 0 {
		t.Errorf("released %v with a component that holds nothing", released)
	}
	w.Remove(e, one)
	if !slices.Equal(released, []uint64{1}) {
		t.Errorf("released %v with the first component", released)
	}
	w.Add(e, one)
	if armed == 0 {
		t.Error("a watched component that comes back must arm the debt")
	}
	set.Ledger.Add(e, one, class, 3)
	w.RemoveEntity(e)
	if !slices.Equal(released, []uint64{1, 3, 2}) {
		t.Errorf("released %v with the entity", released)
	}
	// A batch removal tells of each entity.
	for i := range 3 {
		set.Ledger.Add(w.NewEntity(one), one, class, uint64(10+i))
	}
	f := ecs.All(one)
	w.Batch().RemoveEntities(f)
	if set.Ledger.Live() != 0 || set.Ledger.Unseen() != 0 {
		t.Errorf("%d live, %d unseen after a batch removal", set.Ledger.Live(), set.Ledger.Unseen())
	}
}

func members(r *Rosters, i int32) (out []ecs.Entity) {
	list := r.Members(i)
	for at := range list.Len() {
		out = append(out, *list.At(at))
	}
	return out
}

func TestRosters(t *testing.T) {
	w := ecs.NewWorld()
	var r Rosters
	a, b := r.Open(5), r.Open(5)
	if a == b || r.Live() != 2 {
		t.Fatalf("rosters %d and %d, %d live", a, b, r.Live())
	}
	var in []ecs.Entity
	for range 5 {
		in = append(in, w.NewEntity())
		r.Add(a, in[len(in)-1])
	}
	r.Add(b, in[0])
	if !slices.Equal(members(&r, a), in) || r.Len(b) != 1 {
		t.Error("members")
	}
	r.Cut(a, 2)
	if !slices.Equal(members(&r, a), in[:2]) {
		t.Error("cut")
	}
	r.Close(a)
	if c := r.Open(5); c != a || r.Len(c) != 0 || r.Live() != 2 {
		t.Error("a closed roster is used again, empty")
	}
	r.Close(a)
	if n := testing.AllocsPerRun(50, func() {
		i := r.Open(5)
		for _, e := range in {
			r.Add(i, e)
		}
		r.Close(i)
	}); n != 0 {
		t.Errorf("%v allocations with a reused roster", n)
	}
}

func TestMaterialIndex(t *testing.T) {
	w := ecs.NewWorld()
	x := NewMaterialIndex(&w)
	maps := generic.NewMap1[components.Material](&w)
	at := generic.NewMap[components.Material](&w)
	document := assets.Handle(77)
	if _, ok := x.Find(document); ok || x.Unuse(document) {
		t.Error("an empty index knows a material")
	}
	m := components.NewMaterial(document, 3)
	m.Users = 2
	e := maps.NewWith(&m)
	x.Set(document, e)
	if got, ok := x.Find(document); !ok || got != e || x.Len() != 1 {
		t.Error("find")
	}
	if x.Unuse(document) || !x.Unuse(document) {
		t.Error("the second of two uses is the last")
	}
	// Taken up again before the row came round: still listed, used once.
	at.Get(e).Users++
	if got := x.TakeUnused(nil); !slices.Equal(got, []ecs.Entity{e}) || len(x.TakeUnused(nil)) != 0 {
		t.Errorf("unused %v", got)
	}
	w.RemoveEntity(e)
	if x.Unuse(document) {
		t.Error("a dead entity's use was the last")
	}
	x.Delete(document)
	if x.Len() != 0 {
		t.Error("delete")
	}
}

func TestLoads(t *testing.T) {
	w := ecs.NewWorld()
	var l Loads
	e := w.NewEntity()
	if l.SlotOf(ecs.Entity{}) != nil || l.SlotOf(e) != nil || l.Running() != 0 {
		t.Error("an empty pool runs something")
	}
	for range LoadsMax {
		l.FreeSlot().Layer = w.NewEntity()
	}
	if l.FreeSlot() != nil || l.Running() != LoadsMax {
		t.Error("a full pool")
	}
	l.Slots[1].Layer = e
	if l.SlotOf(e) != &l.Slots[1] {
		t.Error("slot of")
	}
}

func TestLayerEvents(t *testing.T) {
	var ev LayerEvents
	ev.Push(LayerEvent{Kind: LayerLoaded})
	if len(ev.Queue) != 1 {
		t.Error("push")
	}
	got := fmt.Sprint(LayerIsReady, LayerLoaded, LayerUnloaded, LayerLoadFailed, LayerEventKind(9))
	if got != "ready loaded unloaded load failed layer-event-?" {
		t.Error(got)
	}
}

// A small layer finds a roster that a layer of its size has left, however many
// others are free.
func TestRostersAreLentBySize(t *testing.T) {
	var r Rosters
	large := r.Open(200)
	small := [3]int32{r.Open(2), r.Open(2), r.Open(2)}
	r.Close(large)
	for _, i := range small {
		r.Close(i)
	}
	if got := r.Open(2); got == large {
		t.Error("a small layer took the large roster")
	}
	if got := r.Open(150); got != large || r.Len(got) != 0 {
		t.Errorf("roster %d, want %d, which has the room", got, large)
	}
	if r.Live() != 2 {
		t.Errorf("%d live", r.Live())
	}
}

// Large layers share the places there are: those of one that has left serve
// several, and nothing is allocated while there is room. What there is no room
// for comes a chunk at a time.
func TestLargeRostersShareTheirPlaces(t *testing.T) {
	const expected = 20_000
	var r Rosters
	g := r.grower()
	g.Grow(expected)
	if g.Room() < expected || g.Used() != 0 {
		t.Fatalf("%d places, %d used", g.Room(), g.Used())
	}
	fill := func(members ...int) {
		var open []int32
		for _, n := range members {
			open = append(open, r.Open(n))
		}
		for at, n := range members {
			for range n {
				r.Add(open[at], ecs.Entity{})
			}
		}
		if g.Used() < expected-1024*len(members) {
			t.Errorf("%v members use %d places", members, g.Used())
		}
		for _, i := range open {
			r.Close(i)
		}
	}
	fill(6000, 6000, 6000)
	had := g.Room()
	if n := testing.AllocsPerRun(10, func() {
		fill(19_000)
		fill(9000, 900, 9000)
	}); n > 10 || g.Room() != had { // the lists of open ones, and longer tables of chunks
		t.Errorf("%v allocations, %d places, had %d", n, g.Room(), had)
	}

	i, before := r.Open(2*expected), g.Room()
	for r.Len(i) < 2*expected {
		r.Add(i, ecs.Entity{})
		if more := g.Room() - before; more > chunked.ChunkBytes/8 {
			t.Fatalf("%d places at once", more)
		}
		before = g.Room()
	}
	if r.Close(i); g.Used() != 0 || r.Live() != 0 {
		t.Errorf("%d places used, %d live", g.Used(), r.Live())
	}
}
