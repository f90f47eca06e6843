// Package sojourn is an ECS-based engine library whose heart is asset
// residency: what is in memory, who holds it, what it costs, and how it comes
// and goes without a hitch.
//
// A [Session] owns a store of assets, the workers that decode, a device, a
// mixer, and any number of worlds. It is called from a game's own loop: Tick
// in Update, Present in Draw. It owns no main and starts no loop.
//
//	s, err := sojourn.Open(sojourn.Options{Sources: ..., Device: ...})
//	w, err := s.NewWorld(sojourn.WorldOptions{Name: "main"})
//	sojourn.Spawn(w, "props/crate", sojourn.At(0, 0, -5))
//
// All of it belongs to one goroutine, the game's. Workers only decode.
//
// # One frame
//
// Tick drains what workers finished, runs each world's residency pass under
// one meter, runs the game's systems, and publishes what the active world
// shows. Present draws the published frame; it may run without a Tick between.
package sojourn
