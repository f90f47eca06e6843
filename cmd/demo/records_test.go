package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sojourn"
	"sojourn/assets"
	"sojourn/demos/demo"
	"sojourn/ecs/systems/scene"
	"sojourn/sojourntest"
	"sojourn/trace/tracetest"
)

// yard is a demo of one scene that comes and goes.
type yard struct {
	session *sojourn.Session
	world   *sojourn.World
	ticks   int
}

func openYard(env demo.Env) (demo.Demo, error) {
	c := sojourntest.NewContent()
	c.Crate("crate")
	c.Scene("yard", "crate", "crate")
	s, err := sojourn.Open(sojourn.Options{
		Sources: []assets.Source{c}, Device: env.Device, Sink: env.Sink, Config: &env.Config, Work: env.Work,
		Trace: env.Trace, Journal: env.Journal, Clock: env.WithClock,
	})
	if err != nil {
		return nil, err
	}
	y := &yard{session: s}
	if y.world, err = s.NewWorld(sojourn.WorldOptions{Name: "yard"}); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	_, err = y.world.Load(scene.Request{Stem: "yard"})
	return y, err
}

func (y *yard) Tick(_ demo.Input, dt time.Duration) { y.session.Tick(dt); y.ticks++ }
func (y *yard) Present(target any) error            { return y.session.Present(target) }
func (y *yard) Session() *sojourn.Session           { return y.session }
func (y *yard) Status() string                      { return "open" }

func (y *yard) Finish() demo.Report {
	y.world.UnloadAll()
	demo.Settle(y.session)
	r := demo.Report{Demo: "yard", Frames: y.ticks}
	demo.FillEnd(&r, y.session)
	return r
}

// runYard runs the command with these arguments.
func runYard(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	var text strings.Builder
	c := command(demo.Row{Name: "yard", Open: openYard})
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetOut(&text)
	c.SetErr(io.Discard)
	c.SetArgs(append([]string{"--headless", "--silent", "--frames", "400"}, args...))
	err = c.Execute()
	return text.String(), err
}

// TestRunWritesTraceAndLog: both files are whole, and tell of the same world.
func TestRunWritesTraceAndLog(t *testing.T) {
	t.Chdir(t.TempDir())
	out, err := runYard(t, "--trace", "t.json", "--log", "l.jsonl", "--report", "r.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"trace: t.json, ", "lifecycle log: l.jsonl", "report: r.json"} {
		if !strings.Contains(out, says) {
			t.Errorf("%q does not say %q", out, says)
		}
	}
	f, err := os.Open("t.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	events, err := tracetest.Check(f)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for i := range events {
		seen[events[i].Category]++
		seen[events[i].Phase]++
		if events[i].Args["world"] == "yard" {
			seen["in the yard"]++
		}
	}
	for _, what := range []string{"frame", "pass", "stage", "decode", "upload", "free", "X", "C", "i", "in the yard"} {
		if seen[what] == 0 {
			t.Errorf("nothing of %q in %v", what, seen)
		}
	}
	b, err := os.ReadFile("l.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for line := range strings.Lines(string(b)) {
		var l struct{ Event, Key string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if l.Key == "" || l.Key == "yard" {
			told = append(told, l.Event)
		}
	}
	const want = "world opened, layer requested, asset decoded, layer ready, layer presented, layer unloaded, layer retired, world closed, asset freed"
	if got := strings.Join(told, ", "); got != want {
		t.Errorf("the log tells\n%s\nwant\n%s", got, want)
	}
}

func TestRecordsThatCannotBeWritten(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, flag := range []string{"--trace", "--log"} {
		out, err := runYard(t, flag, filepath.Join("none", "x"))
		if !errors.Is(err, fs.ErrNotExist) || strings.Contains(out, "ticks") {
			t.Errorf("%s: %v after %q", flag, err, out)
		}
	}
	// The log's file is missing, and the trace's was made already.
	if _, err := runYard(t, "--trace", "t.json", "--log", filepath.Join("none", "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// TestFailedRunHasItsRecords: of all runs it needs them most.
func TestFailedRunHasItsRecords(t *testing.T) {
	t.Chdir(t.TempDir())
	c := command(demo.Row{Name: "yard", Open: func(env demo.Env) (demo.Demo, error) {
		return nil, errors.Join(errStop, env.Close())
	}})
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetOut(io.Discard)
	c.SetArgs([]string{"--headless", "--trace", "t.json", "--log", "l.jsonl"})
	if err := c.Execute(); !errors.Is(err, errStop) {
		t.Fatal(err)
	}
	f, err := os.Open("t.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := tracetest.Check(f); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("l.jsonl"); err != nil {
		t.Error(err)
	}
}
