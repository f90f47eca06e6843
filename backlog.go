package sojourn

import (
	"time"

	"sojourn/ecs/components"
)

// Lane is one line of queued work. A new one is a constant, its name, and a
// row in [Session.Backlog].
type Lane uint8

// The lanes, in the order that work passes through them.
const (
	LaneDecode           Lane = iota // loads and range reads that no worker has taken
	LaneLayersQueued                 // layers that wait for a load slot
	LaneLayersLoading                // being decoded, spawned or bound
	LaneGeometryUpload               // meshes that wait for the device
	LaneTextureRoom                  // textures that wait for room in the budget
	LaneTextureRead                  // mip suffixes that are being read
	LaneTextureUpload                // textures that wait for the device
	LaneLayersRetiring               // quiesced layers
	LaneEntitiesRetiring             // their entities, and the parts of models that are gone
	LaneDeviceFree                   // device objects that age or wait to be freed

	// NumLanes is the number of lanes.
	NumLanes
)

// lanePrefix is how the trace's counters begin.
const lanePrefix = "waiting: "

var laneNames = [NumLanes]string{
	LaneDecode: lanePrefix + "decode", LaneLayersQueued: lanePrefix + "layers queued", LaneLayersLoading: lanePrefix + "layers loading",
	LaneGeometryUpload: lanePrefix + "geometry upload", LaneTextureRoom: lanePrefix + "texture room",
	LaneTextureRead: lanePrefix + "texture read", LaneTextureUpload: lanePrefix + "texture upload",
	LaneLayersRetiring: lanePrefix + "layers retiring", LaneEntitiesRetiring: lanePrefix + "entities retiring",
	LaneDeviceFree: lanePrefix + "device free",
}

// String is the lane's name in diagnostics.
func (l Lane) String() string {
	if l < NumLanes {
		return laneNames[l][len(lanePrefix):]
	}
	return "lane-?"
}

// Queued is what waits in one lane.
type Queued struct {
	Waiting int
	Bytes   int64         // of it, where the lane counts bytes
	Oldest  time.Duration // how long the oldest has waited, where the lane keeps time
}

// Backlog is what waits, by lane, over all worlds.
type Backlog [NumLanes]Queued

// Oldest is how long the oldest of everything has waited, and where.
func (b *Backlog) Oldest() (Lane, time.Duration) {
	at := Lane(0)
	for l := range NumLanes {
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
	decode := &b[LaneDecode]
	decode.Waiting, _, decode.Oldest = s.store.Queue()
	b[LaneGeometryUpload] = Queued(s.geometry.Line())
	room, reads, uploads := s.textures.Lines()
	b[LaneTextureRoom], b[LaneTextureRead], b[LaneTextureUpload] = Queued(room), Queued(reads), Queued(uploads)
	b[LaneDeviceFree] = Queued(s.retire.Line())
	now := s.options.Clock.Now()
	for _, w := range s.worlds {
		w.backlog(&b, now)
	}
	return b
}

// backlog adds a world's layers.
func (w *World) backlog(b *Backlog, now time.Duration) {
	for _, roster := range w.set.Doomed {
		b[LaneEntitiesRetiring].Waiting += len(w.set.Rosters.Members(roster))
	}
	if w.set.Counts.Live+w.set.Counts.Retiring == 0 {
		return
	}
	q := w.ecs.Query(&w.layerFilter)
	for q.Next() {
		l := (*components.Layer)(q.Get(w.layerID))
		lane := LaneLayersLoading
		switch l.State {
		case components.LayerQueued:
			lane = LaneLayersQueued
		case components.LayerPreloading, components.LayerSpawning, components.LayerBinding:
		case components.LayerRetiring:
			lane = LaneLayersRetiring
			if l.Roster >= 0 {
				b[LaneEntitiesRetiring].Waiting += len(w.set.Rosters.Members(l.Roster))
			}
		default: // shown, failed, or waiting for the game to ask
			continue
		}
		b[lane].Waiting++
		b[lane].Oldest = max(b[lane].Oldest, now-l.Since)
	}
}
