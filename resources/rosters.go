package resources

import "github.com/mlange-42/arche/ecs"

// Rosters keeps the members of layers, in order of spawning. Slices are
// reused: a layer that goes leaves its slice to the next.
type Rosters struct {
	lists [][]ecs.Entity
	free  []int32
}

// roomiestOf is among how many free rosters the one with the most room is taken:
// large layers that follow small ones then find what large ones have left.
const roomiestOf = 8

// Open gives an empty roster.
func (r *Rosters) Open() int32 {
	if last := len(r.free) - 1; last >= 0 {
		best := last
		for at := last - 1; at >= max(0, last+1-roomiestOf); at-- {
			if cap(r.lists[r.free[at]]) > cap(r.lists[r.free[best]]) {
				best = at
			}
		}
		i := r.free[best]
		r.free[best] = r.free[last]
		r.free = r.free[:last]
		return i
	}
	r.lists = append(r.lists, nil)
	return int32(len(r.lists) - 1)
}

// Close takes a roster back.
func (r *Rosters) Close(i int32) {
	r.lists[i] = r.lists[i][:0]
	r.free = append(r.free, i)
}

// Add appends a member.
func (r *Rosters) Add(i int32, e ecs.Entity) { r.lists[i] = append(r.lists[i], e) }

// Members is a roster's members, valid until the next call.
func (r *Rosters) Members(i int32) []ecs.Entity { return r.lists[i] }

// Cut drops the members from n on.
func (r *Rosters) Cut(i int32, n int) { r.lists[i] = r.lists[i][:n] }

// Live is the number of open rosters.
func (r *Rosters) Live() int { return len(r.lists) - len(r.free) }
