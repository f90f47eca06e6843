package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"

	"sojourn/assets"
)

const (
	burstSize     = 256
	burstFrames   = 400 // of one repetition, if there is time
	burstDecoders = 2
	burstCores    = 2
	// decoderUses is how many assets a decoder takes and gives back after
	// each chunk: what the chunk's asset refers to.
	decoderUses     = 64
	decoderChunk    = 256 << 10
	burstFramePause = time.Millisecond
	burstTimeMax    = 2 * time.Second // of one repetition: a stall takes tens of milliseconds
)

func burstComparisons() []comparison {
	return []comparison{{[]string{"store-burst-unyielding", "store-burst-yielding"}, compareBurst}}
}

// compareBurst takes and gives back 256 assets a frame through the store and
// through a table under a mutex, while decoders that use both have all the
// cores. What hurts is a decoder that loses its core with the lock held, or a
// wait for the lock that gives the core to a decoder.
func compareBurst(r *run) error {
	s, err := r.openResident()
	if err != nil {
		return err
	}
	keys := make([]string, smallCount)
	for i := range keys {
		keys[i] = smallKey(i).String()
	}
	b := burst{store: s, table: newMutexTable(keys), keys: keys, draw: zipf(1 << 16)}
	if b.chunk, err = compressedChunk(); err != nil {
		return errors.Join(err, s.Close())
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(burstCores))
	var ours, mutex [2]series
	for range repetitions {
		for i, yields := range []bool{false, true} {
			if err := b.run(yields, &ours[i], &mutex[i]); err != nil {
				return errors.Join(err, s.Close())
			}
		}
	}
	for i, v := range []struct {
		name string
		goal float64
	}{{"store-burst-unyielding", 20}, {"store-burst-yielding", 3}} {
		r.add(fasterOf(v.name, "us", "mutex", &ours[i], &mutex[i], 1, v.goal))
	}
	return s.Close()
}

type burst struct {
	store *resident
	table *mutexTable
	keys  []string
	draw  []uint32
	chunk []byte // one zstd frame
}

// useStore takes and gives back many at once, each user into room of its own.
func (b *burst) useStore(draw []uint32, room []assets.Handle) {
	room = room[:0]
	for _, i := range draw {
		room = append(room, b.store.handles[i])
	}
	if refused := b.store.store.TryRetainAll(room); refused >= 0 {
		panic("bench: the store lost an asset")
	}
	b.store.store.ReleaseAll(room)
}

func (b *burst) useTable(draw []uint32) {
	for _, i := range draw {
		b.table.retain(b.keys[i])
		b.table.release(b.keys[i])
	}
}

// run measures one repetition; the store's and the table's bursts take turns
// to go first.
func (b *burst) run(yields bool, ours, mutex *series) error {
	var stop atomic.Bool
	var wg sync.WaitGroup
	failed := make([]error, burstDecoders)
	for d := range burstDecoders {
		wg.Go(func() { failed[d] = b.decode(d, yields, &stop) })
	}
	var store, table frames
	room := make([]assets.Handle, 0, burstSize)
	end := time.Now().Add(burstTimeMax)
	for f := 0; f < burstFrames && time.Now().Before(end); f++ {
		time.Sleep(burstFramePause)
		at := f * burstSize % (len(b.draw) - burstSize)
		draw := b.draw[at : at+burstSize]
		if f%2 == 0 {
			store.measure(func() { b.useStore(draw, room) })
			table.measure(func() { b.useTable(draw) })
		} else {
			table.measure(func() { b.useTable(draw) })
			store.measure(func() { b.useStore(draw, room) })
		}
	}
	stop.Store(true)
	wg.Wait()
	ours.take(&store, 0.99)
	mutex.take(&table, 0.99)
	return errors.Join(failed...)
}

// decode is one decoder: chunk after chunk, and what each refers to.
func (b *burst) decode(seed int, yields bool, stop *atomic.Bool) error {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer dec.Close()
	dst := make([]byte, 0, decoderChunk)
	room := make([]assets.Handle, 0, decoderUses)
	for at := seed * 1000; !stop.Load(); at += decoderUses {
		if dst, err = dec.DecodeAll(b.chunk, dst[:0]); err != nil {
			return err
		}
		at %= len(b.draw) - decoderUses
		b.useStore(b.draw[at:at+decoderUses], room)
		b.useTable(b.draw[at : at+decoderUses])
		if yields {
			runtime.Gosched()
		}
	}
	return nil
}

// compressedChunk is a chunk as a cooked pack has them, of data that is half
// noise.
func compressedChunk() ([]byte, error) {
	random := rand.New(rand.NewPCG(3, 3))
	data := make([]byte, decoderChunk)
	for i := range data {
		data[i] = uint8(random.Uint32() & 15)
	}
	e, err := encode(data)
	if err != nil {
		return nil, err
	}
	if len(e.frames) >= decoderChunk {
		return nil, fmt.Errorf("the chunk did not compress")
	}
	return e.frames, nil
}
