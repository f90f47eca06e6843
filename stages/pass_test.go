package stages_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/stages"
	"sojourn/stages/work"
)

type handClock struct{ now time.Duration }

func (c *handClock) Now() time.Duration { return c.now }

// fakeStage does units of work from a backlog.
type fakeStage struct {
	name    string
	backlog int
	runs    int
	owe     bool
	due     time.Duration
	cost    time.Duration
	clock   *handClock
	cold    []assets.Handle
	trace   *[]string
	onRun   func()
	leave   bool           // leave a query open
	unit    work.Dimension // what a unit takes; zero stands for work.EntityOps
	world   *ecs.World
}

func (f *fakeStage) Run(s *stages.Slice) stages.Outcome {
	f.runs++
	*f.trace = append(*f.trace, f.name)
	if f.onRun != nil {
		f.onRun()
	}
	if f.leave {
		filter := ecs.All()
		q := f.world.Query(&filter)
		q.Next()
		return stages.Done
	}
	for f.backlog > 0 {
		unit := f.unit
		if unit == 0 {
			unit = work.EntityOps
		}
		if !s.Begin(work.Of(unit, 1)) {
			return stages.Yielded
		}
		f.clock.now += f.cost
		f.backlog--
		s.Commit()
	}
	if f.owe {
		s.Owe()
	}
	if f.due > f.clock.now {
		s.OweAt(f.due + time.Second)
		s.OweAt(f.due) // the first counts
	}
	return stages.Done
}

func (f *fakeStage) CollectCold(c *stages.Cold) {
	for _, h := range f.cold {
		if !c.Add(h) {
			return
		}
	}
}

// rig is a world, a store and a table of fake stages.
type rig struct {
	t      *testing.T
	world  ecs.World
	store  *assets.Store
	source *assetstest.Source
	clock  *handClock
	meter  *work.Meter
	stages []*fakeStage
	pass   *stages.Pass
	trace  []string
	log    bytes.Buffer
}

// words is a payload for tests: a file's text.
type words struct{ text string }

func wordsKind(k assets.Kind, name string) assets.KindSpec {
	return assets.NewKindSpec(assets.KindOptions[words]{
		Kind: k, Name: name, Suffixes: []string{"." + name},
		Decode: func(l *assets.Load, out *words) error {
			b, err := l.ReadAll()
			if err != nil {
				return err
			}
			out.text = string(b.Slice())
			b.Free()
			return l.Yield()
		},
		Size: func(w *words) assets.Footprint { return assets.Footprint{OwnedBytes: int64(len(w.text))} },
	})
}

func newRig(t *testing.T, rows ...stages.Row) *rig {
	t.Helper()
	r := &rig{t: t, world: ecs.NewWorld(64, 1), clock: &handClock{}, source: assetstest.NewSource("memory")}
	store, err := assets.Open(assets.Options{
		Kinds:   []assets.KindSpec{wordsKind(assets.KindMesh, "mesh"), wordsKind(assets.KindTexture, "texture")},
		Sources: []assets.Source{r.source}, Workers: 1, KeepAliveBytesMax: 1 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	r.store = store
	r.meter = work.NewMeter(r.clock, work.High())
	for i := range rows {
		f := &fakeStage{name: rows[i].Name, clock: r.clock, trace: &r.trace, world: &r.world}
		r.stages = append(r.stages, f)
		rows[i].Open = func(*ecs.World, stages.Services) (stages.Runner, error) { return f, nil }
	}
	table, err := stages.NewTable(rows...)
	if err != nil {
		t.Fatal(err)
	}
	r.pass, err = stages.OpenPass(&r.world, table, stages.Services{Store: store, Clock: r.clock}, stages.PassOptions{
		Owner: "test", Log: slog.New(slog.NewTextHandler(&r.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.pass.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// frame runs one pass in a frame of its own.
func (r *rig) frame(wakes ...assets.Wake) stages.PassReport {
	r.meter.NewFrame()
	r.meter.Begin()
	defer r.meter.End()
	r.trace = r.trace[:0]
	return r.pass.Run(r.meter, wakes)
}

func row(name string, kinds ...assets.Kind) stages.Row {
	return stages.Row{Name: name, Kinds: assets.Kinds(kinds...)}
}

func TestNewTableRefuses(t *testing.T) {
	open := func(*ecs.World, stages.Services) (stages.Runner, error) { return nil, nil }
	for _, c := range []struct {
		rows []stages.Row
		want string
	}{
		{[]stages.Row{{Open: open}}, "no name"},
		{[]stages.Row{{Name: "a", Open: open}, {Name: "a", Open: open}}, "taken by row 0"},
		{[]stages.Row{{Name: "a"}}, "no Open"},
	} {
		if _, err := stages.NewTable(c.rows...); !errors.Is(err, stages.ErrBadRow) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.want, err)
		}
	}
}

func TestInvariant16_OneTurnVisitsEveryStageOnce(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for from := range n {
			var c stages.Cursor
			c.Park(from)
			seen := make([]int, n)
			for step := range n {
				seen[c.StageAt(step, n)]++
			}
			for i, times := range seen {
				if times != 1 {
					t.Fatalf("n %d from %d: stage %d visited %d times", n, from, i, times)
				}
			}
		}
	}
}

func TestCursorParksWhereTheSliceRanOut(t *testing.T) {
	r := newRig(t, row("a"), row("b"), row("c"))
	r.pass.ArmDebt()
	r.stages[1].backlog, r.stages[1].cost = 10, 700*time.Microsecond
	r.stages[0].backlog = 1
	if got := r.frame(); got.Parked != 1 || !got.Owed {
		t.Fatalf("report %+v", got)
	}
	if fmt.Sprint(r.trace) != "[a b]" {
		t.Errorf("visited %v", r.trace)
	}
	if r.frame(); r.trace[0] != "b" {
		t.Errorf("the next slice entered at %v", r.trace)
	}
	for range 10 {
		r.frame()
	}
	if r.stages[2].runs == 0 || r.pass.Last().Owed {
		t.Errorf("c ran %d times, owed %v", r.stages[2].runs, r.pass.Last().Owed)
	}
}

func TestInvariant17_OnlyAFullFinishedPassDischargesDebt(t *testing.T) {
	r := newRig(t, row("mesh", assets.KindMesh), row("texture", assets.KindTexture))
	wake := assets.Wake{Kind: assets.KindMesh, Phase: assets.PhaseDecoded}

	// The texture stage owes; a mesh wake must not clear that.
	r.stages[1].owe = true
	r.pass.ArmDebt()
	if got := r.frame(); !got.Owed {
		t.Fatal("an owing stage's debt was discharged")
	}
	if got := r.frame(wake); !got.Owed {
		t.Fatal("a wake's pass discharged somebody else's debt")
	}
	r.stages[1].owe = false
	if got := r.frame(); got.Owed {
		t.Fatal("a full finished pass left debt")
	}
	if got := r.frame(); got.Ran != 0 {
		t.Fatalf("an idle pass ran %d stages", got.Ran)
	}
}

func TestInvariant17_DebtArmedDuringAPassOutlivesIt(t *testing.T) {
	r := newRig(t, row("first"), row("second"))
	r.stages[1].onRun = r.pass.ArmDebt // work for a stage that has run already
	r.pass.ArmDebt()
	if got := r.frame(); !got.Owed {
		t.Fatal("debt armed during the pass was discharged by it")
	}
	r.stages[1].onRun = nil
	if r.frame(); r.stages[0].runs != 2 {
		t.Fatalf("the first stage ran %d times", r.stages[0].runs)
	}
}

func TestWakePassFiltersAndPromotes(t *testing.T) {
	r := newRig(t, row("mesh", assets.KindMesh), row("texture", assets.KindTexture))
	wake := assets.Wake{Kind: assets.KindMesh}
	if got := r.frame(wake); got.Ran != 1 || got.Promoted || fmt.Sprint(r.trace) != "[mesh]" {
		t.Errorf("without debt: %+v %v", got, r.trace)
	}
	r.pass.ArmDebt()
	if got := r.frame(wake); !got.Promoted || fmt.Sprint(r.trace) != "[mesh mesh texture]" {
		t.Errorf("with debt: %+v %v", got, r.trace)
	}
}

func TestInvariant18_ASliceCompletesAtLeastOneUnit(t *testing.T) {
	r := newRig(t, row("a"))
	r.pass.SetBindMax(time.Nanosecond)
	r.stages[0].backlog, r.stages[0].cost = 5, 50*time.Millisecond // each alone is far over every limit
	r.pass.ArmDebt()
	for want := 4; want >= 0; want-- {
		if got := r.frame(); got.Committed != 1 || r.stages[0].backlog != want {
			t.Fatalf("committed %d, backlog %d, want %d", got.Committed, r.stages[0].backlog, want)
		}
	}
}

// A ceiling of the pass's own stops it after the first unit, also where the
// frame has time.
func TestInvariant18_OneUnitAndNoMoreUnderItsOwnCeiling(t *testing.T) {
	r := newRig(t, row("a"), row("b"))
	r.meter.SetUnlimitedTime(true)
	r.pass.SetBindMax(time.Millisecond)
	r.stages[0].backlog, r.stages[0].cost = 3, 5*time.Millisecond
	r.stages[1].backlog, r.stages[1].cost = 3, 5*time.Millisecond
	r.pass.ArmDebt()
	for want := 5; want >= 0; want-- {
		if got := r.frame(); got.Committed != 1 || r.stages[0].backlog+r.stages[1].backlog != want {
			t.Fatalf("committed %d, backlog %d and %d, want %d", got.Committed, r.stages[0].backlog, r.stages[1].backlog, want)
		}
	}
}

func TestStallWatchNamesTheStage(t *testing.T) {
	r := newRig(t, row("a"), row("stuck"))
	r.stages[1].owe = true
	r.pass.ArmDebt()
	for r.clock.now = 0; r.clock.now < 39*time.Second; r.clock.now += time.Second / 2 {
		r.frame()
	}
	if n := strings.Count(r.log.String(), "residency is stuck"); n != 2 || r.pass.Stalls() != 2 {
		t.Errorf("%d warnings, %d stalls:\n%s", n, r.pass.Stalls(), r.log.String())
	}
	r.stages[1].owe = false
	r.frame()
	if got := r.frame(); got.Owed || got.Stalled {
		t.Errorf("%+v", got)
	}
}

func TestStallWatchExcuses(t *testing.T) {
	for name, p := range map[string]stages.Progress{
		"nothing owed": {},
		"committed":    {Owed: true, Committed: 1},
		"dispatched":   {Owed: true, Dispatched: 1},
		"decoding":     {Owed: true, Decoding: true},
		"a ticket":     {Owed: true, Tickets: 1},
	} {
		var w stages.StallWatch
		for s := range 100 {
			if w.Note(time.Duration(s)*time.Second, p) {
				t.Errorf("%s: warned", name)
			}
		}
	}
}

func TestOpenQueryIsNamed(t *testing.T) {
	r := newRig(t, row("careless"))
	r.stages[0].leave = true
	r.world.NewEntity()
	r.world.NewEntity()
	r.pass.ArmDebt()
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, `stage "careless" left a query open`) {
			t.Errorf("panic %q", got)
		}
	}()
	r.frame()
}

func TestOpenFailureNamesTheRowAndClosesTheRest(t *testing.T) {
	store, err := assets.Open(assets.Options{Kinds: []assets.KindSpec{wordsKind(assets.KindMesh, "mesh")}})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	closed := 0
	table, err := stages.NewTable(
		stages.Row{Name: "fine", Open: func(*ecs.World, stages.Services) (stages.Runner, error) { return closing{&closed}, nil }},
		stages.Row{Name: "broken", Open: func(*ecs.World, stages.Services) (stages.Runner, error) { return nil, io.ErrUnexpectedEOF }},
	)
	if err != nil {
		t.Fatal(err)
	}
	w := ecs.NewWorld(8, 1)
	_, err = stages.OpenPass(&w, table, stages.Services{Store: store}, stages.PassOptions{})
	if !errors.Is(err, stages.ErrOpen) || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "broken") || closed != 1 {
		t.Errorf("%v, closed %d", err, closed)
	}
}

type closing struct{ n *int }

func (c closing) Run(*stages.Slice) stages.Outcome { return stages.Done }
func (c closing) Close()                           { *c.n++ }

func TestAStageIsRunWhenItsTimeComes(t *testing.T) {
	r := newRig(t, row("a"), row("b"))
	a := r.stages[0]
	a.due = 5 * time.Second
	r.pass.ArmDebt()
	if report := r.frame(); report.Owed || a.runs != 1 {
		t.Fatalf("%+v after %d runs: a look that is due later is not owed now", report, a.runs)
	}
	for range 4 {
		r.clock.now += time.Second
		if r.frame(); a.runs != 1 {
			t.Fatalf("it runs at %v", r.clock.now)
		}
	}
	r.clock.now += time.Second
	if report := r.frame(); report.Ran != len(r.stages) || a.runs != 2 {
		t.Errorf("%+v when it is due", report)
	}
	if r.frame(); a.runs != 2 {
		t.Error("it runs again though nothing is due")
	}
}

func TestIdlePassAllocatesNothing(t *testing.T) {
	r := newRig(t, row("a", assets.KindMesh), row("b"))
	wake := []assets.Wake{{Kind: assets.KindMesh}}
	r.frame(wake...)
	if n := testing.AllocsPerRun(100, func() {
		r.meter.NewFrame()
		r.trace = r.trace[:0]
		r.pass.Run(r.meter, nil)
		r.pass.Run(r.meter, wake)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestColdBatchKeepsTheGeometryShare(t *testing.T) {
	for _, c := range []struct{ meshes, textures, wantMeshes, wantTextures int }{
		{100, 100, 48, 16},
		{100, 4, 60, 4},
		{10, 100, 10, 54},
		{3, 2, 3, 2},
	} {
		r := newRig(t, row("a"))
		for i := range c.meshes {
			r.stages[0].cold = append(r.stages[0].cold, r.name("m", i, assets.KindMesh))
		}
		for i := range c.textures {
			r.stages[0].cold = append(r.stages[0].cold, r.name("t", i, assets.KindTexture))
		}
		r.pass.ArmDebt()
		r.source.Hold("m0.mesh") // keep the batch from being over before it is counted
		got := r.frame()
		if got.Dispatched != c.wantMeshes+c.wantTextures {
			t.Errorf("%d meshes and %d textures: %d dispatched, want %d and %d",
				c.meshes, c.textures, got.Dispatched, c.wantMeshes, c.wantTextures)
		}
		r.source.LetGo("m0.mesh")
	}
}

func (r *rig) name(prefix string, i int, k assets.Kind) assets.Handle {
	r.t.Helper()
	stem := fmt.Sprintf("%s%d", prefix, i)
	r.source.Set(stem+"."+k.String(), []byte(stem))
	h, err := r.store.Name(assets.Key{Stem: stem, Kind: k})
	if err != nil {
		r.t.Fatal(err)
	}
	return h
}

// A stage that has used up one dimension of the frame, for many frames, does
// not keep the others from theirs; it goes first in the next frame all the same.
func TestOneDimensionUsedUpStopsNobodyElse(t *testing.T) {
	r := newRig(t, stages.Row{Name: "a"}, stages.Row{Name: "leaving"}, stages.Row{Name: "b"})
	b := r.meter.Budget()
	b.Max[work.Retirements] = 2
	if err := r.meter.SetBudget(b); err != nil {
		t.Fatal(err)
	}
	r.stages[1].unit, r.stages[1].backlog = work.Retirements, 7
	r.stages[2].backlog = 3
	r.pass.ArmDebt()
	for frame := 1; frame <= 4; frame++ {
		r.meter.NewFrame()
		r.trace = r.trace[:0]
		rep := r.pass.Run(r.meter, nil)
		if want := max(0, 7-2*frame); r.stages[1].backlog != want || r.stages[2].backlog != 0 {
			t.Errorf("frame %d: %d and %d units are left, want %d and 0", frame, r.stages[1].backlog, r.stages[2].backlog, want)
		}
		if frame < 4 && (rep.Parked != 1 || !rep.Owed) {
			t.Errorf("frame %d: %+v", frame, rep)
		}
		if frame > 1 && (len(r.trace) != 3 || r.trace[0] != "leaving") {
			t.Errorf("frame %d visited %v", frame, r.trace)
		}
	}
	if r.pass.Last().Owed {
		t.Error("a look is owed though all is done")
	}
}
