package window

import (
	"cmp"
	"slices"
	"strings"

	"sojourn/assets"
)

// listOrder is what the list of assets is sorted by.
type listOrder uint8

const (
	orderName listOrder = iota
	orderBytes
	orderRetains

	orderCount
)

var orderNames = [orderCount]string{"by name", "by memory", "by retains"}

// assetList is every entry of the store as lines: one for each row that passes
// the filter, and under an opened row the answer to why it is there. Nothing
// caps it; only the lines in sight are ever made into text.
type assetList struct {
	kind   assets.Kind // shown, unless all
	all    bool
	filter string
	order  listOrder

	rows  []int32 // of the snapshot, filtered and sorted
	total int     // of this kind, before the filter
	lines []lineRef
	open  map[assets.Key]*answer
	kinds []kindTab
	words []string // of the filter

	visible sheet
}

// lineRef is one line of the list: a row, or a line of its answer.
type lineRef struct {
	row    int32 // index into the snapshot's rows
	detail int32 // line of the answer; -1: the row itself
}

// answer is why one asset is there, as text.
type answer struct {
	sheet sheet
	shown bool // in the list as it is now
}

// kindTab is a kind to choose.
type kindTab struct {
	kind  assets.Kind
	count int
	label string
}

// collect filters and sorts the rows of a snapshot and counts the kinds.
func (a *assetList) collect(rows []assets.Row, kindName func(assets.Kind) string) {
	a.countKinds(rows, kindName)
	a.words = appendWords(a.words[:0], a.filter)
	a.rows, a.total = a.rows[:0], 0
	for i := range rows {
		if !a.all && rows[i].Key.Kind != a.kind {
			continue
		}
		a.total++
		if a.matches(&rows[i], kindName) {
			a.rows = append(a.rows, int32(i))
		}
	}
	slices.SortFunc(a.rows, func(x, y int32) int { return a.compare(&rows[x], &rows[y]) })
}

func (a *assetList) countKinds(rows []assets.Row, kindName func(assets.Kind) string) {
	var counts [assets.KindsMax]int
	for i := range rows {
		counts[rows[i].Key.Kind%assets.KindsMax]++
	}
	n := 0
	for k, count := range counts {
		if count == 0 && (a.all || assets.Kind(k) != a.kind) {
			continue
		}
		if n == len(a.kinds) {
			a.kinds = append(a.kinds, kindTab{})
		}
		t := &a.kinds[n]
		if kind := assets.Kind(k); t.kind != kind || t.count != count || t.label == "" {
			*t = kindTab{kind, count, kindName(kind) + " " + string(appendCount(nil, int64(count)))}
		}
		n++
	}
	a.kinds = a.kinds[:n]
}

// matches tells whether each word of the filter is in the row's stem, state,
// owner or kind.
func (a *assetList) matches(r *assets.Row, kindName func(assets.Kind) string) bool {
	for _, w := range a.words {
		if !containsFold(r.Key.Stem, w) && !containsFold(r.State.String(), w) && !containsFold(r.Owner, w) &&
			!(a.all && containsFold(kindName(r.Key.Kind), w)) {
			return false
		}
	}
	return true
}

func (a *assetList) compare(x, y *assets.Row) int {
	first := 0
	switch a.order {
	case orderBytes:
		first = cmp.Compare(y.Bytes, x.Bytes)
	case orderRetains:
		first = cmp.Compare(y.Refs, x.Refs)
	}
	return cmp.Or(first, strings.Compare(x.Key.Stem, y.Key.Stem), cmp.Compare(x.Key.Kind, y.Key.Kind))
}

// layOut makes the lines out of the rows. explain writes the answer for an
// opened one.
func (a *assetList) layOut(rows []assets.Row, columns int, explain func(*sheet, *assets.Row)) {
	for _, o := range a.open {
		o.shown = false
	}
	a.lines = a.lines[:0]
	for _, i := range a.rows {
		a.lines = append(a.lines, lineRef{i, -1})
		o := a.open[rows[i].Key]
		if o == nil {
			continue
		}
		o.shown = true
		o.sheet.begin(columns - answerIndent)
		explain(&o.sheet, &rows[i])
		for d := range o.sheet.Lines() {
			a.lines = append(a.lines, lineRef{i, int32(d)})
		}
	}
	for key, o := range a.open {
		if !o.shown && !hasKey(rows, key) {
			delete(a.open, key) // its entry is gone
		}
	}
}

func hasKey(rows []assets.Row, key assets.Key) bool {
	return slices.ContainsFunc(rows, func(r assets.Row) bool { return r.Key == key })
}

// toggle opens or closes the row a line belongs to.
func (a *assetList) toggle(rows []assets.Row, index int) bool {
	if index < 0 || index >= len(a.lines) {
		return false
	}
	key := rows[a.lines[index].row].Key
	if a.open[key] != nil {
		delete(a.open, key)
		return true
	}
	if a.open == nil {
		a.open = make(map[assets.Key]*answer)
	}
	a.open[key] = &answer{}
	return true
}

// answerIndent is how far an answer is set in, in letters.
const answerIndent = 4

// Widths of the list's columns, in letters.
const (
	kindWidth, stateWidth, retainsWidth, namesWidth = 9, 9, 7, 6
	memoryWidth, placeWidth, deviceWidth            = 10, 8, 7
	ownerWidth                                      = 18
)

// later is what the columns right of the name take.
func (a *assetList) later() int {
	return stateWidth + retainsWidth + namesWidth + memoryWidth + 1 + placeWidth + deviceWidth + ownerWidth + 7
}

// heading is the list's head line.
func (a *assetList) heading(sh *sheet) {
	sh.text("  ")
	if a.all {
		sh.left("kind", kindWidth)
	}
	sh.left("name", sh.room(a.later())).left("state", stateWidth).head("retains", retainsWidth).head("names", namesWidth).
		head("memory", memoryWidth).pad(1).left("place", placeWidth).left("device", deviceWidth).left("last owner", ownerWidth).
		end(toneHead)
}

// sight makes text of count lines from first on.
func (a *assetList) sight(rows []assets.Row, first, count, columns int, kindName func(assets.Kind) string) []line {
	sh := &a.visible
	sh.begin(columns)
	for i := max(0, first); i < min(first+count, len(a.lines)); i++ {
		ref := a.lines[i]
		if ref.detail < 0 {
			a.row(sh, &rows[ref.row], kindName)
			continue
		}
		d := a.open[rows[ref.row].Key]
		if d == nil || int(ref.detail) >= d.sheet.n {
			sh.blank() // closed since: the next refresh drops the line
			continue
		}
		l := d.sheet.lines[ref.detail]
		sh.pad(answerIndent).text(l.text).end(l.tone)
	}
	return sh.Lines()
}

func (a *assetList) row(sh *sheet, r *assets.Row, kindName func(assets.Kind) string) {
	mark := "+ "
	if a.open[r.Key] != nil {
		mark = "- "
	}
	sh.text(mark)
	if a.all {
		sh.left(kindName(r.Key.Kind), kindWidth)
	}
	device := ""
	if r.OnDevice {
		device = "device"
	}
	sh.tail(r.Key.Stem, sh.room(a.later())).left(r.State.String(), stateWidth).count(int64(r.Refs), retainsWidth).
		count(int64(r.Names), namesWidth).bytes(r.Bytes, memoryWidth).pad(1).left(place(r), placeWidth).
		left(device, deviceWidth).left(r.Owner, ownerWidth).end(rowTone(r))
}

// place is one word for why a row takes memory.
func place(r *assets.Row) string {
	switch {
	case r.Pins > 0:
		return "pinned"
	case r.InFlight:
		return "loading"
	case r.Refs > 0:
		return "held"
	case r.Cold:
		return "cold"
	}
	return ""
}

func rowTone(r *assets.Row) tone {
	switch {
	case r.State == assets.StateFailed || r.State == assets.StateMissing:
		return toneBad
	case r.State == assets.StateReloadPending:
		return toneWarn
	case r.Cold || r.State == assets.StateUnloaded:
		return toneDim
	}
	return toneText
}

// appendWords splits at spaces.
func appendWords(dst []string, s string) []string {
	for w := range strings.FieldsSeq(s) {
		dst = append(dst, w)
	}
	return dst
}

// containsFold is strings.Contains without regard to the case of ASCII
// letters, and without memory of its own.
func containsFold(s, sub string) bool {
	for i := 0; i+len(sub) <= len(s); i++ {
		if equalFoldASCII(s[i:i+len(sub)], sub) {
			return true
		}
	}
	return false
}

func equalFoldASCII(a, b string) bool {
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
