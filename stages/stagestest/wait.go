package stagestest

import (
	"runtime"

	"sojourn/assets"
	"sojourn/stages"
)

const (
	// settleFramesMax is how many frames a rig may take to come to rest.
	settleFramesMax = 1000
	// stuckFramesMax is how many of them in a row may do nothing. Frees wait
	// for the frames in flight; nothing waits longer.
	stuckFramesMax = 60
)

// Hold makes reads of an entry wait until [Rig.LetGo], so that its decode is
// under way for as long as a test likes.
func (r *Rig) Hold(entry string) {
	r.held[entry] = true
	r.Source.Hold(entry)
}

// LetGo lets the reads of an entry pass.
func (r *Rig) LetGo(entry string) {
	delete(r.held, entry)
	r.Source.LetGo(entry)
}

// LetAllGo lets every held read pass.
func (r *Rig) LetAllGo() {
	for entry := range r.held {
		r.Source.LetGo(entry)
	}
	clear(r.held)
}

// Await waits until no worker has anything to do. It fails the test while an
// entry is held: nothing would ever come.
func (r *Rig) Await() {
	r.t.Helper()
	if len(r.held) > 0 {
		r.t.Fatalf("stagestest: Await with %d entries held: let them go first", len(r.held))
	}
	for r.Store.Busy() {
		runtime.Gosched()
	}
}

// Idle tells whether, as of the last frame, nothing is under way: no owed
// look, no wake, no decode, no upload, no free, no voice that waits, no ticket.
func (r *Rig) Idle() bool {
	if r.Pass.Last().Owed || len(r.wakes) > 0 || r.Uploads.Pending() > 0 || r.Retire.Pending() > 0 || r.Mixer.Stats().Waiting > 0 {
		return false
	}
	return !r.Store.Busy() && r.Store.OpenTickets() == 0
}

// Settle runs frames until the rig is [Rig.Idle], waiting for workers where a
// frame found nothing to do, and returns how many it took and what their passes
// committed in all. It fails the test if that does not come.
func (r *Rig) Settle() (frames, committed int) {
	r.t.Helper()
	for stuck := 0; frames < settleFramesMax && stuck < stuckFramesMax; {
		last := r.Frame()
		did := last.Committed
		committed += did
		frames++
		if r.Idle() {
			return frames, committed
		}
		stuck++
		if did+last.Dispatched+len(r.wakes) > 0 {
			stuck = 0
		}
		if did == 0 {
			r.Await()
		}
	}
	r.t.Fatalf("stagestest: not at rest after %d frames: last pass %+v, %d uploads, %d frees (%s)",
		frames, r.Pass.Last(), r.Uploads.Pending(), r.Retire.Pending(), describe(r.Pass.Last()))
	return frames, committed
}

func describe(p stages.PassReport) string {
	switch {
	case p.Owed && p.Committed == 0:
		return "owes and does nothing"
	case p.Owed:
		return "owes"
	}
	return "is done"
}

// Warm decodes assets and all they need, and holds them. The caller releases
// the scope. It fails the test where one cannot be had.
func (r *Rig) Warm(keys ...assets.Key) *assets.Scope {
	r.t.Helper()
	batch := r.Store.NewBatch(assets.BatchOptions{Owner: "rig", Closure: true})
	scope := assets.NewScope(r.Store)
	for _, key := range keys {
		h, err := r.Store.Name(key)
		if err != nil {
			r.t.Fatalf("stagestest: %v", err)
		}
		batch.Add(h)
		r.Store.Forget(h)
	}
	batch.Submit()
	for !batch.Done() {
		r.wakes = r.Store.Drain(r.wakes[:0])
		runtime.Gosched()
	}
	batch.Adopt(scope)
	for _, f := range batch.Failures() {
		r.t.Errorf("stagestest: %v: %v", f.Key, f.Err)
	}
	batch.Reset()
	return scope
}

// Decodes is how many decoders ran so far.
func (r *Rig) Decodes() uint64 { return r.Store.Stats().Decodes }

// Refs is how often an asset is retained; 0 where the store does not know it.
func (r *Rig) Refs(key assets.Key) int {
	h, ok := r.Store.Find(key)
	if !ok {
		return 0
	}
	return r.Store.Refs(h)
}
