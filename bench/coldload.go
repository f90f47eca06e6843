package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"sojourn/assets"
	"sojourn/assets/docfile"
	"sojourn/assets/kinds"
	"sojourn/assets/meshfile"
	"sojourn/assets/pack"
)

// coldLoadRepetitions is more than elsewhere: one takes a quarter of a second,
// and a machine that is shared has slower and faster ones than that.
const coldLoadRepetitions = 2*repetitions + 1

func coldLoadComparisons() []comparison {
	return []comparison{{[]string{"store-cold-load"}, compareColdLoad}}
}

// compareColdLoad holds a store with one worker, from keys to retained assets,
// against a loop on one goroutine that opens, reads and decodes the same
// entries and keeps the results.
func compareColdLoad(r *run) error {
	path, err := r.smallPack()
	if err != nil {
		return err
	}
	source, err := pack.Open(path)
	if err != nil {
		return err
	}
	defer source.Close()
	keys := smallKeys()
	var ours, loop, oursCPU, loopCPU series
	measure := func(took, cpu *series, load func() (time.Duration, error)) error {
		began := processorTime()
		t, err := load()
		cpu.figures = append(cpu.figures, (processorTime() - began).Seconds())
		took.figures = append(took.figures, t.Seconds()*1e3)
		return err
	}
	withStore := func() error {
		return measure(&ours, &oursCPU, func() (time.Duration, error) { return loadWithStore(source, keys) })
	}
	withLoop := func() error {
		return measure(&loop, &loopCPU, func() (time.Duration, error) {
			var kept plain
			defer runtime.KeepAlive(&kept)
			return timed(func() error { return kept.load(source, keys) })
		})
	}
	for i := range coldLoadRepetitions {
		turns := []func() error{withStore, withLoop}
		for _, load := range []func() error{turns[i%2], turns[1-i%2]} {
			if err := load(); err != nil {
				return err
			}
		}
	}
	r.add(withinOf("store-cold-load", "ms", "loop", &ours, &loop, 1, 1.3))
	if c := loopCPU.median(); c > 0 {
		r.note("store-cold-load: %.2f times the loop's processor time, collector, opening and closing included", oursCPU.median()/c)
	}
	return nil
}

func loadWithStore(source assets.Source, keys []assets.Key) (time.Duration, error) {
	store, err := assets.Open(assets.Options{Kinds: kinds.Builtin(), Sources: []assets.Source{source}, Workers: 1})
	if err != nil {
		return 0, err
	}
	scope := assets.NewScope(store)
	took, err := timed(func() error {
		_, err := loadAll(store, scope, keys)
		return err
	})
	scope.ReleaseAll()
	return took, errors.Join(err, store.Close())
}

// loadAll retains assets in a scope.
func loadAll(store *assets.Store, scope *assets.Scope, keys []assets.Key) ([]assets.Handle, error) {
	batch := store.NewBatch(assets.BatchOptions{Owner: "bench"})
	scope.Reserve(len(keys))
	handles := make([]assets.Handle, len(keys))
	for i, k := range keys {
		h, err := store.Name(k)
		if err != nil {
			return nil, err
		}
		handles[i] = h
		batch.Add(h)
	}
	batch.Submit()
	for !batch.Done() {
		time.Sleep(50 * time.Microsecond)
	}
	batch.Adopt(scope)
	if failures := batch.Failures(); len(failures) > 0 {
		return nil, fmt.Errorf("%d assets failed, the first: %w", len(failures), failures[0].Err)
	}
	if scope.Len() != len(keys) {
		return nil, fmt.Errorf("%d assets of %d are retained", scope.Len(), len(keys))
	}
	batch.Reset()
	return handles, nil
}

// plain keeps what a loop without a store decoded.
type plain struct {
	meshes    []assets.Mesh
	materials []assets.Material
	scratch   []byte
}

func (p *plain) load(source assets.Source, keys []assets.Key) error {
	for _, k := range keys {
		if err := p.one(source, k); err != nil {
			return err
		}
	}
	return nil
}

func (p *plain) one(source assets.Source, k assets.Key) error {
	name := entryName(k)
	e, err := source.Open(name)
	if err != nil {
		return err
	}
	defer e.Close()
	if k.Kind == assets.KindMesh {
		b := make([]byte, e.SizeBytes()) // the mesh shows these bytes and keeps them
		if err := readWhole(e, b); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		mesh, err := meshfile.Decode(assets.OwnBytes(b))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		p.meshes = append(p.meshes, mesh)
		return nil
	}
	if int64(cap(p.scratch)) < e.SizeBytes() {
		p.scratch = make([]byte, e.SizeBytes())
	}
	b := p.scratch[:e.SizeBytes()]
	if err := readWhole(e, b); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	m, err := docfile.DecodeMaterial(name, b)
	if err != nil {
		return err
	}
	p.materials = append(p.materials, m)
	return nil
}

func readWhole(e assets.Entry, b []byte) error {
	n, err := e.ReadAt(b, 0)
	if n == len(b) && (err == nil || errors.Is(err, io.EOF)) {
		return nil
	}
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	return err
}
