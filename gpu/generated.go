package gpu

import (
	"fmt"
	"math"

	"sojourn/assets"
)

// CreateGenerated adds a mesh that no asset describes: chunks, trails,
// splines. Both slices are copied. The ref has one user and no key, so nothing
// else joins it. Malformed indices wrap [ErrMalformed]; [ErrCapacity] as with
// [Geometry.Join].
func (g *Geometry) CreateGenerated(vertices []assets.Vertex, indices []uint32) (GeometryRef, error) {
	if g.closed {
		return 0, fmt.Errorf("%w: geometry", assets.ErrClosed)
	}
	if err := ValidateGeometry(vertices, indices); err != nil {
		return 0, err
	}
	bytes := GeometryBytes(len(vertices), len(indices))
	if bytes > g.max {
		g.refused++
		return 0, fmt.Errorf("%w: generated mesh of %d bytes, at most %d", assets.ErrTooLarge, bytes, g.max)
	}
	if g.account.live+g.pendingBytes+bytes > g.max || !g.window.enter(bytes) {
		g.refused++
		return 0, ErrCapacity
	}
	slot := g.take()
	e := &g.entries[slot]
	g.stage(slot, bytes, vertices, indices)
	e.bounds = e.next
	return GeometryRef(ref(slot, e.generation)), nil
}

// Update replaces a generated mesh's vertices and indices. What is on the
// device stays drawn until the new copy is there. An update that still waits
// is overtaken in place. Growing what lives is always allowed; only the window
// can refuse it ([ErrCapacity]: nothing changed, ask again). A stale ref, or
// one with a key, wraps [ErrStale].
func (g *Geometry) Update(r GeometryRef, vertices []assets.Vertex, indices []uint32) error {
	e := g.at(r)
	if e == nil || e.key != 0 {
		return fmt.Errorf("%w: update of geometry %#x", ErrStale, uint64(r))
	}
	if err := ValidateGeometry(vertices, indices); err != nil {
		return err
	}
	slot := refSlot(uint64(r))
	bytes := GeometryBytes(len(vertices), len(indices))
	g.window.leave(e.queued)
	if !g.window.enter(bytes) {
		g.window.bytes += e.queued // as it was, which may be oversized
		g.refused++
		return ErrCapacity
	}
	if e.queued != 0 {
		g.pendingBytes -= e.queued
		e.queued = 0
	}
	g.stage(slot, bytes, vertices, indices)
	delete(g.failures, slot)
	e.failed = false
	return nil
}

// stage copies a generated mesh and queues it, in the place it has if it waits.
func (g *Geometry) stage(slot uint32, bytes int64, vertices []assets.Vertex, indices []uint32) {
	e := &g.entries[slot]
	if e.staged == 0 {
		e.staged = g.staging.take()
	}
	g.staging.at(e.staged).copy(vertices, indices)
	e.next = boundsOf(vertices)
	e.queued = bytes
	g.pendingBytes += bytes
	if g.chains.in(slot) == 0 {
		g.chains.push(chain(1+e.class), slot)
	}
}

// staging is a copy of a mesh that waits for its upload.
type staging struct {
	vertices []assets.Vertex
	indices  []uint32
}

func (s *staging) copy(vertices []assets.Vertex, indices []uint32) {
	s.vertices = append(s.vertices[:0], vertices...)
	s.indices = append(s.indices[:0], indices...)
}

func (s *staging) bytes() int64 { return GeometryBytes(cap(s.vertices), cap(s.indices)) }

// stagings keeps copies by number (from 1), apart from the pointer-free
// entries, and reuses their memory.
type stagings struct {
	rows       []*staging
	free       []uint32
	spareBytes int64 // memory of the free ones
}

// stagingSpareBytesMax bounds the memory kept for reuse.
const stagingSpareBytesMax = 4 << 20

func (s *stagings) take() uint32 {
	if n := len(s.free); n > 0 {
		at := s.free[n-1]
		s.free = s.free[:n-1]
		s.spareBytes -= s.at(at).bytes()
		return at
	}
	s.rows = append(s.rows, new(staging))
	return uint32(len(s.rows))
}

func (s *stagings) at(n uint32) *staging { return s.rows[n-1] }

func (s *stagings) drop(n uint32) {
	if n == 0 {
		return
	}
	if r := s.at(n); s.spareBytes+r.bytes() > stagingSpareBytesMax {
		*r = staging{}
	}
	s.spareBytes += s.at(n).bytes()
	s.free = append(s.free, n)
}

// boundsOf is the box around the vertices and the sphere around the box's
// centre.
func boundsOf(vertices []assets.Vertex) assets.Bounds {
	if len(vertices) == 0 {
		return assets.Bounds{}
	}
	b := assets.Bounds{Min: vertices[0].Pos, Max: vertices[0].Pos}
	for i := range vertices {
		for axis, x := range vertices[i].Pos {
			b.Min[axis] = min(b.Min[axis], x)
			b.Max[axis] = max(b.Max[axis], x)
		}
	}
	for axis := range b.Center {
		b.Center[axis] = (b.Min[axis] + b.Max[axis]) / 2
	}
	far := 0.0
	for i := range vertices {
		sum := 0.0
		for axis, x := range vertices[i].Pos {
			d := float64(x - b.Center[axis])
			sum += d * d
		}
		far = max(far, sum)
	}
	b.Radius = float32(math.Sqrt(far))
	return b
}
