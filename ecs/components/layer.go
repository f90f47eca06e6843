package components

import (
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
)

// LayerState is how far a layer has come.
type LayerState uint8

// The states of a layer, in the order it passes through them.
const (
	LayerQueued     LayerState = iota // waits for one of the load slots
	LayerPreloading                   // all it names is being decoded; it is known what to make once its document and models are there
	LayerSpawning                     // its entities are being made, a slice a frame, as their meshes come
	LayerBinding                      // its entities bind and upload
	LayerReady                        // resident and uploaded; withheld
	LayerPresented                    // shown
	LayerRetiring                     // quiesced; its entities are being released
	LayerFailed                       // its document could not be loaded
)

var layerStateNames = [...]string{"queued", "preloading", "spawning", "binding", "ready", "presented", "retiring", "failed"}

// String is the state's name in diagnostics.
func (s LayerState) String() string {
	if int(s) < len(layerStateNames) {
		return layerStateNames[s]
	}
	return "layer-?"
}

// PresentPolicy says when a layer that loads is shown.
type PresentPolicy uint8

// The policies.
const (
	// PresentImmediate shows entities as they come.
	PresentImmediate PresentPolicy = iota
	// PresentGated shows the layer once everything in it is on the device.
	PresentGated
	// PresentManual waits, when ready, for the game to ask.
	PresentManual
	// PresentDeadline is gated, but shows what there is once its time is up.
	PresentDeadline
)

// Layer is one loaded scene document: a roster of entities that come and go
// together.
type Layer struct {
	document assets.Handle

	State      LayerState
	Policy     PresentPolicy
	Replace    bool // on presentation, every other presented layer retires
	Asked      bool // a manual layer was asked to show itself
	Lane       Lane
	Priority   int32      // within its lane; lower goes first
	Generation uint32     // of the world, when it was asked for
	Serial     uint32     // order of request; of unloading once it retires
	Roster     int32      // index of its roster
	Cursor     int32      // progress of the current state, in entities
	Origin     [3]float32 // added to every placement, metres
	// Since is when it was requested, by the session's clock; when it was
	// unloaded, once it retires.
	Since time.Duration
	// Deadline is when PresentDeadline gives up waiting, by the session's clock.
	Deadline time.Duration
	// Pending is how many of its entities were not ready at the last look.
	Pending int32
}

// NewLayer names a scene document; scene.Request records it in the ledger.
func NewLayer(document assets.Handle) Layer { return Layer{document: document, Roster: -1} }

// Document is the scene document's handle.
func (l *Layer) Document() assets.Handle { return l.document }

// Member marks an entity as part of a layer.
type Member struct {
	Layer ecs.Entity
}
