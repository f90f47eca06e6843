package assets

// Drop gives back the retains of what match names and keeps the rest. It tells
// how many it gave back.
func (c *Scope) Drop(match func(Handle) bool) int {
	c.mu.Lock()
	held, kept := &c.mu.held, 0
	var dropped []Handle
	for i := range held.Len() {
		h := *held.At(i)
		if match(h) {
			dropped = append(dropped, h)
			continue
		}
		*held.At(kept) = h
		kept++
	}
	held.Cut(kept)
	c.mu.Unlock()
	for _, h := range dropped {
		c.store.Release(h)
	}
	if kept == 0 {
		c.unlink()
	}
	return len(dropped)
}
