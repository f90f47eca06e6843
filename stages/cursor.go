package stages

// Cursor is where the next slice enters the table.
type Cursor struct {
	at int
}

// StageAt is the stage visited at a step of one turn: steps 0 to n-1 from any
// cursor visit each of n stages once.
func (c Cursor) StageAt(step, n int) int { return (c.at + step) % n }

// Park leaves the cursor on a stage.
func (c *Cursor) Park(stage int) { c.at = stage }

// At is the stage the cursor is on.
func (c Cursor) At() int { return c.at }
