package gpu

import "sojourn/assets"

// indexedRowsMax is how many rows the index from textures to users covers.
// Users in rows beyond it are found by looking at every row.
const indexedRowsMax = 1 << 14

// cellOf numbers one map of one row.
func cellOf(row uint32, slot assets.MapSlot) uint32 {
	return row*uint32(assets.MapSlots) + uint32(slot)
}

// mapUsers is the reverse index from a texture to the cells that show it: one
// doubly linked list for each texture. It covers the first cellsMax cells;
// users beyond are only counted.
type mapUsers struct {
	cellsMax  int
	heads     []uint32 // by texture slot: cell + 1
	links     []cellLink
	unindexed int
}

type cellLink struct {
	next, prev uint32 // cell + 1; zero: none
}

func (u *mapUsers) grow(cells int) {
	for len(u.links) < min(cells, u.cellsMax) {
		u.links = append(u.links, cellLink{})
	}
}

func (u *mapUsers) add(cell, tex uint32) {
	if int(cell) >= len(u.links) {
		u.unindexed++
		return
	}
	for int(tex) >= len(u.heads) {
		u.heads = append(u.heads, 0)
	}
	first := u.heads[tex]
	u.links[cell] = cellLink{next: first}
	if first != 0 {
		u.links[first-1].prev = cell + 1
	}
	u.heads[tex] = cell + 1
}

func (u *mapUsers) remove(cell, tex uint32) {
	if int(cell) >= len(u.links) {
		u.unindexed--
		return
	}
	l := u.links[cell]
	if l.prev == 0 {
		u.heads[tex] = l.next
	} else {
		u.links[l.prev-1].next = l.next
	}
	if l.next != 0 {
		u.links[l.next-1].prev = l.prev
	}
	u.links[cell] = cellLink{}
}

func (u *mapUsers) first(tex uint32) uint32 {
	if int(tex) >= len(u.heads) {
		return none
	}
	return u.heads[tex] - 1
}

func (u *mapUsers) next(cell uint32) uint32 { return u.links[cell].next - 1 }
