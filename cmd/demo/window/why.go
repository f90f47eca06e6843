package window

import (
	"strconv"
	"strings"

	"sojourn/assets"
)

// holding is which entities of one world hold an asset, by id.
type holding struct {
	world    string
	entities []uint32
}

// reasonWidth is the column of an answer's headings.
const reasonWidth = 12

// explain writes why an asset is there, or is not: the verdict first, then who
// holds it. tracing tells whether this build knows the sites of retains.
func explain(sh *sheet, w *assets.Why, known bool, worlds []holding, tracing bool) {
	if !known {
		sh.note(toneDim, "the store no longer knows it")
		explainPast(sh, w)
		return
	}
	sh.wrap(toneGood, 0, verdict(w))
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
	sh.left("counts", reasonWidth).number(int64(w.Refs)).text(" retains, ").number(int64(w.Pins)).text(" pins, ").
		number(int64(w.Names)).text(" names").end(toneText)
	byEntities := explainWorlds(sh, worlds)
	for _, l := range []struct {
		heading string
		owners  []string
	}{{"scopes", w.Scopes}, {"batches", w.Batches}, {"readers", w.Reads}, {"tickets", w.Tickets}} {
		if len(l.owners) > 0 {
			reason(sh, toneText, l.heading, strings.Join(l.owners, ", "))
		}
	}
	if unnamed := w.Refs - byEntities; unnamed > 0 && len(w.Scopes) == 0 {
		text := strconv.Itoa(unnamed) + " retains by holders that give no name"
		if w.Owner != "" {
			text += "; the last retain was " + w.Owner + "'s"
		}
		reason(sh, toneText, "others", text)
	}
	switch {
	case !tracing:
		reason(sh, toneDim, "sites", notCompiled+"build with -tags tracing to see where each retain was taken")
	case len(w.Sites) > 0:
		reason(sh, toneText, "sites", strings.Join(w.Sites, ", "))
	}
	explainPast(sh, w)
}

// explainWorlds names the entities and counts them.
func explainWorlds(sh *sheet, worlds []holding) int {
	if len(worlds) == 0 {
		reason(sh, toneDim, "entities", notBound+"no world is open")
		return 0
	}
	total := 0
	for _, h := range worlds {
		total += len(h.entities)
		if len(h.entities) == 0 {
			reason(sh, toneDim, "entities", "none of world "+h.world+" retains it")
			continue
		}
		var ids strings.Builder
		ids.WriteString(strconv.Itoa(len(h.entities)) + " of world " + h.world + ":")
		for _, id := range h.entities {
			ids.WriteByte(' ')
			ids.WriteString(strconv.FormatUint(uint64(id), 10))
		}
		reason(sh, toneText, "entities", ids.String())
	}
	return total
}

func explainPast(sh *sheet, w *assets.Why) {
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

// verdict is the answer in a sentence.
func verdict(w *assets.Why) string {
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
