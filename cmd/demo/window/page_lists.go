package window

import (
	"cmp"
	"slices"

	"sojourn"
	"sojourn/ecs/components"
)

// buildWaiting shows who waits for what: tickets and batches.
func (v *view) buildWaiting() {
	sh, s := &v.sheet, &v.snap.Store
	if v.absent(v.snap.CPU, storeAbsent) {
		return
	}
	sh.text("tickets: ").number(int64(len(s.Tickets))).text(" open").end(toneHead)
	if len(s.Tickets) == 0 {
		sh.note(toneDim, "  none: nobody waits for an asset")
	} else {
		sh.left("  owner", sh.room(52)).left("wakes", 9).left("sealed", 6).head("required", 9).head("satisfied", 10).head("failed", 7).end(toneHead)
	}
	for i := range s.Tickets {
		t := &s.Tickets[i]
		sealed := "no"
		if t.Sealed {
			sealed = "yes"
		}
		sh.text("  ").left(orNobody(t.Owner), sh.room(52)).left(t.Mode.String(), 9).left(sealed, 6).count(int64(t.Required), 9).
			count(int64(t.Satisfied), 10).count(int64(t.Failed), 7).end(bad(t.Failed > 0))
	}
	sh.blank()
	sh.text("batches: ").number(int64(len(s.Batches))).text(" that hold or wait").end(toneHead)
	if len(s.Batches) == 0 {
		sh.note(toneDim, "  none: nothing is being loaded")
		return
	}
	sh.left("  owner", sh.room(44)).head("priority", 9).head("assets", 8).head("to come", 9).head("landed", 9).end(toneHead)
	for i := range s.Batches {
		b := &s.Batches[i]
		sh.text("  ").tail(orNobody(b.Owner), sh.room(44)).count(int64(b.Priority), 9).count(int64(b.Total), 8).
			count(int64(b.Pending), 9).count(int64(b.Held), 9).end(toneText)
	}
}

func orNobody(owner string) string {
	if owner == "" {
		return "(no name)"
	}
	return owner
}

// buildLayers shows the layers of every world.
func (v *view) buildLayers() {
	sh := &v.sheet
	for i := range v.snap.Worlds {
		w := &v.snap.Worlds[i]
		sh.text("world ").text(w.Name)
		if w.Active {
			sh.text(" (drawn)")
		}
		c := &w.Counts
		sh.text(": ").number(int64(c.Live)).text(" live of at most ").number(int64(c.LiveMax)).text(", ").
			number(int64(c.Presented)).text(" shown, ").number(int64(c.Retiring)).text(" retiring, ").
			number(c.Failed).text(" failed; ").number(int64(w.Loads)).text(" load slots in use").end(toneHead)
		if n := &w.Cells; n.Asked > 0 {
			sh.text("  stream cells: ").number(int64(n.Live)).text(" asked for, ").number(int64(n.Loading)).text(" of them loading, ").
				number(int64(n.Grace)).text(" in grace, ").number(int64(n.Waiting)).text(" to come; ").number(n.Left).text(" left").end(toneText)
		}
		v.layerRows(w)
		sh.blank()
	}
	if len(v.snap.Worlds) == 0 {
		sh.note(toneWarn, notBound, "no world is open, so there are no layers")
	}
}

func (v *view) layerRows(w *sojourn.WorldView) {
	sh := &v.sheet
	if len(w.Layers) == 0 {
		sh.note(toneDim, "  ", notBound, "nothing has asked this world for a layer")
		return
	}
	v.order = v.order[:0]
	for i := range w.Layers {
		v.order = append(v.order, int32(i))
	}
	slices.SortFunc(v.order, func(a, b int32) int {
		x, y := &w.Layers[a], &w.Layers[b]
		return cmp.Or(cmp.Compare(x.Key.Stem, y.Key.Stem), cmp.Compare(a, b))
	})
	sh.left("  layer", sh.room(48)).left("state", 12).head("priority", 12).head("entities", 9).head("pending", 8).end(toneHead)
	for _, i := range v.order {
		l := &w.Layers[i]
		stem := l.Key.Stem
		if stem == "" {
			stem = "(its document is gone)"
		}
		sh.text("  ").tail(stem, sh.room(48)).left(l.State.String(), 12).count(int64(l.Priority), 12).
			count(int64(l.Members), 9).count(int64(l.Pending), 8).end(layerTone(l.State))
	}
}

func layerTone(s components.LayerState) tone {
	switch s {
	case components.LayerPresented:
		return toneGood
	case components.LayerRetiring:
		return toneDim
	case components.LayerFailed:
		return toneBad
	}
	return toneText
}

// thrashRows shows what came and went too often, in the order it was found.
func (v *view) thrashRows() {
	sh, s := &v.sheet, &v.snap.Store
	sh.text("thrash: ").number(int64(s.Stats.ThrashCount)).text(" assets that came and went six times within five seconds").
		end(toneHead)
	if len(s.Thrash) == 0 {
		sh.note(toneGood, "  none")
	}
	for i := range s.Thrash {
		t := &s.Thrash[i]
		sh.count(int64(t.Times), 8).text("times ").left(v.kindName(t.Key.Kind), 10).tail(t.Key.Stem, sh.room(18)).end(toneWarn)
		sh.pad(6)
		sh.wrap(toneText, 6, t.Cause)
	}
	sh.blank()
}

// buildLosses shows what failed, what thrashed and what was freed lately.
func (v *view) buildLosses() {
	sh, s := &v.sheet, &v.snap.Store
	if v.absent(v.snap.CPU, storeAbsent) {
		return
	}
	sh.text("failed: ").number(int64(s.Stats.FailedCount)).text(" loads so far, the last ").number(int64(len(s.Failed))).end(toneHead)
	if len(s.Failed) == 0 {
		sh.note(toneGood, "  none")
	}
	for i := len(s.Failed) - 1; i >= 0; i-- {
		f := &s.Failed[i]
		sh.text("  ").left(v.kindName(f.Key.Kind), 10).tail(f.Key.Stem, sh.room(0)).end(toneBad)
		sh.pad(6)
		sh.wrap(toneText, 6, f.Reason)
	}
	sh.blank()
	v.thrashRows()
	sh.text("freed: ").number(int64(s.Stats.Destroyed)).text(" payloads so far, the last ").number(int64(len(s.Freed))).end(toneHead)
	if len(s.Freed) == 0 {
		sh.note(toneDim, "  none")
		return
	}
	sh.head("  number", 9).left(" why", 13).head("memory", 11).left(" kind", 10).text("asset").end(toneHead)
	for i := len(s.Freed) - 1; i >= 0; i-- {
		f := &s.Freed[i]
		sh.count(int64(f.Serial)+1, 9).pad(1).left(f.Reason.String(), 12).bytes(f.Bytes, 11).pad(1).left(v.kindName(f.Key.Kind), 9).
			tail(f.Key.Stem, sh.room(0)).end(toneText)
	}
}
