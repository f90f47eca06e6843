package resources

import (
	"math/bits"

	"github.com/mlange-42/arche/ecs"

	"sojourn/chunked"
)

// Roster is the members of a layer or a model, in order of spawning. As a copy
// it is good until the next call to [Rosters].
type Roster = chunked.List[ecs.Entity]

// Rosters keeps the members of layers. Small rosters are reused: a layer that
// goes leaves its own to the next of its size. Large ones take and give back
// chunks of what the world has for all of them.
type Rosters struct {
	rows   chunked.List[rosterRow]
	free   [rosterSizes]int32 // the first free one of each size, one up
	chunks chunked.Spare[ecs.Entity]
	live   int
}

type rosterRow struct {
	members Roster
	next    int32 // the free one behind it, one up; zero: none
	size    uint8
}

const (
	// rosterSizes is how many sizes of rosters are told apart: size k is for
	// 2^k members at most and more than half of it, the last for all others.
	rosterSizes = 10
	rosterLarge = rosterSizes - 1
)

// Open gives an empty roster for so many members.
func (r *Rosters) Open(members int) int32 {
	r.live++
	size := sizeOf(members)
	if i := r.free[size] - 1; i >= 0 { // a larger one stays for whoever needs it
		r.free[size] = r.row(i).next
		return i
	}
	row := rosterRow{size: uint8(size)}
	if size == rosterLarge {
		row.members = chunked.TakingFrom(&r.chunks)
	} else {
		row.members.Reserve(1 << size)
	}
	r.rows.Add(row)
	return int32(r.rows.Len() - 1)
}

// sizeOf is the smallest size with room for so many members.
func sizeOf(members int) int { return min(bits.Len(uint(max(members, 1)-1)), rosterLarge) }

// Close takes a roster back.
func (r *Rosters) Close(i int32) {
	r.live--
	row := r.row(i)
	row.members.GiveBack()
	row.next, r.free[row.size] = r.free[row.size], i+1
}

// grower has places for every member of large rosters.
func (r *Rosters) grower() Grower {
	return Grower{Kind: RoomEntities, Used: r.chunks.Lent, Room: r.chunks.Places, Grow: r.chunks.Reserve}
}

// Add appends a member.
func (r *Rosters) Add(i int32, e ecs.Entity) { r.row(i).members.Add(e) }

// Len is how many members a roster has.
func (r *Rosters) Len(i int32) int { return r.row(i).members.Len() }

// Members is a roster's members.
func (r *Rosters) Members(i int32) Roster { return r.row(i).members }

// Cut drops the members from n on.
func (r *Rosters) Cut(i int32, n int) { r.row(i).members.Cut(n) }

// Live is the number of open rosters.
func (r *Rosters) Live() int { return r.live }

func (r *Rosters) row(i int32) *rosterRow { return r.rows.At(int(i)) }
