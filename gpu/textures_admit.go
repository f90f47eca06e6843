package gpu

import (
	"errors"
	"fmt"
	"math"

	"sojourn/assets"
	"sojourn/gpu/mips"
	"sojourn/stages/work"
)

const (
	stageTransition = "mip transition"

	// readsQueueMax is how many suffix reads may be in flight.
	readsQueueMax = 64

	// admissionsMax bounds how many waiting textures, and scannedMax how many
	// that lack detail, one pump looks at.
	admissionsMax = 256
	scannedMax    = 256

	// graceFrames is how long a demoted texture is not upgraded again, and
	// outOfMemoryFrames how long one that the device had no room for.
	graceFrames       = 30
	outOfMemoryFrames = 120
)

// Priorities of suffix reads, low first.
const (
	readDestination = 0
	readFirst       = 64 // nothing published yet
	readReplacement = 128
)

// Pump moves every texture on: takes over finished reads, admits waiting
// textures at the finest suffix that fits, starts replacements, uploads strips
// under the meter and publishes what is complete. It stops where the meter,
// the device or the budget refuses and goes on from there next time.
func (t *Textures) Pump(m *work.Meter) {
	if t.closed {
		return
	}
	t.frame, t.chains.now = m.Facts().Frame, m.Now()
	t.reads.Drain(t.onRead)
	if t.admitWaiting(m) && t.admitRefreshes(m) {
		t.upgrade(m)
	}
	t.upload(m)
}

// admitWaiting starts first publications and tells whether none was left
// behind. A texture that has to wait holds back those behind it.
func (t *Textures) admitWaiting(m *work.Meter) bool {
	for range admissionsMax {
		slot := t.chains.headOf(waitingDestination, waiting)
		if slot == none {
			return true
		}
		e := &t.entries[slot]
		p := t.payload(e)
		if p == nil {
			t.fail(slot, t.lostPayload(e))
			continue
		}
		base, ok := t.limit.Admit(p, t.used())
		if !ok {
			t.makeRoom(m, mips.TailBytes(p))
			return false
		}
		if !t.begin(slot, p, base) {
			return false
		}
	}
	return false
}

// admitRefreshes starts the replacements that were asked for.
func (t *Textures) admitRefreshes(m *work.Meter) bool {
	for range t.chains.len(refreshing) {
		slot := t.chains.head(refreshing)
		e := &t.entries[slot]
		p := t.payload(e)
		if p == nil {
			t.fail(slot, t.lostPayload(e))
			continue
		}
		base, ok := t.limit.Refresh(p, t.used(), e.base)
		if !ok {
			t.makeRoom(m, mips.TailBytes(p))
			return false
		}
		if !m.Reserve(stageTransition, e.class, work.Of(work.Transitions, 1)) {
			return false
		}
		e.forced = true
		if !t.begin(slot, p, base) {
			m.Fail(stageTransition)
			e.forced = false
			return false
		}
		m.Complete(stageTransition, 0)
	}
	return true
}

// upgrade looks for textures that new room lets have more detail, oldest
// first. It looks only when room has come free since it last found nothing.
func (t *Textures) upgrade(m *work.Meter) {
	used := t.used()
	slot := t.chains.head(limited)
	if slot == none || used >= t.scanned {
		return
	}
	if at := refSlot(t.scanAt); t.scanAt != 0 && t.entries[at].generation == refGeneration(t.scanAt) && t.chains.in(at) == limited {
		slot = at
	} else {
		t.scanUsed, t.scanGrace = 0, false
	}
	t.scanUsed = max(t.scanUsed, used)
	for n := 0; slot != none; n++ {
		next := t.chains.next(slot)
		if n == scannedMax || !t.upgradeOne(m, slot) {
			t.scanAt = ref(slot, t.entries[slot].generation)
			return
		}
		t.scanUsed = max(t.scanUsed, t.used())
		slot = next
	}
	t.scanned, t.scanAt = t.scanUsed, 0
	if t.scanGrace {
		t.scanned = math.MaxInt64 // those in grace want another look
	}
}

// upgradeOne starts one texture's upgrade if there is room for it, and tells
// whether to look at the next.
func (t *Textures) upgradeOne(m *work.Meter, slot uint32) bool {
	e := &t.entries[slot]
	if t.frame < e.graceFrame {
		t.scanGrace = true
		return true
	}
	p := t.payload(e)
	if p == nil {
		t.fail(slot, t.lostPayload(e))
		return true
	}
	base, ok := t.limit.Upgrade(p, t.used(), e.base)
	if !ok {
		return true
	}
	if !m.Reserve(stageTransition, e.class, work.Of(work.Transitions, 1)) {
		return false
	}
	if !t.begin(slot, p, base) {
		m.Fail(stageTransition)
		return false
	}
	m.Complete(stageTransition, 0)
	return true
}

// makeRoom demotes one texture if what is free, ages or is about to be given
// back does not hold needBytes: the one with the most bytes, destinations
// last.
func (t *Textures) makeRoom(m *work.Meter, needBytes int64) {
	short := needBytes + t.limit.DemoteRoomBytes() + t.used() - t.limit.BytesMax - t.account.retiring - t.giving
	if short <= 0 {
		return
	}
	slot, base := t.victim(short)
	if slot == none {
		return
	}
	e := &t.entries[slot]
	if !m.Reserve(stageTransition, e.class, work.Of(work.Transitions, 1)) {
		return
	}
	if !t.begin(slot, t.payload(e), base) {
		m.Fail(stageTransition)
		return
	}
	m.Complete(stageTransition, 0)
}

func (t *Textures) victim(shortBytes int64) (slot uint32, base int32) {
	slot = none
	for i := range t.entries {
		e := &t.entries[i]
		if e.id == 0 || e.step != stepIdle {
			continue
		}
		if slot != none && (e.class > t.entries[slot].class || e.class == t.entries[slot].class && e.bytes <= t.entries[slot].bytes) {
			continue
		}
		p := t.payload(e)
		if p == nil {
			continue
		}
		b, ok := t.limit.Demote(p, t.used(), e.base, shortBytes)
		if ok && e.stuck && b < p.TailLevel {
			b = p.TailStart() // its reads fail
			ok = b > e.base && mips.Bytes(p, b) <= t.limit.BytesMax-t.used()
		}
		if ok {
			slot, base = uint32(i), b
		}
	}
	return slot, base
}

// begin starts making a texture's image from a level on: from the tail the
// payload holds, or from a suffix that a worker reads. It answers false, with
// nothing changed, when the window or the read queue is full.
func (t *Textures) begin(slot uint32, p *assets.Texture, base int32) bool {
	e := &t.entries[slot]
	if base < p.TailLevel {
		off, n := p.SuffixSpan(base)
		if !t.window.enter(n) {
			return false
		}
		t.serial++
		tag := ref(slot, t.serial)
		if err := t.reads.Submit(e.key, off, n, readPriority(e), tag); err != nil {
			t.window.leave(n)
			if errors.Is(err, assets.ErrFull) {
				return false
			}
			t.stats.FailedReads++
			t.fail(slot, err)
			return true
		}
		e.windowBytes, e.tag, e.step = n, tag, stepReading
		t.chains.remove(slot)
		t.reading++
	} else {
		e.step = stepUploading
		t.chains.push(chain(3+e.class), slot)
	}
	e.nextBase, e.nextBytes = base, mips.Bytes(p, base)
	e.level, e.row, e.lost = e.levels-1, 0, 0
	t.reserved += e.nextBytes
	if e.id != 0 && base > e.base {
		t.giving += e.bytes
	}
	return true
}

func readPriority(e *textureEntry) int32 {
	switch {
	case e.class == work.Destination:
		return readDestination
	case e.id == 0:
		return readFirst
	default:
		return readReplacement
	}
}

// readDone takes over one finished read. One that nobody waits for any more is
// freed.
func (t *Textures) readDone(d assets.ReadDone) {
	slot := refSlot(d.Tag)
	if int(slot) >= len(t.entries) || t.entries[slot].step != stepReading || t.entries[slot].tag != d.Tag {
		d.Bytes.Free()
		return
	}
	e := &t.entries[slot]
	err := d.Err
	if err == nil && int64(d.Bytes.Len()) != e.windowBytes {
		err = fmt.Errorf("%w: %s: a read of %d bytes gave %d", assets.ErrCorrupt, keyName(t.store, e.key), e.windowBytes, d.Bytes.Len())
	}
	if err != nil {
		d.Bytes.Free()
		t.stats.FailedReads++
		t.fail(slot, err)
		return
	}
	t.reading--
	e.step, e.tag = stepUploading, 0
	e.suffix = t.suffixes.add(d.Bytes)
	t.chains.push(chain(3+e.class), slot)
}

// abandon gives up whatever a texture is busy with and everything held for
// it. What is published stays.
func (t *Textures) abandon(slot uint32) {
	e := &t.entries[slot]
	t.chains.remove(slot)
	if e.step == stepReading || e.step == stepUploading {
		if e.id != 0 && e.nextBase > e.base {
			t.giving -= e.bytes
		}
		if e.next != 0 {
			t.retire.freeTexture(e.next, e.nextBytes, &t.account)
		} else {
			t.reserved -= e.nextBytes
		}
		if e.step == stepReading {
			t.reading--
			t.reads.Cancel(e.tag)
		}
		t.suffixes.drop(e.suffix)
		t.window.leave(e.windowBytes)
	}
	e.step, e.next, e.nextBase, e.nextBytes = stepIdle, 0, 0, 0
	e.suffix, e.windowBytes, e.tag, e.lost, e.forced = 0, 0, 0, 0, false
}

// fail ends what a texture is busy with for good. A texture that is published
// keeps what it has; one that is not has failed.
func (t *Textures) fail(slot uint32, err error) {
	t.abandon(slot)
	e := &t.entries[slot]
	t.stats.Failed++
	t.failure[slot] = err
	e.again = false
	if e.id != 0 {
		e.stuck = true
		return
	}
	e.failed = true
	if t.keyed(slot) {
		t.store.NotePhase(e.key, assets.PhaseFailed)
	}
}

func (t *Textures) lostPayload(e *textureEntry) error {
	return fmt.Errorf("%w: %s lost its payload while its image was made", assets.ErrNotReady, keyName(t.store, e.key))
}

// Refresh makes a texture's image again from its file, beside the one that is
// published: after its pixels changed, or to try again after a failure. A
// texture that is busy is done once more afterwards, behind the others.
func (t *Textures) Refresh(r TextureRef) {
	e := t.at(r)
	if e == nil {
		return
	}
	slot := refSlot(uint64(r))
	delete(t.failure, slot)
	e.stuck, e.failed = false, false
	switch {
	case e.step == stepReading || e.step == stepUploading:
		e.again = true
	case e.step == stepWaiting:
	case e.id == 0:
		e.step = stepWaiting
		t.chains.push(chain(1+e.class), slot)
	default:
		e.step = stepWaiting
		t.chains.push(refreshing, slot)
	}
}
