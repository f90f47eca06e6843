package assets_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

const (
	simStems   = 10
	simWorkers = 3
	simRetains = 2 // blocking retains under way
	simPacks   = 3
)

// simPayload is what the simulation's kinds decode to.
type simPayload struct {
	data    assets.Bytes
	serial  uint64 // of the decode; 0: freed
	version uint32
}

// simVersion is one content that was ever saved.
type simVersion struct {
	key            assets.Key
	needs          []assets.Key
	corrupt, panic bool
}

type simPack struct {
	src   *assetstest.Source
	files map[assets.Key]bool
	shut  bool // closed, though the store still has it
}

// simRoutine is a worker or a blocking retain, as a coroutine.
type simRoutine struct {
	next  func() (struct{}, bool)
	yield func(struct{}) bool
	until int // its gate opens at this step
	idle  bool
	over  bool
	probe assets.Key // what it looks for
}

// sim is one game: a store, and a model of what its holders hold.
type sim struct {
	*assets.Store
	seed  uint64
	rng   *rand.Rand
	step  int
	doing string
	trace uint64

	failures []string
	broken   map[string]int
	reached  map[string]int

	texts    [2]*assets.Residency[simPayload]
	packs    []*simPack // open, oldest first
	closed   []*simPack
	packName int
	versions []simVersion
	serial   uint64
	live     map[uint64]assets.Key // payloads that were decoded and not freed
	mapped   map[uint64]bool

	manual  []*assets.ManualWorker
	workers []*simRoutine
	retains []*simRoutine
	cancels []context.CancelCauseFunc
	current *simRoutine
	rush    bool // nothing pauses

	names, direct, pins []assets.Handle
	tokens              [3]assets.Retained[simPayload]
	scopes              []*assets.Scope
	batches             []*assets.Batch
	reads               *assets.Reads
	tag                 uint64
	tickets             []*simTicket
	shutTickets         []assets.Ticket
	wakes               []assets.Wake
	replacing           simReplace
	set                 *assets.Set

	audit  assets.Audit
	refs   []int32 // by slot
	pinned []int32
	named  []int32
	facts  map[assets.Handle]*simFact
	dead   map[assets.Handle]bool
	seen   []assets.Handle
	absent map[assets.Key]bool
}

// simFact is what the model knows of one entry.
type simFact struct {
	serial              uint64 // of the payload when it was last looked at and held
	stamp               int
	decoded, device     bool // since the last reload
	failed, mayBeUnsaid bool
}

var (
	simKinds    = [2]assets.Kind{assets.KindBlob, assets.KindMesh}
	simSuffixes = [2]string{".a", ".b"}
)

func newSim(seed uint64) *sim {
	g := &sim{
		seed: seed, rng: rand.New(rand.NewPCG(seed, 1)), broken: map[string]int{}, reached: map[string]int{},
		live: map[uint64]assets.Key{}, mapped: map[uint64]bool{}, facts: map[assets.Handle]*simFact{},
		dead: map[assets.Handle]bool{}, absent: map[assets.Key]bool{}, doing: "opening",
		versions: make([]simVersion, 1),
	}
	var err error
	g.Store, err = assets.OpenManual(assets.Options{
		Kinds:             []assets.KindSpec{g.kind(0), g.kind(1)},
		KeepAliveBytesMax: int64(g.rng.IntN(3)) * 300, InFlightBytesMax: int64(100 + g.rng.IntN(900)),
	})
	if err != nil {
		panic(err)
	}
	for i, k := range simKinds {
		g.texts[i] = assets.Of[simPayload](g.Store, k)
	}
	g.openPack(10)
	for range simWorkers {
		m := g.ManualWorker()
		g.manual = append(g.manual, m)
		g.workers = append(g.workers, g.routine(func(r *simRoutine) {
			for !r.over {
				r.idle = !m.RunOne()
				r.probe = assets.Key{}
				r.yield(struct{}{})
			}
		}))
	}
	for i := range 4 {
		g.scopes = append(g.scopes, assets.NewScopeOwned(g.Store, fmt.Sprint("layer ", i)))
	}
	for i := range 3 {
		g.batches = append(g.batches, g.NewBatch(assets.BatchOptions{Owner: fmt.Sprint("batch ", i), Closure: i == 0}))
	}
	g.replacing.batch = g.NewBatch(assets.BatchOptions{Owner: "replace"})
	g.reads = g.NewReads("reads", 4)
	return g
}

// routine makes a coroutine of f; it runs when it is resumed.
func (g *sim) routine(f func(*simRoutine)) *simRoutine {
	r := &simRoutine{}
	r.next, _ = iter.Pull(func(yield func(struct{}) bool) {
		r.yield = yield
		f(r)
	})
	return r
}

// resume lets a coroutine go on to its next pause, and tells whether it can go
// on after that.
func (g *sim) resume(r *simRoutine) bool {
	g.current = r
	_, more := r.next()
	g.current = nil
	return more
}

// watch is called from inside the packs.
func (g *sim) watch(op assetstest.Op, name string) {
	r := g.current
	if r == nil {
		return
	}
	if op == assetstest.OpOpen {
		g.noteProbe(r, name)
	}
	if g.rush || g.rng.IntN(3) == 0 {
		return
	}
	g.reached["paused"]++
	if g.rng.IntN(8) == 0 { // a slow file
		r.until = g.step + g.rng.IntN(200)
	}
	r.yield(struct{}{})
	g.current = r
}

// noteProbe checks that nothing is looked for that is known to be nowhere.
func (g *sim) noteProbe(r *simRoutine, name string) {
	k := simKey(name)
	if r.probe == k {
		return
	}
	r.probe = k
	if h, ok := g.Find(k); g.absent[k] && !(ok && g.Has(h)) {
		g.breaks(15, "%v is known to be absent and was probed again", k)
	}
}

func simKey(name string) assets.Key {
	i := 0
	if name[len(name)-1] == 'b' {
		i = 1
	}
	return assets.Key{Stem: name[:len(name)-2], Kind: simKinds[i]}
}

func simFile(k assets.Key) string {
	if k.Kind == simKinds[0] {
		return k.Stem + simSuffixes[0]
	}
	return k.Stem + simSuffixes[1]
}

// anyKey is a key of the game; the stems from simStems on are in no pack.
func (g *sim) anyKey() assets.Key {
	stem := g.rng.IntN(simStems + 2)
	name := fmt.Sprintf("s%d", stem/2)
	if stem%2 == 1 {
		name += "#part"
	}
	return assets.Key{Stem: name, Kind: simKinds[g.rng.IntN(5)/4]}
}

func (g *sim) isNowhere(k assets.Key) bool { return k.Stem == fmt.Sprintf("s%d", simStems/2) }

const simMagic = 0x5bd1e995

// save writes a new version of a file into a pack.
func (g *sim) save(p *simPack, k assets.Key) {
	v := simVersion{key: k}
	switch g.rng.IntN(12) {
	case 0:
		v.corrupt = true
	case 1:
		v.panic = true
	case 2, 3:
		for range 1 + g.rng.IntN(3) {
			v.needs = append(v.needs, g.anyKey())
		}
	}
	id := uint32(len(g.versions))
	g.versions = append(g.versions, v)
	b := make([]byte, 16+g.rng.IntN(250))
	for i := range b {
		b[i] = byte(id)
	}
	binary.LittleEndian.PutUint32(b, id)
	binary.LittleEndian.PutUint32(b[4:], id*simMagic)
	p.src.Set(simFile(k), b)
	p.files[k] = true
}

// version tells which content bytes are, and whether they are whole.
func (g *sim) version(b []byte) (uint32, bool) {
	if len(b) < 16 {
		return 0, false
	}
	id := binary.LittleEndian.Uint32(b)
	ok := int(id) < len(g.versions) && binary.LittleEndian.Uint32(b[4:]) == id*simMagic && b[len(b)-1] == byte(id)
	return id, ok
}

// openPack adds a pack that has each file with a chance of n in 10.
func (g *sim) openPack(n int) {
	g.packName++
	p := &simPack{src: assetstest.NewSource(fmt.Sprintf("pack %d", g.packName)), files: map[assets.Key]bool{}}
	p.src.Watch(g.watch)
	p.src.SetMappable(g.rng.IntN(2) == 0)
	for stem := range simStems {
		for _, kind := range simKinds {
			k := assets.Key{Stem: fmt.Sprintf("s%d", stem/2), Kind: kind}
			if stem%2 == 1 {
				k.Stem += "#part"
			}
			if g.rng.IntN(10) < n {
				g.save(p, k)
			}
		}
	}
	if err := g.AddSource(p.src); err != nil {
		g.fail(err.Error())
	}
	g.packs = append(g.packs, p)
}

func (g *sim) kind(i int) assets.KindSpec {
	return assets.NewKindSpec(assets.KindOptions[simPayload]{
		Kind: simKinds[i], Name: fmt.Sprint("kind ", i), Suffixes: []string{simSuffixes[i]},
		Decode: g.decode,
		Free:   g.free,
		Size: func(p *simPayload) assets.Footprint {
			if !g.Locked() {
				g.breaks(1, "a payload is measured without the lock, so the ledger may be wrong")
			}
			if p.data.Mapped() {
				return assets.Footprint{MappedBytes: int64(p.data.Len())}
			}
			return assets.Footprint{OwnedBytes: int64(p.data.Len())}
		},
		Needs: func(p *simPayload, f func(assets.Key)) {
			for _, k := range g.versions[p.version].needs {
				f(k)
			}
		},
	})
}

func (g *sim) decode(l *assets.Load, out *simPayload) error {
	b, err := l.MapOrRead(0, l.SizeBytes())
	if err != nil {
		return err
	}
	id, ok := g.version(b.Slice())
	switch {
	case !ok || g.versions[id].corrupt:
		b.Free()
		return fmt.Errorf("%w: the simulation says so", assets.ErrCorrupt)
	case g.versions[id].panic:
		out.data = b
		panic("the simulation says so")
	case g.versions[id].key != l.Key:
		b.Free()
		return fmt.Errorf("the file of %v is that of %v", l.Key, g.versions[id].key)
	}
	g.serial++
	*out = simPayload{data: b, serial: g.serial, version: id}
	g.live[g.serial] = l.Key
	if b.Mapped() {
		g.reached["mapped"]++
		g.mapped[g.serial] = true
	}
	if h, ok := g.Find(l.Key); ok {
		g.fact(h).decoded = true
	}
	return nil
}

func (g *sim) free(p *simPayload) {
	if g.Locked() {
		g.breaks(1, "a payload is freed under the lock")
	}
	k, ok := g.live[p.serial]
	if !ok && p.serial != 0 {
		g.breaks(1, "payload %d is freed twice", p.serial)
	}
	delete(g.absent, k) // see checkRow
	delete(g.live, p.serial)
	delete(g.mapped, p.serial)
	p.data.Free()
}

func (g *sim) fact(h assets.Handle) *simFact {
	f := g.facts[h]
	if f == nil {
		f = &simFact{}
		g.facts[h] = f
	}
	return f
}
