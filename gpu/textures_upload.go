package gpu

import (
	"errors"
	"math"

	"sojourn/assets"
	"sojourn/gpu/mips"
	"sojourn/stages/work"
)

const (
	stageTexture       = "texture upload"
	stageTextureCreate = "texture create" // with its first strip

	// StripBytesMax is the most one [Device.WriteTexture] is handed.
	StripBytesMax = 2 << 20
)

// upload writes what is ready, first in first out and destinations first.
func (t *Textures) upload(m *work.Meter) {
	for n := t.chains.len(uploading) + t.chains.len(uploadDestination); n > 0; n-- {
		slot := t.chains.headOf(uploadDestination, uploading)
		if slot == none || !t.uploadOne(m, slot) {
			return
		}
	}
}

// uploadOne writes one texture's strips until it is published, fails, or has
// to wait; it tells whether to go on with the next.
func (t *Textures) uploadOne(m *work.Meter, slot uint32) bool {
	e := &t.entries[slot]
	p := t.payload(e)
	if p == nil {
		t.fail(slot, t.lostPayload(e))
		return true
	}
	for {
		if e.next == 0 && t.used() > t.limit.BytesMax {
			return false // bytes of an image that was given up still age
		}
		rowBytes := int64(p.Mips[e.level].Width) * 4
		rows := min(int64(p.Mips[e.level].Height-e.row), max(1, stripBytesMax(m, e.class)/rowBytes))
		stage, cost := stageTexture, work.Of(work.UploadBytes, rows*rowBytes).And(work.DeviceTouches, 1)
		if e.next == 0 {
			stage, cost = stageTextureCreate, cost.And(work.DeviceCreates, 1)
		}
		if !m.Reserve(stage, e.class, cost) {
			return false
		}
		start, began := m.Now(), t.trace.Now()
		err := t.write(e, p, int32(rows), rowBytes)
		if t.trace.On() {
			tellUpload(t.trace, t.store, stage, began, e.key, rows*rowBytes, err)
		}
		if err != nil {
			m.Fail(stage)
			return t.uploadFailed(slot, p, err)
		}
		m.Complete(stage, m.Now()-start)
		e.lost = 0
		if e.row += int32(rows); e.row < p.Mips[e.level].Height {
			continue
		}
		e.row = 0
		if e.level--; e.level < e.nextBase {
			t.publish(slot, p)
			return true
		}
	}
}

// stripBytesMax is the size of the next strip: small enough for the class's
// own share, and for what the frame has left where that is not nothing.
func stripBytesMax(m *work.Meter, c work.Class) int64 {
	b := m.Budget()
	n := b.Max[work.UploadBytes]
	if c == work.Ordinary {
		n -= int64(float64(n) * b.DestinationReserve)
	}
	if left := m.Left(work.UploadBytes); left > 0 {
		n = min(n, left)
	}
	return min(n, StripBytesMax)
}

// write makes the image if there is none yet and writes one strip. A step that
// fails leaves everything as it was before it.
func (t *Textures) write(e *textureEntry, p *assets.Texture, rows int32, rowBytes int64) error {
	pixels, err := t.pixels(e, p, int64(rows)*rowBytes, rowBytes)
	if err != nil {
		return err
	}
	if e.next == 0 {
		top := p.Mips[e.nextBase]
		id, err := t.dev.CreateTexture(TextureDesc{
			Width: int(top.Width), Height: int(top.Height), Levels: int(e.levels - e.nextBase),
		})
		if err != nil {
			return err
		}
		e.next = id
		t.reserved -= e.nextBytes
		t.account.created(e.nextBytes)
	}
	return t.dev.WriteTexture(e.next, Strip{
		Level: int(e.level - e.nextBase), Y: int(e.row), Rows: int(rows), Pixels: pixels,
	})
}

// pixels gives the next strip's bytes. Those in a file mapping are copied
// under guard, so that a truncated file cannot interrupt the device.
func (t *Textures) pixels(e *textureEntry, p *assets.Texture, n, rowBytes int64) ([]byte, error) {
	from := &p.Tail
	if e.suffix != 0 {
		from = t.suffixes.at(e.suffix)
	}
	at := int64(e.row) * rowBytes
	pixels := p.LevelIn(from.Slice(), e.level)[at : at+n]
	if !from.Mapped() {
		return pixels, nil
	}
	t.mapped = pixels
	err := assets.Guard(t.copyMapped)
	t.mapped = nil
	return t.strip, err
}

// uploadFailed decides what becomes of an upload after one step of it failed,
// and tells whether to go on with the next texture.
func (t *Textures) uploadFailed(slot uint32, p *assets.Texture, err error) bool {
	e := &t.entries[slot]
	switch {
	case errors.Is(err, ErrBackpressure):
		return false
	case errors.Is(err, ErrOutOfMemory):
		t.stats.OutOfMemory++
		t.coarser(slot, p)
		return false
	case errors.Is(err, ErrLost) && e.lost < lostRetriesMax:
		e.lost++
		t.stats.Retries++
		return false
	case errors.Is(err, ErrLost):
		t.stats.LostUploads++
	}
	t.fail(slot, err)
	return true
}

// coarser lets an upload that the device has no room for go on with one level
// less, out of the same bytes; one that has no level to give waits anew.
func (t *Textures) coarser(slot uint32, p *assets.Texture) {
	e := &t.entries[slot]
	e.graceFrame = t.frame + outOfMemoryFrames
	less := e.nextBase + 1
	if e.nextBase < p.TailStart() && (e.id == 0 || e.forced || less != e.base) {
		if e.next != 0 {
			t.retire.freeTexture(e.next, e.nextBytes, &t.account)
			t.reserved += e.nextBytes
			e.next = 0
		}
		if e.id != 0 && less > e.base && e.nextBase <= e.base {
			t.giving += e.bytes
		}
		n := mips.Bytes(p, less)
		t.reserved += n - e.nextBytes
		e.nextBase, e.nextBytes = less, n
		e.level, e.row = e.levels-1, 0
		return
	}
	again := e.forced || e.again
	t.abandon(slot)
	e.again = false
	switch {
	case e.id == 0:
		e.step = stepWaiting
		t.chains.push(chain(1+e.class), slot)
	case again:
		e.step = stepWaiting
		t.chains.push(refreshing, slot)
	default:
		t.settle(slot)
	}
}

// thrashCause is why detail of a texture goes that was there before.
const thrashCause = "demoted by the texture budget"

// publish swaps the finished image in and lets the old one age.
func (t *Textures) publish(slot uint32, p *assets.Texture) {
	e := &t.entries[slot]
	first, demoted := e.id == 0, e.id != 0 && e.nextBase > e.base
	switch {
	case first:
		t.stats.Published++
	case e.forced:
		t.stats.Refreshes++
	case demoted:
		t.stats.Demotions++
	default:
		t.stats.Upgrades++
	}
	if demoted {
		t.giving -= e.bytes
		e.graceFrame = max(e.graceFrame, t.frame+graceFrames)
		t.store.NoteWent(e.key, thrashCause)
	}
	old, oldBytes := e.id, e.bytes
	e.id, e.base, e.bytes = e.next, e.nextBase, e.nextBytes
	e.next, e.nextBytes = 0, 0
	e.forced = false
	t.table[slot] = e.id
	t.retire.freeTexture(old, oldBytes, &t.account)
	t.suffixes.drop(e.suffix)
	t.window.leave(e.windowBytes)
	e.suffix, e.windowBytes = 0, 0
	t.chains.remove(slot)
	t.settle(slot)
	if first && t.keyed(slot) {
		t.store.NotePhase(e.key, assets.PhaseOnDevice)
	}
	t.tellWatchers(slot)
}

// settle puts a published texture that is done where it belongs.
func (t *Textures) settle(slot uint32) {
	e := &t.entries[slot]
	e.step = stepIdle
	switch {
	case e.again:
		e.again = false
		e.step = stepWaiting
		t.chains.push(refreshing, slot)
	case e.base > 0 && !e.stuck:
		t.chains.push(limited, slot)
		t.scanned = math.MaxInt64
	}
}

// keyed tells whether a slot still stands for its key.
func (t *Textures) keyed(slot uint32) bool {
	at, ok := t.index.at(t.entries[slot].key)
	return ok && at == slot
}
