package assets_test

import (
	"context"
	"errors"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

type simAct struct {
	name   string
	weight int
	act    func(*sim)
}

var simActs = []simAct{
	{"a coroutine goes on", 120, (*sim).actResume},
	{"name", 14, (*sim).actName},
	{"forget", 14, (*sim).actForget},
	{"retain here", 8, (*sim).actRetainHere},
	{"retain on a coroutine", 10, (*sim).actRetainAside},
	{"cancel a context", 3, (*sim).actCancelContext},
	{"try retain", 12, (*sim).actTryRetain},
	{"release", 14, (*sim).actRelease},
	{"pin", 4, (*sim).actPin},
	{"unpin", 4, (*sim).actUnpin},
	{"scope retains", 10, (*sim).actScopeRetain},
	{"scope ends", 6, (*sim).actScopeEnds},
	{"token", 16, (*sim).actToken},
	{"batch adds", 20, (*sim).actBatchAdds},
	{"batch adopts", 16, (*sim).actBatchAdopts},
	{"batch ends", 5, (*sim).actBatchEnds},
	{"batch priority", 3, (*sim).actBatchPriority},
	{"replace", 12, (*sim).actReplace},
	{"range read", 10, (*sim).actRead},
	{"ticket", 12, (*sim).actTicket},
	{"ticket seals or closes", 8, (*sim).actTicketEnds},
	{"stale ticket", 6, (*sim).actStaleTicket},
	{"device", 8, (*sim).actDevice},
	{"drain", 20, (*sim).actDrain},
	{"stale handle", 10, (*sim).actStaleHandle},
	{"save", 6, (*sim).actSave},
	{"remove", 3, (*sim).actRemove},
	{"reload", 4, (*sim).actReload},
	{"fault", 8, (*sim).actFault},
	{"pack", 3, (*sim).actPack},
	{"keep-alive", 3, (*sim).actKeepAlive},
	{"set", 10, (*sim).actSet},
	{"remeasure", 3, (*sim).actRemeasure},
}

var simActsTotal = func() (n int) {
	for _, a := range simActs {
		n += a.weight
	}
	return n
}()

// act does one thing at random.
func (g *sim) act() {
	at := g.rng.IntN(simActsTotal)
	for i := range simActs {
		if at -= simActs[i].weight; at < 0 {
			g.doing = simActs[i].name
			g.trace = (g.trace ^ uint64(i)) * 1099511628211
			simActs[i].act(g)
			return
		}
	}
}

// some picks one of a list at random.
func some[T any](g *sim, of []T) (zero T, ok bool) {
	if len(of) == 0 {
		return zero, false
	}
	return of[g.rng.IntN(len(of))], true
}

// takeOut removes one element, wherever it is.
func takeOut[T any](list *[]T, i int) T {
	l := *list
	x := l[i]
	l[i] = l[len(l)-1]
	*list = l[:len(l)-1]
	return x
}

func (g *sim) actResume() {
	if len(g.retains) > 0 && g.rng.IntN(2) == 0 {
		i := g.rng.IntN(len(g.retains))
		if r := g.retains[i]; r.until <= g.step && !g.resume(r) {
			takeOut(&g.retains, i)
			takeOut(&g.cancels, i)
		}
		return
	}
	r, _ := some(g, g.workers)
	if r.until <= g.step {
		g.resume(r)
	}
}

func (g *sim) actName() {
	if len(g.names) > 16 {
		return
	}
	h, err := g.Name(g.anyKey())
	if err != nil {
		g.fail(err.Error())
		return
	}
	g.names = append(g.names, h)
	g.seen = append(g.seen, h)
	if len(g.seen) > 40 {
		g.seen = g.seen[20:]
	}
}

func (g *sim) actForget() {
	if len(g.names) > 0 {
		g.Forget(takeOut(&g.names, g.rng.IntN(len(g.names))))
	}
}

// retained takes note of the answer of a blocking retain.
func (g *sim) retained(k assets.Key, h assets.Handle, err error) {
	switch {
	case err == nil:
		g.direct = append(g.direct, h)
		g.seen = append(g.seen, h)
	case errors.Is(err, assets.ErrMissing):
		g.reached["missing"]++
		g.absent[k] = true
		g.checkAbsent(k)
	case errors.Is(err, context.Canceled):
		g.reached["context ended"]++
	case !anyOf(err, assets.ErrCorrupt, assets.ErrDecoderPanic, assets.ErrNotReady, assets.ErrClosed, assetstest.ErrInjected):
		g.fail("unexpected: " + err.Error())
	}
}

func anyOf(err error, of ...error) bool {
	for _, other := range of {
		if errors.Is(err, other) {
			return true
		}
	}
	return false
}

func (g *sim) actRetainHere() {
	if len(g.direct) < 12 {
		k := g.anyKey()
		h, err := g.Retain(ctx, k)
		g.retained(k, h, err)
	}
}

func (g *sim) actRetainAside() {
	if len(g.retains) == simRetains || len(g.direct) > 12 {
		return
	}
	k := g.anyKey()
	ctx, cancel := context.WithCancelCause(ctx)
	g.cancels = append(g.cancels, cancel)
	g.retains = append(g.retains, g.routine(func(*simRoutine) {
		h, err := g.Retain(ctx, k)
		g.retained(k, h, err)
	}))
}

func (g *sim) actCancelContext() {
	if cancel, ok := some(g, g.cancels); ok {
		cancel(nil)
	}
}

// anyHandle is one that was given out lately, or of something held.
func (g *sim) anyHandle() assets.Handle {
	lists := [...][]assets.Handle{g.names, g.direct, g.names, g.seen}
	h, _ := some(g, lists[g.rng.IntN(len(lists))])
	return h
}

func (g *sim) actTryRetain() {
	h := g.anyHandle()
	if len(g.direct) < 12 && g.TryRetain(h) {
		g.direct = append(g.direct, h)
	}
}

func (g *sim) actRelease() {
	if len(g.direct) > 0 {
		g.Release(takeOut(&g.direct, g.rng.IntN(len(g.direct))))
	}
}

func (g *sim) actPin() {
	if h := g.anyHandle(); len(g.pins) < 3 && g.Pin(h) {
		g.reached["pinned"]++
		g.pins = append(g.pins, h)
	}
}

func (g *sim) actUnpin() {
	if len(g.pins) > 0 {
		g.Unpin(takeOut(&g.pins, g.rng.IntN(len(g.pins))))
	}
}

func (g *sim) actBatchAdds() {
	b, _ := some(g, g.batches)
	if _, total := b.Progress(); total > 12 {
		return
	}
	for range 1 + g.rng.IntN(3) {
		b.Add(g.anyHandle())
	}
	if g.rng.IntN(4) > 0 {
		b.Submit()
	}
}

func (g *sim) actBatchAdopts() {
	b, _ := some(g, g.batches)
	c, _ := some(g, g.scopes)
	if c.Len() > 20 {
		return
	}
	if g.rng.IntN(2) == 0 {
		if b.AdoptOne(c) {
			g.reached["adopted"]++
		}
		return
	}
	g.reached["adopted"] += b.Adopt(c)
	if b.Done() && g.rng.IntN(2) == 0 {
		g.noteFailures(b)
		b.Reset()
	}
}

func (g *sim) noteFailures(b *assets.Batch) {
	for _, f := range b.Failures() {
		if !anyOf(f.Err, assets.ErrCorrupt, assets.ErrDecoderPanic, assets.ErrNotReady, assets.ErrClosed, assets.ErrMissing,
			assets.ErrStale, assets.ErrCycle, assetstest.ErrInjected) {
			g.fail("unexpected: " + f.Err.Error())
		}
	}
}

func (g *sim) actBatchEnds() {
	b, _ := some(g, g.batches)
	if !b.Done() {
		g.reached["cancelled"]++
	}
	if g.rng.IntN(2) == 0 {
		b.Cancel()
		return
	}
	b.Reset()
}

func (g *sim) actBatchPriority() {
	b, _ := some(g, g.batches)
	b.SetPriority(int32(g.rng.IntN(4)))
}

func (g *sim) actRead() {
	switch g.rng.IntN(4) {
	case 0:
		g.reads.Cancel(g.tag - uint64(g.rng.IntN(3)))
		return
	case 1:
		g.drainReads()
		return
	}
	h, ok := some(g, g.direct)
	if !ok {
		return
	}
	g.tag++
	err := g.reads.Submit(h, int64(g.rng.IntN(8)), int64(g.rng.IntN(12)), int32(g.rng.IntN(3)), g.tag)
	if errors.Is(err, assets.ErrFull) {
		g.reached["read full"]++
	} else if err != nil && !errors.Is(err, assets.ErrCorrupt) {
		g.fail("unexpected: " + err.Error())
	}
}

func (g *sim) drainReads() {
	g.reads.Drain(func(d assets.ReadDone) {
		g.reached["read done"]++
		d.Bytes.Free()
	})
}

// The files.

func (g *sim) actSave() {
	k := g.anyKey()
	if p, ok := some(g, g.packs); ok && !g.isNowhere(k) {
		g.save(p, k)
		g.reload(k)
	}
}

func (g *sim) actRemove() {
	k := g.anyKey()
	if p, ok := some(g, g.packs); ok {
		p.src.Remove(simFile(k))
		delete(p.files, k)
		g.reload(k)
	}
}

func (g *sim) actReload() { g.reload(g.anyKey()) }

func (g *sim) actFault() {
	p, ok := some(g, g.packs)
	if !ok {
		return
	}
	g.reached["fault"]++
	kind := assetstest.FaultOpen + assetstest.FaultKind(g.rng.IntN(int(assetstest.FaultPanic)))
	p.src.Script(simFile(g.anyKey()), assetstest.Fault{Kind: kind, At: int64(g.rng.IntN(20))})
}

func (g *sim) actKeepAlive() {
	bytes := int64(g.rng.IntN(3)) * 300
	g.SetKeepAlive(bytes)
	if g.rng.IntN(2) == 0 {
		g.Trim()
	}
}

func (g *sim) actRemeasure() {
	if h, ok := some(g, g.direct); ok {
		g.textsOf(h.Kind()).Remeasure(h)
	}
}

// actSet asks for a set, polls it, or releases it.
func (g *sim) actSet() {
	switch {
	case g.set == nil:
		var err error
		g.set, err = g.RequestSet("set", int32(g.rng.IntN(3)), g.anyKey(), g.anyKey(), g.anyKey())
		if err != nil {
			g.fail(err.Error())
		}
	case g.rng.IntN(4) == 0:
		g.set.Release()
		g.set = nil
	default:
		st := g.set.Poll()
		if st.Ready && st.Loaded+st.Failed != st.Total {
			g.breaks(12, "a set is ready without all of it: %+v", st)
		}
		if st.Ready {
			g.reached["set ready"]++
		}
	}
}
