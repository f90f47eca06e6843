package chunked_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"sojourn/chunked"
)

func all[T any](l *chunked.List[T]) (out []T) {
	for i := range l.Len() {
		out = append(out, *l.At(i))
	}
	return out
}

// A list has what a slice would have, through any sequence of its operations.
func TestListIsAList(t *testing.T) {
	type wide struct{ a, b, c uint64 }
	rng := rand.New(rand.NewPCG(1, 2))
	var l chunked.List[wide]
	var want []wide
	for step := range 20_000 {
		switch n := len(want); rng.IntN(60) {
		case 0:
			cut := rng.IntN(n + 1)
			cut = max(cut, n-40)
			l.Cut(cut)
			want = want[:cut]
		case 1:
			if n > 0 {
				if got := l.Take(); got != want[n-1] {
					t.Fatalf("step %d: took %v, want %v", step, got, want[n-1])
				}
				want = want[:n-1]
			}
		case 2:
			places := n + rng.IntN(300)
			l.Reserve(places)
			if l.Room() < places {
				t.Fatalf("step %d: room for %d, asked for %d", step, l.Room(), places)
			}
		case 3:
			if n > 0 {
				i := rng.IntN(n)
				l.At(i).b = uint64(step)
				want[i].b = uint64(step)
			}
		default:
			v := wide{uint64(step), 0, 7}
			l.Add(v)
			want = append(want, v)
		}
		if l.Len() != len(want) || l.Room() < l.Len() {
			t.Fatalf("step %d: %d elements with room for %d, want %d", step, l.Len(), l.Room(), len(want))
		}
	}
	if !slices.Equal(all(&l), want) || len(want) < 1000 {
		t.Errorf("%d elements are not those of a slice with %d", l.Len(), len(want))
	}
}

// No element costs more than a chunk and the table of chunks, however long the
// list is, and a short list is short.
func TestListGrowsByAChunk(t *testing.T) {
	const elements = 200_000
	var l chunked.List[uint64]
	var before, after runtime.MemStats
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	largest, table := uint64(0), uint64(elements*8/chunked.ChunkBytes*24*2)
	for i := range elements {
		if l.Len() < l.Room() {
			l.Add(uint64(i))
			continue
		}
		runtime.ReadMemStats(&before)
		l.Add(uint64(i))
		runtime.ReadMemStats(&after)
		largest = max(largest, after.TotalAlloc-before.TotalAlloc)
		if i == 0 && after.TotalAlloc-before.TotalAlloc > 128 {
			t.Errorf("the first element took %d bytes", after.TotalAlloc-before.TotalAlloc)
		}
	}
	if largest > chunked.ChunkBytes+table {
		t.Errorf("one element took %d bytes, at most %d may be", largest, chunked.ChunkBytes+table)
	}
	first := l.At(0)
	l.Add(1)
	if first != l.At(0) {
		t.Error("what was there moved")
	}
}

// What is larger than a chunk has one of its own.
func TestListOfLargeElements(t *testing.T) {
	type large [chunked.ChunkBytes + 1]byte
	var l chunked.List[*large]
	var m chunked.List[large]
	for i := range 10 {
		l.Add(&large{byte(i)})
		m.Add(large{byte(i)})
	}
	for i := range 10 {
		if (*l.At(i))[0] != byte(i) || m.At(i)[0] != byte(i) {
			t.Fatalf("element %d is %d and %d", i, (*l.At(i))[0], m.At(i)[0])
		}
	}
}

func TestListKeepsItsMemory(t *testing.T) {
	var l chunked.List[uint32]
	fill := func() {
		l.Cut(0)
		for i := range uint32(5000) {
			l.Add(i)
		}
	}
	fill()
	if n := testing.AllocsPerRun(20, fill); n != 0 {
		t.Errorf("%v allocations in a list that was as long before", n)
	}
}
