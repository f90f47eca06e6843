package sojourn

import (
	"errors"
	"fmt"

	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/resources"
)

// ErrNoReveal is wrapped when a generation's reveal is not pending any more.
var ErrNoReveal = errors.New("no such reveal is pending")

// Destination is where a world goes by a hard edge.
type Destination struct {
	Cause string // "login", "portal": for logs and people
	// Pos and RadiusMetres say which cells of the world's grids must be ready.
	Pos          [3]float32
	RadiusMetres float32
	// Layers must be ready, too. Their lane is the destination's.
	Layers []scene.Request
}

// Travel leaves everything the world shows behind, at once, and makes the
// destination ready. Until it is, the world draws and sounds nothing: the game
// shows its tunnel, and hears in [World.TakeRevealEvents] when to tell the
// player to wait. Layers asked for from now on belong to the new generation,
// which is returned; what is left behind is let go of over the next frames. A
// journey that was under way is cancelled. Game goroutine; never inside a
// query.
//
// The error wraps [ErrClosed], or says which of the layers could not be asked
// for; the journey goes on without it.
func (w *World) Travel(d Destination) (generation uint32, err error) {
	if w.closed {
		return 0, ErrClosed
	}
	generation = w.layers.Travel(d.Cause, d.Pos, d.RadiusMetres)
	var errs []error
	for _, r := range d.Layers {
		r.Lane = components.LaneDestination
		if _, err := w.layers.Request(r); err != nil {
			errs = append(errs, err)
		}
	}
	return generation, errors.Join(errs...)
}

// CancelTravel gives a journey up: what had come of its destination leaves
// again, and the world is empty but for entities of no layer. The error wraps
// [ErrNoReveal] where that generation's reveal is not pending, or [ErrClosed].
func (w *World) CancelTravel(generation uint32) error {
	if w.closed {
		return ErrClosed
	}
	if !w.layers.CancelTravel(generation) {
		return fmt.Errorf("world %q, generation %d: %w", w.name, generation, ErrNoReveal)
	}
	return nil
}

// Reveal is how far the journey of this world has come.
func (w *World) Reveal() resources.RevealView {
	return w.set.Reveal.View(w.session.options.Clock.Now())
}

// TakeRevealEvents appends what happened to journeys since the last call.
func (w *World) TakeRevealEvents(dst []resources.RevealEvent) []resources.RevealEvent {
	r := w.set.Reveal
	dst = append(dst, r.Events...)
	r.Events = r.Events[:0]
	return dst
}
