// Command bench compares the engine with what a game would use in its place,
// and with itself under another load. It is a report: a line that falls short
// of its goal says so and does not fail the run.
//
//	cd bench && go run . -out ../out/bench.json -name store
//
// It is a module of its own so that the peers it compares with stay out of the
// engine's requirements.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// comparison gives one or more lines from one run of all its variants.
type comparison struct {
	names []string // of its lines
	run   func(*run) error
}

// comparisons are all there are, in the order they run.
func comparisons() []comparison {
	var all []comparison
	for _, list := range [][]comparison{
		retainComparisons(), coldLoadComparisons(), burstComparisons(), packComparisons(),
		mipReadComparisons(), memoryComparisons(),
		passComparisons(), coldComparisons(), retireComparisons(), hallwayComparisons(), naiveComparisons(), portalsComparisons(),
	} {
		all = append(all, list...)
	}
	return all
}

// run is one invocation: what to run, where files go, what came out.
type run struct {
	prefix      string
	coldWritten bool
	content     string // where the hallway's content is kept
	dir         string // for files that go with the run
	out         io.Writer
	lines       []line
}

func main() {
	if err := mainErr(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func mainErr() error {
	r := &run{out: os.Stdout}
	path := flag.String("out", "", "write the lines to this file, as a JSON array")
	flag.StringVar(&r.prefix, "name", "", "run only lines whose names begin so")
	flag.StringVar(&r.content, "content", filepath.Join("..", "out", "content"), "folder of the hallway's content, made if need be")
	list := flag.Bool("list", false, "name the lines and end")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if *list {
		for _, c := range comparisons() {
			for _, name := range c.names {
				fmt.Fprintln(r.out, name)
			}
		}
		return nil
	}
	var err error
	if r.dir, err = os.MkdirTemp("", "sojourn-bench-"); err != nil {
		return err
	}
	return errors.Join(r.all(*path), os.RemoveAll(r.dir))
}

func (r *run) all(path string) error {
	began, ran := time.Now(), false
	for _, c := range comparisons() {
		if !r.wantsAny(c.names) {
			continue
		}
		ran = true
		if err := c.run(r); err != nil {
			return fmt.Errorf("%s: %w", c.names[0], err)
		}
	}
	if !ran {
		return fmt.Errorf("no line begins with %q: -list names them", r.prefix)
	}
	r.note("%d lines in %.0f s; a ratio of what took turns is the median of those within each repetition", len(r.lines), time.Since(began).Seconds())
	if path == "" {
		return nil
	}
	return writeLines(path, r.lines)
}

func (r *run) wants(name string) bool { return strings.HasPrefix(name, r.prefix) }

func (r *run) wantsAny(names []string) bool {
	for _, name := range names {
		if r.wants(name) {
			return true
		}
	}
	return false
}

// add prints a line and keeps it, unless it was not asked for.
func (r *run) add(l line) {
	if !r.wants(l.Name) {
		return
	}
	r.lines = append(r.lines, l)
	fmt.Fprintln(r.out, l)
}

// note prints what is worth knowing beside the lines.
func (r *run) note(format string, args ...any) {
	fmt.Fprintf(r.out, "# "+format+"\n", args...)
}
