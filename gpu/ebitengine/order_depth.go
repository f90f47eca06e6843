package ebitengine

// byDepth is the order of frames with too many boxes, or too many that share
// pixels, for the exact one: far to near by their middles. That is right for
// small things and wrong for what reaches far, such as the floor they stand on,
// so the longest boxes are ordered exactly against all others. Then boxes of one
// state move together as far as none passes another that shares pixels.
type byDepth struct {
	long   [depthLongMax]int32 // the boxes that reach farthest along the view
	length [depthLongMax]float32
	heap   []int32 // boxes that were held back and may be drawn now
	groups []group
	next   []int32 // the box after this one in its group, or -1
}

// depthLongMax is how many boxes are ordered exactly against all others.
const depthLongMax = 32

// groupsBack is how many groups before the last a box may join.
const groupsBack = 48

// group is boxes of one state that follow each other.
type group struct {
	state       int32
	first, last int32
	tiles       [tileRows]uint64 // those its boxes touch
}

// sortByDepth answers in o.out what [order.sort] promises, but for the order of
// small boxes that reach into the depth of each other.
func (o *order) sortByDepth(boxes []box, states []int32) {
	o.edges = o.edges[:0]
	o.linkLong(boxes)
	o.index(len(boxes))
	o.walkByDepth(len(boxes))
	o.regroup(boxes, states)
}

// linkLong finds the pairs of which one is long, that share pixels and have an
// order.
func (o *order) linkLong(boxes []box) {
	d := &o.depth
	n := d.findLong(boxes)
	for k, w := range d.long[:n] {
		a := &boxes[w].rect
		for i := range boxes {
			b := &boxes[i].rect
			if b[0] >= a[2] || a[0] >= b[2] || b[1] >= a[3] || a[1] >= b[3] || int32(i) == w || d.isLong(int32(i), k) {
				continue
			}
			first, second := min(w, int32(i)), max(w, int32(i))
			switch precede(&boxes[first], &boxes[second]) {
			case firstBelow:
				o.edges = append(o.edges, edge{first, second})
			case secondBelow:
				o.edges = append(o.edges, edge{second, first})
			}
		}
	}
}

// isLong tells whether a box is one of the first so many long ones.
func (d *byDepth) isLong(i int32, among int) bool {
	for _, w := range d.long[:among] {
		if w == i {
			return true
		}
	}
	return false
}

// findLong answers how many there are.
func (d *byDepth) findLong(boxes []box) int {
	n := 0
	for i := range boxes {
		length := boxes[i].far - boxes[i].near
		if n == depthLongMax && length <= d.length[n-1] {
			continue
		}
		n = min(n+1, depthLongMax)
		at := n - 1
		for ; at > 0 && d.length[at-1] < length; at-- {
			d.length[at], d.long[at] = d.length[at-1], d.long[at-1]
		}
		d.length[at], d.long[at] = length, int32(i)
	}
	return n
}

// walkByDepth draws far to near, and what is held back by a long box as soon as
// it may be. In a cycle, the farthest box goes first.
func (o *order) walkByDepth(n int) {
	d := &o.depth
	d.heap = d.heap[:0]
	o.drawn = resized(o.drawn, n)
	clear(o.drawn)
	at, stuck := 0, 0
	for len(o.out) < n {
		var i int32
		switch {
		case len(d.heap) > 0:
			i = d.pop()
		case at < n:
			i = int32(at)
			at++
			if o.blocked[i] > 0 {
				continue
			}
		default:
			for o.drawn[stuck] {
				stuck++
			}
			i = int32(stuck)
		}
		if o.drawn[i] {
			continue
		}
		o.drawn[i] = true
		o.out = append(o.out, i)
		for _, above := range o.targets[o.starts[i]:o.starts[i+1]] {
			if o.blocked[above]--; o.blocked[above] == 0 && !o.drawn[above] && int(above) < at {
				d.push(above)
			}
		}
	}
}

// push and pop keep a heap with the farthest box, the lowest number, on top.
func (d *byDepth) push(i int32) {
	d.heap = append(d.heap, i)
	for at := len(d.heap) - 1; at > 0; {
		up := (at - 1) / 2
		if d.heap[up] <= d.heap[at] {
			return
		}
		d.heap[up], d.heap[at] = d.heap[at], d.heap[up]
		at = up
	}
}

func (d *byDepth) pop() int32 {
	top, n := d.heap[0], len(d.heap)-1
	d.heap[0] = d.heap[n]
	d.heap = d.heap[:n]
	for at := 0; ; {
		least := at
		for child := 2*at + 1; child <= 2*at+2 && child < n; child++ {
			if d.heap[child] < d.heap[least] {
				least = child
			}
		}
		if least == at {
			return top
		}
		d.heap[at], d.heap[least] = d.heap[least], d.heap[at]
		at = least
	}
}

// regroup moves each box back to the last group of its state, where it shares
// tiles with no box of a group in between.
func (o *order) regroup(boxes []box, states []int32) {
	d := &o.depth
	d.groups, d.next = d.groups[:0], resized(d.next, len(boxes))
	wide, high := float32(1), float32(1)
	for i := range boxes {
		wide, high = max(wide, boxes[i].rect[2]), max(high, boxes[i].rect[3])
	}
	for _, i := range o.out {
		d.next[i] = -1
		t := tilesOf(&boxes[i].rect, wide, high)
		g := d.groupFor(states[i], &t)
		if g == nil {
			d.groups = append(d.groups, group{state: states[i], first: i, last: i})
			g = &d.groups[len(d.groups)-1]
		} else {
			d.next[g.last], g.last = i, i
		}
		for y := t.top; y <= t.bottom; y++ {
			g.tiles[y] |= t.columns
		}
	}
	o.out = o.out[:0]
	for g := range d.groups {
		for i := d.groups[g].first; i >= 0; i = d.next[i] {
			o.out = append(o.out, i)
		}
	}
}

// groupFor is the group that a box of this state over these tiles may join, or
// nil.
func (d *byDepth) groupFor(state int32, t *tiles) *group {
	for k := len(d.groups) - 1; k >= max(0, len(d.groups)-groupsBack); k-- {
		g := &d.groups[k]
		if g.state == state {
			return g
		}
		for y := t.top; y <= t.bottom; y++ {
			if g.tiles[y]&t.columns != 0 {
				return nil
			}
		}
	}
	return nil
}

// tiles is a rectangle of tiles: rows, and a bit for each column.
type tiles struct {
	top, bottom int
	columns     uint64
}

func tilesOf(rect *[4]float32, wide, high float32) tiles {
	tile := func(v, size float32, count int) int { return min(max(int(v/size*float32(count)), 0), count-1) }
	left, right := tile(rect[0], wide, tileColumns), tile(rect[2], wide, tileColumns)
	t := tiles{top: tile(rect[1], high, tileRows), bottom: tile(rect[3], high, tileRows)}
	t.columns = (^uint64(0) >> (63 - (right - left))) << left
	return t
}
