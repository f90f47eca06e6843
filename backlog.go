package sojourn

import (
	"time"

	"sojourn/ecs/components"
)

// Line is one sort of queued work. A new one is a constant, its name, and a
// row in [Session.Backlog].
type Line uint8

// The lines, in the order that work passes through them.
const (
	LineDecode            Line = iota // loads and range reads that no worker has taken
	LineQueuedDestination             // layers that wait for a load slot, by their lane
	LineQueuedVisible
	LineQueuedNear
	LineQueuedFar
	LineLayersLoading    // being decoded, spawned or bound
	LineGeometryUpload   // meshes that wait for the device
	LineTextureRoom      // textures that wait for room in the budget
	LineTextureRead      // mip suffixes that are being read
	LineTextureUpload    // textures that wait for the device
	LineLayersRetiring   // quiesced layers
	LineEntitiesRetiring // their entities, and the parts of models that are gone
	LineWorldsRetiring   // closed worlds that still hold something
	LineDeviceFree       // device objects that age or wait to be freed

	// NumLines is the number of lines.
	NumLines
)

// linePrefix is how the trace's counters begin.
const linePrefix = "waiting: "

var lineNames = [NumLines]string{
	LineDecode: linePrefix + "decode", LineQueuedDestination: linePrefix + "queued destination",
	LineQueuedVisible: linePrefix + "queued visible", LineQueuedNear: linePrefix + "queued near", LineQueuedFar: linePrefix + "queued far",
	LineLayersLoading:  linePrefix + "layers loading",
	LineGeometryUpload: linePrefix + "geometry upload", LineTextureRoom: linePrefix + "texture room",
	LineTextureRead: linePrefix + "texture read", LineTextureUpload: linePrefix + "texture upload",
	LineLayersRetiring: linePrefix + "layers retiring", LineEntitiesRetiring: linePrefix + "entities retiring",
	LineWorldsRetiring: linePrefix + "worlds retiring", LineDeviceFree: linePrefix + "device free",
}

// String is the line's name in diagnostics.
func (l Line) String() string {
	if l < NumLines {
		return lineNames[l][len(linePrefix):]
	}
	return "line-?"
}

// Queued is what waits in one line.
type Queued struct {
	Waiting int
	Bytes   int64         // of it, where the line counts bytes
	Oldest  time.Duration // how long the oldest has waited, where the line keeps time
}

// Backlog is what waits, by line, over all worlds.
type Backlog [NumLines]Queued

// Oldest is how long the oldest of everything has waited, and where.
func (b *Backlog) Oldest() (Line, time.Duration) {
	at := Line(0)
	for l := range NumLines {
		if b[l].Oldest > b[at].Oldest {
			at = l
		}
	}
	return at, b[at].Oldest
}

// Backlog counts what waits. It looks at each layer, and at nothing that waits
// otherwise. Game goroutine.
func (s *Session) Backlog() (b Backlog) {
	if s.closed {
		return b
	}
	decode := &b[LineDecode]
	decode.Waiting, _, decode.Oldest = s.store.Queue()
	b[LineGeometryUpload] = Queued(s.geometry.Line())
	room, reads, uploads := s.textures.Lines()
	b[LineTextureRoom], b[LineTextureRead], b[LineTextureUpload] = Queued(room), Queued(reads), Queued(uploads)
	b[LineDeviceFree] = Queued(s.retire.Line())
	b[LineWorldsRetiring].Waiting = len(s.retiring)
	now := s.options.Clock.Now()
	for _, w := range s.worlds {
		w.backlog(&b, now)
	}
	return b
}

// backlog adds a world's layers.
func (w *World) backlog(b *Backlog, now time.Duration) {
	for _, roster := range w.set.Doomed {
		b[LineEntitiesRetiring].Waiting += w.set.Rosters.Len(roster)
	}
	if w.set.Counts.Live+w.set.Counts.Retiring == 0 {
		return
	}
	q := w.ecs.Query(&w.layerFilter)
	for q.Next() {
		l := (*components.Layer)(q.Get(w.layerID))
		line := LineLayersLoading
		switch l.State {
		case components.LayerQueued:
			line = LineQueuedDestination + Line(l.Lane-components.LaneDestination)
		case components.LayerPreloading, components.LayerSpawning, components.LayerBinding:
		case components.LayerRetiring:
			line = LineLayersRetiring
			if l.Roster >= 0 {
				b[LineEntitiesRetiring].Waiting += w.set.Rosters.Len(l.Roster)
			}
		default: // shown, failed, or waiting for the game to ask
			continue
		}
		b[line].Waiting++
		b[line].Oldest = max(b[line].Oldest, now-l.Since)
	}
}
