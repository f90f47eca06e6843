package window

import (
	"strconv"

	"sojourn"
	"sojourn/assets"
)

// reasonWidth is the column of an answer's headings.
const reasonWidth = 12

// holding is which entities of one world hold an asset, by id.
type holding struct {
	world    string
	entities []uint32
}

// explain writes why an asset is there, or is not: the verdict first, then
// every holder, then what was. worlds are the holders among entities. tracing
// tells whether this build knows the sites of retains.
func explain(sh *sheet, w *sojourn.Why, known bool, worlds []holding, tracing bool) {
	if !known {
		sh.note(toneDim, "the store no longer knows it")
		explainPast(sh, w)
		return
	}
	sh.wrap(toneGood, 0, verdict(w))
	explainBody(sh, w)
	explainHolders(sh, w, worlds)
	for _, l := range []struct {
		heading string
		owners  []string
	}{{"asked for", w.Batches}, {"read by", w.Reads}, {"awaited by", w.Tickets}} {
		reasons(sh, l.heading, l.owners)
	}
	switch {
	case !tracing:
		reason(sh, toneDim, "sites", notCompiled+"build with -tags tracing to see where each retain was taken")
	default:
		reasons(sh, "sites", w.Sites)
	}
	explainPast(sh, w)
}

func explainBody(sh *sheet, w *sojourn.Why) {
	if w.Bytes > 0 {
		sh.left("memory", reasonWidth).size(w.Bytes)
		if w.MappedBytes > 0 {
			sh.text(", of it ").size(w.MappedBytes).text(" mapped")
		}
		if w.OnDevice {
			sh.text("; on the device")
		}
		sh.end(toneText)
	}
	if w.Source != "" {
		reason(sh, toneText, "from", w.Entry+" in "+w.Source)
	}
	if w.Cold {
		sh.left("cold", reasonWidth).text("number ").number(int64(w.ColdAt)).text(" of ").number(int64(w.ColdOf)).
			text(" to go").end(toneText)
	}
	sh.left("counts", reasonWidth).number(int64(w.Refs)).text(" retains, ").number(int64(w.Pins)).text(" pins, ").
		number(int64(w.Names)).text(" names").end(toneText)
}

// explainHolders names who holds the retains, each with its number.
func explainHolders(sh *sheet, w *sojourn.Why, worlds []holding) {
	if len(worlds) == 0 {
		reason(sh, toneDim, "entities", notBound+"no world is open")
	}
	for _, h := range worlds {
		explainWorld(sh, h)
	}
	for _, h := range w.Holdings {
		sh.left("retained", reasonWidth).number(int64(h.N)).text(" by ").text(h.Kind.String()).text(" ").text(orNobody(h.Owner)).end(toneText)
	}
	for _, h := range []struct {
		n  int
		by string
	}{{w.Uploads, "an upload that waits"}, {w.Mixer, "the mixer"}} {
		if h.n > 0 {
			sh.left("retained", reasonWidth).number(int64(h.n)).text(" by ").text(h.by).end(toneText)
		}
	}
	if w.Others == 0 {
		return
	}
	// Workers may have been at it while the holders were counted.
	sh.left("retained", reasonWidth).number(int64(w.Others)).text(" by the game itself, or on the move")
	if w.Owner != "" {
		sh.text("; the last retain was ").text(w.Owner).text("'s")
	}
	sh.end(toneWarn)
}

func explainWorld(sh *sheet, h holding) {
	if len(h.entities) == 0 {
		reason(sh, toneDim, "entities", "none of world "+h.world+" retains it")
		return
	}
	ids := []byte(strconv.Itoa(len(h.entities)) + " of world " + h.world + ":")
	for _, id := range h.entities {
		ids = strconv.AppendUint(append(ids, ' '), uint64(id), 10)
	}
	reason(sh, toneText, "entities", string(ids))
}

func explainPast(sh *sheet, w *sojourn.Why) {
	if w.Err != nil {
		reason(sh, toneBad, "error", w.Err.Error())
	}
	if f := w.LastFreed; f != nil {
		sh.left("last freed", reasonWidth).text(f.Reason.String()).text(", ").size(f.Bytes).text(", free number ").
			number(int64(f.Serial) + 1).end(toneDim)
	}
}

func reason(sh *sheet, t tone, heading, text string) {
	sh.left(heading, reasonWidth)
	sh.wrap(t, reasonWidth+1, text)
}

// reasons is one line for each owner; none without.
func reasons(sh *sheet, heading string, owners []string) {
	for _, o := range owners {
		reason(sh, toneText, heading, o)
	}
}

// verdict is the answer in a sentence.
func verdict(w *sojourn.Why) string {
	switch {
	case w.State == assets.StateMissing:
		return "not there: no source has it; a reload or another source may change that"
	case w.State == assets.StateFailed:
		return "not there: its last load failed; a reload or another source may change that"
	case w.State == assets.StateReloadPending:
		return "an old version, still held after a reload: its last release makes the new one loadable"
	case w.Pins > 0:
		return "resident because it is pinned: nothing can free it"
	case w.Refs > 0:
		return "resident because it is retained"
	case w.Cold:
		return "resident, and held by nobody: it is cold, and goes when keep-alive needs its room"
	case w.State == assets.StateQueued:
		return "not there yet: its load waits for a worker"
	case w.InFlight:
		return "on its way: a load for it is under way or waits to be taken over"
	case w.State == assets.StateResident:
		return "resident, though nothing retains it: it is between two owners"
	case w.Names > 0:
		return "not in memory: only its name is held"
	}
	return "not in memory, and nothing wants it"
}
