package sojourn_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems"
	"sojourn/ecs/systems/scene"
	"sojourn/resources"
	"sojourn/sojourntest"
	"sojourn/stages/work"
)

const farCells = 40

// far is a world of cells along Z, ten metres each, with a crate, a shared
// wall and a hum in every one.
type far struct {
	*sojourntest.Rig
	t       *testing.T
	w       *sojourn.World
	sources *systems.Sources
	at      ecs.Entity
	events  []resources.RevealEvent
}

func farContent() *sojourntest.Content {
	c := sojourntest.NewContent()
	c.Crate("shared")
	for i := range farCells {
		crate := fmt.Sprintf("crate%d", i)
		c.Crate(crate)
		c.Sound(fmt.Sprintf("hum%d", i), 4800)
		doc := assets.Scene{}
		for j := range 3 {
			doc.Entities = append(doc.Entities, sojourntest.Placed(fmt.Sprint(j), crate, float32(j), 0, 0), sojourntest.Placed(fmt.Sprint("s", j), "shared", float32(j), 1, 0))
		}
		doc.Entities = append(doc.Entities, sojourntest.Sounding("hum", fmt.Sprintf("hum%d", i)))
		c.SceneOf(fmt.Sprintf("cell%d", i), doc)
	}
	return c
}

func openFar(t *testing.T, o sojourntest.Options) *far {
	t.Helper()
	f := &far{Rig: sojourntest.Open(t, farContent(), o), t: t}
	f.w = f.World("far")
	f.w.Camera.Far = 1e6
	f.w.Camera.View = mgl32.Translate3D(0, 0, -1000) // everything is in front
	systems.Grid(f.w.ECS(), components.StreamGrid{Columns: farCells, CellMetres: 10, Axis: 2}, func(i int32) (string, [3]float32) {
		return fmt.Sprintf("cell%d", i), [3]float32{0, 0, float32(i) * 10}
	})
	f.sources = systems.NewSources(f.w.ECS())
	f.at = f.sources.Add(components.StreamSource{Pos: [3]float32{0, 0, 5}, AheadMetres: 20, BehindMetres: 20, Forward: 1})
	return f
}

// travel goes to a cell, as a game does.
func (f *far) travel(cell int) uint32 {
	f.t.Helper()
	pos := [3]float32{0, 0, float32(cell)*10 + 5}
	generation, err := f.w.Travel(sojourn.Destination{Cause: "portal", Pos: pos, RadiusMetres: 12})
	if err != nil {
		f.t.Fatal(err)
	}
	f.sources.Move(f.at, pos, 1)
	return generation
}

// heard is the voices that members of layers have.
func (f *far) heard() int { return f.w.Set().Ledger.LiveIn(f.w.Set().Holds.Voice) }

// shown counts what the last frame drew, by the generation of its layer; loose
// entities count as 0.
func (f *far) shown() map[uint32]int {
	out := map[uint32]int{}
	member, layer := ecs.ComponentID[components.Member](f.w.ECS()), ecs.ComponentID[components.Layer](f.w.ECS())
	generations := map[uint32]uint32{}
	q := f.w.ECS().Query(ecs.All(member))
	for q.Next() {
		l := (*components.Member)(q.Get(member)).Layer
		if f.w.ECS().Alive(l) {
			generations[q.Entity().ID()] = (*components.Layer)(f.w.ECS().Get(l, layer)).Generation
		}
	}
	for _, item := range f.w.LastFrame().Items {
		out[generations[item.Serial]]++
	}
	return out
}

func (f *far) await(what string, done func() bool) {
	f.t.Helper()
	for range 3000 {
		if done() {
			return
		}
		f.Frames(1)
	}
	f.t.Fatalf("%s did not come: %+v", what, f.w.Reveal())
}

func (f *far) take() []resources.RevealEvent {
	f.events = f.w.TakeRevealEvents(f.events[:0])
	return f.events
}

func TestInvariant23_NothingOfTheOldGenerationShows(t *testing.T) {
	f := openFar(t, sojourntest.Options{})
	f.Settle()
	if n := f.shown()[0]; n == 0 || f.heard() == 0 {
		t.Fatalf("%d items, %d voices before the edge", n, f.heard())
	}
	f.Session.Tick(sojourntest.FrameTime) // publishes the old generation
	generation := f.travel(30)
	if f.heard() != 0 {
		t.Errorf("%d voices after the edge", f.heard())
	}
	if err := f.Session.Present(nil); err != nil {
		t.Fatal(err)
	}
	if n := f.Device.Stats().DrawnItems; n != 0 {
		t.Errorf("%d items drawn after the edge", n)
	}
	visible := ecs.All(ecs.ComponentID[components.Member](f.w.ECS())).Without(ecs.ComponentID[components.Withheld](f.w.ECS()))
	q := f.w.ECS().Query(&visible)
	if q.Count() != 0 {
		t.Errorf("%d members can still be found by a game's queries", q.Count())
	}
	q.Close()
	for range 2000 {
		f.Frames(1)
		for g, n := range f.shown() {
			if g != generation && n > 0 {
				t.Fatalf("%d items of generation %d are drawn", n, g)
			}
		}
		if v := f.w.Reveal(); v.Pending {
			if n := f.Device.Stats().DrawnItems; n > 0 || f.heard() > 0 {
				t.Fatalf("%d items, %d voices before the reveal: %+v", n, f.heard(), v)
			}
		}
		if f.Session.Idle() {
			break
		}
	}
	if f.w.Reveal().Pending || f.shown()[generation] == 0 || f.heard() == 0 {
		t.Errorf("%+v, %v shown, %d voices", f.w.Reveal(), f.shown(), f.heard())
	}
}

func TestInvariant24_OnlyReadinessReveals(t *testing.T) {
	f := openFar(t, sojourntest.Options{Workers: 3})
	f.Settle()
	const late = "crate21#texture.ktx2"
	f.Content.Hold(late)
	first := f.travel(10)
	second := f.travel(20) // the first is given up on the way
	if first == second {
		t.Fatal("one generation for two journeys")
	}
	frames := int(17 * time.Second / sojourntest.FrameTime)
	for range frames {
		f.Frame()
		if n := f.Device.Stats().DrawnItems; n > 0 {
			t.Fatalf("%d items are shown early", n)
		}
	}
	v := f.w.Reveal()
	if !v.Pending || v.Generation != second || v.Missing == 0 || v.Required < 2 || v.Notices != 3 || v.Waited < 16*time.Second {
		t.Errorf("%+v", v)
	}
	f.Content.LetGo(late)
	f.await("the reveal", func() bool { return !f.w.Reveal().Pending })
	kinds := []resources.RevealEventKind{}
	for _, e := range f.take() {
		kinds = append(kinds, e.Kind)
		if wantsFirst := e.Kind == resources.RevealCancelled || len(kinds) == 1; wantsFirst != (e.Generation == first) {
			t.Errorf("%v of generation %d", e.Kind, e.Generation)
		}
	}
	want := []resources.RevealEventKind{resources.RevealBegun, resources.RevealCancelled, resources.RevealBegun,
		resources.RevealNotice, resources.RevealNotice, resources.RevealNotice, resources.RevealShown}
	if fmt.Sprint(kinds) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", kinds, want)
	}
	// What was required is resident at the moment of the reveal.
	for cell := 19; cell <= 21; cell++ {
		for _, k := range []assets.Key{{Stem: fmt.Sprintf("crate%d#mesh", cell), Kind: assets.KindMesh}, {Stem: fmt.Sprintf("crate%d#texture", cell), Kind: assets.KindTexture}} {
			if h, ok := f.Session.Store().Find(k); !ok || !f.Session.Store().Has(h) {
				t.Errorf("%s is not resident", k)
			}
		}
	}
}

// A destination that cannot be had whole is shown as far as it can be had.
func TestRevealOfABrokenDestination(t *testing.T) {
	c := farContent()
	c.Set("crate20#texture.ktx2", []byte("no picture"))
	f := openFar(t, sojourntest.Options{})
	generation, err := f.w.Travel(sojourn.Destination{Cause: "login", Pos: [3]float32{0, 0, 205}, RadiusMetres: 12, Layers: []scene.Request{
		{Stem: "nowhere", Policy: components.PresentGated}, {Stem: "../bad"},
	}})
	if !errors.Is(err, assets.ErrBadStem) {
		t.Errorf("%v", err)
	}
	f.await("the reveal", func() bool { return !f.w.Reveal().Pending })
	if v := f.w.Reveal(); v.Generation != generation || v.Required != 4 {
		t.Errorf("%+v", v)
	}
}

func TestCancelTravel(t *testing.T) {
	f := openFar(t, sojourntest.Options{Workers: 3})
	f.Settle()
	f.Content.Hold("crate20#texture.ktx2")
	generation := f.travel(20)
	f.sources.Move(f.at, [3]float32{0, 0, -1000}, 1)
	for range 10 {
		f.Frame()
	}
	if err := f.w.CancelTravel(generation - 1); !errors.Is(err, sojourn.ErrNoReveal) {
		t.Errorf("%v", err)
	}
	if err := f.w.CancelTravel(generation); err != nil {
		t.Fatal(err)
	}
	if err := f.w.CancelTravel(generation); !errors.Is(err, sojourn.ErrNoReveal) {
		t.Errorf("%v", err)
	}
	f.Content.LetGo("crate20#texture.ktx2")
	f.Settle()
	if n := f.Device.Stats().DrawnItems; n != 0 || f.w.Counts().Live != 0 {
		t.Errorf("%d items, %d layers are left", n, f.w.Counts().Live)
	}
}

// Going back at once meets what is still being let go: a document of the
// destination goes first out of its turn, and everything else keeps it.
func TestInvariant22_DestinationAdvancesItsOwnKey(t *testing.T) {
	f := openFar(t, sojourntest.Options{})
	for i := range 12 { // a crowd that is long in leaving
		load(t, f.w, scene.Request{Stem: fmt.Sprintf("cell%d", i), Policy: components.PresentGated})
	}
	f.Settle()
	slow := work.High()
	slow.Max[work.Retirements] = 1
	if err := f.Session.Meter().SetBudget(slow); err != nil {
		t.Fatal(err)
	}
	revealed := func() bool { return !f.w.Reveal().Pending }
	f.travel(30)
	f.await("the first reveal", revealed)
	f.travel(20) // what is at 30 gets in line behind the crowd
	back := f.travel(30)
	f.await("the last reveal", revealed)
	if v := f.w.Reveal(); v.Generation != back {
		t.Errorf("%+v", v)
	}
	var snap sojourn.Snapshot
	f.Session.Snapshot(&snap)
	crowd := 0
	for _, l := range snap.Worlds[0].Layers {
		if l.State != components.LayerRetiring {
			continue
		}
		switch l.Key.Stem {
		case "cell29", "cell30", "cell31":
			t.Errorf("%s is shown, and its former layer is still there", l.Key.Stem)
		case "cell5", "cell6", "cell7", "cell8", "cell9", "cell10", "cell11":
			crowd++
		}
	}
	if crowd == 0 {
		t.Error("the destination waited for everything that had left before it")
	}
	if err := f.Session.Meter().SetBudget(work.High()); err != nil {
		t.Fatal(err)
	}
	f.Settle()
}

// While a reveal is pending, other work leaves the destination its share, and
// what the destination needs is charged to it.
func TestInvariant26_DestinationHasItsShare(t *testing.T) {
	budget := work.High()
	for d := range budget.Max {
		budget.Max[d] = max(4, budget.Max[d]/64)
	}
	f := openFar(t, sojourntest.Options{Work: budget})
	f.Settle()
	f.travel(30)
	destined := work.Cost{}
	for range 3000 {
		f.Await()
		f.Session.Tick(sojourntest.FrameTime)
		facts, pending := f.Session.Meter().Facts(), f.w.Reveal().Pending
		if err := f.Session.Present(nil); err != nil {
			t.Fatal(err)
		}
		f.Clock.Advance(sojourntest.FrameTime)
		if !pending {
			break
		}
		for d, used := range facts.Used {
			ordinary := used - facts.DestUsed[d]
			open := budget.Max[d] - int64(float64(budget.Max[d])*budget.DestinationReserve)
			if ordinary > max(open, 1) && facts.Oversizes == 0 {
				t.Errorf("frame %d: other work took %d %v of %d", facts.Frame, ordinary, work.Dimension(d), open)
			}
			destined[d] += facts.DestUsed[d]
		}
	}
	if f.w.Reveal().Pending {
		t.Fatal("never revealed")
	}
	for _, d := range []work.Dimension{work.Admissions, work.AdoptedBytes, work.EntityOps, work.UploadBytes} {
		if destined[d] == 0 {
			t.Errorf("no %v were charged to the destination", d)
		}
	}
	f.Settle()
}
