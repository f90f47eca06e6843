package sojourn

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/mlange-42/arche/listener"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems"
	"sojourn/ecs/systems/scene"
	"sojourn/gpu"
	"sojourn/journal"
	"sojourn/resources"
	"sojourn/stages"
)

// WorldOptions describe one world.
type WorldOptions struct {
	// Name appears in diagnostics.
	Name string
	// EntitiesExpected presizes the world. For a layer's entities it grows in
	// steps before they are made; for entities that the game makes itself it
	// grows when they come, which costs a visible frame in a large world. Zero
	// means 4,096.
	EntitiesExpected int
}

// System is a game's own step. It runs once a tick, after the residency pass.
type System func(w *World, dt time.Duration)

// World is one ECS world of a session, with its residency pass.
type World struct {
	// Camera is where the world is seen from.
	Camera gpu.Camera

	session     *Session
	name        string
	ecs         ecs.World
	set         *resources.Set
	pass        *stages.Pass
	spawner     *scene.Spawner
	layers      *scene.Layers
	publisher   *systems.Publisher
	events      *listener.Dispatch
	systems     []System
	closed      bool
	others      []*World // room for the session's list without this world: closing allocates nothing
	layerID     ecs.ID
	layerFilter ecs.CachedFilter
}

// NewWorld adds a world. The first one is drawn until [Session.SetActive] says
// otherwise.
func (s *Session) NewWorld(o WorldOptions) (*World, error) {
	if s.closed {
		return nil, ErrClosed
	}
	if o.EntitiesExpected <= 0 {
		o.EntitiesExpected = 4096
	}
	w := &World{session: s, name: o.Name, ecs: ecs.NewWorld(min(o.EntitiesExpected, resources.TableRows), 1), Camera: DefaultCamera()}
	sv := s.services()
	w.set = resources.Install(&w.ecs, resources.Options{
		Store: s.store, Geometry: s.geometry, Textures: s.textures, Mixer: s.mixer, Clock: s.options.Clock,
		EntitiesExpected: o.EntitiesExpected, Journal: s.options.Journal, World: o.Name,
	})
	pass, err := stages.OpenPass(&w.ecs, s.table, sv, stages.PassOptions{
		BindMax: s.config.BindBudget(), Owner: o.Name, Log: s.options.Log,
		Trace: s.track, World: s.traced.World(o.Name),
	})
	if err != nil {
		w.set.Rows.Close()
		return nil, fmt.Errorf("world %q: %w", o.Name, err)
	}
	w.pass = pass
	w.set.ArmDebt = pass.ArmDebt
	w.spawner = scene.NewSpawner(&w.ecs, sv)
	w.spawner.Prewarm()
	w.layers = scene.NewLayers(&w.ecs, sv)
	w.publisher = systems.NewPublisher(&w.ecs, sv)
	dispatch := listener.NewDispatch(w.set.NewListener())
	w.events = &dispatch
	w.layerID = ecs.ComponentID[components.Layer](&w.ecs)
	layers := ecs.All(w.layerID)
	w.layerFilter = w.ecs.Cache().Register(layers)
	w.ecs.SetListener(w.events)
	w.set.Unheard = w.unheard
	w.set.Room.Open()
	s.worlds = append(s.worlds, w)
	s.makeRoomToClose()
	s.options.Journal.Note(journal.Event{Kind: journal.WorldOpened, World: o.Name})
	if s.active == nil {
		s.active = w
	}
	return w, nil
}

// unheard is the set's: the step's entities are nobody's.
func (w *World) unheard(step func()) {
	w.ecs.SetListener(nil)
	step()
	w.ecs.SetListener(w.events)
}

// ECS is the world itself, for components and queries of the game's own.
// Systems should leave out what carries components.Withheld.
func (w *World) ECS() *ecs.World { return &w.ecs }

// Name is the world's name.
func (w *World) Name() string { return w.name }

// Session is the session this world belongs to.
func (w *World) Session() *Session { return w.session }

// Set is what the world stores once: ledger, rosters, counts.
func (w *World) Set() *resources.Set { return w.set }

// Pass is the world's residency pass, for diagnostics.
func (w *World) Pass() *stages.Pass { return w.pass }

// AddSystem appends a step of the game's.
func (w *World) AddSystem(f System) { w.systems = append(w.systems, f) }

// Listen adds a listener to the world's events. Do not call SetListener on the
// ECS world: it would replace the engine's.
func (w *World) Listen(l ecs.Listener) { w.events.AddListener(l) }

// Load asks for a scene document to become a layer of this world. The error
// wraps assets.ErrBadStem or [ErrClosed]. Whether the document can be had
// shows later, in [World.TakeEvents].
func (w *World) Load(r scene.Request) (ecs.Entity, error) {
	if w.closed {
		return ecs.Entity{}, ErrClosed
	}
	return w.layers.Request(r)
}

// Show asks a manual layer to show itself. The error wraps scene.ErrNoLayer or
// [ErrClosed].
func (w *World) Show(layer ecs.Entity) error {
	if w.closed {
		return ErrClosed
	}
	return w.layers.Present(layer)
}

// Unload quiesces a layer at once; its memory comes back over the next frames.
// The error wraps scene.ErrNoLayer or [ErrClosed].
func (w *World) Unload(layer ecs.Entity) error {
	if w.closed {
		return ErrClosed
	}
	return w.layers.Unload(layer)
}

// UnloadAll unloads every layer.
func (w *World) UnloadAll() {
	if !w.closed {
		w.layers.UnloadAllBut(ecs.Entity{}, false)
	}
}

// Layer is a copy of a layer's state; ok is false once it is gone.
func (w *World) Layer(layer ecs.Entity) (components.Layer, bool) {
	if w.closed {
		return components.Layer{}, false
	}
	return w.layers.Layer(layer)
}

// Counts are the world's running totals of layers.
func (w *World) Counts() resources.LayerCounts { return *w.set.Counts }

// TakeEvents appends what happened to layers since the last call.
func (w *World) TakeEvents(dst []resources.LayerEvent) []resources.LayerEvent {
	dst = append(dst, w.set.Events.Queue...)
	w.set.Events.Queue = w.set.Events.Queue[:0]
	return dst
}

// Holders are the entities whose ledger holds this asset retained.
func (w *World) Holders(h assets.Handle, f func(ecs.Entity)) {
	w.set.Ledger.EachHolder(w.set.Holds.Retain, uint64(h), f)
}

// Pending is what the world still has under way.
func (w *World) Pending() (publications, retirements int) {
	return w.set.Loads.Running(), w.set.Counts.Retiring + len(w.set.Doomed) + len(w.set.Loads.Emptying)
}

// Close ends the world. At once nothing of it is drawn, heard or ticked any
// more; what its entities hold is let go of over the next ticks, see
// [Session.Retiring]. The error is one of the world's own accounts: entities
// that died unseen.
func (w *World) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	w.detach()
	w.pass.Close()
	w.ecs.SetListener(nil)
	w.set.ArmDebt = func() {}
	if w.set.Lost() {
		return w.released()
	}
	w.layers.Silence()
	s := w.session
	s.retiring = append(s.retiring, w)
	if s.closed {
		return s.retireAll()
	}
	return nil
}

// makeRoomToClose gives every open world, and the line of those that closed,
// the room that closing them takes: it must not cost a frame an allocation.
func (s *Session) makeRoomToClose() {
	for _, w := range s.worlds {
		w.others = slices.Grow(w.others, len(s.worlds))
	}
	s.retiring = slices.Grow(s.retiring, len(s.worlds))
}

// detach takes the world out of everything that runs, draws or lists it.
func (w *World) detach() {
	s := w.session
	// Another slice: a system that closes its world runs inside a loop over this
	// one. Each world's room is used once, so nobody reads what is written here.
	others := w.others[:0]
	for _, other := range s.worlds {
		if other != w {
			others = append(others, other)
		}
	}
	s.worlds, w.others = others, nil
	if s.drawn == w {
		s.drawn = nil
	}
	if s.active == w {
		s.active = nil
		if len(s.worlds) > 0 {
			s.active = s.worlds[0]
		}
	}
}

// released lets go of whatever is left of a closed world and checks its
// accounts.
func (w *World) released() error {
	lost := w.set.Lost()
	if lost {
		w.set.Ledger.Sweep(&w.ecs, 0) // each entity that held something died unseen
	}
	w.set.Ledger.ReleaseAll()
	w.set.Loads.EmptyAll()
	w.set.Rows.Close()
	var err error
	if n := w.set.Ledger.Unseen(); n > 0 || lost {
		err = fmt.Errorf("world %q: %d entities died unseen: World.Reset tells nobody; remove entities instead", w.name, n)
	}
	if n := w.set.Ledger.Live(); n > 0 {
		err = errors.Join(err, fmt.Errorf("world %q: %d holds left after release", w.name, n))
	}
	w.tellClosed(err)
	return err
}

func (w *World) tellClosed(err error) {
	e := journal.Event{Kind: journal.WorldClosed, World: w.name}
	if err != nil {
		e.Reason = err.Error()
	}
	w.session.options.Journal.Note(e)
}

// Resource is a typed Arche resource of a world, or nil where absent.
func Resource[T any](w *World) *T {
	r := generic.NewResource[T](&w.ecs)
	if !r.Has() {
		return nil
	}
	return r.Get()
}
