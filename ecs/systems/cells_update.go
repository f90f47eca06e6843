package systems

import (
	"fmt"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/stages"
)

// gridState is a grid as it was looked at last.
type gridState struct {
	entity ecs.Entity
	grid   components.StreamGrid
	serial uint32
	pairs  []cellPair
	grace  cellChain
	seen   bool
}

// cellPair is one source's window of one grid, as it is and as it was before
// this update.
type cellPair struct {
	source ecs.Entity
	now    cellWindow
	was    cellWindow
	cause  string // for the thrash counter; made once
	seen   bool
}

// graceCellsMax is StreamGrid.GraceCellsMax where that is zero.
const graceCellsMax = 64

func (g *gridState) graceMax() int32 {
	if g.grid.GraceCellsMax > 0 {
		return g.grid.GraceCellsMax
	}
	return graceCellsMax
}

// kept tells whether some source's window keeps a cell.
func (g *gridState) kept(col, row int32) bool {
	for i := range g.pairs {
		if g.pairs[i].now.keep.has(col, row) {
			return true
		}
	}
	return false
}

// changed tells whether a grid or a source is not as it was, or a StreamCell
// was removed past us. It costs what grids and sources there are.
func (c *cells) changed() bool {
	c.gridsNow, c.sourcesNow = c.gridsNow[:0], c.sourcesNow[:0]
	gq := c.gridFilter.Query(c.world)
	for gq.Next() {
		c.gridsNow = append(c.gridsNow, gridEntry{gq.Entity(), *gq.Get()})
	}
	sq := c.sourceFilter.Query(c.world)
	for sq.Next() {
		c.sourcesNow = append(c.sourcesNow, sourceEntry{sq.Entity(), *sq.Get()})
	}
	if r := c.set.Reveal; r.Pending {
		// The destination is a source of its own until the player stands there.
		c.sourcesNow = append(c.sourcesNow, sourceEntry{source: components.StreamSource{
			Pos: r.Pos, AheadMetres: r.RadiusMetres, BehindMetres: r.RadiusMetres, SideMetres: r.RadiusMetres, Forward: 1,
		}})
	}
	lq := c.liveFilter.Query(c.world)
	live := lq.Count()
	lq.Close()
	if live != c.live {
		c.reconcile()
		c.live = live
		return true
	}
	if len(c.gridsNow) != len(c.grids) || !slices.Equal(c.sourcesNow, c.sources) {
		return true
	}
	for i := range c.gridsNow {
		if g := &c.grids[i]; g.entity != c.gridsNow[i].entity || g.grid != c.gridsNow[i].grid {
			return true
		}
	}
	return false
}

// reconcile gives up the cells whose entities were removed past us; those
// still wanted are asked for again.
func (c *cells) reconcile() {
	for slot := range c.table.slots {
		if cell := &c.table.slots[slot]; !cell.entity.IsZero() && !c.world.Alive(cell.entity) {
			c.again(int32(slot), "its entity was removed")
		}
	}
}

// again unloads a cell, and puts it in line where it is still wanted.
func (c *cells) again(slot int32, cause string) {
	cell := &c.table.slots[slot]
	id, gone := cell.id, cell.state == cellLeaving // then its grid may be, too
	cell.cause = cause
	if gone {
		c.table.unlink(&c.leaving, slot)
		c.unload(slot)
		return
	}
	g := c.gridOf(id)
	c.unchain(g, slot)
	c.unload(slot)
	if col, row := g.place(id.index); g.wanted(col, row) {
		c.wait(id)
	}
}

var _ stages.Abandoner = (*cells)(nil)

// Abandon is [cells.Rearm]: what a cell holds is its layer's to let go of.
func (c *cells) Abandon(match func(assets.Handle) bool) { c.Rearm(match) }

// Rearm asks anew for cells whose document had failed.
func (c *cells) Rearm(match func(assets.Handle) bool) {
	for slot := range c.table.slots {
		layer, ok := c.layers.Layer(c.table.slots[slot].layer)
		if ok && layer.State == components.LayerFailed && match(layer.Document()) {
			c.again(int32(slot), "reload")
			c.set.ArmDebt()
		}
	}
}

func (g *gridState) place(index int32) (col, row int32) {
	return index % g.grid.Columns, index / g.grid.Columns
}

func (g *gridState) wanted(col, row int32) bool {
	for i := range g.pairs {
		if g.pairs[i].now.wanted.has(col, row) {
			return true
		}
	}
	return false
}

// unchain takes a cell that was asked for out of the chain of its state.
func (c *cells) unchain(g *gridState, slot int32) {
	switch c.table.slots[slot].state {
	case cellLoading:
		c.table.unlink(&c.loading, slot)
	case cellGrace:
		c.table.unlink(&g.grace, slot)
	case cellLeaving:
		c.table.unlink(&c.leaving, slot)
	}
}

// update brings windows up to date: what lies between the old and the new ones
// is looked at, and nothing else.
func (c *cells) update() {
	c.sources, c.sourcesNow = c.sourcesNow, c.sources
	c.matchGrids()
	for i := range c.grids {
		c.grids[i].matchSources(c.sources)
	}
	moved := false
	for i := range c.grids {
		g := &c.grids[i]
		for p := range g.pairs {
			if pair := &g.pairs[p]; pair.now.keep != pair.was.keep {
				c.depart(g, pair)
			}
		}
		for p := range g.pairs {
			pair := &g.pairs[p]
			if pair.now.wanted != pair.was.wanted {
				c.arrive(g, pair)
			}
			moved = moved || pair.now.at != pair.was.at || pair.now.plain != pair.was.plain || pair.now.wanted != pair.was.wanted
		}
		g.pairs = slices.DeleteFunc(g.pairs, func(p cellPair) bool { return !p.seen })
	}
	if len(c.sources) == 0 {
		c.endAllGrace()
	}
	if moved {
		c.resort = true
		c.reprioritise()
	}
}

// matchGrids brings the states in line with the grids there are. A grid that
// is gone, or is cut another way, lets all its cells go at once.
func (c *cells) matchGrids() {
	for i := range c.grids {
		c.grids[i].seen = false
	}
	for i, now := range c.gridsNow {
		at := slices.IndexFunc(c.grids, func(g gridState) bool { return g.entity == now.entity })
		if at < 0 {
			c.grids = append(c.grids, gridState{entity: now.entity, grace: newCellChain()})
			at = len(c.grids) - 1
			c.renew(&c.grids[at], now.grid)
		}
		if i < len(c.grids) { // in the order in which they were listed, to be compared by it
			c.grids[i], c.grids[at] = c.grids[at], c.grids[i]
			at = i
		}
		g := &c.grids[at]
		g.seen = true
		if !sameCells(&g.grid, &now.grid) {
			c.dropAll(g)
			c.renew(g, now.grid)
		}
		g.grid = now.grid
	}
	for i := range c.grids {
		if !c.grids[i].seen {
			c.dropAll(&c.grids[i])
		}
	}
	c.grids = slices.DeleteFunc(c.grids, func(g gridState) bool { return !g.seen })
}

func (c *cells) renew(g *gridState, grid components.StreamGrid) {
	c.serial++
	g.serial, g.grid, g.pairs = c.serial, grid, g.pairs[:0]
}

// sameCells tells whether two states of a grid have the same cells.
func sameCells(a, b *components.StreamGrid) bool {
	x, y := *a, *b
	x.GraceTime, x.GraceCellsMax = y.GraceTime, y.GraceCellsMax
	return x == y
}

// dropAll lets every cell of a grid go, without grace.
func (c *cells) dropAll(g *gridState) {
	for slot := range c.table.slots {
		cell := &c.table.slots[slot]
		if cell.id.grid != g.serial {
			continue
		}
		c.set.Cells.Looked++
		switch cell.state {
		case cellWaiting:
			c.drop(int32(slot))
		case cellLoading, cellLoaded, cellGrace:
			cell.cause = "its grid changed or went"
			c.unchain(g, int32(slot))
			c.sendAway(int32(slot))
		}
	}
}

func (c *cells) endAllGrace() {
	for i := range c.grids {
		for g := &c.grids[i]; g.grace.head != noSlot; {
			slot := g.grace.head
			c.table.unlink(&g.grace, slot)
			c.sendAway(slot)
		}
	}
}

// matchSources makes the windows of the sources there are; those of sources
// that are gone are empty from now on.
func (g *gridState) matchSources(sources []sourceEntry) {
	for i := range g.pairs {
		p := &g.pairs[i]
		p.was, p.now, p.seen = p.now, cellWindow{}, false
	}
	for i := range sources {
		s := &sources[i]
		at := slices.IndexFunc(g.pairs, func(p cellPair) bool { return p.source == s.entity })
		if at < 0 {
			g.pairs = append(g.pairs, cellPair{
				source: s.entity,
				cause:  fmt.Sprintf("window of grid %d around source %d", g.entity.ID(), s.entity.ID()),
			})
			at = len(g.pairs) - 1
		}
		g.pairs[at].now, g.pairs[at].seen = windowOf(&g.grid, &s.source), true
	}
}

// depart looks at what left one source's window.
func (c *cells) depart(g *gridState, p *cellPair) {
	for _, r := range p.was.keep.minus(p.now.keep) {
		for row := r.r0; row < r.r1; row++ {
			for col := r.c0; col < r.c1; col++ {
				c.set.Cells.Looked++
				slot, ok := c.table.find(cellID{g.serial, row*g.grid.Columns + col})
				if ok && !g.kept(col, row) {
					c.goOut(g, slot, p.cause)
				}
			}
		}
	}
}

// goOut begins a cell's end: it is dropped, goes, or stays for its grace.
func (c *cells) goOut(g *gridState, slot int32, cause string) {
	cell := &c.table.slots[slot]
	switch cell.state {
	case cellWaiting:
		c.drop(slot)
		return
	case cellLoading, cellLoaded:
		c.unchain(g, slot)
	default:
		return
	}
	cell.cause = cause
	layer, ok := c.layers.Layer(cell.layer)
	if g.grid.GraceTime > 0 && ok && layer.State == components.LayerPresented {
		cell.state, cell.leftAt = cellGrace, c.clock.Now()
		c.table.push(&g.grace, slot)
		return
	}
	c.sendAway(slot)
}

// drop gives up a cell that waits. Its slot goes when the line is sorted.
func (c *cells) drop(slot int32) {
	c.table.forget(slot)
	c.table.slots[slot].state = cellDropped
	c.resort = true
}

// arrive looks at what came into one source's window.
func (c *cells) arrive(g *gridState, p *cellPair) {
	for _, r := range p.now.wanted.minus(p.was.wanted) {
		for row := r.r0; row < r.r1; row++ {
			for col := r.c0; col < r.c1; col++ {
				c.set.Cells.Looked++
				id := cellID{g.serial, row*g.grid.Columns + col}
				if slot, ok := c.table.find(id); ok {
					c.comeBack(g, slot)
				} else {
					c.wait(id)
				}
			}
		}
	}
}

// comeBack keeps a cell that was about to go.
func (c *cells) comeBack(g *gridState, slot int32) {
	switch state := c.table.slots[slot].state; state {
	case cellGrace, cellLeaving:
		c.unchain(g, slot)
		c.table.slots[slot].state = cellLoading // until it is looked at next
		c.table.push(&c.loading, slot)
	}
}

func (c *cells) wait(id cellID) {
	slot := c.table.add(id)
	c.table.slots[slot].state = cellWaiting
	c.waiting = append(c.waiting, slot)
	c.resort = true
}
