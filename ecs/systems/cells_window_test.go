package systems

import (
	"math"
	"math/rand"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn/ecs/components"
)

func TestWindows(t *testing.T) {
	line := components.StreamGrid{Columns: 100, CellMetres: 10, Axis: 2}
	field := components.StreamGrid{Columns: 50, Rows: 40, CellMetres: 10, RowAxis: 2}
	at := func(x, z float32) components.StreamSource {
		return components.StreamSource{Pos: [3]float32{x, 7, z}, AheadMetres: 30, BehindMetres: 10, SideMetres: 20, HysteresisMetres: 5, Forward: 1}
	}
	with := func(s components.StreamSource, change func(*components.StreamSource)) components.StreamSource {
		change(&s)
		return s
	}
	ahead := func(v [3]float32, most float32) func(*components.StreamSource) {
		return func(s *components.StreamSource) {
			s.Velocity, s.LookAheadTime, s.LookAheadMetresMax = v, time.Second, most
		}
	}
	moved := components.StreamGrid{Columns: 50, Rows: 40, CellMetres: 10, RowAxis: 2, OriginMetres: [2]float32{-100, 200}}
	for name, tt := range map[string]struct {
		grid                components.StreamGrid
		source              components.StreamSource
		plain, wanted, keep cellRect
	}{
		"one axis": {line, at(9999, 205), cellRect{19, 24, 0, 1}, cellRect{19, 24, 0, 1}, cellRect{19, 25, 0, 1}},
		"backward": {line, with(at(0, 205), func(s *components.StreamSource) { s.Forward = -1 }),
			cellRect{17, 22, 0, 1}, cellRect{17, 22, 0, 1}, cellRect{17, 23, 0, 1}},
		"at the first cell": {line, at(0, 0), cellRect{0, 4, 0, 1}, cellRect{0, 4, 0, 1}, cellRect{0, 4, 0, 1}},
		"at the last cell":  {line, at(0, 999), cellRect{98, 100, 0, 1}, cellRect{98, 100, 0, 1}, cellRect{98, 100, 0, 1}},
		"before the first":  {line, at(0, -31), cellRect{0, 0, 0, 1}, cellRect{0, 0, 0, 1}, cellRect{0, 1, 0, 1}},
		"past the last":     {line, at(0, 1011), cellRect{0, 0, 0, 1}, cellRect{0, 0, 0, 1}, cellRect{99, 100, 0, 1}},
		"two axes":          {field, at(205, 105), cellRect{19, 24, 8, 13}, cellRect{19, 24, 8, 13}, cellRect{19, 25, 8, 14}},
		"a corner":          {field, at(0, 0), cellRect{0, 4, 0, 3}, cellRect{0, 4, 0, 3}, cellRect{0, 4, 0, 3}},
		"the far corner":    {field, at(499, 399), cellRect{48, 50, 37, 40}, cellRect{48, 50, 37, 40}, cellRect{48, 50, 37, 40}},
		"beside the rows":   {field, at(205, -21), cellRect{19, 24, 0, 0}, cellRect{19, 24, 0, 0}, cellRect{19, 25, 0, 1}},
		"an origin":         {moved, at(105, 305), cellRect{19, 24, 8, 13}, cellRect{19, 24, 8, 13}, cellRect{19, 25, 8, 14}},
		"look-ahead":        {field, with(at(205, 105), ahead([3]float32{20, 99, -35}, 100)), cellRect{19, 24, 8, 13}, cellRect{19, 26, 5, 13}, cellRect{19, 27, 4, 14}},
		"look-ahead, back":  {field, with(at(205, 105), ahead([3]float32{-20, 0, 35}, 100)), cellRect{19, 24, 8, 13}, cellRect{17, 24, 8, 17}, cellRect{17, 25, 8, 17}},
		"look-ahead, bound": {field, with(at(205, 105), ahead([3]float32{2000, 0, -2000}, 30)), cellRect{19, 24, 8, 13}, cellRect{19, 27, 5, 13}, cellRect{19, 28, 5, 14}},
		"look-ahead, none":  {field, with(at(205, 105), ahead([3]float32{20, 0, -35}, 0)), cellRect{19, 24, 8, 13}, cellRect{19, 24, 8, 13}, cellRect{19, 25, 8, 14}},
	} {
		t.Run(name, func(t *testing.T) {
			w := windowOf(&tt.grid, &tt.source)
			if w.plain != tt.plain || w.wanted != tt.wanted || w.keep != tt.keep {
				t.Errorf("plain %v, wanted %v, keep %v; want %v, %v, %v", w.plain, w.wanted, w.keep, tt.plain, tt.wanted, tt.keep)
			}
		})
	}
}

// TestWindowsOfNonsense: what makes no sense wants nothing, and nothing wants
// more than the bound.
func TestWindowsOfNonsense(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	grid := components.StreamGrid{Columns: 1000, Rows: 1000, CellMetres: 1, RowAxis: 2}
	source := components.StreamSource{AheadMetres: 10, BehindMetres: 10, SideMetres: 10}
	for name, change := range map[string]func(*components.StreamGrid, *components.StreamSource){
		"no columns":     func(g *components.StreamGrid, _ *components.StreamSource) { g.Columns = 0 },
		"negative rows":  func(g *components.StreamGrid, _ *components.StreamSource) { g.Columns, g.Rows = -1, -1 },
		"no size":        func(g *components.StreamGrid, _ *components.StreamSource) { g.CellMetres = 0 },
		"negative size":  func(g *components.StreamGrid, _ *components.StreamSource) { g.CellMetres = -1 },
		"size unknown":   func(g *components.StreamGrid, _ *components.StreamSource) { g.CellMetres = nan },
		"no axis":        func(g *components.StreamGrid, _ *components.StreamSource) { g.Axis = 3 },
		"no row axis":    func(g *components.StreamGrid, _ *components.StreamSource) { g.RowAxis = 200 },
		"too many cells": func(g *components.StreamGrid, _ *components.StreamSource) { g.Columns, g.Rows = 1<<20, 1<<20 },
		"nowhere":        func(_ *components.StreamGrid, s *components.StreamSource) { s.Pos[0] = nan },
		"endless place":  func(_ *components.StreamGrid, s *components.StreamSource) { s.Pos[2] = inf },
		"inside out":     func(_ *components.StreamGrid, s *components.StreamSource) { s.AheadMetres = -11 },
	} {
		g, s := grid, source
		change(&g, &s)
		if w := windowOf(&g, &s); !w.plain.empty() || !w.wanted.empty() {
			t.Errorf("%s: %+v", name, w)
		}
	}
	s := source
	s.Pos, s.AheadMetres, s.SideMetres = [3]float32{500, 0, 500}, inf, 1e30
	s.Velocity, s.LookAheadTime, s.LookAheadMetresMax = [3]float32{nan, inf, -inf}, time.Hour, inf
	g := grid
	g.Columns, g.Rows = 40_000, 40_000
	g.OriginMetres = [2]float32{-20_000, -20_000}
	w := windowOf(&g, &s)
	if got := w.keep; got.c1-got.c0 > 2*windowCellsMax+1 || got.r1-got.r0 > 2*windowCellsMax+1 || w.plain.empty() {
		t.Errorf("a window without bounds: %+v", w)
	}
	if d := w.distance(math.MaxInt32, 0); d != speculativePriority-1 {
		t.Errorf("distance %d", d)
	}
}

// TestRectsApart: the pieces of a difference are its cells, once each.
func TestRectsApart(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	random := func() cellRect {
		c, r := rng.Int31n(8), rng.Int31n(8)
		return cellRect{c, c + rng.Int31n(6), r, r + rng.Int31n(6)}
	}
	for range 5000 {
		a, b := random(), random()
		seen := map[[2]int32]int{}
		for _, p := range a.minus(b) {
			for row := p.r0; row < p.r1; row++ {
				for col := p.c0; col < p.c1; col++ {
					seen[[2]int32{col, row}]++
				}
			}
		}
		for row := range int32(16) {
			for col := range int32(16) {
				want := 0
				if a.has(col, row) && !b.has(col, row) {
					want = 1
				}
				if seen[[2]int32{col, row}] != want {
					t.Fatalf("%v minus %v has %d,%d %d times", a, b, col, row, seen[[2]int32{col, row}])
				}
			}
		}
	}
}

// TestCellTable: chains keep their order whatever is taken out of them.
func TestCellTable(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	table, chain := newCellTable(), newCellChain()
	var model []int32
	next := int32(0)
	for range 5000 {
		if len(model) == 0 || rng.Intn(2) == 0 && len(model) < 40 {
			slot := table.add(cellID{1, next})
			table.push(&chain, slot)
			model = append(model, slot)
			next++
		} else {
			i := rng.Intn(len(model))
			slot := model[i]
			table.unlink(&chain, slot)
			table.forget(slot)
			table.release(slot)
			model = append(model[:i], model[i+1:]...)
		}
		at := chain.head
		for _, want := range model {
			if at != want {
				t.Fatalf("slot %d, want %d", at, want)
			}
			if found, ok := table.find(table.slots[at].id); !ok || found != at {
				t.Fatalf("slot %d is found as %d, %v", at, found, ok)
			}
			at = table.slots[at].next
		}
		if at != noSlot || int(chain.len) != len(model) || len(table.index) != len(model) {
			t.Fatalf("%d in the chain, %d in the index, want %d", chain.len, len(table.index), len(model))
		}
	}
	if len(table.slots) > 40 {
		t.Errorf("%d slots for 40 cells at most", len(table.slots))
	}
}

func TestGridRefusesNonsense(t *testing.T) {
	w := ecs.NewWorld()
	for name, g := range map[string]components.StreamGrid{
		"no size":    {Columns: 1},
		"no number":  {Columns: 1, CellMetres: float32(math.NaN())},
		"too many":   {Columns: 1 << 16, Rows: 1 << 16, CellMetres: 1, RowAxis: 2},
		"no axis":    {Columns: 1, CellMetres: 1, Axis: 3},
		"one axis":   {Columns: 2, Rows: 2, CellMetres: 1},
		"fewer than": {Columns: -1, CellMetres: 1},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: taken", name)
				}
			}()
			Grid(&w, g, nil)
		}()
	}
}

// TestCellTableAllocatesNothing: a window that moves on and on takes new cells
// for old ones, in the same memory.
func TestCellTableAllocatesNothing(t *testing.T) {
	table, chain := newCellTable(), newCellChain()
	next := int32(0)
	step := func() {
		for range 50 {
			table.push(&chain, table.add(cellID{1, next}))
			next++
			if chain.len > 200 {
				oldest := chain.head
				table.unlink(&chain, oldest)
				table.forget(oldest)
				table.release(oldest)
			}
		}
	}
	for range 20 {
		step()
	}
	if n := testing.AllocsPerRun(5000, step); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
