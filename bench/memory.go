package main

import (
	"errors"
	"runtime/debug"

	"sojourn/assets"
	"sojourn/assets/kinds"
	"sojourn/assets/pack"
)

const (
	memoryRuns    = 10
	memoryGrowMax = 1.05
)

func memoryComparisons() []comparison {
	return []comparison{{[]string{"store-memory-again", "store-ledger-again"}, compareMemory}}
}

// compareMemory loads and lets go of every small asset again and again, and
// holds what is left after each run against what the first one left.
func compareMemory(r *run) error {
	path, err := r.smallPack()
	if err != nil {
		return err
	}
	source, err := pack.Open(path)
	if err != nil {
		return err
	}
	store, err := assets.Open(assets.Options{Kinds: kinds.Builtin(), Sources: []assets.Source{source}, Workers: 1})
	if err != nil {
		return errors.Join(err, source.Close())
	}
	err = r.runAgain(store)
	return errors.Join(err, store.Close(), source.Close())
}

func (r *run) runAgain(store *assets.Store) error {
	keys := smallKeys()
	var first, most float64
	var ledger assets.Stats
	differ := 0
	for i := range memoryRuns + 1 {
		if err := loadAndForget(store, keys); err != nil {
			return err
		}
		debug.FreeOSMemory()
		debug.FreeOSMemory() // the first let go of what only finalizers and pools held
		left, err := anonymousBytes()
		if err != nil {
			r.note("store-memory-again: %v", err)
			return nil
		}
		st := held(store)
		if i == 0 {
			first, ledger = left, st
			continue
		}
		most = max(most, left)
		if st != ledger {
			differ++
			r.note("store-ledger-again: run %d left %+v, the first %+v", i, st, ledger)
		}
	}
	r.add(within("store-memory-again", "KiB", "first", most/1024, first/1024, memoryGrowMax, memoryRuns))
	r.add(atMost("store-ledger-again", "", float64(differ), 0, memoryRuns))
	return nil
}

func loadAndForget(store *assets.Store, keys []assets.Key) error {
	scope := assets.NewScope(store)
	handles, err := loadAll(store, scope, keys)
	scope.ReleaseAll()
	for _, h := range handles {
		store.Forget(h)
	}
	return err
}

// held is what a store holds now, without what it did before.
func held(store *assets.Store) assets.Stats {
	st := store.Stats()
	return assets.Stats{
		Retains: st.Retains - st.Releases, CPUBytes: st.CPUBytes, ColdBytes: st.ColdBytes, ColdEntries: st.ColdEntries,
		MappedBytes: st.MappedBytes, InFlightBytes: st.InFlightBytes, QueueLen: st.QueueLen,
		Running: st.Running, OpenTickets: st.OpenTickets, Entries: st.Entries, Resident: st.Resident, ByKind: st.ByKind,
	}
}
