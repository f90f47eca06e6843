package assets_test

import (
	"errors"

	"sojourn/assets"
)

// look refreshes what the model sees of the store.
func (g *sim) look() {
	g.AuditInto(&g.audit, g.manual)
	for i := range g.audit.Rows {
		if row := &g.audit.Rows[i]; row.Payload {
			row.Serial = g.textsOf(row.Key.Kind).Peek(row.Cell).serial
		}
	}
}

// row is an entry as of the last look.
func (g *sim) row(h assets.Handle) (assets.AuditRow, bool) {
	for i := range g.audit.Rows {
		if g.audit.Rows[i].Handle == h {
			return g.audit.Rows[i], true
		}
	}
	return assets.AuditRow{}, false
}

// check is what must hold after every step.
func (g *sim) check() {
	g.look()
	g.TicketAudit(&g.audit)
	for _, p := range g.audit.Problems {
		g.fail(p)
	}
	g.addUp()
	g.checkHandles()
	for i := range g.audit.Rows {
		g.checkRow(&g.audit.Rows[i])
	}
	g.checkTickets(12)
	if n := g.audit.OverReleases; n != 0 {
		g.breaks(10, "%d releases too many", n)
	}
	if n := len(g.live) - g.audit.Resident; n < 0 || n > len(g.workers)+len(g.retains) {
		g.breaks(1, "%d payloads are alive, %d are resident", len(g.live), g.audit.Resident)
	}
	if len(g.retains) == 0 && g.audit.InFlightBytes != g.audit.ChargedBytes {
		g.breaks(1, "%d bytes are in flight, %d are somebody's", g.audit.InFlightBytes, g.audit.ChargedBytes)
	}
}

func (g *sim) count(list *[]int32, h assets.Handle) {
	slot := int(h.Slot())
	for slot >= len(*list) {
		*list = append(*list, 0)
	}
	(*list)[slot]++
}

// addUp compares retains, pins and names with those that somebody knows of.
func (g *sim) addUp() {
	g.refs = append(g.refs[:0], g.audit.Refs...)
	g.named = append(g.named[:0], g.audit.Names...)
	clear(g.pinned)
	for _, h := range g.direct {
		g.count(&g.refs, h)
	}
	for i := range g.tokens {
		if h := g.tokens[i].Handle(); h != 0 {
			g.count(&g.refs, h)
		}
	}
	for _, h := range g.names {
		g.count(&g.named, h)
	}
	for _, h := range g.pins {
		g.count(&g.pinned, h)
	}
	if g.set != nil {
		for _, h := range g.set.Named() {
			g.count(&g.named, h)
		}
	}
	rows := g.audit.Rows
	for i := range rows {
		row := &rows[i]
		slot := row.Handle.Slot()
		refs, names, pins := at(g.refs, slot), at(g.named, slot), at(g.pinned, slot)
		if row.Refs != refs || row.Pins != pins {
			g.breaks(1, "%v has %d retains and %d pins, its holders %d and %d", row.Key, row.Refs, row.Pins, refs, pins)
		}
		if row.Names != names {
			g.breaks(11, "%v has %d name holds, its holders %d", row.Key, row.Names, names)
		}
	}
	for _, list := range [...][]assets.Handle{g.names, g.direct, g.pins} {
		for _, h := range list {
			if _, ok := g.row(h); !ok {
				g.breaks(1, "%#x is held and has no entry", uint64(h))
			}
		}
	}
}

func at(list []int32, slot uint32) int {
	if int(slot) >= len(list) {
		return 0
	}
	return int(list[slot])
}

// checkHandles sees that no handle comes back after its entry went.
func (g *sim) checkHandles() {
	for i := range g.audit.Rows {
		h := g.audit.Rows[i].Handle
		g.fact(h).stamp = g.step
		if g.dead[h] {
			g.breaks(32, "the handle %#x is that of %v, and was another's", uint64(h), g.audit.Rows[i].Key)
		}
	}
	for h, f := range g.facts {
		if f.stamp != g.step {
			delete(g.facts, h)
			g.dead[h] = true
		}
	}
}

func (g *sim) checkRow(row *assets.AuditRow) {
	f := g.fact(row.Handle)
	f.failed = f.failed || row.Err
	if row.Err {
		if err := g.Failure(row.Handle); errors.Is(err, assets.ErrMissing) {
			g.absent[row.Key] = true
			g.checkAbsent(row.Key)
		} else {
			g.reached["failed"]++
		}
	}
	if !row.Payload {
		f.serial = 0
		return
	}
	// A load that began before its pack closed may land after another found that
	// no pack has the asset by now. Once that payload went it is looked for again.
	delete(g.absent, row.Key)
	p := g.textsOf(row.Key.Kind).Peek(row.Cell)
	if g.live[p.serial] != row.Key {
		g.breaks(1, "the payload of %v is number %d, which is that of %v", row.Key, p.serial, g.live[p.serial])
	} else if v, ok := g.version(p.data.Slice()); !ok || v != p.version {
		g.breaks(7, "the bytes of %v changed while it is in memory", row.Key)
	}
	if f.serial != 0 && f.serial != p.serial {
		g.breaks(5, "%v was held and is decoded anew", row.Key)
	}
	f.serial = 0
	if row.Refs > 0 {
		f.serial = p.serial
		if g.textsOf(row.Key.Kind).At(row.Handle) != p {
			g.breaks(4, "%v has %d retains and cannot be reached", row.Key, row.Refs)
		}
	}
}

// checkAbsent sees that what is called missing is in no pack.
func (g *sim) checkAbsent(k assets.Key) {
	for _, p := range g.packs {
		if p.files[k] {
			g.breaks(15, "%v is called missing, though %s has it", k, p.src.Name())
		}
	}
}

// actStaleHandle uses a handle whose entry is gone; its slot may be another's.
func (g *sim) actStaleHandle() {
	h, ok := some(g, g.seen)
	if !ok {
		return
	}
	if _, there := g.row(h); there {
		return
	}
	g.reached["stale handle"]++
	refused := true
	switch g.rng.IntN(8) {
	case 0:
		refused = !g.Has(h) && g.State(h) == assets.StateStale && g.Refs(h) == 0
	case 1:
		refused = !g.TryRetain(h)
	case 2:
		refused = !g.Pin(h)
	case 3:
		_, known := g.KeyOf(h)
		refused = !known && g.textsOf(h.Kind()).At(h) == nil && g.Failure(h) == nil
	case 4:
		refused = errors.Is(g.reads.Submit(h, 0, 1, 0, 0), assets.ErrStale) || g.reads.Waiting() == 4
	case 5:
		g.Forget(h)
		g.Unpin(h)
	case 6:
		g.NotePhase(h, assets.PhaseOnDevice)
		refused = !g.OnDevice(h)
	case 7:
		b := g.NewBatch(assets.BatchOptions{})
		b.Add(h)
		b.Submit()
		f := b.Failures()
		refused = b.Done() && len(f) == 1 && errors.Is(f[0].Err, assets.ErrStale)
		b.Reset()
	}
	if !refused {
		g.breaks(32, "a stale handle %#x was answered", uint64(h))
	}
	before := append([]assets.AuditRow(nil), g.audit.Rows...)
	g.look()
	for i, row := range g.audit.Rows {
		if i >= len(before) || row != before[i] {
			g.breaks(32, "a stale handle %#x changed %v", uint64(h), row.Key)
		}
	}
}

// noteFailed remembers which loads failed: another may mend it.
func (g *sim) noteFailed() {
	g.look()
	for i := range g.audit.Rows {
		if row := &g.audit.Rows[i]; row.Err {
			g.fact(row.Handle).failed = true
		}
	}
}

// settle lets everything that runs come to its end, and adds up.
func (g *sim) settle() {
	g.doing = "settling"
	g.rush = true
	defer func() { g.rush = false }()
	for range 20000 {
		for len(g.retains) > 0 {
			if !g.resume(g.retains[0]) {
				takeOut(&g.retains, 0)
				takeOut(&g.cancels, 0)
			}
			g.noteFailed()
		}
		idle := true
		for _, w := range g.workers {
			g.resume(w)
			idle = idle && w.idle
			g.noteFailed()
		}
		g.actDrain()
		g.drainReads()
		for _, b := range append(g.batches, g.replacing.batch) {
			b.Submit()
			idle = b.Done() && idle
		}
		if g.set != nil {
			g.set.Poll() // never ready while another holds an old version
		}
		g.look()
		idle = idle && g.audit.Queue == 0
		if idle {
			for _, f := range g.facts {
				f.serial = 0 // it may have come and gone since
			}
			g.check()
			g.checkQuiet()
			return
		}
	}
	g.breaks(11, "what is in flight does not come to an end")
}

// checkQuiet is what must hold when nothing is under way.
func (g *sim) checkQuiet() {
	st := g.Stats()
	g.reached["resurrected"], g.reached["evicted"] = int(st.Resurrected), int(st.Evicted)
	g.reached["duplicate decode"] = int(st.DuplicateDecodes)
	if st.Running != 0 || st.QueueLen != 0 {
		g.breaks(11, "%d jobs run and %d wait, and nobody is at it", st.Running, st.QueueLen)
	}
	if len(g.live) != st.Resident {
		g.breaks(1, "%d payloads are alive, %d are resident", len(g.live), st.Resident)
	}
	leases, entries := 0, 0
	for _, list := range [...][]*simPack{g.packs, g.closed} {
		for _, p := range list {
			c := p.src.Counts()
			leases += c.Leases
			entries += c.Entries
			if c.Released != 0 {
				g.breaks(7, "%s: %d leases were released twice", p.src.Name(), c.Released)
			}
		}
	}
	if leases != len(g.mapped) || entries != 0 {
		g.breaks(7, "%d leases are out for %d mapped payloads, %d entries are open", leases, len(g.mapped), entries)
	}
}

// end unloads everything.
func (g *sim) end() {
	g.settle()
	g.doing = "ending"
	if g.set != nil {
		g.set.Release()
		g.set = nil
	}
	for len(g.direct) > 0 {
		g.actRelease()
	}
	for i := range g.tokens {
		g.tokens[i].Release()
	}
	for _, c := range g.scopes {
		g.endLayer(c, 4)
	}
	for _, b := range append(g.batches, g.replacing.batch) {
		b.Reset()
	}
	g.reads.Close()
	for len(g.tickets) > 0 {
		g.closeTicket(0)
	}
	for len(g.names) > 0 {
		g.actForget()
	}
	g.check()
	g.SetKeepAlive(0)
	g.checkUnloaded()
	for _, w := range g.workers {
		w.over = true
		g.resume(w)
	}
	if err := g.Close(); err != nil {
		g.breaks(1, "closing: %v", err)
	}
	g.checkQuiet()
	st := g.Stats()
	if st.CPUBytes != 0 || st.Entries != 0 || st.Resident != 0 || st.InFlightBytes+st.UnadoptedBytes != 0 || len(g.live) != 0 || g.PoolLiveBytes() != 0 {
		g.breaks(1, "left after Close: %d bytes, %d entries, %d payloads, %d of the pool", st.CPUBytes, st.Entries, len(g.live), g.PoolLiveBytes())
	}
}

// checkUnloaded: only pinned rows stay, and are listed.
func (g *sim) checkUnloaded() {
	var snap assets.Snapshot
	g.Snapshot(&snap)
	bytes := int64(0)
	for _, row := range snap.Rows {
		bytes += row.Bytes
		if row.Pins == 0 || row.Refs > 0 {
			g.breaks(1, "left when everything was unloaded: %v, %d retains, %d pins", row.Key, row.Refs, row.Pins)
		}
	}
	if st := snap.Stats; st.CPUBytes != bytes || st.Retains != st.Releases || st.InFlightBytes+st.UnadoptedBytes != 0 || st.ColdBytes != 0 {
		g.breaks(1, "unloaded: %d bytes, %d of them pinned, %d retains, %d releases", st.CPUBytes, bytes, st.Retains, st.Releases)
	}
	for len(g.pins) > 0 {
		g.actUnpin()
	}
	if st := g.Stats(); st.CPUBytes != 0 || st.Entries != 0 {
		g.breaks(1, "left when nothing was pinned: %d bytes in %d entries", st.CPUBytes, st.Entries)
	}
}
