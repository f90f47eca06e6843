package gpu

import (
	"fmt"

	"sojourn/assets"
	"sojourn/stages/work"
	"sojourn/trace"
)

// GeometryBytesMax is the default ceiling of a [Geometry].
const GeometryBytesMax = 1 << 30

// GeometryRef names geometry in a [Geometry] table: slot in the low word,
// generation in the high word. It holds no pointer. The zero ref names
// nothing; a ref whose last user left is stale and refused.
type GeometryRef uint64

// GeometryState is where one geometry stands.
type GeometryState uint8

// The states of geometry.
const (
	// GeometryStale: the ref names nothing.
	GeometryStale GeometryState = iota
	// GeometryPending: waits for its first upload.
	GeometryPending
	// GeometryResident: on the device.
	GeometryResident
	// GeometryFailed: will not come; [Geometry.Failure] tells why.
	GeometryFailed
)

// GeometryOptions bound a [Geometry].
type GeometryOptions struct {
	// BytesMax is a hard ceiling for new keys; 0: [GeometryBytesMax].
	BytesMax int64
	// Window bounds the CPU bytes that wait; nil: one of its own, of
	// [WindowBytesMax].
	Window *Window
	// Trace hears of each upload; the zero value records nothing.
	Trace trace.Track
}

// GeometryStats counts a table's work since it was made.
type GeometryStats struct {
	Live      int   // keys and generated meshes with users
	Uploads   int64 // creates that succeeded
	Joins     int64 // joins that found their key
	Abandoned int64 // uploads given up because the last user left
	Failed    int64 // uploads that ended as failed
	// LostUploads counts uploads given up after the device lost them more
	// often than it may; Retries the ones tried again before that.
	LostUploads, Retries int64
	OutOfMemory          int64 // creates the device had no room for
}

// Geometry keeps vertices and indices on the device, once for each mesh
// however many instances bind it. Generated meshes live here too, without a
// key. Game goroutine only; nothing here locks.
type Geometry struct {
	dev    Device
	meshes payloads[assets.Mesh]
	store  phaseStore
	retire *Retirement
	window *Window
	trace  trace.Track
	max    int64

	entries []geometryEntry
	free    []uint32
	index   keyIndex
	chains  chains
	staging stagings

	account      account
	pendingBytes int64 // of keys that were admitted and are not on the device
	refused      int64
	failures     map[uint32]error
	stats        GeometryStats
	closed       bool
}

// The chains of a geometry's slots, one lane for each class of work.
const (
	geometryWaiting     = chain(1 + work.Ordinary)
	geometryDestination = chain(1 + work.Destination)
)

type geometryEntry struct {
	generation uint32
	users      int32
	key        assets.Handle // zero: generated
	class      work.Class
	failed     bool
	lost       uint8 // attempts the device lost in a row

	id     GeometryID
	bytes  int64 // of id
	bounds assets.Bounds

	queued int64  // bytes of the upload that waits; zero: none
	staged uint32 // its copy, for generated meshes; zero: the payload is the store's
	next   assets.Bounds
}

// payloads is what a table needs of an [assets.Residency].
type payloads[T any] interface {
	At(assets.Handle) *T
}

// phaseStore is what the tables need of an [assets.Store].
type phaseStore interface {
	TryRetain(assets.Handle) bool
	Release(assets.Handle)
	KeyOf(assets.Handle) (assets.Key, bool)
	Name(assets.Key) (assets.Handle, error)
	Forget(assets.Handle)
	NotePhase(assets.Handle, assets.Phase)
	NoteWent(assets.Handle, string)
}

// NewGeometry makes an empty table. The store must have the mesh kind. The
// table frees through r.
func NewGeometry(dev Device, store *assets.Store, r *Retirement, o GeometryOptions) *Geometry {
	return newGeometry(dev, assets.Of[assets.Mesh](store, assets.KindMesh), store, r, o)
}

func newGeometry(dev Device, meshes payloads[assets.Mesh], store phaseStore, r *Retirement, o GeometryOptions) *Geometry {
	if o.BytesMax == 0 {
		o.BytesMax = GeometryBytesMax
	}
	if o.Window == nil {
		o.Window = NewWindow(0)
	}
	return &Geometry{
		dev: dev, meshes: meshes, store: store, retire: r, window: o.Window, trace: o.Trace, max: o.BytesMax,
		failures: map[uint32]error{},
	}
}

// Join adds one user to a mesh's geometry. Each Join is owed one
// [Geometry.Leave].
//
// Joining a key that is there costs nothing and needs no payload. For a new
// one the caller holds the mesh retained during the call, and the table takes
// a retain of its own until it is uploaded. The table keeps the mesh's name,
// so its handle stays good while the geometry lives. A new key that would exceed the
// ceiling, or the window, is refused with [ErrCapacity]: wait and ask again.
// One that is larger than the ceiling wraps [assets.ErrTooLarge]; one without
// a payload wraps [assets.ErrNotReady].
func (g *Geometry) Join(mesh assets.Handle) (GeometryRef, error) {
	if slot, ok := g.index.at(mesh); ok && g.entries[slot].key == mesh {
		e := &g.entries[slot]
		e.users++
		g.stats.Joins++
		return GeometryRef(ref(slot, e.generation)), nil
	}
	if g.closed {
		return 0, fmt.Errorf("%w: geometry", assets.ErrClosed)
	}
	payload := g.meshes.At(mesh)
	if payload == nil {
		return 0, fmt.Errorf("%w: %s has no payload", assets.ErrNotReady, keyName(g.store, mesh))
	}
	bytes := payload.PayloadBytes()
	if bytes > g.max {
		g.refused++
		return 0, fmt.Errorf("%w: %s: %d bytes of geometry, at most %d", assets.ErrTooLarge, keyName(g.store, mesh), bytes, g.max)
	}
	if g.account.live+g.pendingBytes+bytes > g.max || !g.window.enter(bytes) {
		g.refused++
		return 0, ErrCapacity
	}
	if err := g.hold(mesh); err != nil {
		g.window.leave(bytes)
		return 0, err
	}
	slot := g.take()
	e := &g.entries[slot]
	e.key, e.bounds, e.next = mesh, payload.Bounds, payload.Bounds
	e.queued = bytes
	g.pendingBytes += bytes
	g.index.set(mesh, slot)
	g.chains.push(geometryWaiting, slot)
	return GeometryRef(ref(slot, e.generation)), nil
}

// hold takes the upload's retain, and a name that keeps the handle good for as
// long as the geometry lives, also where the payload goes after its upload.
func (g *Geometry) hold(mesh assets.Handle) error {
	if !g.store.TryRetain(mesh) {
		return fmt.Errorf("%w: %s cannot be retained", assets.ErrNotReady, keyName(g.store, mesh))
	}
	key, _ := g.store.KeyOf(mesh)
	if _, err := g.store.Name(key); err != nil {
		g.store.Release(mesh)
		return err
	}
	return nil
}

func (g *Geometry) take() uint32 {
	var slot uint32
	if n := len(g.free); n > 0 {
		slot = g.free[n-1]
		g.free = g.free[:n-1]
	} else {
		slot = uint32(len(g.entries))
		g.entries = append(g.entries, geometryEntry{generation: 1})
		g.free = room(g.free, len(g.entries))
		g.chains.grow(len(g.entries))
	}
	g.entries[slot] = geometryEntry{generation: g.entries[slot].generation, users: 1}
	g.stats.Live++
	return slot
}

// Taken is the number of keys and generated meshes there are, and Places how many
// there may be before the table grows.
func (g *Geometry) Taken() int { return g.stats.Live }

// Places is explained at [Geometry.Taken].
func (g *Geometry) Places() int { return cap(g.entries) }

// GrowTo makes places for so many.
func (g *Geometry) GrowTo(meshes int) {
	g.entries = roomFor(g.entries, meshes)
	g.free = room(g.free, meshes)
	g.chains.links = roomFor(g.chains.links, meshes)
}

func (g *Geometry) at(r GeometryRef) *geometryEntry {
	slot := refSlot(uint64(r))
	if r == 0 || int(slot) >= len(g.entries) {
		return nil
	}
	if e := &g.entries[slot]; e.generation == refGeneration(uint64(r)) && e.users > 0 {
		return e
	}
	return nil
}

// Leave takes one user away. With the last one the device copy goes into the
// retirement, and an upload that still waits is given up. A stale ref is
// ignored.
func (g *Geometry) Leave(r GeometryRef) {
	e := g.at(r)
	if e == nil {
		return
	}
	if e.users--; e.users == 0 {
		g.drop(refSlot(uint64(r)))
	}
}

func (g *Geometry) drop(slot uint32) {
	e := &g.entries[slot]
	if e.queued != 0 {
		g.stats.Abandoned++
		g.unqueue(slot)
	}
	if e.id != 0 {
		g.retire.freeGeometry(e.id, e.bytes, &g.account)
	}
	g.part(slot)
	if e.key != 0 {
		g.store.Forget(e.key)
	}
	delete(g.failures, slot)
	g.entries[slot] = geometryEntry{generation: nextGeneration(e.generation)}
	g.free = append(g.free, slot)
	g.stats.Live--
}

// unqueue takes an upload out of the queue and gives back what it held.
func (g *Geometry) unqueue(slot uint32) {
	e := &g.entries[slot]
	g.chains.remove(slot)
	g.window.leave(e.queued)
	g.pendingBytes -= e.queued
	if e.key != 0 {
		g.store.Release(e.key)
	}
	g.staging.drop(e.staged)
	e.queued, e.staged = 0, 0
}

// Unkey parts a mesh handle from its geometry, as before a hot reload: the
// next Join uploads afresh. Refs that were given out stay good until they
// leave.
func (g *Geometry) Unkey(mesh assets.Handle) {
	if slot, ok := g.index.at(mesh); ok && g.entries[slot].key == mesh {
		g.part(slot)
	}
}

// part takes a slot from its key, once, and tells the store that what the key
// had on the device is gone.
func (g *Geometry) part(slot uint32) {
	e := &g.entries[slot]
	if e.key != 0 && g.index.clear(e.key, slot) && e.id != 0 {
		g.store.NotePhase(e.key, assets.PhaseUnloaded)
	}
}

// SetClass says whose share an upload that still waits spends. A destination's
// uploads go before all others.
func (g *Geometry) SetClass(r GeometryRef, c work.Class) {
	e := g.at(r)
	if e == nil || e.class == c {
		return
	}
	e.class = c
	if e.queued != 0 {
		g.chains.push(chain(1+c), refSlot(uint64(r)))
	}
}

// State is where the geometry stands. One that was updated stays resident.
func (g *Geometry) State(r GeometryRef) GeometryState {
	switch e := g.at(r); {
	case e == nil:
		return GeometryStale
	case e.id != 0:
		return GeometryResident
	case e.failed:
		return GeometryFailed
	default:
		return GeometryPending
	}
}

// ID is the device handle to draw, zero until it is resident. Ask again each
// frame: an update moves it.
func (g *Geometry) ID(r GeometryRef) GeometryID {
	if e := g.at(r); e != nil {
		return e.id
	}
	return 0
}

// Bounds are those of what [Geometry.ID] names, or of what it will name first.
func (g *Geometry) Bounds(r GeometryRef) assets.Bounds {
	if e := g.at(r); e != nil {
		return e.bounds
	}
	return assets.Bounds{}
}

// Failure tells why geometry failed; nil unless it did.
func (g *Geometry) Failure(r GeometryRef) error {
	if g.at(r) == nil {
		return nil
	}
	return g.failures[refSlot(uint64(r))]
}

// Pending is the number of uploads that wait.
func (g *Geometry) Pending() int {
	return g.chains.len(geometryWaiting) + g.chains.len(geometryDestination)
}

// Line is what waits for its upload.
func (g *Geometry) Line() Line {
	l := g.chains.line(geometryWaiting, geometryDestination)
	l.Bytes = g.window.Bytes()
	return l
}

// LiveBytes are the exact bytes of device handles, those in the retirement
// included.
func (g *Geometry) LiveBytes() int64 { return g.account.live }

// LiveBytesMax is the most LiveBytes ever was. Only updates of generated
// meshes can take it past the ceiling.
func (g *Geometry) LiveBytesMax() int64 { return g.account.peak }

// Room is what a new key may take now.
func (g *Geometry) Room() int64 { return max(0, g.max-g.account.live-g.pendingBytes) }

// Refused is how many joins and generated meshes the ceiling or the window
// turned away.
func (g *Geometry) Refused() int64 { return g.refused }

// Stats are the counts so far.
func (g *Geometry) Stats() GeometryStats { return g.stats }

// Close gives up every upload and retires everything that lives. Refs become
// stale. Flush the retirement after it.
func (g *Geometry) Close() {
	g.closed = true
	for slot := range g.entries {
		if g.entries[slot].users > 0 {
			g.drop(uint32(slot))
		}
	}
}

// keyName is how errors call an asset.
func keyName(s phaseStore, h assets.Handle) string {
	if k, ok := s.KeyOf(h); ok {
		return k.String()
	}
	return fmt.Sprintf("handle %#x", uint64(h))
}
