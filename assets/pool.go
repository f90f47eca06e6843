package assets

import (
	"math/bits"
	"slices"
	"sync"
)

// Pool lends byte blocks by size class, four to a power of two, and keeps freed
// ones for reuse, up to a bound. A block is at most a quarter larger than what
// is asked for, but for the smallest; memory that nobody uses is still faulted
// in page by page, and costs more than the call. Large fresh allocations are what makes the collector
// cost frames; reusing a few blocks does not. Safe for any goroutine.
type Pool struct {
	spareBytesMax int64

	mu struct {
		sync.Mutex
		spare      [poolClasses][]*poolBlock // each has room for all blocks of its class
		blocks     [poolClasses]int          // lent out and spare
		spareBytes int64
		liveBytes  int64
	}
}

// poolBlock is one block of a pool. Its turn moves on each time it is given
// back, so that a stale owner cannot give back somebody else's.
type poolBlock struct {
	pool *Pool
	b    []byte
	turn uint32 // guarded by the pool's lock
}

const (
	poolBitsMin = 12 // 4 KiB
	poolBitsMax = 31
	poolSteps   = 4 // classes to a power of two
	poolClasses = (poolBitsMax-poolBitsMin)*poolSteps + 1
)

// NewPool makes a pool that keeps at most spareBytesMax of freed blocks.
func NewPool(spareBytesMax int64) *Pool { return &Pool{spareBytesMax: spareBytesMax} }

// poolClass is the first class whose blocks hold n bytes; from poolClasses on
// there is none.
func poolClass(n int) int {
	if n <= 1<<poolBitsMin {
		return 0
	}
	low := bits.Len(uint(n-1)) - 1 // n is over 1<<low, and at most twice that
	step := 1 << low / poolSteps
	return (low-poolBitsMin)*poolSteps + (n-1<<low+step-1)/step
}

func poolClassBytes(c int) int {
	if c == 0 {
		return 1 << poolBitsMin
	}
	low := poolBitsMin + (c-1)/poolSteps
	return 1<<low + ((c-1)%poolSteps+1)*(1<<low/poolSteps)
}

// Get lends n bytes with unspecified content. The caller frees them.
func (p *Pool) Get(n int) Bytes {
	c := poolClass(n)
	if c >= poolClasses {
		return OwnBytes(make([]byte, n))
	}
	p.mu.Lock()
	var block *poolBlock
	if list := p.mu.spare[c]; len(list) > 0 {
		block = list[len(list)-1]
		list[len(list)-1] = nil
		p.mu.spare[c] = list[:len(list)-1]
		p.mu.spareBytes -= int64(len(block.b))
	} else {
		p.growLocked(c)
	}
	p.mu.liveBytes += int64(poolClassBytes(c))
	p.mu.Unlock()
	if block == nil {
		block = &poolBlock{pool: p, b: make([]byte, poolClassBytes(c))}
	}
	return Bytes{b: block.b[:n], block: block, turn: block.turn}
}

// growLocked counts a new block and makes room for it to be given back, so that
// freeing allocates nothing.
func (p *Pool) growLocked(c int) {
	p.mu.blocks[c]++
	if list := p.mu.spare[c]; cap(list) < p.mu.blocks[c] {
		p.mu.spare[c] = slices.Grow(list, max(8, 2*p.mu.blocks[c])-len(list))
	}
}

func (p *Pool) put(block *poolBlock, turn uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if block.turn != turn {
		misuse("bytes of a pool were freed twice")
		return
	}
	block.turn++
	poisonFreed(block.b)
	size := int64(len(block.b))
	p.mu.liveBytes -= size
	c := poolClass(len(block.b))
	if p.mu.spareBytes+size > p.spareBytesMax {
		p.mu.blocks[c]--
		return
	}
	p.mu.spare[c] = append(p.mu.spare[c], block)
	p.mu.spareBytes += size
}

// LiveBytes is what is lent out now, by block size.
func (p *Pool) LiveBytes() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mu.liveBytes
}

// SpareBytes is what is kept for reuse.
func (p *Pool) SpareBytes() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mu.spareBytes
}
