package resources

import "github.com/mlange-42/arche/ecs"

// Rosters keeps the members of layers, in order of spawning. Slices are
// reused: a layer that goes leaves its slice to the next.
type Rosters struct {
	lists [][]ecs.Entity
	free  []int32
}

// Open gives an empty roster.
func (r *Rosters) Open() int32 {
	if n := len(r.free); n > 0 {
		i := r.free[n-1]
		r.free = r.free[:n-1]
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
