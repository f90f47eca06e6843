package ebitengine

import (
	"math"

	"sojourn/gpu"
)

// box is the oriented box of one visible item, made ready for ordering.
type box struct {
	center vec
	halves [3]vec // from the centre to three faces
	// slabs are the three pairs of faces, the closest pair first: the box lies
	// between offset-radius and offset+radius along the unit normal, and the
	// camera at offset+camera.
	slabs [3]slab
	// near and far are distances along the view.
	near, far, depth float32
	// rect is what the box covers on screen, in pixels: left, top, right, bottom.
	rect   [4]float32
	serial uint32
	item   int32 // in the frame; below zero: -1 less the number of its sprites
	mesh   *mesh
	inside bool // wholly in view
}

type slab struct {
	normal                 vec
	offset, radius, camera float32
}

// boxOf places a local box with a model matrix. It answers false for a matrix
// without volume or with numbers that are not finite.
func boxOf(center, half vec, m *gpu.Mat4, l *lens, b *box) bool {
	b.center = transformed(m, center)
	x, y, z := axis(m, 0), axis(m, 1), axis(m, 2)
	normals := [3]vec{normalized(cross(y, z)), normalized(cross(z, x)), normalized(cross(x, y))}
	b.halves = [3]vec{scaled(x, half.x), scaled(y, half.y), scaled(z, half.z)}
	b.depth = dot(sub(b.center, l.pos), l.ahead)
	reach := float32(0)
	for k := range 3 {
		n, h := normals[k], b.halves[k]
		if !finite(b.center) || !finite(h) || n == (vec{}) {
			return false
		}
		offset := dot(n, b.center)
		b.slabs[k] = slab{n, offset, abs(dot(n, h)), dot(n, l.pos) - offset}
		reach += abs(dot(h, l.ahead))
	}
	b.near, b.far = b.depth-reach, b.depth+reach
	for k := 1; k < 3; k++ {
		if b.slabs[k].radius < b.slabs[0].radius {
			b.slabs[0], b.slabs[k] = b.slabs[k], b.slabs[0]
		}
	}
	return true
}

// cull tells whether the box is out of view, or wholly within it.
func (b *box) cull(l *lens) (outside, inside bool) {
	inside = true
	for i := range l.planes {
		p := &l.planes[i]
		at, reach := p.at(b.center), b.reach(p.n)
		if at < -reach {
			return true, false
		}
		// Nothing is cut at the far plane: being beyond it in part does no harm.
		if at < reach && i != 1 {
			inside = false
		}
	}
	return false, inside
}

// reach is how far the box extends from its centre along a direction.
func (b *box) reach(n vec) float32 {
	return abs(dot(n, b.halves[0])) + abs(dot(n, b.halves[1])) + abs(dot(n, b.halves[2]))
}

// project fills in what the box covers on screen. A box that reaches behind
// the camera may cover everything.
func (b *box) project(l *lens) {
	if b.near < l.near {
		b.rect = [4]float32{0, 0, l.width, l.height}
		return
	}
	b.rect = [4]float32{math.MaxFloat32, math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32}
	base := [3]float32{}
	var step [3][3]float32
	for r := range 3 {
		n := l.rows[r].n
		base[r] = l.rows[r].at(b.center)
		step[r] = [3]float32{dot(n, b.halves[0]), dot(n, b.halves[1]), dot(n, b.halves[2])}
	}
	for corner := range 8 {
		p := base
		for k := range 3 {
			sign := float32(corner>>k&1)*2 - 1
			for r := range 3 {
				p[r] += sign * step[r][k]
			}
		}
		x, y := p[0]/p[2], p[1]/p[2]
		b.rect[0], b.rect[1] = min(b.rect[0], x), min(b.rect[1], y)
		b.rect[2], b.rect[3] = max(b.rect[2], x), max(b.rect[3], y)
	}
	b.rect[0], b.rect[1] = max(b.rect[0], 0), max(b.rect[1], 0)
	b.rect[2], b.rect[3] = min(b.rect[2], l.width), min(b.rect[3], l.height)
}

// span is the longer side of what the box covers on screen, in pixels.
func (b *box) span() float32 { return max(b.rect[2]-b.rect[0], b.rect[3]-b.rect[1]) }

// touch is how far boxes may reach into each other and still count as apart,
// in metres: what stands on a floor is often a little in it.
const touch = 0.02

// flush is the distance up to which two flat things lie in one plane, in metres.
const flush = 1e-4

// overlapMax is the share of their depth that two boxes may have in common
// along some normal and still be ordered by it.
const overlapMax = 0.4

// precedence is the order in which two boxes must be drawn.
type precedence int8

const (
	free        precedence = iota // neither hides the other
	firstBelow                    // the first is drawn first: the second may hide it
	secondBelow                   // the other way round
)

// verdict is what is known about two boxes, a and b, while their faces are
// gone through.
type verdict struct {
	aHides, bHides bool // may hide the other
	onePlane       bool // both lie in one plane
	// The normal along which boxes that meet do so least, for whose box, and
	// how much of their depth along it they share, negated.
	slab  *slab
	ofB   bool
	share float32
}

// precede tells which of two boxes that share pixels is drawn first. The
// order of the arguments decides what nothing else does.
func precede(a, b *box) precedence {
	v := verdict{aHides: true, bHides: true, share: -1}
	depthApart := true
	switch {
	case a.near >= b.far+flush:
		v.aHides = false
	case b.near >= a.far+flush:
		v.bHides = false
	default:
		depthApart = false
	}
	// Apart in depth, only the thin sides are worth a look: they set walls and
	// floors free of each other.
	slabs := 3
	if depthApart {
		slabs = 1
	}
	for k := range slabs {
		v.weigh(&a.slabs[k], b, false)
		v.weigh(&b.slabs[k], a, true)
		if !v.aHides && !v.bHides {
			return free
		}
	}
	switch {
	case v.onePlane && depthApart:
		return free
	case v.onePlane:
		return coplanar(a, b)
	case v.aHides && v.bHides && v.share > -overlapMax:
		v.settle(a, b)
	}
	switch {
	case !v.aHides && !v.bHides:
		return free
	case !v.aHides:
		return firstBelow
	case !v.bHides:
		return secondBelow
	}
	return nested(a, b)
}

// weigh takes what one pair of faces, of a or of b, tells about the other box.
func (v *verdict) weigh(s *slab, other *box, ofB bool) {
	between := dot(s.normal, other.center) - s.offset
	reach := other.reach(s.normal)
	gap := abs(between) - s.radius - reach
	if gap < -touch {
		if share := gap / (s.radius + reach); share > v.share {
			v.slab, v.ofB, v.share = s, ofB, share
		}
		return
	}
	if abs(between) < flush && s.radius < flush && reach < flush {
		v.onePlane = true
		return
	}
	if v.onePlane { // side by side in their plane
		v.aHides, v.bHides = false, false
		return
	}
	v.part(s, between, gap, ofB)
}

func (v *verdict) part(s *slab, between, gap float32, ofB bool) {
	own, other := s.parts(between, gap)
	if ofB {
		own, other = other, own
	}
	v.aHides, v.bHides = v.aHides && own, v.bHides && other
}

// settle orders boxes that reach into each other by the normal along which
// they do so least.
func (v *verdict) settle(a, b *box) {
	other := b
	if v.ofB {
		other = a
	}
	v.part(v.slab, dot(v.slab.normal, other.center)-v.slab.offset, 0, v.ofB)
}

// parts tells, for a box p with this slab and a box q whose centre is so far
// along the normal and which begins `gap` beyond p: whether p may hide q, and
// whether q may hide p.
func (s *slab) parts(between, gap float32) (pHides, qHides bool) {
	camera := s.camera
	if between < 0 {
		camera = -camera
	}
	// A camera before q's face cannot see q hide p, one behind p's face
	// cannot see p hide q.
	gap = max(gap, 0)
	return camera < s.radius, camera > s.radius+gap
}

// coplanar orders things that lie in one plane, such as a decal on its wall.
func coplanar(a, b *box) precedence {
	if b.serial < a.serial {
		return secondBelow
	}
	return firstBelow
}

// nested orders boxes that no plane parts. What encloses the other hides it if
// it is solid, and is taken for a shell around it if not.
func nested(a, b *box) precedence {
	sizeA, sizeB := a.extent(), b.extent()
	switch {
	case sizeA > 1.5*sizeB && a.encloses(b):
		if a.solid() {
			return secondBelow
		}
	case sizeB > 1.5*sizeA && b.encloses(a):
		if !b.solid() {
			return secondBelow
		}
	}
	return firstBelow
}

func (b *box) solid() bool { return b.mesh != nil && b.mesh.solid }

func (b *box) extent() float32 {
	return b.slabs[0].radius + b.slabs[1].radius + b.slabs[2].radius
}

func (b *box) encloses(c *box) bool {
	for k := range b.slabs {
		s := &b.slabs[k]
		if abs(dot(s.normal, c.center)-s.offset) > s.radius+touch {
			return false
		}
	}
	return true
}
