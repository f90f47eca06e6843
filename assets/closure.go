package assets

import (
	"fmt"
	"strings"
)

// needEdge says that an item needs another; the edges of one item are a list.
type needEdge struct {
	to, next int32
}

func (b *Batch) followsLocked(k Kind) bool {
	return b.o.Closure && b.store.kinds[k].res.followsNeeds()
}

// needLocked adds what an item needs to the batch. A need that cannot be named
// is a failure; so is one that needs the item in turn.
func (b *Batch) needLocked(parent int32, k Key) {
	s := b.store
	var h Handle
	err := s.checkKey(k)
	if err == nil {
		h, err = s.nameLocked(k)
	}
	if err != nil {
		by := s.entryLocked(b.items[parent].handle.Slot()).key
		b.failures = append(b.failures, Failure{Key: k, Err: fmt.Errorf("%s, needed by %s: %w", k, by, err)})
		return
	}
	i, known := b.index[h]
	if !known {
		i = b.newItemLocked(h) // keeps the name
		b.edgeLocked(parent, i)
		b.sendLocked(i)
		return
	}
	s.forgetLocked(h)
	if b.items[i].parent == parent+1 {
		return
	}
	b.edgeLocked(parent, i)
	if chain := b.cycle.find(b, i, parent); chain != nil {
		b.failures = append(b.failures, Failure{Handle: h, Key: k, Err: b.cycleErrorLocked(chain)})
	}
}

func (b *Batch) edgeLocked(from, to int32) {
	b.edges = append(b.edges, needEdge{to: to, next: b.items[from].firstEdge})
	b.items[from].firstEdge = int32(len(b.edges))
	b.items[to].parent = from + 1
}

func (b *Batch) cycleErrorLocked(chain []int32) error {
	var text strings.Builder
	for _, i := range chain {
		k := Key{Kind: b.items[i].handle.Kind(), Stem: "?"}
		if e, _ := b.store.liveLocked(b.items[i].handle); e != nil {
			k = e.key
		}
		text.WriteString(k.String() + " -> ")
	}
	first := b.store.entryLocked(b.items[chain[0]].handle.Slot()).key
	return fmt.Errorf("%s: %w: %s%s", first, ErrCycle, text.String(), first)
}

// cycleSearch looks for a way along the edges. Its buffers are reused.
type cycleSearch struct {
	stack []int32
	from  []int32 // where an item was reached from, one up; 0: not reached
}

// find gives the chain of items from start to goal, or nil.
func (c *cycleSearch) find(b *Batch, start, goal int32) []int32 {
	if start != goal && b.items[start].firstEdge == 0 {
		return nil
	}
	if cap(c.from) < len(b.items) {
		c.from = make([]int32, len(b.items)*2)
	}
	c.from = c.from[:len(b.items)]
	clear(c.from)
	c.stack = append(c.stack[:0], start)
	c.from[start] = start + 1
	for len(c.stack) > 0 {
		at := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		if at == goal {
			return c.chain(start, goal)
		}
		for e := b.items[at].firstEdge; e != 0; e = b.edges[e-1].next {
			if to := b.edges[e-1].to; c.from[to] == 0 {
				c.from[to] = at + 1
				c.stack = append(c.stack, to)
			}
		}
	}
	return nil
}

// chain gives the way found, goal first and then from start towards goal, so
// that the one who needs comes before the needed.
func (c *cycleSearch) chain(start, goal int32) []int32 {
	way := []int32{goal}
	for at := goal; at != start; {
		at = c.from[at] - 1
		if at != start || start != goal {
			way = append(way, at)
		}
	}
	// way is goal, its parent, ..., start: turn all but the first around.
	for i, j := 1, len(way)-1; i < j; i, j = i+1, j-1 {
		way[i], way[j] = way[j], way[i]
	}
	return way
}
