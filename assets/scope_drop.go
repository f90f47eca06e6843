package assets

// Drop gives back the retains of what match names and keeps the rest. It tells
// how many it gave back.
func (c *Scope) Drop(match func(Handle) bool) int {
	c.mu.Lock()
	held, kept := c.mu.held, 0
	var dropped []Handle
	for _, h := range held {
		if match(h) {
			dropped = append(dropped, h)
			continue
		}
		held[kept] = h
		kept++
	}
	c.mu.held = held[:kept]
	c.mu.Unlock()
	for _, h := range dropped {
		c.store.Release(h)
	}
	if kept == 0 {
		c.unlink()
	}
	return len(dropped)
}
