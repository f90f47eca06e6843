package sojourn_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems"
	"sojourn/sojourntest"
)

// cellMetres is the size of the cells of a field.
const cellMetres = 10

// field is a world with a grid of cells, the first of which have scenes: so
// many columns and rows of them.
type field struct {
	*sojourntest.Rig
	t       testing.TB
	w       *sojourn.World
	grid    ecs.Entity
	columns int32
	sources *systems.Sources
	asked   []int32 // cells in the order in which they were asked for
}

func openField(t testing.TB, scenes int32, g components.StreamGrid) *field {
	t.Helper()
	c := sojourntest.NewContent()
	c.Mesh("post", 1)
	c.Material("post")
	c.Model("post", sojourntest.Part{Mesh: "post", Material: "post"})
	stems := make([]string, scenes*scenes)
	for i := range stems {
		stems[i] = fmt.Sprintf("cells/%d-%d", int32(i)%scenes, int32(i)/scenes)
		c.Scene(stems[i], "post")
	}
	f := &field{Rig: sojourntest.Open(t, c, sojourntest.Options{KeepAliveMB: 8}), t: t, columns: g.Columns}
	f.w = f.World("field")
	f.sources = systems.NewSources(f.w.ECS())
	g.CellMetres = cellMetres
	g.RowAxis = 2
	f.grid = systems.Grid(f.w.ECS(), g, func(i int32) (string, [3]float32) {
		col, row := i%g.Columns, i/g.Columns
		f.asked = append(f.asked, i)
		if col >= scenes || row >= scenes {
			return "cells/none", [3]float32{}
		}
		return stems[row*scenes+col], [3]float32{float32(col) * cellMetres, 0, float32(row) * cellMetres}
	})
	return f
}

// around is a source with a window of so many metres each way.
func around(metres, hysteresis float32, x, z float32) components.StreamSource {
	return components.StreamSource{
		Pos: [3]float32{x, 0, z}, AheadMetres: metres, BehindMetres: metres, SideMetres: metres,
		HysteresisMetres: hysteresis, Forward: 1,
	}
}

// cells are the cells of the field that are asked for, with their layers.
func (f *field) cells() map[int32]components.Layer {
	f.t.Helper()
	got := map[int32]components.Layer{}
	id := ecs.ComponentID[components.StreamCell](f.w.ECS())
	q := f.w.ECS().Query(ecs.All(id))
	for q.Next() {
		cell := (*components.StreamCell)(q.Get(id))
		if _, twice := got[cell.Index]; twice {
			f.t.Errorf("cell %d is loaded twice", cell.Index)
		}
		layer, ok := f.w.Layer(cell.Layer)
		if !ok {
			f.t.Errorf("the layer of cell %d is gone", cell.Index)
		}
		got[cell.Index] = layer
	}
	return got
}

func (f *field) counts() (looked, live int) {
	return int(f.w.Set().Cells.Looked), f.w.Set().Cells.Live
}

// TestCellsCostWhatChanges: a grid of a million cells and one of a thousand
// look at the same number: the window at first, its border when it moves a
// cell, and nothing while no source does.
func TestCellsCostWhatChanges(t *testing.T) {
	var first []int
	for _, g := range []components.StreamGrid{{Columns: 32, Rows: 32}, {Columns: 1000, Rows: 1000}, {Columns: 40_000, Rows: 40_000}} {
		f := openField(t, 32, g)
		src := f.sources.Add(around(25, 0, 105, 105)) // 6 x 6 cells touch it
		f.Settle()
		var looked []int
		note := func() {
			n, _ := f.counts()
			looked = append(looked, n)
		}
		note()
		f.Frames(5)
		note()
		f.sources.Move(src, [3]float32{105.4, 0, 105.4}, 1)
		f.Settle()
		note()
		f.sources.Move(src, [3]float32{115, 0, 105}, 1)
		f.Settle()
		note()
		f.sources.Move(src, [3]float32{115, 0, 125}, 1)
		f.Settle()
		note()
		if first == nil {
			first = looked
			if looked[0] != 36 || looked[1] != 36 || looked[2] != 36 || looked[3] != 36+2*6 || looked[4] != 36+2*6+2*12 {
				t.Errorf("looked at %v cells", looked)
			}
		}
		if fmt.Sprint(looked) != fmt.Sprint(first) {
			t.Errorf("%d x %d cells: looked at %v, a small grid at %v", g.Columns, g.Rows, looked, first)
		}
		if f.w.Pass().Last().Ran != 0 {
			t.Error("a pass runs though nothing moved")
		}
	}
}

// TestCellsOfSeveralSources: the window is the union, the nearest to any source
// comes first, and a cell that two want leaves when neither does.
func TestCellsOfSeveralSources(t *testing.T) {
	f := openField(t, 30, components.StreamGrid{Columns: 30, Rows: 30})
	a := f.sources.Add(around(20, 0, 105, 105))
	b := f.sources.Add(around(20, 0, 125, 105))
	far := f.sources.Add(around(10, 0, 255, 255))
	f.Settle()
	cells := f.cells()
	if _, live := f.counts(); live != len(cells) || len(cells) != 5*7+9 {
		t.Fatalf("%d cells, want 7 x 5 and 3 x 3", len(cells))
	}
	nearest := func(i int32) int32 {
		best := int32(1 << 30)
		for _, at := range [][2]int32{{10, 10}, {12, 10}, {25, 25}} {
			c, r := i%30-at[0], i/30-at[1]
			best = min(best, max(c, -c, r, -r))
		}
		return best
	}
	for i := 1; i < len(f.asked); i++ {
		if nearest(f.asked[i-1]) > nearest(f.asked[i]) {
			t.Errorf("cell %d came before cell %d, which is nearer", f.asked[i-1], f.asked[i])
		}
	}
	if len(f.asked) != len(cells) {
		t.Errorf("%d cells asked for, %d loaded", len(f.asked), len(cells))
	}
	both := int32(10*30 + 11)
	f.sources.Move(a, [3]float32{55, 0, 105}, 1)
	f.Settle()
	if _, ok := f.cells()[both]; !ok {
		t.Error("a cell left though the other source wants it")
	}
	f.sources.Move(b, [3]float32{175, 0, 105}, 1)
	f.Settle()
	if _, ok := f.cells()[both]; ok {
		t.Error("a cell stays that no source wants")
	}
	f.w.ECS().RemoveEntity(far)
	f.w.Set().ArmDebt()
	f.Settle()
	if n := len(f.cells()); n != 2*5*5 {
		t.Errorf("%d cells without the third source", n)
	}
}

// TestCellsLookAhead: the window grows where the source flies, what only the
// look-ahead reaches comes last, and a source that stops has its old window.
func TestCellsLookAhead(t *testing.T) {
	f := openField(t, 40, components.StreamGrid{Columns: 40, Rows: 40})
	src := around(10, 0, 55, 105)
	src.LookAheadTime, src.LookAheadMetresMax = time.Second/2, 60
	e := f.sources.Add(src)
	f.Settle()
	if n := len(f.cells()); n != 9 {
		t.Fatalf("%d cells of a source that stands", n)
	}
	x := float32(55)
	for range 120 {
		x += 1 // 60 metres a second
		f.sources.Move(e, [3]float32{x, 0, 105}, 1)
		f.Frames(1)
	}
	got := f.w.ECS().Get(e, ecs.ComponentID[components.StreamSource](f.w.ECS()))
	v := (*components.StreamSource)(got).Velocity
	if v[0] < 55 || v[0] > 60.5 || v[1] != 0 || v[2] != 0 {
		t.Errorf("velocity %v at 60 m/s", v)
	}
	at := func(metres float32) bool { _, ok := f.cells()[10*40+int32((x+metres)/cellMetres)]; return ok }
	if !at(38) || at(52) || at(-22) {
		t.Errorf("cells 38, 52 and -22 m ahead are wanted: %v %v %v", at(38), at(52), at(-22))
	}
	for range 120 {
		f.sources.Move(e, [3]float32{x, 0, 105}, 1)
		f.Frames(1)
	}
	f.Settle()
	if n := len(f.cells()); n != 9 {
		t.Errorf("%d cells of a source that stopped", n)
	}
	f.sources.Move(e, [3]float32{x - 120, 0, 205}, 1)
	f.Settle()
	if n := len(f.cells()); n != 9 {
		t.Errorf("%d cells after a teleport, which is not fast", n)
	}
	f.sources.MoveAt(e, [3]float32{x, 0, 105}, 1, [3]float32{0, 0, -1000})
	f.asked = f.asked[:0]
	f.Settle()
	if len(f.asked) != 3*9 || f.asked[0] != 10*40+int32(x/cellMetres) || f.asked[8]/40 < 9 || f.asked[9]/40 != 8 || f.asked[26]/40 != 3 {
		t.Errorf("asked for %v: nine around the source, then ahead up to 60 m", f.asked)
	}
}

// TestCellsFollowTheSource: what waits for a load is moved in the line when the
// source comes nearer, and only what changed its distance.
func TestCellsFollowTheSource(t *testing.T) {
	f := openField(t, 40, components.StreamGrid{Columns: 40, Rows: 40})
	for i := range 40 * 40 {
		f.Content.Hold(fmt.Sprintf("cells/%d-%d.scene", i%40, i/40))
	}
	src := f.sources.Add(around(30, 20, 105, 105))
	for range 12 {
		f.Frame()
	}
	cells := f.cells()
	for i, layer := range cells {
		c, r := i%40-10, i/40-10
		if want := max(c, -c, r, -r); layer.Priority != want {
			t.Fatalf("cell %d waits with priority %d, want %d", i, layer.Priority, want)
		}
	}
	f.sources.Move(src, [3]float32{115, 0, 105}, 1)
	f.Frame()
	changed := int64(0)
	for i, layer := range f.cells() {
		c, r := i%40-11, i/40-10
		want := max(c, -c, r, -r)
		if c < -3 {
			want += 1 << 16 // only the hysteresis keeps it: after all that are wanted
		}
		if layer.Priority != want {
			t.Errorf("cell %d waits with priority %d, want %d", i, layer.Priority, want)
		}
		if was, ok := cells[i]; ok && was.Priority != layer.Priority {
			changed++
		}
	}
	if got := f.w.Set().Cells.Moved; got != changed || changed == 0 || changed >= int64(len(cells)) {
		t.Errorf("%d moved in the line, %d of %d changed their distance", got, changed, len(cells))
	}
	f.sources.Move(src, [3]float32{118, 0, 108}, 1) // in the same cell
	f.Frame()
	if got := f.w.Set().Cells.Moved; got != changed {
		t.Errorf("%d moved in the line within a cell", got-changed)
	}
	for i := range 40 * 40 {
		f.Content.LetGo(fmt.Sprintf("cells/%d-%d.scene", i%40, i/40))
	}
}

// TestCellsInGrace: a cell that left stays for its time, is taken up again
// where it is wanted, and goes early where too many stay.
func TestCellsInGrace(t *testing.T) {
	f := openField(t, 30, components.StreamGrid{Columns: 30, GraceTime: time.Second, GraceCellsMax: 4})
	src := f.sources.Add(around(15, 0, 105, 0)) // cells 9 to 12
	f.Settle()
	entered := f.w.Counts().Entered
	has := func(i int32) bool { _, ok := f.cells()[i]; return ok }

	f.sources.Move(src, [3]float32{125, 0, 0}, 1) // 11 to 14
	f.Settle()
	if !has(9) || !has(10) || f.w.Set().Cells.Grace != 2 {
		t.Fatalf("cells in grace are gone: %+v", f.w.Set().Cells)
	}
	if f.w.Pass().Last().Owed || !f.Session.Idle() {
		t.Error("grace keeps the session busy")
	}
	f.sources.Move(src, [3]float32{105, 0, 0}, 1)
	f.Settle()
	if got := f.w.Counts(); got.Entered != entered+2 || f.w.Set().Cells.Grace != 2 || !has(13) {
		t.Errorf("%+v, %+v: cells were loaded again", got, f.w.Set().Cells)
	}
	f.Frames(61)
	if has(13) || has(14) || f.w.Set().Cells.Grace != 0 || len(f.cells()) != 4 {
		t.Errorf("cells are there when their grace is over: %+v", f.w.Set().Cells)
	}

	f.sources.Move(src, [3]float32{145, 0, 0}, 1) // 13 to 16: 9 to 12 stay
	f.Settle()
	if f.w.Set().Cells.Grace != 4 {
		t.Fatalf("%+v", f.w.Set().Cells)
	}
	f.sources.Move(src, [3]float32{165, 0, 0}, 1) // 15 to 18: 13 and 14 too
	f.Settle()
	if has(9) || has(10) || !has(11) || !has(14) || f.w.Set().Cells.Grace != 4 {
		t.Errorf("not the oldest went: %+v", f.w.Set().Cells)
	}
	f.w.ECS().RemoveEntity(src)
	f.w.Set().ArmDebt()
	f.Settle()
	if n := len(f.cells()); n != 0 {
		t.Errorf("%d cells stay without any source", n)
	}
}

// TestCellsOfAGridThatChanges: a grid that goes or is cut another way takes its
// cells along.
func TestCellsOfAGridThatChanges(t *testing.T) {
	f := openField(t, 20, components.StreamGrid{Columns: 20, GraceTime: time.Hour})
	f.sources.Add(around(15, 0, 105, 0))
	f.Settle()
	ids := f.w.ECS()
	g := (*components.StreamGrid)(ids.Get(f.grid, ecs.ComponentID[components.StreamGrid](ids)))
	g.Columns = 11
	f.w.Set().ArmDebt()
	f.Settle()
	if n := len(f.cells()); n != 2 {
		t.Errorf("%d cells, want the last two of eleven", n)
	}
	f.w.ECS().RemoveEntity(f.grid)
	f.w.Set().ArmDebt()
	f.Settle()
	if n := f.w.Counts().Live; n != 0 || len(f.cells()) != 0 {
		t.Errorf("%d layers without a grid", n)
	}
}

// TestCellsRemovedByTheGame: a cell's entity that the game removes takes its
// layer along, and the cell is loaded anew.
func TestCellsRemovedByTheGame(t *testing.T) {
	f := openField(t, 20, components.StreamGrid{Columns: 20})
	f.sources.Add(around(15, 0, 105, 0))
	f.Settle()
	var one ecs.Entity
	q := f.w.ECS().Query(ecs.All(ecs.ComponentID[components.StreamCell](f.w.ECS())))
	for q.Next() {
		one = q.Entity()
	}
	f.w.ECS().RemoveEntity(one)
	f.w.Set().ArmDebt()
	f.Settle()
	if got := f.w.Counts(); got.Entered != 5 || got.Live != 4 || len(f.cells()) != 4 {
		t.Errorf("%+v, %d cells", got, len(f.cells()))
	}
}

// TestCellsThatFailedComeWithTheirFile: a cell without a scene is asked for
// again when one comes.
func TestCellsThatFailedComeWithTheirFile(t *testing.T) {
	f := openField(t, 20, components.StreamGrid{Columns: 20})
	f.Content.Remove("cells/11-0.scene")
	f.sources.Add(around(15, 0, 105, 0))
	f.Settle()
	if got := f.w.Counts(); got.Failed != 1 || got.Presented != 3 {
		t.Fatalf("%+v", got)
	}
	f.Content.Scene("cells/11-0", "post")
	f.Session.Reload("cells/11-0", assets.Kinds(assets.KindScene))
	f.Settle()
	if got := f.w.Counts(); got.Failed != 1 || got.Presented != 4 || len(f.cells()) != 4 {
		t.Errorf("%+v, %d cells", got, len(f.cells()))
	}
}

// TestThrashingCellsAreNamed: a source that goes to and fro over a border
// thrashes the cells there, and the window is named; hysteresis or grace helps.
func TestThrashingCellsAreNamed(t *testing.T) {
	if !assets.Diagnostics {
		t.Skip("diagnostics are not compiled in")
	}
	for name, tt := range map[string]struct {
		hysteresis float32
		grace      time.Duration
		thrashes   bool
	}{
		"neither": {0, 0, true}, "hysteresis": {4, 0, false}, "grace": {0, time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := openField(t, 20, components.StreamGrid{Columns: 20, GraceTime: tt.grace})
			src := f.sources.Add(around(15, tt.hysteresis, 104, 0))
			f.Settle()
			for range 8 {
				f.sources.Move(src, [3]float32{106, 0, 0}, 1)
				f.Settle()
				f.sources.Move(src, [3]float32{104, 0, 0}, 1)
				f.Settle()
			}
			var snap sojourn.Snapshot
			f.Session.Snapshot(&snap)
			if !tt.thrashes {
				if len(snap.Store.Thrash) != 0 {
					t.Errorf("%+v", snap.Store.Thrash)
				}
				return
			}
			cause := fmt.Sprintf("window of grid %d around source %d", f.grid.ID(), src.ID())
			named := map[string]bool{}
			for _, row := range snap.Store.Thrash {
				if row.Cause != cause || row.Key.Kind != assets.KindScene || row.Times < assets.ThrashTimes {
					t.Errorf("%+v, want %s", row, cause)
				}
				named[row.Key.Stem] = true
			}
			if len(named) != 2 || !named["cells/8-0"] || !named["cells/12-0"] {
				t.Errorf("named are %v, want the cells at both borders", named)
			}
		})
	}
}

func TestCellsAllocateNothing(t *testing.T) {
	f := openField(t, 30, components.StreamGrid{Columns: 1000, Rows: 1000})
	src := f.sources.Add(around(25, 30, 105, 105))
	for _, x := range []float32{105, 125, 105} { // what the hysteresis keeps on both sides is loaded
		f.sources.Move(src, [3]float32{x, 0, 105}, 1)
		f.Settle()
	}
	pass := func() { f.Session.Tick(sojourntest.FrameTime) }
	if n := testing.AllocsPerRun(100, pass); n != 0 {
		t.Errorf("%v allocations in an idle frame", n)
	}
	looked, _ := f.counts()
	x := float32(105)
	moving := func() {
		x = 230 - x // between 105 and 125: the window changes, and its cells are there
		f.sources.Move(src, [3]float32{x, 0, 105}, 1)
		f.Clock.Advance(sojourntest.FrameTime)
		f.Session.Tick(sojourntest.FrameTime)
	}
	if n := testing.AllocsPerRun(100, moving); n != 0 {
		t.Errorf("%v allocations in a frame in which the window moves", n)
	}
	if now, _ := f.counts(); now == looked {
		t.Error("the window did not move")
	}
}
