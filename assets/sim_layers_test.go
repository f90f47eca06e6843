package assets_test

import (
	"errors"
	"slices"

	"sojourn/assets"
)

// Steps whose whole point is an invariant: each looks at the store before and
// after.

func (g *sim) actScopeRetain() {
	c, _ := some(g, g.scopes)
	if c.Len() < 20 {
		c.TryRetain(g.anyHandle())
	}
}

// actScopeEnds unloads a layer: what another holder has stays, the rest goes.
func (g *sim) actScopeEnds() {
	c, _ := some(g, g.scopes)
	g.endLayer(c, 4)
}

func (g *sim) endLayer(c *assets.Scope, invariant int) {
	held := c.Held()
	slices.Sort(held)
	g.look()
	before := make([]assets.AuditRow, len(held))
	keep := g.audit.KeepAliveBytes
	for i, h := range held {
		before[i], _ = g.row(h)
	}
	c.ReleaseAll()
	g.look()
	for i, h := range held {
		if i > 0 && held[i-1] == h {
			continue
		}
		n := 0
		for _, other := range held {
			if other == h {
				n++
			}
		}
		was := before[i]
		now, there := g.row(h)
		there = there && now.Payload
		switch {
		case was.Refs > n && (!there || now.Serial != was.Serial || now.Refs != was.Refs-n):
			g.breaks(invariant, "%v had %d retains, %d of them a layer's; after it went it has %d, in memory %v", was.Key, was.Refs, n, now.Refs, there)
		case was.Refs == n && was.Pins == 0 && (keep == 0 || was.Pending) && there:
			g.breaks(invariant, "%v is still in memory after its last layer went, with %d retains", was.Key, now.Refs)
		}
	}
	if c.Len() != 0 {
		g.breaks(invariant, "a layer that went holds %d", c.Len())
	}
}

// simReplace is a layer being replaced by another that shares some assets.
type simReplace struct {
	batch    *assets.Batch
	old, new *assets.Scope
	shared   []assets.Handle
	serials  []uint64
	dropped  bool // a reload came in between
}

// actReplace loads the next layer, and when it is there lets the old one go.
func (g *sim) actReplace() {
	r := &g.replacing
	if r.old == nil {
		r.old, _ = some(g, g.scopes)
		r.new, _ = some(g, g.scopes)
		if r.old == r.new || r.old.Len() == 0 || r.new.Len() > 0 {
			r.old = nil
			return
		}
		r.shared, r.serials, r.dropped = nil, nil, false
		for _, h := range r.old.Held() {
			if row, ok := g.row(h); ok && !row.Pending && !slices.Contains(r.shared, h) && g.rng.IntN(3) > 0 {
				r.shared = append(r.shared, h)
				r.serials = append(r.serials, row.Serial)
				r.batch.Add(h)
			}
		}
		r.batch.Add(g.anyHandle())
		r.batch.Submit()
		return
	}
	if !r.batch.Done() {
		return
	}
	if r.old.Len() == 0 || r.new.Len() > 0 || r.dropped { // somebody else ended or filled a layer
		r.batch.Reset()
		r.old = nil
		return
	}
	r.batch.Adopt(r.new)
	r.batch.Reset()
	g.endLayer(r.old, 5)
	held := r.new.Held()
	for i, h := range r.shared {
		row, ok := g.row(h)
		if !ok || !row.Payload || row.Serial != r.serials[i] || !slices.Contains(held, h) || row.Refs == 0 {
			g.breaks(5, "shared %v did not stay through a replace: in memory %v, %d retains", row.Key, row.Payload, row.Refs)
		}
	}
	g.reached["replaced"]++
	r.old = nil
}

// Tokens.

func (g *sim) actToken() {
	i := g.rng.IntN(len(g.tokens))
	t := &g.tokens[i]
	if t.Handle() == 0 {
		if h := g.anyHandle(); h.Valid() {
			if got, ok := assets.TryRetainOne(g.textsOf(h.Kind()), h); ok {
				g.tokens[i] = got.Move()
				g.wantToken(&got, true)
			}
		}
		return
	}
	h := t.Handle()
	refs := g.Refs(h)
	switch g.rng.IntN(4) {
	case 0:
		t.Release()
		g.wantToken(t, true)
		if refs = g.Refs(h); refs > 0 {
			t.Release()
			if g.Refs(h) != refs {
				g.breaks(10, "a second release of a token released %#x again", uint64(h))
			}
		}
	case 1:
		g.reached["token moved"]++
		moved := t.Move()
		g.wantToken(t, true)
		t.Release()
		if g.Refs(h) != refs {
			g.breaks(10, "releasing a token that was moved from took %d retains to %d", refs, g.Refs(h))
		}
		g.tokens[i] = moved.Move()
		moved.Release()
		if g.Refs(h) != refs {
			g.breaks(10, "a moved token lost its retain: %d, was %d", g.Refs(h), refs)
		}
		g.wantToken(&g.tokens[i], false)
	default:
		g.resetToken(t)
	}
}

// resetToken replaces what a token holds, often by the same.
func (g *sim) resetToken(t *assets.Retained[simPayload]) {
	h := t.Handle()
	was, _ := g.row(h)
	k := was.Key
	if g.rng.IntN(2) == 0 {
		k = g.anyKey()
		k.Kind = h.Kind()
	}
	err := t.Reset(ctx, k.Stem)
	g.look()
	switch {
	case err != nil:
		if t.Handle() != h {
			g.breaks(10, "a token whose reset failed holds %#x, not %#x", uint64(t.Handle()), uint64(h))
		}
		if errors.Is(err, assets.ErrMissing) {
			g.absent[k] = true
		}
	case k == was.Key:
		if now, _ := g.row(h); now.Serial != was.Serial || now.Refs != was.Refs || !now.Payload {
			g.breaks(5, "%v was replaced by itself and was freed and decoded again", k)
		}
	}
	g.wantToken(t, false)
}

func (g *sim) wantToken(t *assets.Retained[simPayload], empty bool) {
	p := t.Get()
	if empty && (p != nil || t.Handle() != 0) {
		g.breaks(10, "a token that gave its retain away still has %v", p)
	}
	if !empty && (p == nil || g.live[p.serial] == assets.Key{}) {
		g.breaks(10, "a token holds nothing alive: %v", p)
	}
}

func (g *sim) textsOf(k assets.Kind) *assets.Residency[simPayload] {
	if k == simKinds[1] {
		return g.texts[1]
	}
	return g.texts[0]
}

// Packs.

// actPack opens a pack or closes one, in whichever order the two halves of
// closing come; nothing that is in memory may change by it.
func (g *sim) actPack() {
	if len(g.packs) == 0 || len(g.packs) < simPacks && g.rng.IntN(2) == 0 {
		g.reached["pack opened"]++
		g.noteSourcesChange()
		g.openPack(2 + g.rng.IntN(6))
		return
	}
	i := g.rng.IntN(len(g.packs))
	p := g.packs[i]
	if !p.shut && g.rng.IntN(4) == 0 {
		p.shut = true
		_ = p.src.Close()
		return
	}
	before := slices.Clone(g.audit.Rows)
	g.noteSourcesChange()
	if err := g.RemoveSource(p.src); err != nil {
		g.breaks(7, "closing a pack: %v", err)
	}
	_ = p.src.Close()
	g.packs = slices.Delete(g.packs, i, i+1)
	g.closed = append(g.closed, p)
	g.reached["pack closed"]++
	g.look()
	for _, was := range before {
		if !was.Payload {
			continue
		}
		now, ok := g.row(was.Handle)
		if !ok || !now.Payload || now.Serial != was.Serial || now.Refs != was.Refs || now.Bytes != was.Bytes || now.Pending != was.Pending {
			g.breaks(7, "closing a pack changed %v, which was in memory: %+v", was.Key, now)
		} else if p := g.textsOf(was.Key.Kind).Peek(was.Cell); g.live[p.serial] != was.Key {
			g.breaks(7, "closing a pack freed the payload of %v", was.Key)
		}
	}
	if err := g.RemoveSource(p.src); err == nil {
		g.breaks(7, "a pack was closed twice")
	}
}

// noteSourcesChange is called before a pack comes or goes.
func (g *sim) noteSourcesChange() {
	clear(g.absent)
	for _, row := range g.audit.Rows {
		if row.Err {
			g.fact(row.Handle).mayBeUnsaid = true
		}
	}
}
