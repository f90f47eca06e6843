//go:build !headless

package ebitengine

import (
	"math"
	"slices"

	"sojourn/assets"
	"sojourn/gpu"
)

// quadMesh is a rectangle of edge two around the origin, in X and Y.
func quadMesh() *mesh {
	corner := func(x, y float32) assets.Vertex {
		return assets.Vertex{
			Pos: [3]float32{x, y, 0}, Normal: [3]float32{0, 0, 1}, UV: [2]float32{(x + 1) / 2, (1 - y) / 2},
			Color: [4]uint8{255, 255, 255, 255},
		}
	}
	return newMesh(
		[]assets.Vertex{corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)}, []uint32{0, 1, 2, 0, 2, 3})
}

// spriteSerials makes sprites come after the items whose plane they lie in.
const spriteSerials = 1 << 31

// gatherSprites finds the visible groups. It answers how many it had to leave
// out because their quads are past the table.
func (b *builder) gatherSprites(frame *gpu.Frame) (refused int) {
	for i := range frame.Sprites {
		s := &frame.Sprites[i]
		if s.First < 0 || s.Count < 0 || int64(s.First)+int64(s.Count) > int64(len(frame.Quads)) {
			refused++
			continue
		}
		var x box
		if s.Count == 0 || !b.spritesBox(frame.Quads[s.First:s.First+s.Count], &x) {
			continue
		}
		outside, inside := x.cull(&b.lens)
		if outside {
			continue
		}
		x.project(&b.lens)
		x.inside, x.item, x.serial = inside, -1-int32(i), spriteSerials|s.Serial
		b.boxes = append(b.boxes, x)
	}
	return refused
}

// spritesBox is the box of one quad as it lies, or of many along the axes.
func (b *builder) spritesBox(quads []gpu.Quad, x *box) bool {
	if len(quads) == 1 {
		m := b.quadMatrix(&quads[0])
		return boxOf(vec{}, vec{1, 1, 0}, &m, &b.lens, x)
	}
	low := vec{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}
	high := scaled(low, -1)
	for i := range quads {
		q := &quads[i]
		c, r, u := sub(vecOf(q.Center), b.eye), vecOf(q.Right), vecOf(q.Up)
		h := vec{abs(r.x) + abs(u.x), abs(r.y) + abs(u.y), abs(r.z) + abs(u.z)}
		low = vec{min(low.x, c.x-h.x), min(low.y, c.y-h.y), min(low.z, c.z-h.z)}
		high = vec{max(high.x, c.x+h.x), max(high.y, c.y+h.y), max(high.z, c.z+h.z)}
	}
	m := gpu.Mat4{0: 1, 5: 1, 10: 1, 15: 1}
	return boxOf(scaled(sum(low, high), 0.5), scaled(sub(high, low), 0.5), &m, &b.lens, x)
}

// quadMatrix places quadMesh as the lens sees it; its third axis is the quad's normal.
func (b *builder) quadMatrix(q *gpu.Quad) gpu.Mat4 {
	c := sub(vecOf(q.Center), b.eye)
	n := normalized(cross(vecOf(q.Right), vecOf(q.Up)))
	return gpu.Mat4{
		q.Right[0], q.Right[1], q.Right[2], 0, q.Up[0], q.Up[1], q.Up[2], 0,
		n.x, n.y, n.z, 0, c.x, c.y, c.z, 1,
	}
}

// emitSprites appends a group's quads, far to near.
func (b *builder) emitSprites(frame *gpu.Frame, x *box, state int32) {
	s := &frame.Sprites[-1-x.item]
	quads := frame.Quads[s.First : s.First+s.Count]
	b.open(state)
	b.facing = b.facing[:0]
	for i := range quads {
		depth := dot(sub(vecOf(quads[i].Center), b.eye), b.lens.ahead)
		b.facing = append(b.facing, sortable(depth)<<32|uint64(uint32(i)))
	}
	slices.Sort(b.facing)
	for at := len(b.facing) - 1; at >= 0; at-- {
		b.emitQuad(frame, &quads[uint32(b.facing[at])], s.Lit, x.inside)
	}
}

func (b *builder) emitQuad(frame *gpu.Frame, q *gpu.Quad, lit, inside bool) {
	m := b.quadMatrix(q)
	e := emission{builder: b, mesh: b.quad, rows: b.lens.product(&m), inside: inside}
	light := vec{1, 1, 1}
	if lit {
		light = b.lightOn(&frame.Camera, q)
	}
	e.shade.tint = [4]float32{q.Color[0] * light.x, q.Color[1] * light.y, q.Color[2] * light.z, q.Color[3]}
	for k := range e.shade.tint {
		e.shade.tint[k] /= 255 // vertex colours are bytes
	}
	b.reserve(len(b.quad.vertices))
	before := b.drawnTriangles
	for t := range 2 {
		if e.shows(t) {
			e.triangle(t)
		}
	}
	if b.drawnTriangles > before {
		b.drawnQuads++
	}
}

// lightOn is the light on the side of a quad that is seen.
func (b *builder) lightOn(c *gpu.Camera, q *gpu.Quad) vec {
	n := normalized(cross(vecOf(q.Right), vecOf(q.Up)))
	if dot(n, sub(b.eye, vecOf(q.Center))) < 0 {
		n = scaled(n, -1)
	}
	return sum(vecOf(c.Ambient), scaled(vecOf(c.SunColor), max(0, dot(n, vecOf(c.SunDir)))))
}
