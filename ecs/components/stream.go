package components

import (
	"time"

	"github.com/mlange-42/arche/ecs"
)

// StreamGrid is a field of square cells, of which a window around each
// [StreamSource] is loaded. It costs what changes, not what it holds: a
// million cells are as good as a thousand. Cell row*Columns+column is the
// scene that the grid's namer says.
type StreamGrid struct {
	// Columns lie along Axis, Rows along RowAxis. With less than two rows the
	// grid has one axis, and a source's place along all others is ignored.
	Columns, Rows int32
	CellMetres    float32
	OriginMetres  [2]float32 // where column 0 and row 0 begin
	Axis, RowAxis uint8      // 0 X, 1 Y, 2 Z
	Names         int32      // index into the world's cell namers
	// GraceCellsMax bounds the cells in grace; the first that left goes first.
	// 0: 64.
	GraceCellsMax int32
	// GraceTime is how long a shown cell that left the window stays as it is,
	// by the session's clock, in case it is wanted again. 0: not at all.
	GraceTime time.Duration
}

// StreamSource is something cells are loaded around, such as the camera. Move
// it with systems.Sources, or change it and arm the world's debt.
//
// A cell is wanted where it touches the window of any source, along both axes:
//
//	column axis   [p - BehindMetres, p + AheadMetres]   ahead is Forward's sign
//	row axis      [p - SideMetres, p + SideMetres]
//
// each stretched, on the side it points to, by
//
//	lead = Velocity * LookAheadTime, at most LookAheadMetresMax either way
//
// along that axis. What only the lead reaches is speculative: it comes after
// everything else.
type StreamSource struct {
	Pos                       [3]float32 // metres
	AheadMetres, BehindMetres float32
	SideMetres                float32
	// HysteresisMetres is how far past the window a cell must be to leave.
	HysteresisMetres   float32
	Forward            float32    // 1 or -1 along the column axis
	Velocity           [3]float32 // metres a second
	LookAheadMetresMax float32    // 0: no look-ahead
	LookAheadTime      time.Duration
}

// StreamMotion is what is remembered of a moving source to tell its velocity
// by: where it was, when, and how fast.
type StreamMotion struct {
	Pos      [3]float32
	Velocity [3]float32 // smoothed, metres a second
	At       time.Duration
}

// StreamCell is one cell that is loaded, loading or in grace.
type StreamCell struct {
	Grid  ecs.Entity
	Layer ecs.Entity
	Index int32
}
