package main

import "errors"

// ErrRackFull is returned when every circuit is taken.
var ErrRackFull = errors.New("no free circuit")

// Circuit is one output of a [Rack]; zero is none.
type Circuit uint32

// Rack is a service of the game's own: a dimmer rack whose circuits light
// lamps. Like a device it has room for so many and no more. Game goroutine
// only.
type Rack struct {
	colors [][3]uint8
	free   []Circuit
}

// NewRack makes a rack of so many circuits.
func NewRack(circuits int) *Rack {
	r := &Rack{colors: make([][3]uint8, circuits+1)}
	for c := circuits; c > 0; c-- {
		r.free = append(r.free, Circuit(c))
	}
	return r
}

// Light takes a circuit and lights it.
func (r *Rack) Light(rgb [3]uint8) (Circuit, error) {
	n := len(r.free)
	if n == 0 {
		return 0, ErrRackFull
	}
	c := r.free[n-1]
	r.free = r.free[:n-1]
	r.colors[c] = rgb
	return c, nil
}

// Douse gives a circuit back.
func (r *Rack) Douse(c Circuit) {
	r.colors[c] = [3]uint8{}
	r.free = append(r.free, c)
}

// Color is what a circuit shows.
func (r *Rack) Color(c Circuit) [3]uint8 { return r.colors[c] }

// Full tells whether no circuit is free.
func (r *Rack) Full() bool { return len(r.free) == 0 }

// Lit is the number of circuits in use.
func (r *Rack) Lit() int { return len(r.colors) - 1 - len(r.free) }
