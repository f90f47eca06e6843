package gpu

import (
	"errors"
	"fmt"

	"sojourn/assets"
	"sojourn/stages/work"
)

const (
	stageGeometry = "geometry upload"

	// lostRetriesMax is how often an upload that the device lost is sent again.
	lostRetriesMax = 3
)

// Pump uploads what waits, first in first out and destinations first, each
// under the meter. It stops where the meter or the device refuses, and goes on
// from there next time.
func (g *Geometry) Pump(m *work.Meter) {
	g.chains.now = m.Now()
	for n := g.Pending(); n > 0; n-- {
		slot := g.chains.headOf(geometryDestination, geometryWaiting)
		if slot == none || !g.upload(m, slot) {
			return
		}
	}
}

// upload tries one entry and tells whether to go on with the next.
func (g *Geometry) upload(m *work.Meter, slot uint32) bool {
	e := &g.entries[slot]
	if !m.Reserve(stageGeometry, e.class, work.Of(work.UploadBytes, e.queued).And(work.DeviceCreates, 1)) {
		return false
	}
	start, began := m.Now(), g.trace.Now()
	id, err := g.create(e)
	if g.trace.On() {
		tellUpload(g.trace, g.store, stageGeometry, began, e.key, e.queued, err)
	}
	if err == nil {
		m.Complete(stageGeometry, m.Now()-start)
		g.publish(slot, id)
		return true
	}
	m.Fail(stageGeometry)
	switch {
	case errors.Is(err, ErrBackpressure):
		return false
	case errors.Is(err, ErrOutOfMemory):
		// Behind the others: a smaller one may fit, and one failed create a
		// frame is enough.
		g.stats.OutOfMemory++
		g.chains.push(chain(1+e.class), slot)
		return false
	case errors.Is(err, ErrLost) && e.lost < lostRetriesMax:
		e.lost++
		g.stats.Retries++
		return false
	case errors.Is(err, ErrLost):
		g.stats.LostUploads++
	}
	g.fail(slot, err)
	return true
}

// create copies one mesh to the device. Bytes in a file mapping are first
// copied under guard, so that a truncated file cannot interrupt the device.
func (g *Geometry) create(e *geometryEntry) (GeometryID, error) {
	if e.staged != 0 {
		s := g.staging.at(e.staged)
		return g.dev.CreateGeometry(s.vertices, s.indices, e.next)
	}
	mesh := g.meshes.At(e.key)
	if mesh == nil || mesh.PayloadBytes() != e.queued {
		return 0, fmt.Errorf("%w: %s lost its payload before its upload", assets.ErrNotReady, keyName(g.store, e.key))
	}
	if !mesh.Data.Mapped() {
		return g.dev.CreateGeometry(mesh.Vertices, mesh.Indices, mesh.Bounds)
	}
	copied := g.staging.take()
	defer g.staging.drop(copied)
	s := g.staging.at(copied)
	if err := assets.Guard(func() { s.copy(mesh.Vertices, mesh.Indices) }); err != nil {
		return 0, fmt.Errorf("%s: %w", keyName(g.store, e.key), err)
	}
	return g.dev.CreateGeometry(s.vertices, s.indices, mesh.Bounds)
}

func (g *Geometry) publish(slot uint32, id GeometryID) {
	e := &g.entries[slot]
	old, oldBytes := e.id, e.bytes
	e.id, e.bytes, e.bounds = id, e.queued, e.next
	e.lost, e.failed = 0, false
	g.account.created(e.bytes)
	g.stats.Uploads++
	g.retire.freeGeometry(old, oldBytes, &g.account)
	g.unqueue(slot)
	if e.key != 0 && g.keyed(slot) {
		g.store.NotePhase(e.key, assets.PhaseOnDevice)
	}
}

// fail ends an upload. What was on the device before stays.
func (g *Geometry) fail(slot uint32, err error) {
	e := &g.entries[slot]
	g.stats.Failed++
	g.failures[slot] = err
	e.lost, e.failed = 0, true
	g.unqueue(slot)
	if e.key != 0 && g.keyed(slot) {
		g.store.NotePhase(e.key, assets.PhaseFailed)
	}
}

// keyed tells whether a slot still stands for its key.
func (g *Geometry) keyed(slot uint32) bool {
	at, ok := g.index.at(g.entries[slot].key)
	return ok && at == slot
}
