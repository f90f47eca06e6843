package scene

import (
	"errors"
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/audio"
	"sojourn/ecs/components"
	"sojourn/journal"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// ErrNoLayer is wrapped when an entity is no layer, or one that is going.
var ErrNoLayer = errors.New("no such layer")

// Request asks for a scene document to be loaded as a layer.
type Request struct {
	Stem     string
	Policy   components.PresentPolicy
	Replace  bool // when shown, every other layer retires in the same frame
	Lane     components.Lane
	Priority int32 // within the lane; lower comes sooner
	Origin   [3]float32
	// Deadline is for PresentDeadline: how long after the request it waits.
	Deadline time.Duration
}

// Layers asks for layers, shows them and lets them go, in one world. Game
// goroutine; never inside a query.
type Layers struct {
	world   *ecs.World
	store   *assets.Store
	mixer   *audio.Mixer
	clock   work.Clock
	set     *resources.Set
	layers  generic.Map[components.Layer]
	sounds  generic.Map[components.SoundSource]
	hidden  generic.Map1[components.Withheld]
	isHid   generic.Map[components.Withheld]
	muted   generic.Map1[components.Muted]
	isMuted generic.Map[components.Muted]
	pendSnd generic.Map[components.PendingSound]
	all     generic.Filter1[components.Layer]
	sources generic.Filter1[components.SoundSource]
	members generic.Map[components.Member]
	models  generic.Map[components.ModelInstance]
	cellID  ecs.ID
	scratch []ecs.Entity
}

// NewLayers makes the layer commands of an installed world.
func NewLayers(w *ecs.World, s stages.Services) *Layers {
	return &Layers{
		world: w, store: s.Store, mixer: s.Mixer, clock: s.Clock, set: resources.Must(w),
		layers:  generic.NewMap[components.Layer](w),
		sounds:  generic.NewMap[components.SoundSource](w),
		hidden:  generic.NewMap1[components.Withheld](w),
		isHid:   generic.NewMap[components.Withheld](w),
		muted:   generic.NewMap1[components.Muted](w),
		isMuted: generic.NewMap[components.Muted](w),
		pendSnd: generic.NewMap[components.PendingSound](w),
		sources: filterOf[components.SoundSource](w),
		members: generic.NewMap[components.Member](w),
		models:  generic.NewMap[components.ModelInstance](w),
		cellID:  ecs.ComponentID[components.StreamCell](w),
		scratch: make([]ecs.Entity, 0, audio.VoicesMax),
		all:     filterOf[components.Layer](w),
	}
}

// Request makes a layer entity and puts it in line. The error wraps
// assets.ErrBadStem.
func (l *Layers) Request(r Request) (ecs.Entity, error) {
	key, err := assets.NewKey(r.Stem, assets.KindScene)
	if err != nil {
		return ecs.Entity{}, err
	}
	h, err := l.store.Name(key)
	if err != nil {
		return ecs.Entity{}, err
	}
	e := l.world.NewEntity(l.layers.ID())
	layer := components.NewLayer(h)
	l.set.Loads.Serial++
	layer.Policy, layer.Replace, layer.Priority = r.Policy, r.Replace, r.Priority
	layer.Lane, layer.Generation = r.Lane, l.set.Reveal.Generation
	layer.Origin, layer.Serial, layer.Deadline = r.Origin, l.set.Loads.Serial, l.clock.Now()+r.Deadline
	layer.Since = l.clock.Now()
	*l.layers.Get(e) = layer
	l.set.Ledger.Add(e, l.layers.ID(), l.set.Holds.Name, uint64(h))
	l.set.Events.Note(journal.LayerRequested, e, h, "")
	c := l.set.Counts
	c.Entered++
	c.Live++
	c.LiveMax = max(c.LiveMax, c.Live)
	l.set.ArmDebt()
	return e, nil
}

// Present asks a manual layer to show itself as soon as it is ready.
func (l *Layers) Present(e ecs.Entity) error {
	layer, err := l.get(e)
	if err != nil {
		return err
	}
	if layer.State == components.LayerReady && !layer.Asked {
		l.set.Loads.Asked = append(l.set.Loads.Asked, e)
	}
	layer.Asked = true
	l.set.ArmDebt()
	return nil
}

// SetPriority moves a waiting layer in the line; lower comes sooner.
func (l *Layers) SetPriority(e ecs.Entity, priority int32) error {
	layer, err := l.get(e)
	if err != nil {
		return err
	}
	layer.Priority = priority
	if slot := l.set.Loads.SlotOf(e); slot != nil {
		slot.Batch.SetPriority(batchPriority(layer))
	}
	return nil
}

// Move moves a waiting layer to another lane, and within it.
func (l *Layers) Move(e ecs.Entity, lane components.Lane, priority int32) error {
	layer, err := l.get(e)
	if err != nil {
		return err
	}
	layer.Lane = lane
	return l.SetPriority(e, priority)
}

// batchPriority is a layer's place among all that workers have to decode.
func batchPriority(l *components.Layer) int32 {
	const laneSpan = 1 << 24
	return int32(l.Lane)*laneSpan + min(max(l.Priority, -laneSpan/2), laneSpan/2-1)
}

// Unload quiesces a layer now: from here on nothing of it is drawn, heard or
// ticked. What it holds is released over the next frames. A load under way is
// cancelled.
func (l *Layers) Unload(e ecs.Entity) error {
	layer, err := l.get(e)
	if err != nil {
		return err
	}
	roster := layer.Roster
	l.retire(e)
	l.quiesce(roster)
	l.set.ArmDebt()
	return nil
}

// retire puts a layer in the line of those whose memory is given back. What of
// it can be seen or heard is the caller's to withhold.
func (l *Layers) retire(e ecs.Entity) {
	layer := l.layers.Get(e)
	was := layer.State
	l.set.Loads.Serial++
	layer.State, layer.Cursor, layer.Serial = components.LayerRetiring, 0, l.set.Loads.Serial
	layer.Since = l.clock.Now()
	document := layer.Document()
	if slot := l.set.Loads.SlotOf(e); slot != nil {
		freeSlot(slot, l.set, l.store)
	}
	c := l.set.Counts
	c.Live--
	c.Left++
	c.Retiring++
	if was == components.LayerPresented {
		c.Presented--
		key, _ := l.store.KeyOf(document)
		l.set.Events.Push(resources.LayerEvent{Kind: resources.LayerUnloaded, Layer: e, Key: key})
	}
	l.set.Events.Note(journal.LayerUnloaded, e, document, was.String())
}

// quiesce is one observer-atomic step over the roster: withhold and silence.
func (l *Layers) quiesce(roster int32) {
	if roster < 0 {
		return
	}
	members := l.set.Rosters.Members(roster)
	for i := range members.Len() {
		e := *members.At(i)
		if !l.world.Alive(e) {
			continue
		}
		if !l.isHid.Has(e) {
			l.hidden.Add(e)
		}
		if l.sounds.Has(e) {
			l.silence(e)
		}
		if l.models.Has(e) {
			l.quiesce(l.models.Get(e).Roster)
		}
	}
}

func (l *Layers) silence(e ecs.Entity) {
	s := l.sounds.Get(e)
	if s.Voice == 0 {
		return
	}
	voice := s.Voice
	s.Voice = 0
	l.set.Ledger.Drop(e, l.sounds.ID(), l.set.Holds.Voice, uint64(voice))
	if !l.isMuted.Has(e) {
		l.muted.Add(e)
	}
}

// Silence stops every sound of the world at once.
func (l *Layers) Silence() {
	l.scratch = l.scratch[:0]
	q := l.sources.Query(l.world)
	for q.Next() {
		if q.Get().Voice != 0 {
			l.scratch = append(l.scratch, q.Entity())
		}
	}
	for _, e := range l.scratch {
		l.silence(e)
	}
}

// UnloadAllBut unloads every layer that is shown or loading, except one.
func (l *Layers) UnloadAllBut(keep ecs.Entity, onlyPresented bool) {
	l.scratch = l.scratch[:0]
	q := l.all.Query(l.world)
	for q.Next() {
		e, layer := q.Entity(), q.Get()
		if e == keep || layer.State == components.LayerRetiring {
			continue
		}
		if onlyPresented && layer.State != components.LayerPresented {
			continue
		}
		l.scratch = append(l.scratch, e)
	}
	for _, e := range l.scratch {
		if err := l.Unload(e); err != nil {
			panic("scene: unloading a layer just listed: " + err.Error())
		}
	}
}

func (l *Layers) get(e ecs.Entity) (*components.Layer, error) {
	if e.IsZero() || !l.world.Alive(e) || !l.layers.Has(e) {
		return nil, fmt.Errorf("%w: entity %d", ErrNoLayer, e.ID())
	}
	layer := l.layers.Get(e)
	if layer.State == components.LayerRetiring {
		return nil, fmt.Errorf("%w: entity %d is retiring", ErrNoLayer, e.ID())
	}
	return layer, nil
}

// Layer is a copy of a layer's state; ok is false once it is gone.
func (l *Layers) Layer(e ecs.Entity) (layer components.Layer, ok bool) {
	if e.IsZero() || !l.world.Alive(e) || !l.layers.Has(e) {
		return components.Layer{}, false
	}
	return *l.layers.Get(e), true
}

// reveal shows a layer's members in one observer-atomic step.
func (l *Layers) reveal(roster int32) {
	if roster < 0 {
		return
	}
	members := l.set.Rosters.Members(roster)
	for i := range members.Len() {
		e := *members.At(i)
		if !l.world.Alive(e) {
			continue
		}
		if l.isHid.Has(e) {
			l.hidden.Remove(e)
		}
		if l.models.Has(e) {
			l.reveal(l.models.Get(e).Roster)
		}
	}
	l.set.ArmDebt() // sounds may start, in a stage that ran before this one
}

// freeSlot ends a load. What its scope holds is let go of by retirement.
func freeSlot(slot *resources.LoadSlot, set *resources.Set, store *assets.Store) {
	slot.Batch.Cancel()
	slot.Batch.Reset()
	if set.Loads.Part(slot, store) {
		set.ArmDebt()
	}
	store.CloseTicket(slot.Ticket)
	slot.Demand, slot.Planned, slot.Grown = resources.Demand{}, 0, 0
	slot.Layer, slot.Part, slot.Submitted, slot.Told, slot.Ticket = ecs.Entity{}, 0, false, false, 0
}
