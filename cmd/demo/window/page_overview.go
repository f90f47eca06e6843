package window

import (
	"cmp"
	"slices"

	"sojourn"
	"sojourn/assets"
	"sojourn/stages/work"
)

// buildOverview shows budgets, then figures, then kinds.
func (v *view) buildOverview() {
	v.overviewGauges()
	v.overviewDevice()
	v.overviewStore()
	v.overviewWorlds()
	v.sheet.blank()
	if v.snap.CPU == sojourn.Bound {
		v.overviewKinds()
		v.sheet.blank()
		v.overviewOwners()
	}
	v.overviewAbsent()
}

func (v *view) overviewGauges() {
	s, g := &v.snap, &v.gauges
	st, r := &s.Store.Stats, &s.Residency
	var last work.Facts
	worst := 0.0
	for i := range s.History {
		last = s.History[i]
		worst = max(worst, last.Elapsed.Seconds()*1e3)
	}
	g.ms("frame work", last.Elapsed.Seconds()*1e3, s.Budget.UpdateTimeMax.Seconds()*1e3, worst)
	g.bytes("upload bytes", last.Used[work.UploadBytes], s.Budget.Max[work.UploadBytes], 0)
	if s.GPU == sojourn.Bound {
		g.bytes("textures", r.TextureBytes, s.Config.TextureBytes(), r.TextureBytesMax)
		g.bytes("geometry", r.GeometryBytes, s.Config.GeometryBytes(), r.GeometryBytesMax)
	}
	if s.CPU != sojourn.Bound {
		return
	}
	if st.KeepAliveBytesMax > 0 {
		g.bytes("keep-alive, cold", st.ColdBytes, st.KeepAliveBytesMax, st.ColdBytesMax)
	} else {
		g.buf = append(g.buf, "off: nothing stays after its last release"...)
		g.end("keep-alive, cold", 0, 0)
	}
	g.bytes("decoded", st.CPUBytes, 0, st.CPUBytesMax)
	g.bytes("in flight", st.InFlightBytes, 0, st.InFlightBytesPeak)
	g.bytes("not adopted yet", st.UnadoptedBytes, 0, 0)
}

func (v *view) overviewDevice() {
	s, sh := &v.snap, &v.sheet
	if v.absent(s.GPU, deviceAbsent) {
		return
	}
	d, r := &s.Device, &s.Residency
	sh.text("device    ").text(s.Name).text(": ").number(int64(d.Textures)).text(" textures, ").
		number(int64(d.Geometries)).text(" geometries, ").size(d.SpareTextureBytes).text(" spare; drew ").
		number(int64(d.DrawnItems)).text(" items, ").number(int64(d.DrawnTriangles)).text(" triangles, ").
		number(int64(d.DrawCalls)).text(" draw calls").end(toneText)
	sh.text("pending   ").number(int64(r.UploadsPending)).text(" uploads, ").number(int64(r.FreesPending)).
		text(" frees, ").number(r.LostUploads).text(" lost uploads").end(bad(r.LostUploads > 0))
	sh.text("sound     ").number(int64(r.Voices)).text(" voices, ").size(r.PCMBytes).text(" of samples").end(toneText)
}

func (v *view) overviewStore() {
	s, sh := &v.snap, &v.sheet
	if v.absent(s.CPU, storeAbsent) {
		return
	}
	st := &s.Store.Stats
	sh.text("loads     ").number(int64(st.QueueLen)).text(" queued, ").number(int64(st.Running)).text(" running; decoded ").
		number(int64(st.Decodes)).text(" (").number(int64(st.DecodesOnTick)).text(" on the tick, ").
		number(int64(st.DuplicateDecodes)).text(" twice), ").number(int64(st.FailedCount)).text(" failed; ").
		number(int64(st.OpenTickets)).text(" tickets").end(bad(st.DecodesOnTick > 0 || st.FailedCount > 0))
	sh.text("retains   ").number(int64(st.Retains)).text(", releases ").number(int64(st.Releases)).text("; ").
		number(int64(st.Retains - st.Releases)).text(" held").end(toneText)
	sh.text("freed     ").number(int64(st.Destroyed)).text(", of them ").number(int64(st.Evicted)).
		text(" evicted; ").number(int64(st.Resurrected)).text(" taken back from the cold").end(toneText)
	for i := range s.Sources {
		v.overviewSource(&s.Sources[i])
	}
	if len(s.Sources) == 0 {
		sh.note(toneWarn, "source    ", notBound, "the store has no source")
	}
	if r := &s.Reloads; r.Batches > 0 || r.Packs > 0 || r.Failed > 0 {
		sh.text("reloads   ").number(r.Families).text(" families in ").number(r.Batches).text(" batches, ").number(r.Touched).
			text(" entries touched, ").number(r.Packs).text(" packs, ").number(r.Failed).text(" failed, ").
			number(int64(r.Retired)).text(" retired").end(bad(r.Failed > 0))
		if r.LastErr != nil {
			sh.pad(10)
			sh.wrap(toneBad, 10, r.LastErr.Error())
		}
	}
}

func (v *view) overviewSource(s *assets.SourceView) {
	sh := &v.sheet
	sh.text("source    ").tail(s.Name, max(12, sh.room(58)))
	if s.Entries >= 0 {
		sh.number(int64(s.Entries)).text(" entries, ")
	}
	sh.number(int64(s.Resident)).text(" resident")
	if s.Leases >= 0 {
		sh.text(", ").number(int64(s.Leases)).text(" mapped")
	}
	sh.text(", ").number(int64(s.Reads)).text(" reads").end(toneText)
}

func (v *view) overviewWorlds() {
	s, sh := &v.snap, &v.sheet
	for i := range s.Worlds {
		w := &s.Worlds[i]
		sh.text("world     ").text(w.Name).text(": ").number(int64(w.Counts.Live)).text(" layers live, ").
			number(int64(w.Counts.Presented)).text(" shown, ").number(w.Counts.Entered).text(" entered, ").
			number(w.Counts.Left).text(" left; ").number(int64(w.Holds)).text(" holds").end(toneText)
		if r := &w.Reveal; r.Pending {
			sh.text("          travels by ").text(orNobody(r.Cause)).text(": ").number(int64(r.Missing)).text(" of ").
				number(int64(r.Required)).text(" layers are not ready after ").ms(r.Waited.Seconds()*1e3, 0).end(toneWarn)
		}
	}
	if len(s.Worlds) == 0 {
		sh.note(toneWarn, "world     ", notBound, "no world is open")
	}
}

// ownersShown is how many rows the table of owners has at most.
const ownersShown = 12

func bad(is bool) tone {
	if is {
		return toneWarn
	}
	return toneText
}

// kindTotals are figures of one kind that only rows tell.
type kindTotals struct {
	entries, onDevice, failed int
}

func (v *view) overviewKinds() {
	var totals [assets.KindsMax]kindTotals
	for i := range v.snap.Store.Rows {
		r := &v.snap.Store.Rows[i]
		t := &totals[r.Key.Kind%assets.KindsMax]
		t.entries++
		if r.OnDevice {
			t.onDevice++
		}
		if r.State == assets.StateFailed || r.State == assets.StateMissing {
			t.failed++
		}
	}
	sh := &v.sheet
	sh.left("kind", 12).head("known", 8).head("resident", 8).head("cold", 8).head("memory", 11).
		head("cold", 11).head("on device", 9).head("failed", 6).end(toneHead)
	for k := range totals {
		t, st := &totals[k], &v.snap.Store.Stats.ByKind[k]
		if t.entries == 0 && st.Resident == 0 {
			continue
		}
		sh.left(v.kindName(assets.Kind(k)), 12).count(int64(t.entries), 8).count(int64(st.Resident), 8).
			countOrDash(int64(st.Cold), 8).bytes(st.Bytes, 11).bytes(st.ColdBytes, 11).
			countOrDash(int64(t.onDevice), 9).countOrDash(int64(t.failed), 6).end(bad(t.failed > 0))
	}
	if len(v.snap.Store.Rows) == 0 {
		sh.note(toneDim, notBound, "nothing has asked for an asset yet")
	}
}

// overviewOwners shows who took the bytes, the largest first.
func (v *view) overviewOwners() {
	owners := v.snap.Store.Owners
	if len(owners) == 0 {
		return
	}
	v.order = v.order[:0]
	for i := range owners {
		v.order = append(v.order, int32(i))
	}
	slices.SortFunc(v.order, func(a, b int32) int {
		x, y := &owners[a], &owners[b]
		return cmp.Or(cmp.Compare(y.Bytes+y.InFlightBytes, x.Bytes+x.InFlightBytes), cmp.Compare(x.Owner, y.Owner))
	})
	sh := &v.sheet
	shown := v.order[:min(len(v.order), ownersShown)]
	sh.left("taken last by", sh.room(54)).head("resident", 8).head("cold", 8).head("memory", 11).head("cold", 11).head("in flight", 11).end(toneHead)
	for _, i := range shown {
		o := &owners[i]
		sh.tail(o.Owner, sh.room(54)).count(int64(o.Resident), 8).countOrDash(int64(o.Cold), 8).
			bytes(o.Bytes, 11).bytes(o.ColdBytes, 11).bytes(o.InFlightBytes, 11).end(toneText)
	}
	if n := len(owners); n > len(shown) {
		sh.number(int64(len(shown))).text(" of ").number(int64(n)).end(toneDim)
	}
	sh.blank()
}

// overviewAbsent names what this build or device cannot show at all.
func (v *view) overviewAbsent() {
	sh, c := &v.sheet, &v.snap.Config.Residency
	sh.note(toneDim, "ray tracing, geometry stream   ", notCompiled, "the device has no counterpart")
	sh.pad(4).text("their budgets, ").size(int64(c.RayTracingMB) << 20).text(" and ").
		size(int64(c.GeometrySubmissionStreamMB) << 20).text(", do nothing").end(toneDim)
	if !tracingBuilt {
		sh.note(toneDim, "sites of retains               ", notCompiled, "build with -tags tracing")
	}
	sh.text("this panel                     ").ms(v.cost.Seconds()*1e3, 0).text("each refresh").end(toneDim)
}
