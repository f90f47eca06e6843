//go:build !headless

package ebitengine

import (
	"math"

	"github.com/hajimehoshi/ebiten/v2"
)

// emission is one item on its way into the vertices of a frame.
type emission struct {
	*builder
	mesh   *mesh
	rows   [3]row // local position to (x*w, y*w, w)
	shade  shade
	covers bool // its triangles may cover tiles
	inside bool // nothing of the item needs a cut
}

// corner answers a transformed vertex, transforming it when first asked for.
// Its light comes when it is drawn: most of what is far leaves no trace.
func (e *emission) corner(v uint32) *corner {
	b := e.builder
	c := &b.corners[v]
	if b.stamps[v] == b.stamp {
		return c
	}
	b.stamps[v] = b.stamp
	from := &e.mesh.vertices[v]
	p := vecOf(from.Pos)
	c.x, c.y, c.w = e.rows[0].at(p), e.rows[1].at(p), e.rows[2].at(p)
	c.lit = false
	if e.inside {
		c.beyond, c.screen = 0, c.onScreen()
	} else {
		c.classify(&b.lens)
	}
	return c
}

// light fills in what is interpolated of a corner.
func (e *emission) light(v uint32, c *corner) {
	if c.lit {
		return
	}
	from := &e.mesh.vertices[v]
	c.lit, c.u, c.v = true, from.UV[0], from.UV[1]
	e.shade.apply(from, c)
}

// depthKey sorts triangles by how far their middle is along the view. It is
// asked of those that show, whose corners are known.
func (e *emission) depthKey(t int) uint64 {
	i := e.mesh.indices[3*t : 3*t+3 : 3*t+3]
	total := e.corners[i[0]].w + e.corners[i[1]].w + e.corners[i[2]].w
	return sortable(total)<<32 | uint64(uint32(t))
}

// sortable is a float as an integer that sorts alike: flipping the bits of
// negative numbers does that.
func sortable(v float32) uint64 {
	bits := math.Float32bits(v)
	if bits>>31 != 0 {
		return uint64(^bits)
	}
	return uint64(bits | 1<<31)
}

// shows tells whether a triangle may leave a trace on screen.
func (e *emission) shows(t int) bool {
	i := e.mesh.indices[3*t : 3*t+3 : 3*t+3]
	p, q, r := e.corner(i[0]), e.corner(i[1]), e.corner(i[2])
	if p.beyond&q.beyond&r.beyond != 0 {
		return false
	}
	return (p.beyond|q.beyond|r.beyond)&mustCut != 0 || !misses(p.screen, q.screen, r.screen)
}

// triangle appends one that shows, cut where it has to be.
func (e *emission) triangle(t int) {
	b := e.builder
	i := e.mesh.indices[3*t : 3*t+3 : 3*t+3]
	p, q, r := &b.corners[i[0]], &b.corners[i[1]], &b.corners[i[2]]
	e.light(i[0], p)
	e.light(i[1], q)
	e.light(i[2], r)
	if (p.beyond|q.beyond|r.beyond)&mustCut != 0 {
		e.fan(b.clip.cut(p, q, r, &b.lens))
		return
	}
	b.indices = append(b.indices, e.place(i[0], p), e.place(i[1], q), e.place(i[2], r))
	b.drawnTriangles++
	if e.covers {
		b.polygon = append(b.polygon[:0], p.screen, q.screen, r.screen)
		b.cover.add(b.polygon)
	}
}

// fan appends a cut polygon.
func (e *emission) fan(polygon []corner) {
	if len(polygon) < 3 {
		return
	}
	b := e.builder
	for n := range polygon {
		polygon[n].screen = polygon[n].onScreen()
	}
	first := e.append(&polygon[0])
	e.append(&polygon[1])
	for n := 2; n < len(polygon); n++ {
		e.append(&polygon[n])
		b.indices = append(b.indices, first, first+uint32(n)-1, first+uint32(n))
		b.drawnTriangles++
	}
	if e.covers {
		b.polygon = b.polygon[:0]
		for n := range polygon {
			b.polygon = append(b.polygon, polygon[n].screen)
		}
		b.cover.add(b.polygon)
	}
}

// place answers where vertex v is in the batch, appending it when first asked for.
func (e *emission) place(v uint32, c *corner) uint32 {
	at := &e.placed[v]
	if at.stamp != e.stamp {
		at.stamp, at.index = e.stamp, e.append(c)
	}
	return at.index
}

// append writes a corner as Ebitengine's vertex. What is interpolated in
// perspective is divided by w here and multiplied by it for each pixel.
func (e *emission) append(c *corner) uint32 {
	b := e.builder
	n := len(b.vertices) - b.batches[len(b.batches)-1].vertices
	iw := 1 / c.w
	v := ebiten.Vertex{
		DstX: c.screen.x + b.origin.x, DstY: c.screen.y + b.origin.y,
		ColorR: c.red * iw, ColorG: c.green * iw, ColorB: c.blue * iw, ColorA: c.alpha * iw,
		Custom0: c.u * iw, Custom1: c.v * iw, Custom2: iw,
	}
	if e.shade.normals {
		v.Custom3, v.SrcX, v.SrcY = c.nx*iw, c.ny*iw, c.nz*iw
	} else {
		v.Custom3, v.SrcX, v.SrcY = e.shade.emissive.x, e.shade.emissive.y, e.shade.emissive.z
	}
	b.vertices = append(b.vertices, v)
	return uint32(n)
}
