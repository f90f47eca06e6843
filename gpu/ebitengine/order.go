package ebitengine

import (
	"cmp"
	"slices"
)

// Limits of the exact order. A frame beyond them is drawn by depth, see
// [byDepth].
const (
	orderBoxesMax = 4096
	orderEdgesMax = 1 << 19
)

// edge says that box `below` is drawn before box `above`.
type edge struct{ below, above int32 }

// span is what one box covers on screen, kept close together for the sweep.
type span struct {
	left, top, right, bottom float32
	box                      int32
}

// order finds the order in which boxes are drawn. It keeps its memory from
// frame to frame.
type order struct {
	spans   []span
	edges   []edge
	starts  []int32 // edges of box i, by its place in below: targets[starts[i]:starts[i+1]]
	targets []int32
	blocked []int32 // number of boxes still to be drawn before
	ready   [][]int32
	states  []int32 // that may have something ready
	listed  []bool  // states that are in states
	drawn   []bool
	out     []int32
	depth   byDepth
}

// sort answers the boxes' indices in drawing order. The boxes come sorted far
// to near. Where the order leaves a choice, boxes of one state (a dense
// number below stateCount) follow each other. The answer lasts until the next call.
func (o *order) sort(boxes []box, states []int32, stateCount int) []int32 {
	o.out = o.out[:0]
	if len(boxes) > orderBoxesMax || !o.link(boxes) {
		o.sortByDepth(boxes, states)
		return o.out
	}
	o.index(len(boxes))
	o.walk(states, stateCount)
	return o.out
}

// link finds the pairs that share pixels and have an order.
func (o *order) link(boxes []box) bool {
	o.spans, o.edges = o.spans[:0], o.edges[:0]
	for i := range boxes {
		r := &boxes[i].rect
		o.spans = append(o.spans, span{r[0], r[1], r[2], r[3], int32(i)})
	}
	slices.SortFunc(o.spans, func(a, b span) int {
		if c := cmp.Compare(a.left, b.left); c != 0 {
			return c
		}
		return cmp.Compare(a.box, b.box)
	})
	for at := range o.spans {
		a := &o.spans[at]
		rest := o.spans[at+1:]
		for next := range rest {
			b := &rest[next]
			if b.left >= a.right {
				break
			}
			if b.top >= a.bottom || a.top >= b.bottom {
				continue
			}
			// The farther one is the first argument.
			first, second := min(a.box, b.box), max(a.box, b.box)
			switch precede(&boxes[first], &boxes[second]) {
			case firstBelow:
				o.edges = append(o.edges, edge{first, second})
			case secondBelow:
				o.edges = append(o.edges, edge{second, first})
			}
		}
		if len(o.edges) > orderEdgesMax {
			return false
		}
	}
	return true
}

// index groups the edges by the box that is drawn first.
func (o *order) index(n int) {
	o.starts = resized(o.starts, n+1)
	o.blocked = resized(o.blocked, n)
	clear(o.starts)
	clear(o.blocked)
	for _, e := range o.edges {
		o.starts[e.below+1]++
		o.blocked[e.above]++
	}
	for i := range n {
		o.starts[i+1] += o.starts[i]
	}
	o.targets = resized(o.targets, len(o.edges))
	for at := len(o.edges) - 1; at >= 0; at-- {
		e := o.edges[at]
		o.targets[o.starts[e.below+1]-1] = e.above
		o.starts[e.below+1]--
	}
	// Filling moved each start to its group's first edge, one place late.
	copy(o.starts, o.starts[1:])
	o.starts[n] = int32(len(o.edges))
}

// walk draws what nothing blocks, staying with a state as long as it can. In
// a cycle, the farthest box goes first.
func (o *order) walk(states []int32, stateCount int) {
	n := len(o.blocked)
	for len(o.ready) < stateCount {
		o.ready = append(o.ready, nil)
		o.listed = append(o.listed, false)
	}
	for s := range stateCount {
		o.ready[s], o.listed[s] = o.ready[s][:0], false
	}
	o.states = o.states[:0]
	o.drawn = resized(o.drawn, n)
	clear(o.drawn)
	for i := n - 1; i >= 0; i-- { // stacks: the farthest ends up on top
		if o.blocked[i] == 0 {
			o.push(int32(i), states[i])
		}
	}
	current, cycle := int32(-1), 0
	for len(o.out) < n {
		if current < 0 || len(o.ready[current]) == 0 {
			current = o.richest()
		}
		var i int32
		if current >= 0 {
			stack := o.ready[current]
			i = stack[len(stack)-1]
			o.ready[current] = stack[:len(stack)-1]
			if o.drawn[i] {
				continue
			}
		} else {
			for o.drawn[cycle] {
				cycle++
			}
			i = int32(cycle)
			current = states[i]
		}
		o.drawn[i] = true
		o.out = append(o.out, i)
		for _, above := range o.targets[o.starts[i]:o.starts[i+1]] {
			if o.blocked[above]--; o.blocked[above] == 0 && !o.drawn[above] {
				o.push(above, states[above])
			}
		}
	}
}

func (o *order) push(i, state int32) {
	if !o.listed[state] {
		o.listed[state] = true
		o.states = append(o.states, state)
	}
	o.ready[state] = append(o.ready[state], i)
}

// richest is the state with the most boxes ready, or -1 when none has any.
func (o *order) richest() int32 {
	best, most := int32(-1), 0
	kept := o.states[:0]
	for _, s := range o.states {
		n := len(o.ready[s])
		if n == 0 {
			o.listed[s] = false
			continue
		}
		kept = append(kept, s)
		if n > most {
			best, most = s, n
		}
	}
	o.states = kept
	return best
}

// resized is s with length n, its content unspecified, grown by doubling.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, max(n, 2*cap(s)))
	}
	return s[:n]
}
