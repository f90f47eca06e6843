package systems

import (
	"fmt"
	"math"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/ecs/components"
	"sojourn/resources"
)

// Grid adds a grid of cells to a world. namer gives each cell's scene and
// origin; it runs on the game goroutine. It panics where the grid cannot be:
// cells without a size, axes that are none or the same, or more cells than an
// int32 counts.
func Grid(w *ecs.World, g components.StreamGrid, namer resources.CellNamer) ecs.Entity {
	mustBeGrid(&g)
	set := resources.Must(w)
	g.Names = int32(len(set.Namers.List))
	set.Namers.List = append(set.Namers.List, namer)
	grids := generic.NewMap1[components.StreamGrid](w)
	e := grids.NewWith(&g)
	set.ArmDebt()
	return e
}

func mustBeGrid(g *components.StreamGrid) {
	switch {
	case !(g.CellMetres > 0):
		panic(fmt.Sprintf("systems: a grid with cells of %v m", g.CellMetres))
	case g.Columns < 0 || g.Rows < 0 || int64(g.Columns)*int64(max(g.Rows, 1)) > gridCellsMax:
		panic(fmt.Sprintf("systems: a grid of %d x %d cells, at most %d", g.Columns, g.Rows, gridCellsMax))
	case g.Axis > 2 || g.Rows > 1 && (g.RowAxis > 2 || g.RowAxis == g.Axis):
		panic(fmt.Sprintf("systems: a grid along the axes %d and %d", g.Axis, g.RowAxis))
	}
}

// Sources moves the streaming sources of one world. Game goroutine; never
// inside a query.
type Sources struct {
	world   *ecs.World
	set     *resources.Set
	add     generic.Map2[components.StreamSource, components.StreamMotion]
	sources generic.Map[components.StreamSource]
	motions generic.Map[components.StreamMotion]
}

// NewSources makes the setter of an installed world.
func NewSources(w *ecs.World) *Sources {
	return &Sources{
		world: w, set: resources.Must(w),
		add:     generic.NewMap2[components.StreamSource, components.StreamMotion](w),
		sources: generic.NewMap[components.StreamSource](w),
		motions: generic.NewMap[components.StreamMotion](w),
	}
}

// Add adds a source.
func (s *Sources) Add(src components.StreamSource) ecs.Entity {
	e := s.add.NewWith(&src, &components.StreamMotion{Pos: src.Pos, Velocity: src.Velocity, At: s.now()})
	s.set.ArmDebt()
	return e
}

func (s *Sources) now() time.Duration {
	if s.set.Clock == nil {
		return 0
	}
	return s.set.Clock.Now()
}

const (
	// stepMetres is how far a source, or what it looks ahead to, moves before
	// its window is looked at again.
	stepMetres = 0.5

	// velocitySmoothTime is the time constant of the velocity that Move tells.
	velocitySmoothTime = 250 * time.Millisecond

	// stillMetresSecond is slow enough to be standing still.
	stillMetresSecond = 0.05
)

// Move moves a source and tells its velocity by how far it came since it was
// moved last, by the session's clock: call it each tick, also while it stands
// still. The velocity follows smoothly,
//
//	v += (moved/dt - v) * dt/(dt + 0.25 s)
//
// and is zero after a jump of more than the window's size: a teleport is not
// fast. The cells are looked at again in the next pass, if the source or its
// look-ahead moved half a metre since they last were.
func (s *Sources) Move(e ecs.Entity, pos [3]float32, forward float32) {
	src := s.sources.Get(e)
	s.put(src, pos, forward, s.velocity(e, src, pos))
}

// MoveAt is [Sources.Move] with a velocity that the game knows, in metres a
// second.
func (s *Sources) MoveAt(e ecs.Entity, pos [3]float32, forward float32, velocity [3]float32) {
	if s.motions.Has(e) {
		*s.motions.Get(e) = components.StreamMotion{Pos: pos, Velocity: velocity, At: s.now()}
	}
	s.put(s.sources.Get(e), pos, forward, velocity)
}

func (s *Sources) put(src *components.StreamSource, pos [3]float32, forward float32, velocity [3]float32) {
	next := *src
	next.Pos, next.Forward, next.Velocity = pos, forward, velocity
	stopped := velocity == [3]float32{} && src.Velocity != velocity
	if forward == src.Forward && !stopped && !moved(src, &next) {
		return
	}
	*src = next
	s.set.ArmDebt()
}

// moved tells whether a source or its look-ahead came half a step along any
// axis. Not a number has moved, too: the window is empty then.
func moved(from, to *components.StreamSource) bool {
	for i := range from.Pos {
		by := math.Abs(float64(to.Pos[i]) - float64(from.Pos[i]))
		lead := math.Abs(leadOf(to, uint8(i)) - leadOf(from, uint8(i)))
		if !(by < stepMetres && lead < stepMetres) {
			return true
		}
	}
	return false
}

// velocity is a source's smoothed velocity after a move. A source that was not
// added by [Sources.Add] keeps the one it has.
func (s *Sources) velocity(e ecs.Entity, src *components.StreamSource, pos [3]float32) [3]float32 {
	if s.set.Clock == nil || !s.motions.Has(e) {
		return src.Velocity
	}
	m := s.motions.Get(e)
	now := s.now()
	dt := (now - m.At).Seconds()
	if dt <= 0 {
		return m.Velocity // what it moves now counts with the next
	}
	var by [3]float64
	way, speed := 0.0, 0.0
	for i := range by {
		by[i] = float64(pos[i]) - float64(m.Pos[i])
		way += by[i] * by[i]
	}
	share := dt / (dt + velocitySmoothTime.Seconds())
	for i := range by {
		v := float64(m.Velocity[i])
		v += (by[i]/dt - v) * share
		m.Velocity[i] = float32(v)
		speed += v * v
	}
	size := float64(src.AheadMetres) + float64(src.BehindMetres) + 2*float64(src.SideMetres)
	way, speed = math.Sqrt(way), math.Sqrt(speed)
	if !(way <= size) || way/dt < stillMetresSecond && speed < stillMetresSecond {
		m.Velocity = [3]float32{}
	}
	m.Pos, m.At = pos, now
	return m.Velocity
}
