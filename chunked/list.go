// Package chunked has a list for what must not stall a frame as it grows.
package chunked

import (
	"math/bits"
	"unsafe"
)

// ChunkBytes bounds what one step of a list's growth allocates, but for the
// table of its chunks, and for an element that is larger.
const ChunkBytes = 4 << 10

// List is a list that grows by a chunk at a time. A slice that is full doubles,
// in whatever frame that happens, and what it copied is garbage; a list takes
// [ChunkBytes], and what it has stays where it is. Only one shorter than a chunk
// doubles, so that a short list is small.
//
// The zero List is empty and ready. Memory is kept for reuse and never given
// back. A copy of a list sees the elements it had when it was copied, until
// either of the two grows or is cut. Not safe for use by several goroutines.
type List[T any] struct {
	chunks [][]T // all of full length but the first of a short list
	n      int
	shift  uint8     // a full chunk has 1<<shift elements
	spare  *Spare[T] // where full chunks come from; nil: they are made
}

// TakingFrom is an empty list whose chunks come from s, all of them full.
func TakingFrom[T any](s *Spare[T]) List[T] { return List[T]{shift: shiftOf[T](), spare: s} }

// shiftOf is the power of two that a full chunk has elements of a type.
func shiftOf[T any]() uint8 {
	var element T
	return uint8(bits.Len(uint(max(ChunkBytes/max(unsafe.Sizeof(element), 1), 1))) - 1)
}

// Len is the number of elements.
func (l *List[T]) Len() int { return l.n }

// Room is how many elements there can be before the list grows.
func (l *List[T]) Room() int {
	last := len(l.chunks) - 1
	if last < 0 {
		return 0
	}
	return last<<l.shift + len(l.chunks[last])
}

// At is element i, of those there are. The pointer is good until the list grows.
func (l *List[T]) At(i int) *T { return &l.chunks[i>>l.shift][i&(1<<l.shift-1)] }

// Add appends an element.
func (l *List[T]) Add(v T) {
	if l.n == l.Room() {
		l.Reserve(l.n + 1)
	}
	l.n++
	*l.At(l.n - 1) = v
}

// Cut drops the elements from n on. What they point to stays reachable until
// others take their places.
func (l *List[T]) Cut(n int) { l.n = min(l.n, n) }

// Take drops the last element and answers it. There must be one.
func (l *List[T]) Take() T {
	v := l.At(l.n - 1)
	l.n--
	return *v
}

// Reserve makes room for so many elements in all.
func (l *List[T]) Reserve(places int) {
	if places <= l.Room() {
		return
	}
	l.shift = shiftOf[T]()
	if l.spare == nil {
		l.reserveFirst(places)
	}
	for l.Room() < places {
		l.chunks = append(l.chunks, l.spare.take(1<<l.shift))
	}
}

// reserveFirst makes the first chunk as long as so many elements need.
func (l *List[T]) reserveFirst(places int) {
	full := 1 << l.shift
	if len(l.chunks) == 0 {
		l.chunks = append(l.chunks, nil)
	}
	if first := l.chunks[0]; len(first) < full {
		larger := make([]T, min(full, max(2*len(first), 1<<bits.Len(uint(places-1)))))
		copy(larger, first)
		l.chunks[0] = larger
	}
}
