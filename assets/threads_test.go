package assets_test

import (
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

// TestThreads_RetainsAddUp plays a random game over a source with faults
// and compares what the store counts with what the players hold. Workers are
// real here: what the simulation cannot reach is reached here, for the race
// detector.
func TestThreads_RetainsAddUp(t *testing.T) {
	runs, steps := 3, 1200
	if testing.Short() {
		runs = 1
	}
	for i := range runs {
		seed := int64(*simSeed)
		if seed == 0 {
			seed = time.Now().UnixNano() + int64(i)
		}
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			g := newGame(t, seed)
			for step := range steps {
				g.step()
				g.check()
				if step%50 == 49 {
					g.settle()
				}
				if t.Failed() {
					t.Fatalf("at step %d of -seed %d", step, seed)
				}
			}
			g.end()
		})
		if int64(*simSeed) != 0 {
			return
		}
	}
}

const gameStems = 14

type game struct {
	*bench
	rng     *rand.Rand
	patch   *assetstest.Source
	patched bool
	version int
	names   []assets.Handle // one name hold each
	gates   map[string]bool
	direct  []assets.Handle
	pins    []assets.Handle
	scopes  []*assets.Scope
	batches []*assets.Batch
	tickets []assets.Ticket
	reads   *assets.Reads
	tag     uint64
	wakes   []assets.Wake
}

func newGame(t *testing.T, seed int64) *game {
	rng := rand.New(rand.NewSource(seed))
	g := &game{
		bench: open(t, assets.Options{
			Workers: 1 + rng.Intn(3), KeepAliveBytesMax: int64(rng.Intn(3)) * 400, InFlightBytesMax: int64(100 + rng.Intn(1000)),
		}),
		rng: rng, patch: assetstest.NewSource("patch.pack"), gates: map[string]bool{},
	}
	g.src.SetMappable(rng.Intn(2) == 0)
	for i := range gameStems {
		g.save(i)
		g.names = append(g.names, g.name(g.stem(i)))
	}
	for i := range 3 {
		g.scopes = append(g.scopes, assets.NewScopeOwned(g.Store, fmt.Sprint("scope ", i)))
		g.batches = append(g.batches, g.NewBatch(assets.BatchOptions{Owner: fmt.Sprint("batch ", i), Closure: i == 0}))
	}
	g.reads = g.NewReads("reads", 6)
	return g
}

func (g *game) stem(i int) string { return fmt.Sprintf("s%d", i) }

func (g *game) any() (int, assets.Handle) {
	i := g.rng.Intn(len(g.names))
	return i, g.names[i]
}

func pick[T any](rng *rand.Rand, of []T) (zero T, ok bool) {
	if len(of) == 0 {
		return zero, false
	}
	return of[rng.Intn(len(of))], true
}

// save writes a file: mostly text, sometimes with needs, sometimes bad.
func (g *game) save(i int) {
	g.version++
	body := fmt.Sprintf("%s v%d %s", g.stem(i), g.version, strings.Repeat("x", g.rng.Intn(300)))
	switch g.rng.Intn(10) {
	case 0:
		body = "!corrupt"
	case 1:
		body = "!panic"
	case 2, 3, 4:
		for range 1 + g.rng.Intn(3) {
			body += "\n> " + g.stem(g.rng.Intn(gameStems+1)) // one of them does not exist
		}
	}
	g.src.SetText(g.stem(i)+".txt", body)
}

func (g *game) step() {
	i, h := g.any()
	file := g.stem(i) + ".txt"
	switch g.rng.Intn(24) {
	case 0:
		g.save(i)
	case 1:
		g.save(i)
		g.Reload(g.stem(i), assets.Kinds(text))
		g.dropPins(h)
	case 2:
		g.src.Remove(file)
		g.Reload(g.stem(i), assets.AllKinds)
		g.dropPins(h)
	case 3:
		kinds := []assetstest.FaultKind{assetstest.FaultOpen, assetstest.FaultRead, assetstest.FaultShort, assetstest.FaultNoMap, assetstest.FaultPanic}
		kind, _ := pick(g.rng, kinds)
		g.src.Script(file, assetstest.Fault{Kind: kind, At: int64(g.rng.Intn(20))})
	case 4:
		g.src.Hold(file)
		g.gates[file] = true
	case 5, 6:
		g.openGates()
	case 7:
		g.SetKeepAlive(int64(g.rng.Intn(3)) * 400)
	case 8:
		g.togglePatch(file)
	case 9, 10:
		if len(g.gates) == 0 {
			g.retainDirect(i)
		}
	case 11:
		if g.TryRetain(h) {
			g.direct = append(g.direct, h)
		}
	case 12, 13:
		g.releaseDirect()
	case 14:
		if g.Pin(h) {
			g.pins = append(g.pins, h)
		} else if len(g.pins) > 0 {
			g.dropPins(g.pins[0])
		}
	default:
		g.stepBulk(h)
	}
	g.wakes = g.Drain(g.wakes[:0])
}

func (g *game) stepBulk(h assets.Handle) {
	scope, _ := pick(g.rng, g.scopes)
	batch, _ := pick(g.rng, g.batches)
	switch g.rng.Intn(13) {
	case 0, 1, 2:
		for range 1 + g.rng.Intn(4) {
			_, h := g.any()
			batch.Add(h)
		}
		batch.Submit()
	case 3:
		batch.SetPriority(int32(g.rng.Intn(5)))
	case 4:
		batch.Cancel()
	case 5:
		if batch.Done() {
			batch.Adopt(scope)
		}
		batch.Reset()
	case 6, 7:
		batch.Adopt(scope)
	case 8:
		scope.TryRetain(h)
	case 9:
		scope.ReleaseAll()
	case 10:
		g.stepTicket(h)
	case 11:
		g.tag++
		if g.Has(h) && g.reads.Submit(h, 0, 1, int32(g.rng.Intn(3)), g.tag) != nil {
			g.reads.Cancel(g.tag - uint64(g.rng.Intn(3)))
		}
	case 12:
		g.reads.Drain(func(d assets.ReadDone) { d.Bytes.Free() })
	}
}

func (g *game) stepTicket(h assets.Handle) {
	if ticket, ok := pick(g.rng, g.tickets); ok && len(g.tickets) > 3 {
		g.CloseTicket(ticket)
		for i := range g.tickets {
			if g.tickets[i] == ticket {
				g.tickets = append(g.tickets[:i], g.tickets[i+1:]...)
				break
			}
		}
		return
	}
	ticket := g.OpenTicket(assets.TicketOptions{Owner: "sim", Mode: assets.WakeMode(g.rng.Intn(2))})
	for range g.rng.Intn(4) {
		_, h := g.any()
		if err := g.Require(ticket, h, assets.PhaseDecoded); err != nil {
			g.t.Error(err)
		}
	}
	g.Seal(ticket)
	g.tickets = append(g.tickets, ticket)
}

func (g *game) retainDirect(i int) {
	h, err := g.Retain(ctx, key(g.stem(i)))
	if err == nil {
		g.direct = append(g.direct, h)
		return
	}
	for _, ok := range []error{assets.ErrMissing, assets.ErrCorrupt, assets.ErrDecoderPanic, assets.ErrNotReady, assetstest.ErrInjected} {
		if errors.Is(err, ok) {
			return
		}
	}
	g.t.Error(err)
}

func (g *game) releaseDirect() {
	if len(g.direct) == 0 {
		return
	}
	i := g.rng.Intn(len(g.direct))
	g.Release(g.direct[i])
	g.direct = append(g.direct[:i], g.direct[i+1:]...)
}

// dropPins forgets the pins of one asset; a reload took them from the store.
func (g *game) dropPins(h assets.Handle) {
	kept := g.pins[:0]
	for _, p := range g.pins {
		if p == h {
			g.Unpin(h)
		} else {
			kept = append(kept, p)
		}
	}
	g.pins = kept
}

func (g *game) togglePatch(file string) {
	g.patch.SetText(file, strings.TrimSuffix(file, ".txt")+" patched")
	change := g.AddSource
	if g.patched {
		change = g.RemoveSource
	}
	if err := change(g.patch); err != nil {
		g.t.Error(err)
	}
	g.patched = !g.patched
}

func (g *game) openGates() {
	for file := range g.gates {
		g.src.LetGo(file)
	}
	clear(g.gates)
}

// check is what must hold at any moment.
func (g *game) check() {
	held := map[assets.Handle]int{}
	for _, h := range g.direct {
		held[h]++
	}
	for h, n := range held {
		k, _ := g.KeyOf(h)
		p := g.texts.At(h)
		if g.Refs(h) < n || p == nil || !strings.HasPrefix(p.String(), k.Stem+" ") {
			g.t.Errorf("%v is held %d times: %d refs, state %v, payload %v", k, n, g.Refs(h), g.State(h), p)
		}
	}
}

// settle waits until nothing is under way and adds up.
func (g *game) settle() {
	g.openGates()
	for _, b := range g.batches {
		b.Submit()
		waitBatch(g.t, b)
	}
	until(g.t, "quiet", func() bool {
		g.reads.Drain(func(d assets.ReadDone) { d.Bytes.Free() })
		g.wakes = g.Drain(g.wakes[:0])
		return !g.Busy() && g.reads.Waiting() == 0
	})
	var snap assets.Snapshot
	g.Snapshot(&snap)
	want, got, pins := len(g.direct), 0, 0
	for _, s := range g.scopes {
		want += s.Len()
	}
	for _, b := range snap.Batches {
		want += b.Held
	}
	bytes := int64(0)
	for _, row := range snap.Rows {
		got += row.Refs
		pins += row.Pins
		bytes += row.Bytes
		if row.InFlight {
			g.t.Errorf("%v is in flight", row.Key)
		}
		if row.Cold && row.Refs > 0 {
			g.t.Errorf("%v is cold and held", row.Key)
		}
	}
	if got != want || pins != len(g.pins) || int(snap.Stats.Retains-snap.Stats.Releases) != want || bytes != snap.Stats.CPUBytes {
		g.t.Errorf("%d refs, %d retains less releases, want %d; %d pins, want %d; rows %d bytes, ledger %d",
			got, snap.Stats.Retains-snap.Stats.Releases, want, pins, len(g.pins), bytes, snap.Stats.CPUBytes)
	}
	if st := snap.Stats; st.ColdBytes > st.KeepAliveBytesMax || st.OverReleases != 0 {
		g.t.Errorf("%d cold bytes over %d, %d over-releases", st.ColdBytes, st.KeepAliveBytesMax, st.OverReleases)
	}
}

// end lets everything go; then every ticket can be served.
func (g *game) end() {
	g.settle()
	for _, h := range g.direct {
		g.Release(h)
	}
	for _, s := range g.scopes {
		s.ReleaseAll()
	}
	for _, b := range g.batches {
		b.Reset()
	}
	for len(g.pins) > 0 {
		g.dropPins(g.pins[0])
	}
	last := g.batch(assets.BatchOptions{}, g.names...)
	waitBatch(g.t, last)
	g.wakes = g.Drain(g.wakes[:0])
	for _, ticket := range g.tickets {
		if st := g.Poll(ticket); !st.Ready {
			g.t.Errorf("a ticket hangs: %+v", st)
		}
		g.CloseTicket(ticket)
	}
	last.Cancel()
	g.reads.Close()
	for _, h := range g.names {
		g.Forget(h)
	}
	if g.patched {
		g.togglePatch("s0.txt")
	}
	g.SetKeepAlive(0)
	if st := g.Stats(); st.Entries != 0 || st.CPUBytes != 0 || st.InFlightBytes+st.UnadoptedBytes != 0 || st.Retains != st.Releases {
		g.t.Errorf("left at the end: %d entries, %d bytes", st.Entries, st.CPUBytes)
	}
	assetstest.CheckSource(g.t, g.patch)
}
