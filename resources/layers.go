package resources

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/journal"
)

// LayerEvent is one thing that happened to a layer, for the game to read.
type LayerEvent struct {
	Kind  LayerEventKind
	Layer ecs.Entity
	Key   assets.Key
	Err   error // for LayerLoadFailed
}

// LayerEventKind is what happened.
type LayerEventKind uint8

// The events. Each layer gives at most one of LayerLoaded and LayerLoadFailed,
// and one LayerUnloaded after a LayerLoaded.
const (
	LayerIsReady    LayerEventKind = iota // a manual layer can be shown
	LayerLoaded                           // shown
	LayerUnloaded                         // quiesced: gone for the player
	LayerLoadFailed                       // its document could not be loaded
)

var layerEventNames = [...]string{"ready", "loaded", "unloaded", "load failed"}

// String is the event's name.
func (k LayerEventKind) String() string {
	if int(k) < len(layerEventNames) {
		return layerEventNames[k]
	}
	return "layer-event-?"
}

// LayerEvents are the events since the session last took them, and the way to
// the lifecycle log, which is told more than the game is.
type LayerEvents struct {
	Queue []LayerEvent

	store   *assets.Store
	journal *journal.Log
	world   string
}

// Note tells the lifecycle log alone, of a layer with this document.
func (e *LayerEvents) Note(what journal.Kind, layer ecs.Entity, document assets.Handle, reason string) {
	if !e.journal.On() {
		return
	}
	key, _ := e.store.KeyOf(document)
	e.journal.Note(journal.Event{
		Kind: what, World: e.world, Layer: layer.ID(), Key: key.Stem, Asset: e.store.KindName(assets.KindScene), Reason: reason,
	})
}

// Push appends an event.
func (e *LayerEvents) Push(ev LayerEvent) { e.Queue = append(e.Queue, ev) }

// LayerCounts are running totals of a world.
type LayerCounts struct {
	Entered, Left, Failed int64
	Live, LiveMax         int
	Presented             int
	Retiring              int
}

// CellCounts tell of a world's stream cells: what was done since it opened,
// and what there is now.
type CellCounts struct {
	Looked int64 // cells at the border of a window that moved
	Asked  int64
	Left   int64 // unloaded
	Moved  int64 // moved in the line of loads, because a source came or went

	Live    int // asked for and not unloaded
	Waiting int // wanted; not asked for yet
	Loading int // asked for, and not seen loaded yet
	Grace   int // nobody wants them; they stay for a while
}

// CellNamer gives the stem of a cell's scene document and the origin of its
// entities. Of a grid with rows, index is row*Columns+column.
type CellNamer func(index int32) (stem string, origin [3]float32)

// CellNamers are the namers of a world's grids, by StreamGrid.Names.
type CellNamers struct {
	List []CellNamer
}
