package systems

import (
	"math"

	"sojourn/ecs/components"
)

const (
	// windowCellsMax bounds a window: so many cells each way of its source.
	windowCellsMax = 512

	// speculativePriority is added to the priority of cells that only the
	// look-ahead reaches: they come after all others.
	speculativePriority = 1 << 16

	// gridCellsMax bounds a grid: a cell's index is an int32.
	gridCellsMax = math.MaxInt32

	// placeMax keeps a source far outside a grid within an int32.
	placeMax = 1 << 30
)

// cellRect is the columns [c0, c1) of the rows [r0, r1).
type cellRect struct{ c0, c1, r0, r1 int32 }

func (r cellRect) empty() bool { return r.c0 >= r.c1 || r.r0 >= r.r1 }

func (r cellRect) has(col, row int32) bool {
	return col >= r.c0 && col < r.c1 && row >= r.r0 && row < r.r1
}

// minus is what is in r and not in o: at most four pieces that do not overlap,
// the rest empty. Two windows a step apart differ by a strip of their border.
func (r cellRect) minus(o cellRect) (pieces [4]cellRect) {
	c0, c1 := max(r.c0, o.c0), min(r.c1, o.c1)
	r0, r1 := max(r.r0, o.r0), min(r.r1, o.r1)
	if r.empty() || c0 >= c1 || r0 >= r1 {
		pieces[0] = r
		return pieces
	}
	pieces[0] = cellRect{r.c0, r.c1, r.r0, r0}
	pieces[1] = cellRect{r.c0, r.c1, r1, r.r1}
	pieces[2] = cellRect{r.c0, c0, r0, r1}
	pieces[3] = cellRect{c1, r.c1, r0, r1}
	return pieces
}

// cellWindow is what one source wants of one grid.
type cellWindow struct {
	plain  cellRect // without look-ahead
	wanted cellRect
	keep   cellRect   // wanted and the hysteresis around it: what is loaded in here stays
	at     [2]int32   // the source's column and row, also outside the grid
	place  [2]float64 // the source, in metres from the grid's origin
}

// windowOf is the formula of [components.StreamSource], cut to the grid. A
// grid or a source that makes no sense wants nothing.
func windowOf(g *components.StreamGrid, s *components.StreamSource) (w cellWindow) {
	if int64(g.Columns)*int64(max(g.Rows, 1)) > gridCellsMax {
		return cellWindow{}
	}
	front, back := float64(s.AheadMetres), float64(s.BehindMetres)
	if s.Forward < 0 {
		front, back = back, front
	}
	w.columns(g, s, back, front)
	if g.Rows > 1 {
		w.rows(g, s)
	} else {
		w.plain.r1, w.wanted.r1, w.keep.r1 = 1, 1, 1
		w.place[1] = float64(g.CellMetres) / 2
	}
	return w
}

func (w *cellWindow) columns(g *components.StreamGrid, s *components.StreamSource, back, front float64) {
	a := axisOf(g, s, g.Axis, 0, g.Columns)
	w.at[0], w.place[0] = a.cell(a.place), a.place
	lead, slack := leadOf(s, g.Axis), float64(s.HysteresisMetres)
	w.plain.c0, w.plain.c1 = a.span(back, front)
	back, front = back-min(lead, 0), front+max(lead, 0)
	w.wanted.c0, w.wanted.c1 = a.span(back, front)
	w.keep.c0, w.keep.c1 = a.span(back+slack, front+slack)
}

func (w *cellWindow) rows(g *components.StreamGrid, s *components.StreamSource) {
	a := axisOf(g, s, g.RowAxis, 1, g.Rows)
	w.at[1], w.place[1] = a.cell(a.place), a.place
	lead, slack := leadOf(s, g.RowAxis), float64(s.HysteresisMetres)
	side := float64(s.SideMetres)
	w.plain.r0, w.plain.r1 = a.span(side, side)
	back, front := side-min(lead, 0), side+max(lead, 0)
	w.wanted.r0, w.wanted.r1 = a.span(back, front)
	w.keep.r0, w.keep.r1 = a.span(back+slack, front+slack)
}

// leadOf is how far a source looks ahead along an axis, in metres with a sign.
func leadOf(s *components.StreamSource, axis uint8) float64 {
	if axis > 2 {
		return 0
	}
	most := float64(s.LookAheadMetresMax)
	lead := float64(s.Velocity[axis]) * s.LookAheadTime.Seconds()
	if !(most > 0) || math.IsNaN(lead) {
		return 0
	}
	return min(max(lead, -most), most)
}

// gridAxis is one axis of a grid with a source on it.
type gridAxis struct {
	place, cellMetres float64
	cells             int32
}

func axisOf(g *components.StreamGrid, s *components.StreamSource, axis uint8, i int, cells int32) gridAxis {
	a := gridAxis{place: math.NaN(), cellMetres: float64(g.CellMetres), cells: cells}
	if axis <= 2 {
		a.place = float64(s.Pos[axis]) - float64(g.OriginMetres[i])
	}
	return a
}

// cell is the index of the cell at a place, which may lie outside the grid.
func (a gridAxis) cell(place float64) int32 {
	i := math.Floor(place / a.cellMetres)
	if math.IsNaN(i) {
		return 0
	}
	return int32(min(max(i, -placeMax), placeMax))
}

// span is the cells from back metres before the source to front behind it,
// half open; nothing where they make no sense.
func (a gridAxis) span(back, front float64) (lo, hi int32) {
	if !(a.cellMetres > 0) || !(a.place-back <= a.place+front) {
		return 0, 0
	}
	at := a.cell(a.place)
	lo = max(a.cell(a.place-back), at-windowCellsMax, 0)
	hi = min(a.cell(a.place+front), at+windowCellsMax, a.cells-1) + 1
	if lo >= hi {
		return 0, 0
	}
	return lo, hi
}

// distance is how many cells lie between a cell and the source: the larger of
// the columns and the rows.
func (w *cellWindow) distance(col, row int32) int32 {
	return max(gap(col, w.at[0]), gap(row, w.at[1]))
}

func gap(a, b int32) int32 {
	d := int64(a) - int64(b)
	return int32(min(max(d, -d), speculativePriority-1))
}

// metres2 is the square of the way from the source to a cell's middle.
func (w *cellWindow) metres2(g *components.StreamGrid, col, row int32) float64 {
	m := float64(g.CellMetres)
	x := (float64(col)+0.5)*m - w.place[0]
	y := (float64(row)+0.5)*m - w.place[1]
	return x*x + y*y
}
