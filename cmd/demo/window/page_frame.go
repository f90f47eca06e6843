package window

import (
	"slices"
	"time"

	"sojourn"
	"sojourn/stages/work"
)

// buildFrame shows where a frame's streaming time and units go: dimensions,
// what waits, stages with cursor and debt, overruns.
func (v *view) buildFrame() {
	v.frameGauges()
	v.frameWaiting()
	for i := range v.snap.Worlds {
		v.frameWorld(&v.snap.Worlds[i])
	}
	if len(v.snap.Worlds) == 0 {
		v.sheet.note(toneWarn, notBound, "no world is open, so no stage runs")
		for _, name := range v.snap.Stages {
			v.sheet.note(toneDim, "  ", name)
		}
		v.sheet.blank()
	}
	v.frameOverruns()
}

// frameGauges are the most a frame used lately: the last one is mostly idle.
func (v *view) frameGauges() {
	var most work.Cost
	elapsed, yields := time.Duration(0), 0
	var last work.Facts
	for i := range v.snap.History {
		last = v.snap.History[i]
		elapsed = max(elapsed, last.Elapsed)
		yields += last.Yields
		for d := range most {
			most[d] = max(most[d], last.Used[d])
		}
	}
	b := &v.snap.Budget
	v.gauges.ms("frame work", last.Elapsed.Seconds()*1e3, b.UpdateTimeMax.Seconds()*1e3, elapsed.Seconds()*1e3)
	for d := range most {
		name, used, limit := work.Dimension(d).String(), most[d], b.Max[d]
		if d := work.Dimension(d); d == work.AdoptedBytes || d == work.UploadBytes {
			v.gauges.bytes(name, used, limit, 0)
		} else {
			v.gauges.counts(name, used, limit)
		}
	}
	v.sheet.text("profile ").text(b.Name).text("; the bars are the most of one frame in the last ").
		number(int64(len(v.snap.History))).text(", with ").number(int64(yields)).text(" yields").end(toneDim)
	v.frameFacts(&last)
	v.sheet.blank()
}

// overOf is what a stage ran over so far.
func (v *view) overOf(stage string) work.StageOverruns {
	for i := range v.snap.ByStage {
		if v.snap.ByStage[i].Stage == stage {
			return v.snap.ByStage[i]
		}
	}
	return work.StageOverruns{}
}

// frameFacts is what the last frame did.
func (v *view) frameFacts(f *work.Facts) {
	v.sheet.text("last frame: ").number(int64(f.Operations)).text(" units, ").number(int64(f.Yields)).text(" refused, ").
		number(int64(f.Failures)).text(" failed, ").number(int64(f.Overruns)).text(" past the limit, ").
		number(int64(f.Oversizes)).text(" oversize").end(bad(f.Overruns > 0))
}

// frameWaiting shows what waits, by line.
func (v *view) frameWaiting() {
	sh, b := &v.sheet, &v.snap.Backlog
	line, oldest := b.Oldest()
	sh.text("waiting")
	if oldest > 0 {
		sh.text(": the oldest in ").text(line.String()).text(" for ").ms(oldest.Seconds()*1e3, 0)
	}
	sh.end(toneHead)
	sh.left("  line", 26).head("waiting", 10).head("memory", 12).head("oldest", 12).end(toneHead)
	for l := range sojourn.NumLines {
		q, t := &b[l], toneText
		if q.Waiting == 0 {
			t = toneDim
		}
		sh.text("  ").left(l.String(), 24).countOrDash(int64(q.Waiting), 10).bytes(q.Bytes, 12)
		if q.Oldest > 0 {
			sh.ms(q.Oldest.Seconds()*1e3, 12)
		} else {
			sh.head("-", 12)
		}
		sh.end(t)
	}
	sh.blank()
}

func (v *view) frameWorld(w *sojourn.WorldView) {
	sh, p := &v.sheet, &w.Pass
	sh.text("world ").text(w.Name).text(": ran ").number(int64(p.Ran)).text(" stages, skipped ").number(int64(p.Skipped)).
		text(", did ").number(int64(p.Committed)).text(" units, sent ").number(int64(p.Dispatched)).text(" to decode")
	if p.Filtered {
		sh.text(", by wake")
	}
	if p.Promoted {
		sh.text(" and then all")
	}
	sh.end(toneHead)
	debt, t := "no debt: every stage has seen everything", toneGood
	if p.Owed {
		debt, t = "debt: a stage is still owed a look", toneWarn
	}
	sh.note(t, "  ", debt)
	sh.text("  stalls: ").number(int64(w.Stalls))
	if p.Stalled {
		sh.text(", and stuck now")
	}
	sh.end(bad(w.Stalls > 0))
	sh.left("  stage", 26).left("", 8).head("overruns", 10).head("worst", 10).head("oversize", 9).end(toneHead)
	for i, name := range v.snap.Stages {
		v.frameStage(name, i == p.Parked)
	}
	// Uploads and frees run beside the table, under the same account.
	for i := range v.snap.ByStage {
		if name := v.snap.ByStage[i].Stage; !slices.Contains(v.snap.Stages, name) {
			v.frameStage(name, false)
		}
	}
	sh.blank()
}

func (v *view) frameStage(name string, parked bool) {
	sh, t := &v.sheet, toneText
	over := v.overOf(name)
	mark, word := "  ", ""
	if parked {
		mark, word, t = "> ", "cursor", toneGood
	}
	if over.Times > 0 {
		t = toneWarn
	}
	sh.text(mark).left(name, 24).left(word, 8).countOrDash(over.Times, 10)
	if over.Worst > 0 {
		sh.ms(over.Worst.Seconds()*1e3, 10)
	} else {
		sh.head("-", 10)
	}
	sh.countOrDash(over.Oversizes, 9).end(t)
}

// frameOverruns lists the last ones, newest first.
func (v *view) frameOverruns() {
	sh := &v.sheet
	sh.text("overruns: ").number(v.snap.OverrunN).text(" so far, the last ").number(int64(len(v.snap.Overruns))).end(toneHead)
	for i := len(v.snap.Overruns) - 1; i >= 0; i-- {
		o := &v.snap.Overruns[i]
		sh.text("  frame ").count(o.Frame, 8).left(o.Stage, 24)
		if o.Oversize {
			sh.text("larger than what was left: let through as the frame's one exception").end(toneDim)
			continue
		}
		sh.ms(o.Over.Seconds()*1e3, 0).text("past the limit").end(toneWarn)
	}
	if len(v.snap.Overruns) == 0 {
		sh.note(toneGood, "  none")
	}
}
