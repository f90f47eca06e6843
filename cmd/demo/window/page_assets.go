package window

import "sojourn/assets"

// buildAssets brings the list of assets up to date.
func (v *view) buildAssets() {
	a, rows := &v.assets, v.snap.Store.Rows
	a.collect(rows, v.kindName)
	a.layOut(rows, v.columns, v.explain)
	sh := &v.sheet
	sh.number(int64(len(a.rows))).text(" of ").number(int64(a.total))
	if a.all {
		sh.text(" assets")
	} else {
		sh.text(" ").text(v.kindName(a.kind)).text(" assets")
	}
	sh.text("; a click on a row tells why it is there").end(toneDim)
	a.heading(sh)
}

// explain answers for one row, from the store and from the worlds' ledgers.
func (v *view) explain(sh *sheet, r *assets.Row) {
	if v.session == nil {
		sh.note(toneWarn, notBound, "the session is gone")
		return
	}
	why, known := v.session.Store().Why(r.Key)
	v.holders = v.session.Holders(why.Handle, v.holders[:0])
	var holders []holding
	for _, w := range v.session.Worlds() {
		h := holding{world: w.Name()}
		for _, e := range v.holders {
			if e.World == w {
				h.entities = append(h.entities, e.Entity.ID())
			}
		}
		holders = append(holders, h)
	}
	explain(sh, &why, known, holders, tracingBuilt)
}
