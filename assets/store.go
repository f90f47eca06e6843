package assets

import (
	"errors"
	"fmt"
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"sojourn/journal"
	"sojourn/trace"
)

// Options says what a store is made of.
type Options struct {
	// Kinds are the decoders, one per kind.
	Kinds []KindSpec
	// Sources are searched from the last to the first, so that later ones
	// override earlier ones. The caller keeps them and closes them after the
	// store.
	Sources []Source
	// Workers is the number of decode goroutines; 0: one less than GOMAXPROCS,
	// at least one.
	Workers int
	// KeepAliveBytesMax bounds the payloads that nobody holds; 0 frees each
	// at its last release.
	KeepAliveBytesMax int64
	// InFlightBytesMax bounds the loads that are running or not yet adopted, by
	// the bytes of their entries, stored and decoded, and of what is built from
	// them; 0: 256 MiB. One larger load may run alone.
	InFlightBytesMax int64
	// SpareBytesMax bounds the freed blocks kept for reuse; 0: 64 MiB, negative:
	// none is kept.
	SpareBytesMax int64
	// Trace hears of decodes and range reads, each on its goroutine's own
	// track; the zero value records nothing.
	Trace trace.Process
	// Journal hears of each asset that was decoded, failed or was freed; nil
	// hears nothing.
	Journal *journal.Log
	// Clock is asked in [Store.EnterTick], so that what waits for a worker has
	// an age; nil: it has none.
	Clock interface{ Now() time.Duration }
}

const (
	inFlightBytesMaxDefault = 256 << 20
	spareBytesMaxDefault    = 64 << 20
	workersMax              = 64

	// retainsOpenMax is how many blocking retains may have an entry open.
	retainsOpenMax = 64

	// OpenEntriesMax is how many entries of its sources a store has open at
	// once, at most: one for each worker and each blocking retain at work.
	// Further retains wait for their turn, or for the end of their context.
	OpenEntriesMax = workersMax + retainsOpenMax
)

// Store is the shared decoded assets of a session: who holds each, what it
// costs, how it comes and goes. See the package comment for its rules. Close
// it when every holder has let go.
type Store struct {
	kinds            [KindsMax]kindRow // frozen when the store opens
	pool             *Pool
	inFlightBytesMax int64
	trace            tracer        // of retains, with build tag tracing
	traced           trace.Process // of what took how long
	journal          *journal.Log
	clock            interface{ Now() time.Duration }
	now              atomic.Int64  // by the clock, when the last tick began
	chunks           slotChunks    // added to under mu
	index            keyIndex      // changed under mu
	ticks            atomic.Int32  // game ticks under way
	mailWaits        atomic.Bool   // the mailbox is not empty
	blocked          atomic.Bool   // the head of the queue does not fit
	told             atomic.Int64  // the time as of NoteTime, one up; 0: never told
	opening          chan struct{} // one token for each blocking retain that has an entry open
	work             *sync.Cond    // on mu: workers wait here
	idle             *sync.Cond    // on mu: Close waits here for blocking retains
	workers          sync.WaitGroup
	workerCount      int // set before they start

	mu struct {
		sync.Mutex
		closed    bool
		sources   []Source // replaced, never written
		epoch     uint64   // moves on when the sources change
		cooking   bool     // what no source has is pending
		byKey     map[Key]uint32
		absent    map[Key]error // keys without an entry that no source has
		entries   []*[slotChunk]entry
		freeSlots []uint32

		cold              coldQueue
		keepAliveBytesMax int64
		flushCold         bool
		doomed            []doomedCell
		doomedBytes       []Bytes
		ledger            ledger

		queue     jobQueue
		oldest    *job // of the queue, whatever their priorities
		newest    *job
		spareJobs []*job
		spareWait *waiter
		spareRuns []*decoding
		runs      int    // frames of blocking retains ever made
		following int    // workers that follow the needs of what has landed
		batches   *Batch // those that have items
		reads     *Reads // those that are open
		blocking  int    // blocking retains that decode

		mail     []letter
		mailFull int // compact the mailbox at this length

		owners   []string
		ownerIDs map[string]uint32

		freed  freedRing
		failed failedRing
		thrash thrashWatch
		counters
	}

	tickets ticketTable
	scopes  scopeList
}

type kindRow struct {
	spec KindSpec
	res  anyResidency
}

// Open makes a store and starts its workers. The error wraps [ErrKindTaken]
// or [ErrUnknownKind].
func Open(o Options) (*Store, error) {
	s, err := newStore(o)
	if err != nil {
		return nil, err
	}
	n := o.Workers
	if n <= 0 {
		n = max(1, runtime.GOMAXPROCS(0)-1)
	}
	s.workerCount = min(n, workersMax)
	for i := range s.workerCount {
		w := newWorker(s)
		if s.traced.On() {
			w.run.track = s.traced.Track(fmt.Sprint("decode worker ", i+1))
		}
		s.workers.Add(1)
		go w.loop()
	}
	return s, nil
}

// Workers is the number of decode goroutines. Any goroutine.
func (s *Store) Workers() int { return s.workerCount }

// newStore makes a store without workers; the simulation steps its own.
func newStore(o Options) (*Store, error) {
	s := &Store{
		pool:             newStorePool(o.SpareBytesMax),
		inFlightBytesMax: orDefault(o.InFlightBytesMax, inFlightBytesMaxDefault),
		traced:           o.Trace,
		journal:          o.Journal,
		clock:            o.Clock,
	}
	if err := s.register(o.Kinds); err != nil {
		return nil, err
	}
	s.opening = make(chan struct{}, retainsOpenMax)
	s.work, s.idle = sync.NewCond(&s.mu), sync.NewCond(&s.mu)
	s.index.seed = maphash.MakeSeed()
	s.mu.byKey = make(map[Key]uint32, slotsPresized)
	s.mu.absent = make(map[Key]error)
	s.mu.ownerIDs = make(map[string]uint32)
	s.mu.owners = []string{""}
	s.mu.mailFull = mailCompactMin
	s.mu.sources = append([]Source(nil), o.Sources...)
	s.mu.keepAliveBytesMax = max(o.KeepAliveBytesMax, 0)
	s.mu.cold.max = coldRecordsMax
	s.mu.doomed = make([]doomedCell, 0, 2*evictMax)
	for range (slotsPresized + slotChunk - 1) / slotChunk {
		s.growSlotsLocked()
	}
	return s, nil
}

func newStorePool(spareBytesMax int64) *Pool {
	if spareBytesMax < 0 {
		return NewPool(0)
	}
	return NewPool(orDefault(spareBytesMax, spareBytesMaxDefault))
}

func orDefault(n, otherwise int64) int64 {
	if n > 0 {
		return n
	}
	return otherwise
}

// register takes the kinds. Two kinds may share a suffix: they are different
// assets at one file.
func (s *Store) register(specs []KindSpec) error {
	names := make(map[string]Kind, len(specs))
	for _, spec := range specs {
		if spec.open == nil || spec.kind >= KindsMax {
			return fmt.Errorf("%w: %d (%q), at most %d", ErrUnknownKind, spec.kind, spec.name, KindsMax-1)
		}
		if s.kinds[spec.kind].res != nil {
			return fmt.Errorf("%w: kind %d by %q and %q", ErrKindTaken, spec.kind, s.kinds[spec.kind].spec.name, spec.name)
		}
		if other, taken := names[spec.name]; taken {
			return fmt.Errorf("%w: name %q by kinds %d and %d", ErrKindTaken, spec.name, other, spec.kind)
		}
		names[spec.name] = spec.kind
		s.kinds[spec.kind] = kindRow{spec: spec, res: spec.open(s)}
	}
	return nil
}

// KindName is the name a kind was registered with, or [Kind.String].
func (s *Store) KindName(k Kind) string {
	if k < KindsMax && s.kinds[k].res != nil {
		return s.kinds[k].spec.name
	}
	return k.String()
}

// KindByName finds a registered kind by its name.
func (s *Store) KindByName(name string) (Kind, bool) {
	for k := range s.kinds {
		if s.kinds[k].res != nil && s.kinds[k].spec.name == name {
			return Kind(k), true
		}
	}
	return 0, false
}

// AddSource puts a source before all others in the search. Assets that were
// missing or failed can be asked for again; what is in memory stays.
func (s *Store) AddSource(src Source) error {
	if src == nil {
		return errors.New("assets: AddSource of nil")
	}
	s.mu.Lock()
	defer s.unlock()
	if s.mu.closed {
		return fmt.Errorf("source %s: the store is %w", src.Name(), ErrClosed)
	}
	sources := make([]Source, 0, len(s.mu.sources)+1)
	s.sourcesChangedLocked(append(append(sources, s.mu.sources...), src))
	return nil
}

// RemoveSource takes a source out of the search; the caller closes it. What
// was loaded from it stays in memory. A load that has begun may still read
// from it; where that fails, it searches the other sources.
func (s *Store) RemoveSource(src Source) error {
	s.mu.Lock()
	defer s.unlock()
	sources := make([]Source, 0, len(s.mu.sources))
	for _, other := range s.mu.sources {
		if other != src {
			sources = append(sources, other)
		}
	}
	if len(sources) == len(s.mu.sources) {
		return fmt.Errorf("assets: RemoveSource: the store has no such source %w", ErrMissing)
	}
	s.sourcesChangedLocked(sources)
	return nil
}

// sourcesChangedLocked moves the probe epoch on: what failed or was missing
// may be asked for again.
func (s *Store) sourcesChangedLocked(sources []Source) {
	s.mu.sources = sources
	s.mu.epoch++
	clear(s.mu.absent)
	for _, slot := range s.mu.byKey {
		if e := s.entryLocked(slot); e.err != nil {
			e.err, e.missing = nil, false
			s.refreshLocked(slot)
			s.mailLocked(slot, PhaseUnloaded)
		}
	}
}
