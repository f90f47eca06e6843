package components

import "github.com/mlange-42/arche/ecs"

// StreamGrid is a row of cells along one axis, of which a window around each
// [StreamSource] is loaded. It costs what changes, not what it holds.
type StreamGrid struct {
	Cells        int32
	CellMetres   float32
	OriginMetres float32 // where cell 0 begins
	Axis         uint8   // 0 X, 1 Y, 2 Z
	Names        int32   // index into the world's cell namers
}

// StreamSource is something cells are loaded around, usually the camera.
type StreamSource struct {
	Pos [3]float32
	// AheadMetres and BehindMetres bound the window along the axis; which way
	// is ahead follows Forward's sign.
	AheadMetres, BehindMetres float32
	// HysteresisMetres is how far past the window a cell must be to leave.
	HysteresisMetres float32
	Forward          float32 // 1 or -1 along the axis
}

// StreamCell is one cell that is loaded or loading.
type StreamCell struct {
	Grid  ecs.Entity
	Layer ecs.Entity
	Index int32
}
