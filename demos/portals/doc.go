// Package portals is a route of hard edges across a large world of cells: ten
// stops far apart, one after the other, each stayed at until nothing is under
// way any more. The same route runs in several modes, which share everything
// but the scheduling of loads, so that their frames can be compared.
package portals
