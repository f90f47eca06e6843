package assets

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// Through any pushes, removals and changes of priority the head is the job that
// a sort would put first, and every job knows its place.
func TestJobQueueIsSorted(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var q jobQueue
	var want []*job
	first := func(a, b *job) int {
		return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.serial, b.serial))
	}
	for step := range 20_000 {
		switch n := len(want); {
		case n == 0 || r.IntN(7) < 3 && n < 500:
			j := &job{serial: uint64(step), priority: int32(r.IntN(5)), index: -1}
			if r.IntN(8) == 0 {
				j.serial = uint64(r.IntN(step + 1)) // back in the queue
			}
			if slices.ContainsFunc(want, func(o *job) bool { return first(o, j) == 0 }) {
				continue
			}
			q.push(j)
			want = append(want, j)
		case r.IntN(3) == 0:
			j := want[r.IntN(n)]
			j.priority = int32(r.IntN(5))
			if slices.ContainsFunc(want, func(o *job) bool { return o != j && first(o, j) == 0 }) {
				j.priority = int32(step + 10)
			}
			q.reorder(j)
		default:
			j := q[0].job
			if r.IntN(3) == 0 {
				j = want[r.IntN(n)]
			}
			q.remove(j)
			if j.index != -1 {
				t.Fatalf("step %d: a job that was removed is at %d", step, j.index)
			}
			want = slices.DeleteFunc(want, func(o *job) bool { return o == j })
		}
		if len(q) != len(want) || len(want) > 0 && q[0].job != slices.MinFunc(want, first) {
			t.Fatalf("step %d: %d jobs, want %d, or another is the first", step, len(q), len(want))
		}
		for i := range q {
			if q[i].job.index != i || q[i].serial != q[i].job.serial || q[i].priority != q[i].job.priority {
				t.Fatalf("step %d: %+v at %d is not of %+v", step, q[i], i, q[i].job)
			}
		}
	}
}
