package systems

import (
	"cmp"
	"slices"

	"sojourn/ecs/components"
)

// rank is a cell's priority: its distance in cells to the nearest source,
// behind everything else where only look-ahead reaches it.
func (c *cells) rank(id cellID) (priority int32, metres2 float64) {
	g := c.gridOf(id)
	col, row := g.place(id.index)
	plain := false
	for i := range g.pairs {
		w := &g.pairs[i].now
		d, m := w.distance(col, row), w.metres2(&g.grid, col, row)
		if i == 0 || d < priority {
			priority = d
		}
		if i == 0 || m < metres2 {
			metres2 = m
		}
		plain = plain || w.plain.has(col, row)
	}
	if !plain {
		priority += speculativePriority
	}
	return priority, metres2
}

// visibleCells is how far from a source, in cells, a cell is taken to be in
// view.
const visibleCells = 1

// lane is what a cell waits among.
func (g *gridState) lane(index, priority int32) components.Lane {
	col, row := g.place(index)
	for i := range g.pairs {
		if p := &g.pairs[i]; p.source.IsZero() && p.now.plain.has(col, row) {
			return components.LaneDestination
		}
	}
	switch {
	case priority >= speculativePriority:
		return components.LaneFar
	case priority <= visibleCells:
		return components.LaneVisible
	}
	return components.LaneNear
}

// sortWaiting frees what was dropped and puts the rest in order, nearest last.
func (c *cells) sortWaiting() {
	c.resort = false
	kept := c.waiting[:0]
	for _, slot := range c.waiting {
		cell := &c.table.slots[slot]
		if cell.state == cellDropped {
			c.table.release(slot)
			continue
		}
		cell.priority, cell.metres2 = c.rank(cell.id)
		kept = append(kept, slot)
	}
	c.waiting = kept
	slices.SortFunc(c.waiting, func(a, b int32) int {
		x, y := &c.table.slots[a], &c.table.slots[b]
		return cmp.Or(cmp.Compare(y.priority, x.priority), cmp.Compare(y.metres2, x.metres2),
			cmp.Compare(y.id.grid, x.id.grid), cmp.Compare(y.id.index, x.id.index))
	})
}

// reprioritise moves cells in the line of loads whose distance in cells
// changed, and leaves the others alone.
func (c *cells) reprioritise() {
	for slot := c.loading.head; slot != noSlot; {
		cell := &c.table.slots[slot]
		next := cell.next
		layer, ok := c.layers.Layer(cell.layer)
		if !ok || layer.State >= components.LayerReady {
			c.table.unlink(&c.loading, slot)
			cell.state = cellLoaded
		} else if priority, _ := c.rank(cell.id); priority != cell.priority {
			cell.priority, cell.lane = priority, c.gridOf(cell.id).lane(cell.id.index, priority)
			// The layer is alive and not retiring, which is all it asks.
			_ = c.layers.Move(cell.layer, cell.lane, priority)
			c.set.Cells.Moved++
		}
		slot = next
	}
}
