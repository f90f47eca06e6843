package resources

import (
	"math/bits"

	"github.com/mlange-42/arche/ecs"
)

// Rosters keeps the members of layers, in order of spawning. Slices are
// reused: a layer that goes leaves its slice to the next of its size.
type Rosters struct {
	lists [][]ecs.Entity
	next  []int32            // the free one behind it, one up; zero: none
	free  [rosterSizes]int32 // the first free one of each size, one up
	live  int
}

// rosterSizes is how many sizes of rosters are told apart: of size k is one
// with room for 2^k members and less than twice as many.
const rosterSizes = 32

// Open gives an empty roster with room for so many members.
func (r *Rosters) Open(members int) int32 {
	r.live++
	size := sizeOf(members)
	if i := r.free[size] - 1; i >= 0 { // a larger one stays for whoever needs it
		r.free[size] = r.next[i]
		return i
	}
	r.lists = append(r.lists, make([]ecs.Entity, 0, 1<<size))
	r.next = append(r.next, 0)
	return int32(len(r.lists) - 1)
}

// Fits tells whether [Rosters.Open] would find a roster for so many members
// and make none.
func (r *Rosters) Fits(members int) bool { return r.free[sizeOf(members)] != 0 }

// sizeOf is the smallest size with room for so many members.
func sizeOf(members int) int { return bits.Len(uint(max(members, 1) - 1)) }

// Close takes a roster back.
func (r *Rosters) Close(i int32) {
	r.live--
	r.lists[i] = r.lists[i][:0]
	size := bits.Len(uint(cap(r.lists[i]))) - 1
	r.next[i], r.free[size] = r.free[size], i+1
}

// Add appends a member.
func (r *Rosters) Add(i int32, e ecs.Entity) { r.lists[i] = append(r.lists[i], e) }

// Members is a roster's members, valid until the next call.
func (r *Rosters) Members(i int32) []ecs.Entity { return r.lists[i] }

// Cut drops the members from n on.
func (r *Rosters) Cut(i int32, n int) { r.lists[i] = r.lists[i][:n] }

// Live is the number of open rosters.
func (r *Rosters) Live() int { return r.live }
