package chunked

// Spare is full chunks for several lists, which are as long together as what was
// reserved; it keeps what they give back. See [TakingFrom].
type Spare[T any] struct {
	chunks [][]T
	made   int // chunks in all, lent or not
}

// Places is how many elements all its lists can have before one has to make a
// chunk.
func (s *Spare[T]) Places() int { return s.made << shiftOf[T]() }

// Lent is how many of them lists have taken.
func (s *Spare[T]) Lent() int { return (s.made - len(s.chunks)) << shiftOf[T]() }

// Reserve makes chunks until there are so many places.
func (s *Spare[T]) Reserve(places int) {
	full := 1 << shiftOf[T]()
	more := (places+full-1)/full - s.made
	if more <= 0 {
		return
	}
	s.made += more
	chunks := make([][]T, 0, s.made) // giving one back never allocates
	chunks = append(chunks, s.chunks...)
	for elements := make([]T, more*full); len(elements) > 0; elements = elements[full:] {
		chunks = append(chunks, elements[:full:full])
	}
	s.chunks = chunks
}

// take lends a chunk, or makes one.
func (s *Spare[T]) take(full int) []T {
	if s == nil {
		return make([]T, full)
	}
	n := len(s.chunks) - 1
	if n < 0 {
		s.made++
		return make([]T, full)
	}
	chunk := s.chunks[n]
	s.chunks = s.chunks[:n]
	return chunk
}

// GiveBack empties a list and gives its chunks back to whom they came from.
func (l *List[T]) GiveBack() {
	l.n = 0
	if l.spare == nil {
		return
	}
	l.spare.chunks = append(l.spare.chunks, l.chunks...)
	clear(l.chunks)
	l.chunks = l.chunks[:0]
}
