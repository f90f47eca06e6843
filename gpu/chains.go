package gpu

import "time"

// chain names one first-in first-out list of slots. A slot is in one chain at
// most; zero is none.
type chain uint8

const chainsMax = 8

// chains links slots into lists without allocating: joining and leaving any
// place is constant time, and an abandoned slot leaves nothing behind.
type chains struct {
	links []chainLink
	ends  [chainsMax]chainEnds
	now   time.Duration // of the last pump
}

type chainLink struct {
	since      time.Duration // when it came into a chain, from none
	next, prev uint32        // slot + 1; zero: none
	in         chain
}

type chainEnds struct {
	head, tail uint32 // slot + 1; zero: none
	n          int
}

// none is the slot number that [chains.head] and [chains.next] end with.
const none = ^uint32(0)

func (c *chains) grow(slots int) {
	for len(c.links) < slots {
		c.links = append(c.links, chainLink{})
	}
}

// push puts a slot at the tail of a chain, out of the one it is in.
func (c *chains) push(to chain, slot uint32) {
	since := c.now
	if c.links[slot].in != 0 {
		since = c.links[slot].since
	}
	c.remove(slot)
	e := &c.ends[to]
	c.links[slot] = chainLink{since: since, prev: e.tail, in: to}
	if e.tail == 0 {
		e.head = slot + 1
	} else {
		c.links[e.tail-1].next = slot + 1
	}
	e.tail = slot + 1
	e.n++
}

// remove takes a slot out of its chain, if it is in one.
func (c *chains) remove(slot uint32) {
	l := c.links[slot]
	if l.in == 0 {
		return
	}
	e := &c.ends[l.in]
	if l.prev == 0 {
		e.head = l.next
	} else {
		c.links[l.prev-1].next = l.next
	}
	if l.next == 0 {
		e.tail = l.prev
	} else {
		c.links[l.next-1].prev = l.prev
	}
	e.n--
	c.links[slot] = chainLink{}
}

func (c *chains) in(slot uint32) chain    { return c.links[slot].in }
func (c *chains) head(of chain) uint32    { return c.ends[of].head - 1 }
func (c *chains) next(slot uint32) uint32 { return c.links[slot].next - 1 }
func (c *chains) len(of chain) int        { return c.ends[of].n }
func (c *chains) headOf(first, then chain) uint32 {
	if slot := c.head(first); slot != none {
		return slot
	}
	return c.head(then)
}

// line is what waits in some chains. Its age is that of their oldest head:
// what was put back behind the others may have waited longer.
func (c *chains) line(of ...chain) Line {
	l := Line{}
	for _, in := range of {
		l.Waiting += c.ends[in].n
		if slot := c.head(in); slot != none {
			l.Oldest = max(l.Oldest, c.now-c.links[slot].since)
		}
	}
	return l
}
