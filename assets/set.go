package assets

import (
	"context"
	"time"
)

// Set is assets that are asked for together and held together, for what no
// scene describes: the sounds of a menu, the pieces of a card game. What each
// needs in turn comes with it. Request it, poll it once a frame until it is
// ready, use it, release it.
//
// A set belongs to one goroutine. It is ready when everything landed or
// failed: a bad asset degrades it and never hangs it. When one of its assets
// is reloaded, or can be asked for again because the sources changed, the next
// Poll lets go of that one, asks for it anew, and the set is not ready until
// it is there; the others stay as they are. An old version that somebody else
// still holds is waited for.
type Set struct {
	noCopy   noCopy
	store    *Store
	batch    *Batch
	scope    *Scope
	assets   []Handle // asked for, each with a name hold; empty once released
	needs    []Handle // reloaded ones of what those need, each with a name hold
	held     map[Handle]bool
	failures []Failure // of earlier rounds
	again    []Handle
}

// SetStatus is where a set stands. Of a released set all of it is zero.
type SetStatus struct {
	Ready bool
	// Total is the number of assets asked for, Loaded those that the set holds,
	// Failed those that could not be loaded.
	Total, Loaded, Failed int
}

// RequestSet asks for assets on workers; priority as in [BatchOptions]. The
// error wraps [ErrBadStem], [ErrUnknownKind], [ErrFull] or [ErrClosed], and
// nothing is asked for then.
func (s *Store) RequestSet(owner string, priority int32, keys ...Key) (*Set, error) {
	set := &Set{
		store: s, scope: NewScopeOwned(s, owner), held: make(map[Handle]bool, len(keys)),
		batch: s.NewBatch(BatchOptions{Owner: owner, Priority: priority, Closure: true}),
	}
	for _, k := range keys {
		h, err := s.Name(k)
		if err != nil {
			set.Release()
			return nil, err
		}
		set.assets = append(set.assets, h)
		set.batch.Add(h)
	}
	set.batch.Submit()
	return set, nil
}

// Poll takes what has landed and tells where the set stands.
func (t *Set) Poll() SetStatus {
	done := t.batch.Done() // first: what has landed by then is adopted here
	t.adopt()
	t.letGo()
	status, whole := t.look()
	if done && !whole && len(t.again) > 0 {
		t.ask()
		done = t.batch.Done()
		t.adopt()
		status, whole = t.look()
	}
	status.Ready = len(t.assets) > 0 && done && whole
	return status
}

func (t *Set) adopt() {
	before := t.scope.Len()
	t.batch.Adopt(t.scope)
	for held := &t.scope.mu.held; before < held.Len(); before++ {
		t.held[*held.At(before)] = true
	}
}

// letGo gives back old versions, which is what they wait for.
func (t *Set) letGo() {
	old := func(h Handle) bool { return t.store.State(h) == StateReloadPending }
	found := false
	for i := range t.scope.mu.held.Len() {
		h := *t.scope.mu.held.At(i)
		if !old(h) {
			continue
		}
		found = true
		if k, ok := t.store.KeyOf(h); ok && t.held[h] && !t.isNamed(h) {
			if _, err := t.store.Name(k); err == nil {
				t.needs = append(t.needs, h)
			}
		}
		delete(t.held, h)
	}
	if found {
		t.scope.Drop(old)
	}
}

func (t *Set) isNamed(h Handle) bool {
	for _, list := range [...][]Handle{t.assets, t.needs} {
		for _, named := range list {
			if named == h {
				return true
			}
		}
	}
	return false
}

// look counts, and tells whether all of it is there or failed. What can be
// asked for again is left in t.again.
func (t *Set) look() (status SetStatus, whole bool) {
	t.again, whole = t.again[:0], true
	for i, list := range [...][]Handle{t.assets, t.needs} {
		loaded, failed := 0, 0
		for _, h := range list {
			st := t.store.State(h)
			switch {
			case t.held[h] && st == StateResident:
				loaded++
			case st == StateFailed || st == StateMissing:
				failed++
			default:
				whole = false
				if st != StateReloadPending {
					t.again = append(t.again, h)
				}
			}
		}
		if i == 0 {
			status = SetStatus{Total: len(list), Loaded: loaded, Failed: failed}
		}
	}
	return status, whole
}

// ask asks for t.again.
func (t *Set) ask() {
	earlier := append(t.failures, t.batch.Failures()...)
	t.failures = earlier[:0]
	for _, f := range earlier {
		if f.Handle == 0 || t.store.Failure(f.Handle) != nil {
			t.failures = append(t.failures, f)
		}
	}
	t.batch.Reset()
	for _, h := range t.again {
		t.batch.Add(h)
	}
	t.batch.Submit()
}

// Handles names the assets, in the order they were asked for. The slice is the
// set's own.
func (t *Set) Handles() []Handle { return t.assets }

// Failures tells what could not be loaded, and why.
func (t *Set) Failures() []Failure {
	return append(append([]Failure(nil), t.failures...), t.batch.Failures()...)
}

// SetPriority reorders what of the set still waits.
func (t *Set) SetPriority(p int32) { t.batch.SetPriority(p) }

// setPollEvery is how often Wait looks.
const setPollEvery = time.Millisecond

// Wait polls until the set is ready, for tools. When the context ends first,
// the set is released, which stops the loads that nobody else waits for, and
// the error is the context's cause. Waiting for a released set is [ErrClosed].
func (t *Set) Wait(ctx context.Context) error {
	ticker := time.NewTicker(setPollEvery)
	defer ticker.Stop()
	for !t.Poll().Ready {
		if len(t.assets) == 0 {
			return ErrClosed
		}
		select {
		case <-ctx.Done():
			t.Release()
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
	return nil
}

// Release lets go of everything and cancels what is still under way. Releasing
// twice does nothing.
func (t *Set) Release() {
	t.batch.Reset()
	t.scope.ReleaseAll()
	for _, list := range [...][]Handle{t.assets, t.needs} {
		for _, h := range list {
			t.store.Forget(h)
		}
	}
	t.assets, t.needs, t.failures = nil, nil, nil
	clear(t.held)
}
