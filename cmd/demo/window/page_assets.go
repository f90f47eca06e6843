package window

import "sojourn/assets"

// buildAssets brings the list of assets up to date.
func (v *view) buildAssets() {
	a, rows := &v.assets, v.snap.Store.Rows
	a.collect(rows, v.kindName)
	a.layOut(rows, v.columns, v.explain)
	sh := &v.sheet
	if v.absent(v.snap.CPU, storeAbsent) {
		return
	}
	sh.number(int64(len(a.rows))).text(" of ").number(int64(a.total))
	if a.all {
		sh.text(" assets")
	} else {
		sh.text(" ").text(v.kindName(a.kind)).text(" assets")
	}
	sh.text("; a click on a row tells why it is there").end(toneDim)
	a.heading(sh)
}

// explain answers for one row, from everything the session knows.
func (v *view) explain(sh *sheet, r *assets.Row) {
	if v.session == nil {
		sh.note(toneWarn, notBound, "there is no session")
		return
	}
	why, known := v.session.Why(r.Key)
	var worlds []holding
	for _, w := range v.session.Worlds() {
		h := holding{world: w.Name()}
		for _, e := range why.Entities {
			if e.World == w {
				h.entities = append(h.entities, e.Entity.ID())
			}
		}
		worlds = append(worlds, h)
	}
	explain(sh, &why, known, worlds, tracingBuilt)
}
