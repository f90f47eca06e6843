package systems

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// CellsRow keeps a window of each grid's cells loaded around every source:
// nearest first, with look-ahead, hysteresis and grace. A pass costs what
// changed: nothing while no source and no grid did, the border of a window
// that moved, never the grid.
func CellsRow() stages.Row {
	return stages.Row{Name: "cells", Open: openCells}
}

// cellsEnteredMax bounds how many cells one pass asks for; the rest follow in
// the next one, nearest first.
const cellsEnteredMax = 16

// cells is the stage. What it remembers of grids and sources is compared with
// what there is in each pass; the windows of the two are what changed.
type cells struct {
	world  *ecs.World
	set    *resources.Set
	store  *assets.Store
	clock  work.Clock
	layers *scene.Layers
	cell   generic.Map[components.StreamCell]

	liveFilter   *generic.Filter1[components.StreamCell]
	gridFilter   *generic.Filter1[components.StreamGrid]
	sourceFilter *generic.Filter1[components.StreamSource]

	grids   []gridState
	serial  uint32 // of the last grid
	sources []sourceEntry
	live    int // StreamCells there should be

	gridsNow   []gridEntry // scratch
	sourcesNow []sourceEntry

	table   cellTable
	waiting []int32 // slots, nearest last
	resort  bool    // waiting is out of order, or has dropped ones
	loading cellChain
	leaving cellChain
}

type gridEntry struct {
	entity ecs.Entity
	grid   components.StreamGrid
}

type sourceEntry struct {
	entity ecs.Entity
	source components.StreamSource
}

func openCells(w *ecs.World, s stages.Services) (stages.Runner, error) {
	c := &cells{
		world: w, set: resources.Must(w), store: s.Store, clock: s.Clock, layers: scene.NewLayers(w, s),
		cell:         generic.NewMap[components.StreamCell](w),
		liveFilter:   generic.NewFilter1[components.StreamCell](),
		gridFilter:   generic.NewFilter1[components.StreamGrid](),
		sourceFilter: generic.NewFilter1[components.StreamSource](),
		table:        newCellTable(), loading: newCellChain(), leaving: newCellChain(),
	}
	c.liveFilter.Register(w)
	c.gridFilter.Register(w)
	c.sourceFilter.Register(w)
	return c, nil
}

// Run lets cells go that no source wants, then asks for those that one does.
func (c *cells) Run(s *stages.Slice) stages.Outcome {
	if c.changed() {
		c.update()
	}
	if c.set.Reveal.Pending {
		s.SetClass(work.Destination)
	}
	c.endGrace(s)
	done := c.leave(s) && c.enter(s)
	c.tell()
	if !done {
		return stages.Yielded
	}
	return stages.Done
}

// tell writes the gauges down, for diagnostics.
func (c *cells) tell() {
	n := c.set.Cells
	n.Waiting, n.Loading, n.Grace = len(c.waiting), int(c.loading.len), 0
	for i := range c.grids {
		n.Grace += int(c.grids[i].grace.len)
	}
	n.Live = c.live
}

// endGrace lets those cells go whose grace is over, and those over the bound,
// and asks for a look when the next one's is.
func (c *cells) endGrace(s *stages.Slice) {
	for i := range c.grids {
		g := &c.grids[i]
		for g.grace.head != noSlot {
			slot := g.grace.head
			due := c.table.slots[slot].leftAt + g.grid.GraceTime
			if g.grace.len <= g.graceMax() && c.clock.Now() < due {
				s.OweAt(due)
				break
			}
			c.table.unlink(&g.grace, slot)
			c.sendAway(slot)
		}
	}
}

func (c *cells) sendAway(slot int32) {
	c.table.slots[slot].state = cellLeaving
	c.table.push(&c.leaving, slot)
}

// leave unloads what nobody wants, first come first served.
func (c *cells) leave(s *stages.Slice) bool {
	for c.leaving.head != noSlot {
		if !s.Begin(work.Of(work.EntityOps, 2)) {
			return false
		}
		slot := c.leaving.head
		c.table.unlink(&c.leaving, slot)
		c.unload(slot)
		s.Commit()
	}
	return true
}

func (c *cells) unload(slot int32) {
	cell := &c.table.slots[slot]
	if layer, ok := c.layers.Layer(cell.layer); ok && layer.State != components.LayerRetiring {
		c.store.NoteWent(layer.Document(), cell.cause)
		// The layer is alive and not retiring, which is all Unload asks.
		_ = c.layers.Unload(cell.layer)
	}
	if c.world.Alive(cell.entity) {
		c.world.RemoveEntity(cell.entity)
		c.live--
	}
	c.table.forget(slot)
	c.table.release(slot)
	c.set.Cells.Left++
}

// enter asks for the cells that wait, nearest first.
func (c *cells) enter(s *stages.Slice) bool {
	if c.resort {
		c.sortWaiting()
	}
	for entered := 0; len(c.waiting) > 0; entered++ {
		if entered == cellsEnteredMax {
			s.Owe()
			return true
		}
		if !s.Begin(work.Of(work.EntityOps, 2)) {
			return false
		}
		last := len(c.waiting) - 1
		slot := c.waiting[last]
		c.waiting = c.waiting[:last]
		c.request(slot)
		s.Commit()
	}
	c.set.Reveal.Covered = c.set.Reveal.Generation
	return true
}

func (c *cells) request(slot int32) {
	cell := &c.table.slots[slot]
	g := c.gridOf(cell.id)
	stem, origin := c.set.Namers.List[g.grid.Names](cell.id.index)
	cell.lane = g.lane(cell.id.index, cell.priority)
	layer, err := c.layers.Request(scene.Request{
		Stem: stem, Policy: components.PresentGated, Lane: cell.lane, Priority: cell.priority, Origin: origin,
	})
	if err != nil {
		// A namer that makes bad stems is the game's bug; the cell stays empty
		// and the entity remembers that it was asked for.
		layer = ecs.Entity{}
	}
	e := c.world.NewEntity(c.cell.ID())
	*c.cell.Get(e) = components.StreamCell{Grid: g.entity, Layer: layer, Index: cell.id.index}
	cell = &c.table.slots[slot] // the namer is the game's code
	cell.entity, cell.layer, cell.state = e, layer, cellLoading
	c.table.push(&c.loading, slot)
	c.live++
	c.set.Cells.Asked++
}

func (c *cells) gridOf(id cellID) *gridState {
	for i := range c.grids {
		if c.grids[i].serial == id.grid {
			return &c.grids[i]
		}
	}
	panic("systems: a cell waits of a grid that is gone")
}
