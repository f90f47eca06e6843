//go:build !headless

package ebitengine

import (
	"cmp"
	"math"
	"slices"

	"github.com/hajimehoshi/ebiten/v2"

	"sojourn/gpu"
)

// batch is one draw call: a run of vertices and of the indices into that run.
type batch struct {
	look                int32
	vertices, indices   int // first
	vertexEnd, indexEnd int
}

// builder turns a frame into draw calls. It touches no image and keeps its
// memory from frame to frame.
type builder struct {
	lens   lens  // at the origin
	eye    vec   // where it is in the world
	origin point // of the target's bounds
	boxes  []box
	sorted []box
	ranks  []rank
	states []int32
	looks  looks
	order  order
	cover  coverage
	clip   clipper

	vertices   []ebiten.Vertex
	indices    []uint32
	batches    []batch
	background batch
	sky        batch

	corners []corner
	stamps  []uint32 // corners[i] belongs to the item numbered so
	placed  []placement
	stamp   uint32
	facing  []uint64 // triangles of an item: depth above, number below
	polygon []point
	quad    *mesh

	drawnItems, drawnTriangles, drawnQuads int
}

// placement says where a corner went in the vertices of this frame.
type placement struct{ stamp, index uint32 }

type rank struct {
	depth  float32
	serial uint32
	box    int32
}

// meshLookup answers nil for a stale id.
type meshLookup func(gpu.GeometryID) *mesh

// build makes the draw calls of a frame of this size. It answers how many
// items it had to leave out because they name no geometry or no material.
func (b *builder) build(frame *gpu.Frame, width, height int, meshOf meshLookup, textures faceOf) (refused int) {
	b.aim(&frame.Camera, width, height)
	b.cover.reset(b.lens.width, b.lens.height)
	b.vertices, b.indices, b.batches = b.vertices[:0], b.indices[:0], b.batches[:0]
	b.drawnItems, b.drawnTriangles, b.drawnQuads = 0, 0, 0
	b.looks.reset(len(frame.Materials))

	refused = b.gather(frame, meshOf)
	refused += b.gatherSprites(frame)
	b.rank()
	b.states = b.states[:0]
	for i := range b.sorted {
		x := &b.sorted[i]
		if x.item < 0 {
			b.states = append(b.states, b.looks.ofSprite(frame.Sprites[-1-x.item].Texture, textures))
			continue
		}
		b.states = append(b.states, b.looks.of(frame, frame.Items[x.item].Material, sizeOf(x.span()), textures))
	}
	for _, i := range b.order.sort(b.sorted, b.states, len(b.looks.all)) {
		if x := &b.sorted[i]; x.item < 0 {
			b.emitSprites(frame, x, b.states[i])
		} else {
			b.emit(frame, x, b.states[i])
		}
	}
	b.closeBatch()
	b.emitBackground(frame)
	return refused
}

// aim sets the lens. Everything is drawn from the eye's own place: far from the
// world's origin a position and the eye's are large numbers that lie close to
// each other, and only their difference tells pixels apart.
func (b *builder) aim(c *gpu.Camera, width, height int) {
	b.eye = lensOf(c, width, height).pos
	here := *c
	here.View[12], here.View[13], here.View[14] = 0, 0, 0
	b.lens = lensOf(&here, width, height)
}

// fromEye is a model matrix as the lens sees it.
func (b *builder) fromEye(m *gpu.Mat4) gpu.Mat4 {
	out := *m
	out[12], out[13], out[14] = m[12]-b.eye.x, m[13]-b.eye.y, m[14]-b.eye.z
	return out
}

// gather finds the visible items.
func (b *builder) gather(frame *gpu.Frame, meshOf meshLookup) (refused int) {
	b.boxes = b.boxes[:0]
	for i := range frame.Items {
		item := &frame.Items[i]
		m := meshOf(item.Geometry)
		if m == nil || uint64(item.Material) >= uint64(len(frame.Materials)) {
			refused++
			continue
		}
		var x box
		model := b.fromEye(&item.Model)
		if !boxOf(m.center, m.half, &model, &b.lens, &x) {
			continue
		}
		outside, inside := x.cull(&b.lens)
		if outside {
			continue
		}
		x.project(&b.lens)
		x.inside, x.mesh, x.item, x.serial = inside, m, int32(i), item.Serial
		b.boxes = append(b.boxes, x)
	}
	return refused
}

// rank sorts the visible items far to near.
func (b *builder) rank() {
	b.ranks = b.ranks[:0]
	for i := range b.boxes {
		b.ranks = append(b.ranks, rank{b.boxes[i].depth, b.boxes[i].serial, int32(i)})
	}
	slices.SortFunc(b.ranks, func(p, q rank) int {
		if c := cmp.Compare(q.depth, p.depth); c != 0 {
			return c
		}
		if c := cmp.Compare(p.serial, q.serial); c != 0 {
			return c
		}
		return cmp.Compare(p.box, q.box)
	})
	b.sorted = b.sorted[:0]
	for _, r := range b.ranks {
		b.sorted = append(b.sorted, b.boxes[r.box])
	}
}

// emit appends an item's triangles that face the camera.
func (b *builder) emit(frame *gpu.Frame, x *box, state int32) {
	item := &frame.Items[x.item]
	row := &frame.Materials[item.Material]
	l := &b.looks.all[state]
	m := x.meshFor(&b.looks, l)
	model := b.fromEye(&item.Model)
	eye := inverted(&model, vec{})
	e := emission{
		builder: b, mesh: m, rows: b.lens.product(&model),
		shade:  shadeOf(&frame.Camera, row, &b.looks.tints[sizeOf(x.span())][item.Material], l.variant, &model, eye),
		inside: x.inside,
	}
	e.covers = frame.Skybox != 0 && !l.blend && l.cutoff == 0 && x.rect[2]-x.rect[0] > b.cover.tileWide && x.rect[3]-x.rect[1] > b.cover.tileHigh
	b.open(state)
	b.reserve(len(m.vertices))
	before := b.drawnTriangles
	twoSided := row.Factors[2] != 0
	if m.orderFree && !twoSided {
		for t := range m.planes {
			if m.planes[t].at(eye) > 0 && e.shows(t) {
				e.triangle(t)
			}
		}
	} else {
		b.facing = b.facing[:0]
		for t := range m.planes {
			// Sorted is only what shows: of what is far, a small part.
			if (twoSided || m.planes[t].at(eye) > 0) && e.shows(t) {
				b.facing = append(b.facing, e.depthKey(t))
			}
		}
		slices.Sort(b.facing)
		for at := len(b.facing) - 1; at >= 0; at-- {
			e.triangle(int(uint32(b.facing[at])))
		}
	}
	if b.drawnTriangles > before {
		b.drawnItems++
	}
}

// reserve makes room for the corners of one more mesh.
func (b *builder) reserve(corners int) {
	if len(b.stamps) < corners {
		n := max(corners, 2*len(b.stamps))
		b.corners, b.stamps, b.placed = make([]corner, n), make([]uint32, n), make([]placement, n)
		b.stamp = 0
	}
	if b.stamp++; b.stamp == 0 {
		clear(b.stamps)
		clear(b.placed)
		b.stamp = 1
	}
}

func (b *builder) open(look int32) {
	if n := len(b.batches); n > 0 && b.batches[n-1].look == look {
		return
	}
	b.closeBatch()
	b.batches = append(b.batches, batch{look: look, vertices: len(b.vertices), indices: len(b.indices)})
}

func (b *builder) closeBatch() {
	n := len(b.batches)
	if n == 0 {
		return
	}
	last := &b.batches[n-1]
	last.vertexEnd, last.indexEnd = len(b.vertices), len(b.indices)
	if last.indexEnd == last.indices { // nothing of it faced the camera
		b.batches = b.batches[:n-1]
	}
}

// emitBackground appends a plain rectangle that lies under everything and, where
// there is a sky, rectangles for what the items leave uncovered.
func (b *builder) emitBackground(frame *gpu.Frame) {
	var color [3]float32
	for k := range 3 {
		color[k] = float32(math.Sqrt(float64(min(1, max(0, frame.Camera.ClearColor[k])))))
	}
	b.background = batch{vertices: len(b.vertices), indices: len(b.indices)}
	b.emitRectangle(&b.background, color, 0, 0, b.lens.width, b.lens.height)
	b.sky = batch{vertices: len(b.vertices), indices: len(b.indices)}
	b.sky.vertexEnd, b.sky.indexEnd = len(b.vertices), len(b.indices)
	if frame.Skybox == 0 {
		return
	}
	b.cover.eachRun(func(left, top, right, bottom float32) {
		b.emitRectangle(&b.sky, color, left, top, right, bottom)
	})
}

func (b *builder) emitRectangle(to *batch, color [3]float32, left, top, right, bottom float32) {
	n := uint32(len(b.vertices) - to.vertices)
	for _, p := range [4]point{{left, top}, {right, top}, {left, bottom}, {right, bottom}} {
		b.vertices = append(b.vertices, ebiten.Vertex{
			DstX: p.x + b.origin.x, DstY: p.y + b.origin.y,
			ColorR: color[0], ColorG: color[1], ColorB: color[2], ColorA: 1,
		})
	}
	b.indices = append(b.indices, n, n+1, n+2, n+1, n+2, n+3)
	to.vertexEnd, to.indexEnd = len(b.vertices), len(b.indices)
}
