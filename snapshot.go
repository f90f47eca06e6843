package sojourn

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/gpu"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// Residency is what the device and the mixer hold, in figures.
type Residency struct {
	TextureBytes, TextureBytesMax   int64 // live on the device; the most there ever was
	GeometryBytes, GeometryBytesMax int64
	UploadsPending, FreesPending    int
	LostUploads                     int64
	Voices                          int
	PCMBytes, PCMBytesPeak          int64
}

// Residency reads the figures.
func (s *Session) Residency() Residency {
	t, g := s.textures.Stats(), s.geometry.Stats()
	a := s.mixer.Stats()
	return Residency{
		TextureBytes: s.textures.LiveBytes(), TextureBytesMax: s.textures.LiveBytesMax(),
		GeometryBytes: s.geometry.LiveBytes(), GeometryBytesMax: s.geometry.LiveBytesMax(),
		UploadsPending: s.uploads.Pending(), FreesPending: s.retire.Pending(),
		LostUploads: int64(t.LostUploads + g.LostUploads),
		Voices:      a.Voices, PCMBytes: a.PCMBytes, PCMBytesPeak: a.PCMPeakBytes,
	}
}

// WorldView is one world in a snapshot.
type WorldView struct {
	Name   string
	Active bool
	Pass   stages.PassReport
	Stage  string // the one the cursor is on
	Stalls int
	Counts resources.LayerCounts
	Cells  resources.CellCounts
	Loads  int // load slots in use
	Holds  int // in its ledger
	Wanted int // of its own assets: skies, effects, what zones keep; the ticket "world NAME" has them
	Reveal resources.RevealView
	Layers []LayerView
}

// LayerView is one layer of a world.
type LayerView struct {
	Key      assets.Key
	State    components.LayerState
	Lane     components.Lane
	Priority int32
	Members  int
	Pending  int // members that are not ready
}

// Snapshot is a copy of everything a panel shows. Its slices belong to the
// caller; taken again, they are reused.
type Snapshot struct {
	// CPU and GPU tell whether the store's and the device's part are filled.
	CPU, GPU  Availability
	Store     assets.Snapshot
	Sources   []assets.SourceView // in the order of search
	Reloads   ReloadView
	Device    gpu.DeviceStats
	Name      string // of the device
	Residency Residency
	Config    Config
	Budget    work.Budget
	Stages    []string // names, in table order
	Worlds    []WorldView
	History   []work.Facts // oldest first
	Backlog   Backlog
	Overruns  []work.Overrun
	OverrunN  int64 // how many there ever were
	// ByStage is what each stage ran over since the session opened.
	ByStage []work.StageOverruns
}

// Snapshot copies the session's state into dst. Game goroutine, between ticks.
func (s *Session) Snapshot(dst *Snapshot) {
	dst.CPU, dst.GPU = s.Diagnostics()
	if s == nil || s.closed {
		*dst = Snapshot{CPU: dst.CPU, GPU: dst.GPU}
		return
	}
	s.store.Snapshot(&dst.Store)
	dst.Sources = s.store.Sources(dst.Sources[:0])
	dst.Device, dst.Name, dst.Residency = gpu.DeviceStats{}, "", Residency{}
	if gpu.Diagnostics {
		dst.Device, dst.Name, dst.Residency = s.device.Stats(), s.device.Name(), s.Residency()
	}
	dst.Reloads = s.Reloads()
	dst.Config, dst.Budget = s.config, s.meter.Budget()
	dst.Stages = dst.Stages[:0]
	for i := range s.table.Len() {
		dst.Stages = append(dst.Stages, s.table.Name(i))
	}
	dst.History = s.History(dst.History[:0])
	dst.Backlog = s.Backlog()
	dst.Overruns, dst.OverrunN = s.meter.Overruns(dst.Overruns[:0])
	dst.ByStage = s.meter.OverrunsByStage(dst.ByStage[:0])
	for len(dst.Worlds) < len(s.worlds) {
		dst.Worlds = append(dst.Worlds, WorldView{})
	}
	dst.Worlds = dst.Worlds[:len(s.worlds)]
	for i, w := range s.worlds {
		w.view(&dst.Worlds[i])
	}
}

func (w *World) view(v *WorldView) {
	layers := v.Layers[:0]
	q := w.ecs.Query(&w.layerFilter)
	for q.Next() {
		l := (*components.Layer)(q.Get(w.layerID))
		members := 0
		if l.Roster >= 0 {
			members = w.set.Rosters.Len(l.Roster)
		}
		key, _ := w.session.store.KeyOf(l.Document())
		layers = append(layers, LayerView{
			Key: key, State: l.State, Lane: l.Lane, Priority: l.Priority, Members: members, Pending: int(l.Pending),
		})
	}
	last := w.pass.Last()
	*v = WorldView{
		Name: w.name, Active: w.session.active == w, Pass: last, Stage: w.session.table.Name(last.Parked),
		Stalls: w.pass.Stalls(), Counts: *w.set.Counts, Cells: *w.set.Cells, Loads: w.set.Loads.Running(),
		Holds: w.set.Ledger.Live(), Wanted: w.set.Own.Wanted(), Layers: layers,
		Reveal: w.set.Reveal.View(w.session.options.Clock.Now()),
	}
}

// Holder is one entity that holds an asset.
type Holder struct {
	World  *World
	Entity ecs.Entity
}

// Holders appends the entities of all worlds, also of closed ones that are
// being let go, whose ledgers hold this asset
// retained: why it is resident, as far as worlds go. [assets.Store.Why] knows
// the rest. It walks the ledgers, so it is for panels, not for frames.
func (s *Session) Holders(h assets.Handle, dst []Holder) []Holder {
	for _, w := range s.worlds {
		w.Holders(h, func(e ecs.Entity) { dst = append(dst, Holder{w, e}) })
	}
	for _, w := range s.retiring {
		w.Holders(h, func(e ecs.Entity) { dst = append(dst, Holder{w, e}) })
	}
	return dst
}
