package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/dgraph-io/ristretto/v2"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/maypok86/otter/v2"

	"sojourn/assets"
	"sojourn/assets/kinds"
	"sojourn/assets/pack"
)

const (
	zipfExponent     = 1.01
	retainGoroutines = 4
	retainOps        = 160_000 // by all goroutines in one measured frame: beside it, their start is nothing
	retainFrames     = 12      // of one repetition
)

// retainGoals are how many times faster than each peer, alone and with
// goroutines.
var retainPeers = []struct {
	label             string
	goalAlone, goalIn float64
}{
	{"mutex", 4, 10}, {"lru", 4, 10}, {"ristretto", 4, 4}, {"otter", 4, 2},
}

// stemGoal is how many times slower than otter a retain by stem may be.
const stemGoal = 1.15

func retainComparisons() []comparison {
	c := comparison{run: compareRetain}
	for _, crowd := range []string{"alone", fmt.Sprint(retainGoroutines)} {
		for _, p := range retainPeers {
			c.names = append(c.names, "store-retain-"+crowd+"-"+p.label)
		}
	}
	c.names = append(c.names, "store-stem-alone-otter", "store-stem-"+fmt.Sprint(retainGoroutines)+"-otter", "store-retain-allocs")
	return []comparison{c}
}

// zipf draws n of the small assets, the favourites spread over all slots.
func zipf(n int) []uint32 {
	random := rand.New(rand.NewPCG(1, 1))
	ranks := random.Perm(smallCount)
	z := rand.NewZipf(random, zipfExponent, 1, smallCount-1)
	draw := make([]uint32, n)
	for i := range draw {
		draw[i] = uint32(ranks[z.Uint64()])
	}
	return draw
}

// resident is a store with every small asset in memory and retained once.
type resident struct {
	store   *assets.Store
	source  *pack.Pack
	scope   *assets.Scope
	keys    []assets.Key // as they were named, like the peers' strings
	handles []assets.Handle
}

func (r *run) openResident() (*resident, error) {
	path, err := r.smallPack()
	if err != nil {
		return nil, err
	}
	source, err := pack.Open(path)
	if err != nil {
		return nil, err
	}
	store, err := assets.Open(assets.Options{Kinds: kinds.Builtin(), Sources: []assets.Source{source}, Workers: 1})
	if err != nil {
		return nil, errors.Join(err, source.Close())
	}
	s := &resident{store: store, source: source, scope: assets.NewScope(store), keys: smallKeys()}
	if s.handles, err = loadAll(store, s.scope, s.keys); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *resident) Close() error {
	s.scope.ReleaseAll()
	return errors.Join(s.store.Close(), s.source.Close())
}

// cache is one way to get at an asset: use takes it and gives it back.
type cache struct {
	label string
	use   func(draw []uint32)
}

func compareRetain(r *run) error {
	s, err := r.openResident()
	if err != nil {
		return err
	}
	keys := make([]string, smallCount)
	for i := range keys {
		keys[i] = smallKey(i).String()
	}
	caches := []cache{{"ours", func(draw []uint32) {
		for _, i := range draw {
			if h := s.handles[i]; s.store.TryRetain(h) {
				s.store.Release(h)
			}
		}
	}}}
	peers, err := peerCaches(keys)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	caches = append(caches, peers...)
	caches = append(caches, cache{"stem", func(draw []uint32) {
		for _, i := range draw {
			if h, ok := s.store.Find(s.keys[i]); ok && s.store.TryRetain(h) {
				s.store.Release(h)
			}
		}
	}})
	draw := zipf(retainOps * retainFrames)
	for _, crowd := range []struct {
		name       string
		goroutines int
	}{{"alone", 1}, {fmt.Sprint(retainGoroutines), retainGoroutines}} {
		if n := min(crowd.goroutines, runtime.GOMAXPROCS(0)); n > 1 {
			r.note("%s goroutines: this process gets %.1f of %d processors", crowd.name, processorsFree(n), n)
		}
		took := make([]series, len(caches))
		for range repetitions {
			measured := make([]frames, len(caches))
			for f := range retainFrames {
				part := draw[f*retainOps : (f+1)*retainOps]
				warm := draw[(retainFrames-1-f)*retainOps:][:retainOps]
				for i := range caches {
					useConcurrently(&caches[i], warm, crowd.goroutines) // so that none pays for what the one before it pushed out of the processor's caches
					measured[i].measureOn(min(crowd.goroutines, runtime.GOMAXPROCS(0)), func() {
						useConcurrently(&caches[i], part, crowd.goroutines)
					})
				}
			}
			for i := range caches {
				took[i].take(&measured[i], 0.5)
			}
		}
		const each = 1e3 / retainOps
		for i, p := range retainPeers {
			goal := p.goalAlone
			if crowd.goroutines > 1 {
				goal = p.goalIn
			}
			r.add(fasterOf("store-retain-"+crowd.name+"-"+p.label, "ns", p.label, &took[0], &took[i+1], each, goal))
		}
		stem, otter := len(caches)-1, len(caches)-2
		r.add(withinOf("store-stem-"+crowd.name+"-otter", "ns", "otter", &took[stem], &took[otter], each, stemGoal))
	}
	allocs := testing.AllocsPerRun(1000, func() {
		caches[0].use(draw[:100])
		caches[len(caches)-1].use(draw[:100])
	})
	r.add(atMost("store-retain-allocs", "", allocs, 0, 1000))
	return s.Close()
}

// useConcurrently shares a draw among goroutines.
func useConcurrently(c *cache, draw []uint32, goroutines int) {
	if goroutines == 1 {
		c.use(draw)
		return
	}
	var wg sync.WaitGroup
	share := len(draw) / goroutines
	for g := range goroutines {
		wg.Go(func() { c.use(draw[g*share : (g+1)*share]) })
	}
	wg.Wait()
}

// peerCaches are the peers, in the order of retainPeers, each with every key.
func peerCaches(keys []string) ([]cache, error) {
	table := newMutexTable(keys)
	recent, err := lru.New[string, *payload](2 * len(keys))
	if err != nil {
		return nil, err
	}
	tiny, err := ristretto.NewCache(&ristretto.Config[string, *payload]{
		NumCounters: int64(10 * len(keys)), MaxCost: int64(10 * len(keys)), BufferItems: 64, IgnoreInternalCost: true,
	})
	if err != nil {
		return nil, err
	}
	window, err := otter.New(&otter.Options[string, *payload]{MaximumSize: 2 * len(keys)})
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		recent.Add(k, &payload{})
		window.Set(k, &payload{})
	}
	if err := fillDropping(tiny, keys); err != nil {
		return nil, err
	}
	gets := func(label string, get func(string) (*payload, bool)) cache {
		return cache{label, func(draw []uint32) {
			for _, i := range draw {
				if p, ok := get(keys[i]); !ok || p == nil {
					panic("bench: " + label + " lost " + keys[i])
				}
			}
		}}
	}
	return []cache{
		{"mutex", func(draw []uint32) {
			for _, i := range draw {
				table.retain(keys[i])
				table.release(keys[i])
			}
		}},
		gets("lru", recent.Get), gets("ristretto", tiny.Get), gets("otter", window.GetIfPresent),
	}, nil
}

// fillDropping sets until everything is in: ristretto drops what comes fast.
func fillDropping(c *ristretto.Cache[string, *payload], keys []string) error {
	for range 1000 {
		missing := 0
		for _, k := range keys {
			if _, ok := c.Get(k); !ok {
				missing++
				c.Set(k, &payload{}, 1)
			}
		}
		if missing == 0 {
			return nil
		}
		c.Wait()
	}
	return errors.New("ristretto does not take every key")
}

// payload stands for an asset in a peer.
type payload struct{ refs int }

// mutexTable is the plain way: names in a map under a lock.
type mutexTable struct {
	mu    sync.Mutex
	byKey map[string]*payload
}

func newMutexTable(keys []string) *mutexTable {
	t := &mutexTable{byKey: make(map[string]*payload, len(keys))}
	for _, k := range keys {
		t.byKey[k] = &payload{refs: 1}
	}
	return t
}

func (t *mutexTable) retain(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byKey[key].refs++
}

func (t *mutexTable) release(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byKey[key].refs--
}
