package gpu

import (
	"fmt"

	"sojourn/assets"
	"sojourn/gpu/mips"
	"sojourn/stages/work"
	"sojourn/trace"
)

// TexturesBytesMax is the default budget of a [Textures].
const TexturesBytesMax = 768 << 20

// TextureRef names a texture in a [Textures] table, as [GeometryRef].
type TextureRef uint64

// TextureState is where one texture stands.
type TextureState uint8

// The states of a texture.
const (
	// TextureStale: the ref names nothing.
	TextureStale TextureState = iota
	// TexturePending: nothing is published yet.
	TexturePending
	// TextureResident: at least the guaranteed tail is published.
	TextureResident
	// TextureFailed: will not come; [Textures.Failure] tells why.
	TextureFailed
)

// TextureOptions bound a [Textures].
type TextureOptions struct {
	// BytesMax is the device budget, both images of a replacement included;
	// 0: [TexturesBytesMax].
	BytesMax int64
	// WindowBytesMax bounds the CPU bytes of reads and uploads that wait;
	// 0: [WindowBytesMax]. Window, where set, is used instead.
	WindowBytesMax int64
	Window         *Window
	// Trace hears of each upload; the zero value records nothing.
	Trace trace.Track
}

// Textures keeps textures on the device, once for each store handle, each from
// the finest level that the budget affords down to its smallest. See the
// package's doc.go for the policy. Game goroutine only; nothing here locks.
type Textures struct {
	dev      Device
	payloads payloads[assets.Texture]
	store    phaseStore
	reads    suffixReads
	onRead   func(assets.ReadDone)
	retire   *Retirement
	window   *Window
	trace    trace.Track
	limit    mips.Limit

	entries  []textureEntry
	free     []uint32
	table    []TextureID // by slot
	index    keyIndex
	chains   chains
	suffixes suffixes
	watchers []*Materials

	account  account
	reserved int64 // device bytes promised to images that are not made yet
	giving   int64 // bytes that demotions under way will give back
	reading  int
	serial   uint32
	frame    int64

	scanned   int64  // bytes used when no upgrade was found; less means new room
	scanAt    uint64 // ref of the texture the scan goes on with; zero: the first
	scanUsed  int64  // most bytes used during the scan
	scanGrace bool   // the scan passed by textures in grace

	failure    map[uint32]error
	strip      []byte // copy of a strip whose bytes lie in a mapping
	mapped     []byte // what to copy
	copyMapped func()
	stats      TextureStats
	closed     bool
}

// The chains of a texture's slots.
const (
	waiting            = chain(1 + work.Ordinary)
	waitingDestination = chain(1 + work.Destination)
	uploading          = chain(3 + work.Ordinary)
	uploadDestination  = chain(3 + work.Destination)
	refreshing         = chain(5)
	limited            = chain(6) // resident, idle, with less than full detail
)

// step says what a texture is busy with.
type step uint8

const (
	stepIdle step = iota
	stepWaiting
	stepReading
	stepUploading
)

type textureEntry struct {
	generation    uint32
	users         int32
	key           assets.Handle
	class         work.Class
	step          step
	failed        bool
	stuck         bool // no finer level will be tried again
	again         bool // a refresh was asked for while busy
	forced        bool // the replacement under way is a refresh
	width, height int32
	levels        int32

	id    TextureID // published
	base  int32     // its finest level
	bytes int64

	next      TextureID // being made; zero: not created yet
	nextBase  int32
	nextBytes int64 // promised in reserved until next is created
	level     int32 // of the next strip, in the texture's own levels
	row       int32 // of the next strip
	lost      uint8 // attempts the device lost in a row

	suffix      uint32 // bytes to upload from; zero: the payload's tail
	windowBytes int64
	tag         uint64 // of the read in flight
	graceFrame  int64  // no upgrade before this frame
}

// NewTextures makes an empty table. The store must have the texture kind. The
// table frees through r and reads through a queue of its own, which
// [Textures.Close] closes.
func NewTextures(dev Device, store *assets.Store, r *Retirement, o TextureOptions) *Textures {
	return newTextures(dev, assets.Of[assets.Texture](store, assets.KindTexture), store,
		store.NewReads("gpu textures", readsQueueMax), r, o)
}

func newTextures(dev Device, p payloads[assets.Texture], store phaseStore, reads suffixReads, r *Retirement, o TextureOptions) *Textures {
	if o.BytesMax == 0 {
		o.BytesMax = TexturesBytesMax
	}
	if o.Window == nil {
		o.Window = NewWindow(o.WindowBytesMax)
	}
	t := &Textures{
		dev: dev, payloads: p, store: store, reads: reads, retire: r, window: o.Window, trace: o.Trace,
		limit: mips.Limit{BytesMax: o.BytesMax}, failure: map[uint32]error{},
	}
	t.onRead = t.readDone
	t.strip = make([]byte, 0, StripBytesMax)
	t.copyMapped = func() { t.strip = append(t.strip[:0], t.mapped...) }
	return t
}

// Join adds one user to a texture. The caller holds the texture retained for
// as long as the ref lives: its directory and tail are read from the payload.
// Each Join is owed one [Textures.Leave].
//
// Nothing is refused for want of room: a texture that finds none waits. One
// whose tail could never fit wraps [assets.ErrTooLarge]; one without a payload
// wraps [assets.ErrNotReady]; a directory that contradicts itself wraps
// [assets.ErrCorrupt].
func (t *Textures) Join(tex assets.Handle) (TextureRef, error) {
	if slot, ok := t.index.at(tex); ok && t.entries[slot].key == tex {
		e := &t.entries[slot]
		e.users++
		return TextureRef(ref(slot, e.generation)), nil
	}
	if t.closed {
		return 0, fmt.Errorf("%w: textures", assets.ErrClosed)
	}
	p := t.payloads.At(tex)
	if p == nil {
		return 0, fmt.Errorf("%w: %s has no payload", assets.ErrNotReady, keyName(t.store, tex))
	}
	if err := checkDirectory(p); err != nil {
		return 0, fmt.Errorf("%s: %w", keyName(t.store, tex), err)
	}
	if !t.limit.Fits(p) {
		return 0, fmt.Errorf("%w: %s: a tail of %d bytes in a texture budget of %d",
			assets.ErrTooLarge, keyName(t.store, tex), mips.TailBytes(p), t.limit.BytesMax)
	}
	slot := t.take()
	e := &t.entries[slot]
	e.key, e.width, e.height, e.levels = tex, p.Width, p.Height, p.Levels
	e.base, e.step = p.Levels, stepWaiting
	t.index.set(tex, slot)
	t.chains.push(waiting, slot)
	return TextureRef(ref(slot, e.generation)), nil
}

func (t *Textures) take() uint32 {
	var slot uint32
	if n := len(t.free); n > 0 {
		slot = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		slot = uint32(len(t.entries))
		t.entries = append(t.entries, textureEntry{generation: 1})
		t.free = room(t.free, len(t.entries))
		t.table = append(t.table, 0)
		t.chains.grow(len(t.entries))
	}
	t.entries[slot] = textureEntry{generation: t.entries[slot].generation, users: 1}
	t.stats.Live++
	return slot
}

// Taken is the number of textures there are, and Places how many there may be
// before the table grows.
func (t *Textures) Taken() int { return t.stats.Live }

// Places is explained at [Textures.Taken].
func (t *Textures) Places() int { return cap(t.entries) }

// GrowTo makes places for so many.
func (t *Textures) GrowTo(textures int) {
	t.entries = roomFor(t.entries, textures)
	t.free = room(t.free, textures)
	t.table = roomFor(t.table, textures)
	t.chains.links = roomFor(t.chains.links, textures)
}

func (t *Textures) at(r TextureRef) *textureEntry {
	slot := refSlot(uint64(r))
	if r == 0 || int(slot) >= len(t.entries) {
		return nil
	}
	if e := &t.entries[slot]; e.generation == refGeneration(uint64(r)) && e.users > 0 {
		return e
	}
	return nil
}

// Leave takes one user away. With the last one the published handle leaves the
// table, both images go into the retirement and a read in flight is cancelled.
// A stale ref is ignored.
func (t *Textures) Leave(r TextureRef) {
	e := t.at(r)
	if e == nil {
		return
	}
	if e.users--; e.users == 0 {
		t.drop(refSlot(uint64(r)))
	}
}

func (t *Textures) drop(slot uint32) {
	e := &t.entries[slot]
	if e.step == stepReading || e.step == stepUploading {
		t.stats.Cancelled++
	}
	t.abandon(slot)
	t.part(slot)
	delete(t.failure, slot)
	id, bytes := e.id, e.bytes
	t.entries[slot] = textureEntry{generation: nextGeneration(e.generation)}
	t.free = append(t.free, slot)
	t.stats.Live--
	t.table[slot] = 0
	t.retire.freeTexture(id, bytes, &t.account)
	t.tellWatchers(slot)
}

// Unkey parts a texture's handle from its image, as before a hot reload: the
// next Join reads afresh. Refs that were given out stay good until they leave.
func (t *Textures) Unkey(tex assets.Handle) {
	if slot, ok := t.index.at(tex); ok && t.entries[slot].key == tex {
		t.part(slot)
	}
}

// part is [Geometry.part].
func (t *Textures) part(slot uint32) {
	e := &t.entries[slot]
	if t.index.clear(e.key, slot) && e.id != 0 {
		t.store.NotePhase(e.key, assets.PhaseUnloaded)
	}
}

// SetClass says whose share a texture's uploads spend. A destination's reads
// and uploads go before all others.
func (t *Textures) SetClass(r TextureRef, c work.Class) {
	e := t.at(r)
	if e == nil || e.class == c {
		return
	}
	e.class = c
	slot := refSlot(uint64(r))
	switch e.step {
	case stepWaiting:
		if t.chains.in(slot) != refreshing {
			t.chains.push(chain(1+c), slot)
		}
	case stepUploading:
		t.chains.push(chain(3+c), slot)
	}
}

// State is where the texture stands. One that is being replaced stays
// resident.
func (t *Textures) State(r TextureRef) TextureState {
	switch e := t.at(r); {
	case e == nil:
		return TextureStale
	case e.id != 0:
		return TextureResident
	case e.failed:
		return TextureFailed
	default:
		return TexturePending
	}
}

// Index is the texture's place in [Textures.Table], the same for as long as
// the ref lives; [NoMap] for a ref that names nothing.
func (t *Textures) Index(r TextureRef) uint32 {
	if t.at(r) == nil {
		return NoMap
	}
	return refSlot(uint64(r))
}

// Table are the published images by [Textures.Index]. Every entry can be
// sampled; zero means none. The table is this object's own and changes with
// the next pump, join or leave.
func (t *Textures) Table() []TextureID { return t.table }

// Resident tells whether at least the guaranteed tail is published.
func (t *Textures) Resident(r TextureRef) bool {
	e := t.at(r)
	return e != nil && e.id != 0
}

// Levels are the finest published level and the number of authored ones; both
// are equal while nothing is published.
func (t *Textures) Levels(r TextureRef) (base, authored int32) {
	if e := t.at(r); e != nil {
		return e.base, e.levels
	}
	return 0, 0
}

// Failure tells why a texture failed, or why it gets no finer; nil unless
// something went wrong.
func (t *Textures) Failure(r TextureRef) error {
	if t.at(r) == nil {
		return nil
	}
	return t.failure[refSlot(uint64(r))]
}

// Pending is the number of textures that wait, are read or are uploaded,
// replacements included.
func (t *Textures) Pending() int {
	return t.chains.len(waiting) + t.chains.len(waitingDestination) + t.chains.len(refreshing) +
		t.chains.len(uploading) + t.chains.len(uploadDestination) + t.reading
}

// LiveBytes are the exact bytes of device images, those in the retirement
// included.
func (t *Textures) LiveBytes() int64 { return t.account.live }

// LiveBytesMax is the most LiveBytes ever was; never above the budget.
func (t *Textures) LiveBytesMax() int64 { return t.account.peak }

// BytesMax is the budget.
func (t *Textures) BytesMax() int64 { return t.limit.BytesMax }

// used is what the budget has given out: images and promises.
func (t *Textures) used() int64 { return t.account.live + t.reserved }

// Close cancels every read, retires every image and makes every ref stale.
// Flush the retirement after it.
func (t *Textures) Close() {
	if t.closed {
		return
	}
	t.closed = true
	for slot := range t.entries {
		if t.entries[slot].users > 0 {
			t.drop(uint32(slot))
		}
	}
	t.reads.Drain(t.onRead)
	t.reads.Close()
}

// payload is the texture's directory and tail, or nil when it is no longer
// what was joined: the caller's retain is gone.
func (t *Textures) payload(e *textureEntry) *assets.Texture {
	p := t.payloads.At(e.key)
	if p == nil || p.Width != e.width || p.Height != e.height || p.Levels != e.levels {
		return nil
	}
	return p
}

func (t *Textures) tellWatchers(slot uint32) {
	for _, w := range t.watchers {
		w.textureChanged(slot)
	}
}
