package gpu

import (
	"errors"
	"time"

	"sojourn/stages/work"
	"sojourn/trace"
)

const stageFree = "device free"

// Retirement frees device handles late: a free is recorded, aged by as many
// presents as the device has frames in flight, and then done under the frame's
// meter. Its queue holds each live handle once at most, so it is bounded by
// what lives on the device and can never be a reason to free at once.
//
// Game goroutine only.
type Retirement struct {
	dev      Device
	presents int64
	now      time.Duration // of the last pump

	queue []retired // from head on, oldest first
	head  int
	bytes int64

	textures   map[TextureID]struct{} // in the queue
	geometries map[GeometryID]struct{}

	stats RetirementStats
	trace trace.Track
}

type retired struct {
	id       uint64
	geometry bool
	presents int64         // when it was recorded
	at       time.Duration // likewise
	bytes    int64
	account  *account // whose bytes; nil: nobody's
}

// RetirementStats counts frees since the retirement was made.
type RetirementStats struct {
	Recorded, Freed int64
	Repeated        int64 // frees of a handle that was already recorded
	Stale           int64 // frees the device refused as stale
	Failed          int64 // attempts the device refused for another reason
}

// NewRetirement makes the retirement of one device.
func NewRetirement(dev Device) *Retirement {
	return &Retirement{
		dev: dev, queue: make([]retired, 0, freesExpected),
		textures: make(map[TextureID]struct{}, freesExpected), geometries: make(map[GeometryID]struct{}, freesExpected),
	}
}

// freesExpected is how many frees may wait before the queue grows: a world that
// closes records thousands within a few frames, and those allocate nothing.
const freesExpected = 4096

// FreeTexture records that an image is no longer published. Recording it again
// changes nothing; the zero id is ignored.
func (r *Retirement) FreeTexture(id TextureID) { r.freeTexture(id, 0, nil) }

// FreeGeometry records that geometry is no longer drawn, as
// [Retirement.FreeTexture].
func (r *Retirement) FreeGeometry(id GeometryID) { r.freeGeometry(id, 0, nil) }

func (r *Retirement) freeTexture(id TextureID, bytes int64, a *account) {
	if id == 0 {
		return
	}
	if _, again := r.textures[id]; again {
		r.stats.Repeated++
		return
	}
	r.textures[id] = struct{}{}
	r.record(retired{id: uint64(id), bytes: bytes, account: a})
}

func (r *Retirement) freeGeometry(id GeometryID, bytes int64, a *account) {
	if id == 0 {
		return
	}
	if _, again := r.geometries[id]; again {
		r.stats.Repeated++
		return
	}
	r.geometries[id] = struct{}{}
	r.record(retired{id: uint64(id), geometry: true, bytes: bytes, account: a})
}

func (r *Retirement) record(e retired) {
	e.presents, e.at = r.presents, r.now
	if e.account != nil {
		e.account.retired(e.bytes)
	}
	r.bytes += e.bytes
	r.queue = append(r.queue, e)
	r.stats.Recorded++
}

// Presented says that one present happened: everything recorded is one frame
// older.
func (r *Retirement) Presented() { r.presents++ }

// Pending is the number of recorded frees.
func (r *Retirement) Pending() int { return len(r.queue) - r.head }

// PendingBytes is what the recorded frees of [Geometry] and [Textures] will
// give back. Handles recorded from outside count zero.
func (r *Retirement) PendingBytes() int64 { return r.bytes }

// Line is what waits to be freed.
func (r *Retirement) Line() Line {
	l := Line{Waiting: r.Pending(), Bytes: r.bytes}
	if l.Waiting > 0 {
		l.Oldest = r.now - r.queue[r.head].at
	}
	return l
}

// Stats are the counts so far.
func (r *Retirement) Stats() RetirementStats { return r.stats }

// Pump frees what is old enough, oldest first, each under the meter. A free
// the device refuses stays recorded.
func (r *Retirement) Pump(m *work.Meter) {
	r.now = m.Now()
	age := int64(r.dev.FramesInFlight())
	for n := r.Pending(); n > 0; n-- {
		e := r.queue[r.head]
		if r.presents-e.presents < age || !m.Reserve(stageFree, work.Ordinary, work.Of(work.DeviceFrees, 1)) {
			break
		}
		start := m.Now()
		err := r.destroy(e)
		if err == nil || errors.Is(err, ErrStale) {
			m.Complete(stageFree, m.Now()-start)
			r.pop()
			r.settle(e, err)
			continue
		}
		m.Fail(stageFree)
		r.stats.Failed++
		if errors.Is(err, ErrBackpressure) {
			break
		}
		// Behind the others, so that one bad handle does not hold them up.
		r.pop()
		e.presents = r.presents
		r.queue = append(r.queue, e)
	}
	r.compact()
}

// Flush frees everything recorded, whatever its age: for closing, when no
// frame will be drawn any more.
func (r *Retirement) Flush() {
	for r.Pending() > 0 {
		e := r.queue[r.head]
		r.pop()
		r.settle(e, r.destroy(e))
	}
	r.compact()
}

// SetTrace says who hears of each free on the device; the zero track nobody.
func (r *Retirement) SetTrace(t trace.Track) { r.trace = t }

func (r *Retirement) destroy(e retired) (err error) {
	began := r.trace.Now()
	name := "texture free"
	if e.geometry {
		name = "geometry free"
		err = r.dev.DestroyGeometry(GeometryID(e.id))
	} else {
		err = r.dev.DestroyTexture(TextureID(e.id))
	}
	r.trace.Span("free", name, began, trace.Args{Bytes: e.bytes, Detail: failed(err)})
	return err
}

func (r *Retirement) settle(e retired, err error) {
	if e.geometry {
		delete(r.geometries, GeometryID(e.id))
	} else {
		delete(r.textures, TextureID(e.id))
	}
	r.bytes -= e.bytes
	if e.account != nil {
		e.account.destroyed(e.bytes)
	}
	switch {
	case err == nil:
		r.stats.Freed++
	case errors.Is(err, ErrStale):
		r.stats.Stale++
	default:
		r.stats.Failed++
	}
}

func (r *Retirement) pop() {
	r.queue[r.head] = retired{}
	r.head++
}

// compact moves the queue down once half of it is spent, so that it stays as
// large as what is pending.
func (r *Retirement) compact() {
	if r.head*2 < len(r.queue) {
		return
	}
	n := copy(r.queue, r.queue[r.head:])
	clear(r.queue[n:])
	r.queue, r.head = r.queue[:n], 0
}
