package systems

import (
	"math"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// CellsRow keeps a window of each grid's cells loaded around each source:
// nearest first, with hysteresis. It looks at the cells that are loaded and at
// the window, never at the whole grid.
func CellsRow() stages.Row {
	return stages.Row{Name: "cells", Open: openCells}
}

// cellsEnteredMax bounds how many cells one pass asks for; the rest follow in
// the next one, nearest first.
const cellsEnteredMax = 16

type cells struct {
	world   *ecs.World
	set     *resources.Set
	layers  *scene.Layers
	cell    generic.Map[components.StreamCell]
	live    generic.Filter1[components.StreamCell]
	grids   generic.Filter1[components.StreamGrid]
	sources generic.Filter1[components.StreamSource]

	sourceList []components.StreamSource
	gridList   []gridEntry
	leaving    []ecs.Entity
	present    map[cellID]ecs.Entity
}

type gridEntry struct {
	entity ecs.Entity
	grid   components.StreamGrid
}

type cellID struct {
	grid  ecs.Entity
	index int32
}

func openCells(w *ecs.World, s stages.Services) (stages.Runner, error) {
	return &cells{
		world: w, set: resources.Must(w), layers: scene.NewLayers(w, s),
		cell:    generic.NewMap[components.StreamCell](w),
		live:    *generic.NewFilter1[components.StreamCell](),
		grids:   *generic.NewFilter1[components.StreamGrid](),
		sources: *generic.NewFilter1[components.StreamSource](),
		present: make(map[cellID]ecs.Entity, 64),
	}, nil
}

// Run lets cells go that no source wants, then asks for those that one does.
func (c *cells) Run(s *stages.Slice) stages.Outcome {
	c.collect()
	if c.set.Reveal.Pending {
		s.SetClass(work.Destination)
	}
	if !c.leave(s) || !c.enter(s) {
		return stages.Yielded
	}
	return stages.Done
}

func (c *cells) collect() {
	c.sourceList, c.gridList = c.sourceList[:0], c.gridList[:0]
	sq := c.sources.Query(c.world)
	for sq.Next() {
		c.sourceList = append(c.sourceList, *sq.Get())
	}
	if r := c.set.Reveal; r.Pending {
		// The destination is a source of its own until the player stands there.
		c.sourceList = append(c.sourceList, components.StreamSource{
			Pos: r.Pos, AheadMetres: r.RadiusMetres, BehindMetres: r.RadiusMetres, Forward: 1,
		})
	}
	gq := c.grids.Query(c.world)
	for gq.Next() {
		c.gridList = append(c.gridList, gridEntry{gq.Entity(), *gq.Get()})
	}
	clear(c.present)
	c.leaving = c.leaving[:0]
	lq := c.live.Query(c.world)
	for lq.Next() {
		cell := lq.Get()
		if g := c.gridOf(cell.Grid); g != nil && c.wanted(g, cell.Index, true) {
			c.present[cellID{cell.Grid, cell.Index}] = lq.Entity()
			continue
		}
		c.leaving = append(c.leaving, lq.Entity())
	}
}

func (c *cells) gridOf(e ecs.Entity) *components.StreamGrid {
	for i := range c.gridList {
		if c.gridList[i].entity == e {
			return &c.gridList[i].grid
		}
	}
	return nil
}

// window is the range of cells a source wants, inclusive.
func window(g *components.StreamGrid, s *components.StreamSource, slack float32) (lo, hi int32) {
	at := s.Pos[g.Axis] - g.OriginMetres
	ahead, behind := s.AheadMetres+slack, s.BehindMetres+slack
	from, to := at-behind, at+ahead
	if s.Forward < 0 {
		from, to = at-ahead, at+behind
	}
	lo = int32(math.Floor(float64(from / g.CellMetres)))
	hi = int32(math.Floor(float64(to / g.CellMetres)))
	return max(lo, 0), min(hi, g.Cells-1)
}

func (c *cells) wanted(g *components.StreamGrid, index int32, leaving bool) bool {
	for i := range c.sourceList {
		src := &c.sourceList[i]
		slack := float32(0)
		if leaving {
			slack = src.HysteresisMetres
		}
		if lo, hi := window(g, src, slack); index >= lo && index <= hi {
			return true
		}
	}
	return false
}

func (c *cells) leave(s *stages.Slice) bool {
	for _, e := range c.leaving {
		if !s.Begin(work.Of(work.EntityOps, 2)) {
			return false
		}
		layer := c.cell.Get(e).Layer
		if err := c.layers.Unload(layer); err != nil && c.world.Alive(layer) {
			s.Owe()
		}
		c.world.RemoveEntity(e)
		s.Commit()
	}
	return true
}

// enter asks for missing cells, nearest to their source first, and keeps the
// line in the order of distance as the source moves.
func (c *cells) enter(s *stages.Slice) bool {
	entered := 0
	for gi := range c.gridList {
		g := &c.gridList[gi]
		for si := range c.sourceList {
			src := &c.sourceList[si]
			lo, hi := window(&g.grid, src, 0)
			at := int32(math.Floor(float64((src.Pos[g.grid.Axis] - g.grid.OriginMetres) / g.grid.CellMetres)))
			for d := int32(0); d <= hi-lo+1; d++ {
				for _, index := range [2]int32{at + d, at - d} {
					if index < lo || index > hi || d == 0 && index != at {
						continue
					}
					if e, ok := c.present[cellID{g.entity, index}]; ok {
						c.reprioritise(e, d)
						continue
					}
					if entered == cellsEnteredMax {
						s.Owe()
						return true
					}
					if !s.Begin(work.Of(work.EntityOps, 2)) {
						return false
					}
					c.request(g, index, d)
					entered++
					s.Commit()
				}
			}
		}
	}
	c.set.Reveal.Covered = c.set.Reveal.Generation
	return true
}

func (c *cells) reprioritise(cell ecs.Entity, distance int32) {
	layer := c.cell.Get(cell).Layer
	if l, ok := c.layers.Layer(layer); ok && l.State < components.LayerReady && l.Priority != distance {
		// The layer is alive and not retiring, which is all SetPriority asks.
		_ = c.layers.SetPriority(layer, distance)
	}
}

func (c *cells) request(g *gridEntry, index, distance int32) {
	stem, origin := c.set.Namers.List[g.grid.Names](index)
	lane := components.LaneNear
	from := g.grid.OriginMetres + float32(index)*g.grid.CellMetres
	if c.set.Reveal.Covers(g.grid.Axis, from, from+g.grid.CellMetres) {
		lane = components.LaneDestination
	}
	layer, err := c.layers.Request(scene.Request{
		Stem: stem, Policy: components.PresentGated, Lane: lane, Priority: distance, Origin: origin,
	})
	if err != nil {
		// A namer that makes bad stems is the game's bug; the cell stays empty
		// and the entity remembers that it was asked for.
		layer = ecs.Entity{}
	}
	e := c.world.NewEntity(c.cell.ID())
	*c.cell.Get(e) = components.StreamCell{Grid: g.entity, Layer: layer, Index: index}
	c.present[cellID{g.entity, index}] = e
}

// Grid adds a grid of cells to a world. namer gives each cell's scene and
// origin; it runs on the game goroutine.
func Grid(w *ecs.World, g components.StreamGrid, namer resources.CellNamer) ecs.Entity {
	set := resources.Must(w)
	g.Names = int32(len(set.Namers.List))
	set.Namers.List = append(set.Namers.List, namer)
	grids := generic.NewMap1[components.StreamGrid](w)
	e := grids.NewWith(&g)
	set.ArmDebt()
	return e
}

// Sources moves the streaming sources of one world.
type Sources struct {
	set     *resources.Set
	sources generic.Map1[components.StreamSource]
}

// NewSources makes the setter of an installed world.
func NewSources(w *ecs.World) *Sources {
	return &Sources{set: resources.Must(w), sources: generic.NewMap1[components.StreamSource](w)}
}

// Add adds a source.
func (s *Sources) Add(src components.StreamSource) ecs.Entity {
	e := s.sources.NewWith(&src)
	s.set.ArmDebt()
	return e
}

// stepMetres is how far a source moves before its window is looked at again.
const stepMetres = 0.5

// Move moves a source. The cells are looked at again in the next pass.
func (s *Sources) Move(e ecs.Entity, pos [3]float32, forward float32) {
	src := s.sources.Get(e)
	moved := float64(0)
	for i := range pos {
		moved = max(moved, math.Abs(float64(pos[i]-src.Pos[i])))
	}
	if moved < stepMetres && forward == src.Forward {
		return
	}
	src.Pos, src.Forward = pos, forward
	s.set.ArmDebt()
}
