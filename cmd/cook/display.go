package main

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"sojourn/assets/cook"
)

// display shows how far a run is: a bar on a terminal, lines elsewhere. The
// run calls it one call at a time.
type display struct {
	w       io.Writer
	verbose bool
	onTerm  bool
	phase   cook.Phase
	bar     *progressbar.ProgressBar
}

func newDisplay(w io.Writer, verbose bool) *display {
	f, ok := w.(*os.File)
	return &display{w: w, verbose: verbose, onTerm: ok && term.IsTerminal(int(f.Fd()))}
}

func (d *display) step(s cook.Step) {
	if s.Phase == cook.PhaseCommit {
		return
	}
	if d.onTerm {
		d.move(s)
		return
	}
	// A line for each tenth, so that logs stay short.
	if tenth := func(n int) int { return n * 10 / s.Total }; tenth(s.Done) != tenth(s.Done-1) {
		fmt.Fprintf(d.w, "%s %d/%d\n", phaseName(s.Phase), s.Done, s.Total)
	}
}

func (d *display) move(s cook.Step) {
	if d.bar == nil || d.phase != s.Phase {
		d.end()
		d.phase = s.Phase
		d.bar = progressbar.NewOptions(s.Total,
			progressbar.OptionSetWriter(d.w), progressbar.OptionSetDescription(phaseName(s.Phase)),
			progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(),
		)
	}
	// A terminal that can't be drawn on is no reason to stop.
	_ = d.bar.Set(s.Done)
}

func (d *display) log(format string, args ...any) {
	if !d.verbose {
		return
	}
	if d.bar != nil {
		_ = d.bar.Clear()
	}
	fmt.Fprintf(d.w, format+"\n", args...)
}

func (d *display) end() {
	if d.bar != nil {
		_ = d.bar.Clear()
		d.bar = nil
	}
}

func phaseName(p cook.Phase) string {
	if p == cook.PhaseCook {
		return "cooking"
	}
	return "writing"
}
