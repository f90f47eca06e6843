package sojourn

import (
	"errors"
	"fmt"
	"slices"

	"sojourn/assets"
	"sojourn/assets/catalog"
)

// ReloadView is what hot reload has done.
type ReloadView struct {
	Batches  int64 // ticks that took up changes
	Families int64 // in them
	Touched  int64 // entries known to the store among these
	Packs    int64 // packs put in an old one's place
	Failed   int64 // packs that could not be read anew
	// LastErr is why the last of those could not.
	LastErr error
	// Retired is how many replaced sources are open for what still reads them.
	Retired int
}

// reloader takes up changes on disk, between ticks.
type reloader struct {
	follower *catalog.Follower
	changes  []catalog.Change
	touched  []assets.Handle
	hooks    []func(assets.Changes)
	retired  []assets.Source
	view     ReloadView
}

// openReload starts following what the options name.
func (s *Session) openReload() error {
	o := &s.options
	s.store.SetCooking(o.Cooking)
	if len(o.Watch) == 0 {
		return nil
	}
	f, err := catalog.Follow(o.Watch, o.Sources, catalog.Options{Watch: o.WatchOptions})
	if err != nil {
		return err
	}
	s.reload.follower = f
	if err := f.Trouble(); err != nil && o.Log != nil {
		o.Log.Warn("watching by comparing files", "reason", err)
	}
	return nil
}

// OnReload calls f before assets are reloaded, on the game goroutine and
// outside any pass: what a game holds itself of the changed families is to be
// released there. What it keeps stays valid, and stands in the way of the new
// version until it is released.
func (s *Session) OnReload(f func(assets.Changes)) { s.reload.hooks = append(s.reload.hooks, f) }

// Reload reloads a family: every holder in every world lets go, then the store
// drops what it has, and everything that was shown is loaded anew. It tells
// how many entries that touched. Game goroutine, between ticks.
func (s *Session) Reload(family string, kinds assets.KindSet) int {
	return s.takeUp(assets.Changes{family: kinds}, func() {})
}

// AddSource puts a source before all others in the search and reloads what it
// overrides: a patch pack takes effect at once. The session closes it. Game
// goroutine, between ticks.
func (s *Session) AddSource(src assets.Source) error {
	changes, err := s.listed(src)
	if err != nil {
		return err
	}
	s.takeUp(changes, func() { err = s.store.AddSource(src) })
	if err == nil {
		s.options.Sources = append(s.options.Sources, src)
	}
	return err
}

// RemoveSource takes a source out of the search and reloads what came from it:
// what it overrode is back. It is closed once nothing reads from it any more.
// Game goroutine, between ticks.
func (s *Session) RemoveSource(src assets.Source) error {
	changes, err := s.listed(src)
	if err != nil {
		return err
	}
	s.takeUp(changes, func() { err = s.store.RemoveSource(src) })
	if err != nil {
		return err
	}
	for i, other := range s.options.Sources {
		if other == src {
			s.options.Sources = append(s.options.Sources[:i], s.options.Sources[i+1:]...)
			break
		}
	}
	s.reload.retired = append(s.reload.retired, src)
	return nil
}

func (s *Session) listed(src assets.Source) (assets.Changes, error) {
	if s.closed {
		return nil, ErrClosed
	}
	changes := assets.Changes{}
	err := src.List(func(name string, _ int64) bool {
		changes.AddEntry(s.store, name)
		return true
	})
	return changes, err
}

// takeChanges is the beginning of a tick. With nothing changed it costs a look
// at each watcher's flag.
func (s *Session) takeChanges() {
	r := &s.reload
	if s.ticks%retiredLookTicks == 0 {
		s.closeRetired()
	}
	if r.follower == nil {
		return
	}
	r.changes = r.follower.Changes(r.changes[:0])
	if len(r.changes) == 0 {
		return
	}
	changes := assets.Changes{}
	for i := range r.changes {
		if err := r.changes[i].Err; err != nil {
			s.reloadFailed(err)
		}
		for _, name := range r.changes[i].Entries {
			changes.AddEntry(s.store, name)
		}
	}
	s.takeUp(changes, s.swapPacks)
	clear(r.changes)
}

// takeUp does it in the one order that is right: holders let go, the device
// parts keys from copies, the sources change, the store reloads.
func (s *Session) takeUp(changes assets.Changes, swap func()) int {
	r := &s.reload
	for _, f := range r.hooks {
		f(changes)
	}
	r.touched = s.store.Touched(changes, r.touched[:0])
	if len(r.touched) > 0 {
		s.abandon(r.touched)
	}
	swap()
	n := s.store.ReloadChanges(changes)
	if late := s.landedMeanwhile(changes); len(late) > 0 {
		s.abandon(late)
	}
	r.view.Batches++
	r.view.Families += int64(len(changes))
	r.view.Touched += int64(n)
	return n
}

// landedMeanwhile are the entries that workers brought in after the holders had
// let go and before the store reloaded: what landed of them is of the old
// version, and would be held as that for good.
func (s *Session) landedMeanwhile(changes assets.Changes) []assets.Handle {
	r := &s.reload
	asked := make(map[assets.Handle]struct{}, len(r.touched))
	for _, h := range r.touched {
		asked[h] = struct{}{}
	}
	r.touched = s.store.Touched(changes, r.touched[:0])
	return slices.DeleteFunc(r.touched, func(h assets.Handle) bool {
		_, ok := asked[h]
		return ok || s.store.State(h) != assets.StateReloadPending
	})
}

func (s *Session) abandon(handles []assets.Handle) {
	set := make(map[assets.Handle]struct{}, len(handles))
	for _, h := range handles {
		set[h] = struct{}{}
		if h.Kind() == assets.KindSound {
			s.mixer.StopSound(h)
		}
	}
	match := func(h assets.Handle) bool { _, ok := set[h]; return ok }
	for _, w := range s.worlds {
		if !w.set.Lost() { // a world that was reset holds nothing by entity
			w.pass.Abandon(match)
		}
	}
	for _, h := range handles {
		switch h.Kind() {
		case assets.KindMesh:
			s.geometry.Unkey(h)
		case assets.KindTexture:
			s.textures.Unkey(h)
		}
	}
}

// swapPacks puts packs that were read anew in their place.
func (s *Session) swapPacks() {
	for i := range s.reload.changes {
		c := &s.reload.changes[i]
		if c.Next == nil {
			continue
		}
		if err := s.swapPack(c); err != nil {
			s.reloadFailed(errors.Join(err, c.Next.Close()))
			continue
		}
		s.reload.view.Packs++
	}
}

func (s *Session) swapPack(c *catalog.Change) error {
	if c.Old == nil {
		if err := s.store.AddSource(c.Next); err != nil {
			return err
		}
		s.options.Sources = append(s.options.Sources, c.Next)
		return nil
	}
	for i, src := range s.options.Sources {
		if src != assets.Source(c.Old) {
			continue
		}
		if err := s.store.ReplaceSource(c.Old, c.Next, c.Same); err != nil {
			return err
		}
		s.options.Sources[i] = c.Next
		s.reload.retired = append(s.reload.retired, c.Old)
		return nil
	}
	return fmt.Errorf("pack %s: it is no source any more: %w", c.Path, assets.ErrClosed)
}

func (s *Session) reloadFailed(err error) {
	s.reload.view.Failed++
	s.reload.view.LastErr = err
	if s.options.Log != nil {
		s.options.Log.Warn("a change on disk was not taken up", "reason", err)
	}
}

// retiredLookTicks is how often sources that were replaced are looked at.
const retiredLookTicks = 64

func (s *Session) closeRetired() {
	kept := s.reload.retired[:0]
	for _, src := range s.reload.retired {
		if s.store.SourceUses(src) > 0 {
			kept = append(kept, src)
			continue
		}
		if err := src.Close(); err != nil {
			s.reloadFailed(err)
		}
	}
	clear(s.reload.retired[len(kept):])
	s.reload.retired = kept
}

// Reloads is what hot reload has done so far.
func (s *Session) Reloads() ReloadView {
	v := s.reload.view
	v.Retired = len(s.reload.retired)
	return v
}

// closeReload ends following. The store is closed already.
func (s *Session) closeReload() error {
	var errs []error
	for _, src := range s.reload.retired {
		errs = append(errs, src.Close())
	}
	s.reload.retired = nil
	return errors.Join(errs...)
}

// stopFollowing ends the follower's goroutines.
func (s *Session) stopFollowing() error {
	if s.reload.follower == nil {
		return nil
	}
	return s.reload.follower.Close()
}
