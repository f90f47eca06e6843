package window

import (
	"time"

	"sojourn"
	"sojourn/assets"
)

// page is one side of the panel.
type page uint8

const (
	pageOverview page = iota
	pageFrame
	pageWaiting
	pageLayers
	pageLosses
	pageAssets

	pageCount
)

var pageNames = [pageCount]string{"Overview", "Frame", "Waiting", "Layers", "Freed, failed", "Assets"}

// The view is refreshed five times a second, less often where one refresh
// takes so long that it would show in the frames.
const (
	refreshEvery   = time.Second / 5
	refreshCostMax = 20 // one part in so many of the time
)

// view is what the panel shows, as text and gauges: everything but the drawing.
type view struct {
	page    page // shown
	want    page // to be shown from the next refresh on
	snap    sojourn.Snapshot
	bound   bool // there is a session
	names   [assets.KindsMax]string
	columns int // letters in a line of the page

	gauges gauges
	sheet  sheet
	assets assetList

	order []int32

	session *sojourn.Session
	next    time.Time
	cost    time.Duration // of the last refresh
}

// refresh brings the page up to date, if it is time to. A nil session is a
// demo that has none yet.
func (v *view) refresh(s *sojourn.Session, now time.Time) {
	if now.Before(v.next) {
		return
	}
	began := time.Now()
	v.page = v.want
	v.copy(s)
	v.build()
	v.cost = time.Since(began)
	v.next = now.Add(max(refreshEvery, refreshCostMax*v.cost))
}

// soon makes the next refresh due at once: the page or a filter changed.
func (v *view) soon() { v.next = time.Time{} }

// copy takes the session's state.
func (v *view) copy(s *sojourn.Session) {
	v.bound = s != nil
	if v.session != s && s != nil {
		for k := range v.names {
			v.names[k] = s.Store().KindName(assets.Kind(k))
		}
	}
	v.session = s
	s.Snapshot(&v.snap) // also of no session: it empties the copy
}

// kindName is a kind's name in this session.
func (v *view) kindName(k assets.Kind) string {
	if int(k) < len(v.names) && v.names[k] != "" {
		return v.names[k]
	}
	return k.String()
}

// build makes the shown page out of the copy.
func (v *view) build() {
	v.sheet.begin(v.columns)
	v.gauges.begin()
	if !v.bound {
		v.sheet.note(toneWarn, notBound, "the demo has no session yet")
		return
	}
	switch v.page {
	case pageOverview:
		v.buildOverview()
	case pageFrame:
		v.buildFrame()
	case pageWaiting:
		v.buildWaiting()
	case pageLayers:
		v.buildLayers()
	case pageLosses:
		v.buildLosses()
	case pageAssets:
		v.buildAssets()
	}
}
