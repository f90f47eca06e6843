package assets

// queued is a job's place in the order. What orders it is beside the job: with
// many thousands waiting, each look into a job is a fetch from memory.
type queued struct {
	serial   uint64
	job      *job
	priority int32
}

func (q *queued) before(o *queued) bool {
	if q.priority != o.priority {
		return q.priority < o.priority
	}
	return q.serial < o.serial
}

// jobQueue is a heap with low priority values first, then first in, first out.
// Each job has four below it, so that few have to be moved.
type jobQueue []queued

const heapWidth = 4

func (q *jobQueue) push(j *job) {
	*q = append(*q, queued{})
	q.rise(len(*q)-1, queued{j.serial, j, j.priority})
}

// remove takes a job out, wherever it is.
func (q *jobQueue) remove(j *job) {
	at, last := j.index, len(*q)-1
	moved := (*q)[last]
	(*q)[last] = queued{}
	*q = (*q)[:last]
	j.index = -1
	if at != last {
		q.settle(at, moved)
	}
}

// reorder finds the place of a job whose priority changed.
func (q *jobQueue) reorder(j *job) { q.settle(j.index, queued{j.serial, j, j.priority}) }

func (q *jobQueue) settle(at int, e queued) {
	if at > 0 && e.before(&(*q)[(at-1)/heapWidth]) {
		q.rise(at, e)
	} else {
		q.sink(at, e)
	}
}

func (q *jobQueue) put(at int, e queued) {
	(*q)[at] = e
	e.job.index = at
}

func (q *jobQueue) rise(at int, e queued) {
	for at > 0 {
		above := (at - 1) / heapWidth
		if !e.before(&(*q)[above]) {
			break
		}
		q.put(at, (*q)[above])
		at = above
	}
	q.put(at, e)
}

func (q *jobQueue) sink(at int, e queued) {
	for {
		first := at*heapWidth + 1
		if first >= len(*q) {
			break
		}
		least := first
		for i := first + 1; i < min(first+heapWidth, len(*q)); i++ {
			if (*q)[i].before(&(*q)[least]) {
				least = i
			}
		}
		if !(*q)[least].before(&e) {
			break
		}
		q.put(at, (*q)[least])
		at = least
	}
	q.put(at, e)
}
