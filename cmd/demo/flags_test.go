package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"sojourn"
	"sojourn/demos/demo"
	"sojourn/stages/work"
)

func TestShots(t *testing.T) {
	for _, tt := range []struct {
		flag   string
		frames int
		want   []shot
		says   string
	}{
		{"", 0, nil, ""},
		{"a.png", 0, []shot{{"a.png", 300}}, ""},
		{"a.png", 100, []shot{{"a.png", 99}}, ""},
		{"a.png@7", 100, []shot{{"a.png", 7}}, ""},
		{"a.png@60,dir/b.png@600", 0, []shot{{"a.png", 60}, {"dir/b.png", 600}}, ""},
		{"a.png,b.png@2", 10, []shot{{"a.png", 9}, {"b.png", 2}}, ""},
		{"a.png@", 0, nil, `"a.png@"`},
		{"a.png@0", 0, nil, "must be a positive number"},
		{"a.png@-3", 0, nil, "must be a positive number"},
		{"a.png@1.5", 0, nil, "must be a positive number"},
		{"a.png@1@2", 0, nil, "must be a positive number"},
		{"a.png@99999999999999999999", 0, nil, "must be a positive number"},
		{"@60", 0, nil, "no file before the @"},
		{"a.png,", 0, nil, "no file before the @"},
	} {
		t.Run(tt.flag, func(t *testing.T) {
			o := options{screenshot: tt.flag, frames: tt.frames}
			got, err := o.shots()
			if tt.says != "" {
				if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "--screenshot") {
					t.Fatalf("%v, want it to say %s", err, tt.says)
				}
				return
			}
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%v, %v, want %v", got, err, tt.want)
			}
		})
	}
}

func TestProfile(t *testing.T) {
	for name, want := range map[string]work.Budget{
		"low": work.Low(), "medium": work.Medium(), "high": work.High(), "ultra": work.Ultra(), "literal": work.Literal(), "unbounded": work.Unbounded(),
	} {
		got, err := profile(name)
		if err != nil || got != want || got.Validate() != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "High", "extreme"} {
		if _, err := profile(name); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q, must be low, medium", name)) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// environment runs a command with these arguments up to its environment.
func environment(t *testing.T, args ...string) (env demo.Env, stderr string, err error) {
	t.Helper()
	var errs strings.Builder
	c := command(demo.Row{Name: "none", Open: func(e demo.Env) (demo.Demo, error) {
		env = e
		return nil, errors.Join(errStop, e.Close())
	}})
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetErr(&errs)
	c.SetOut(io.Discard)
	c.SetArgs(append([]string{"--headless", "--silent"}, args...))
	err = c.Execute()
	if errors.Is(err, errStop) {
		err = nil
	}
	return env, errs.String(), err
}

var errStop = errors.New("far enough")

func TestConfigPrecedence(t *testing.T) {
	t.Chdir(t.TempDir())
	file := filepath.Join(t.TempDir(), "mine.json")
	write(t, file, `{"residency":{"keep_alive_mb":11,"gpu_geometry_mb":12,"texture":{"gpu_budget_mb":13}},"world":{"residency_bind_budget_ms":1.5}}`)
	figures := func(c sojourn.Config) string {
		return fmt.Sprint(c.Residency.KeepAliveMB, c.Residency.GPUGeometryMB, c.Residency.Texture.GPUBudgetMB, c.World.ResidencyBindBudgetMS)
	}
	check := func(want string, args ...string) (stderr string) {
		t.Helper()
		env, stderr, err := environment(t, args...)
		if err != nil || figures(env.Config) != want {
			t.Errorf("%q: %s, %v, want %s", args, figures(env.Config), err, want)
		}
		return stderr
	}
	check("512 1024 768 0")
	check("0 2 3 0.5", "--keep-alive-mb", "0", "--geometry-mb", "2", "--texture-mb", "3", "--bind-ms", "0.5")
	if text := check("11 12 13 1.5", "--config", file); !strings.Contains(text, file+": residency.gpu_geometry_mb takes effect") {
		t.Errorf("said %q about the given file", text)
	}
	check("11 12 99 0", "--config", file, "--texture-mb", "99", "--bind-ms", "0")
	// The file where it is looked for.
	write(t, configPath, `{"residency":{"keep_alive_mb":21,"ray_tracing_mb":1}}`)
	if text := check("21 1024 768 0"); text != "" {
		t.Errorf("said %q about the file that is there", text)
	}
	check("11 12 13 1.5", "--config", file)
	// Broken ones.
	write(t, configPath, `{"residency":{"keepalive":1}}`)
	if _, _, err := environment(t); !errors.Is(err, sojourn.ErrBadConfig) || !strings.Contains(err.Error(), configPath+":1:15") {
		t.Errorf("%v", err)
	}
	if _, _, err := environment(t, "--config", file+".none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for args, says := range map[string]string{
		"--keep-alive-mb=-7": "residency.keep_alive_mb is -7", "--texture-mb=0": "gpu_budget_mb is 0", "--geometry-mb=-2": "gpu_geometry_mb is -2",
		"--bind-ms=-3": "residency_bind_budget_ms is -3", "--bind-ms=NaN": "residency_bind_budget_ms is NaN", "--bind-ms=5000": "must be 0 to 1000",
	} {
		if _, _, err := environment(t, "--config", file, args); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want it to say %s", args, err, says)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFlagsReachTheDemo(t *testing.T) {
	t.Chdir(t.TempDir())
	env, _, err := environment(t, "--cells", "5", "--seed", "9", "--fly", "2.5", "--content", "x.zip", "--frames", "7", "--inject", "leak",
		"--cache", "c", "--workers", "3", "--profile", "low", "--pace", "max")
	if err != nil {
		t.Fatal(err)
	}
	if env.Cells != 5 || env.Seed != 9 || env.FlySpeed != 2.5 || env.Content != "x.zip" || env.Frames != 7 || env.Inject != "leak" ||
		env.CacheDir != "c" || env.Workers != 3 || env.Work != work.Low() || env.Device == nil || env.Sink == nil || env.Log == nil || env.Progress == nil {
		t.Errorf("%+v", env)
	}
	env, _, err = environment(t)
	if err != nil || env.Frames != headlessFrames || env.Seed != 1 || env.Work != work.High() {
		t.Errorf("%+v, %v", env, err)
	}
	for args, says := range map[string]string{
		"--pace=slow": `--pace is "slow", must be real or max`, "--profile=best": "--profile is", "--frames=-1": "--frames is -1",
		"--fly=-1": "--fly is -1", "--fly=NaN": "--fly is NaN", "--fly=Inf": "--fly is +Inf", "--nonsense": "unknown flag", "more": "unknown command",
		"--screenshot=a.png": "--screenshot needs a window", "--cells=x": "invalid argument",
	} {
		if _, _, err := environment(t, args); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want it to say %s", args, err, says)
		}
	}
}

// TestHeadlessRun drives a demo to its report.
func TestHeadlessRun(t *testing.T) {
	t.Chdir(t.TempDir())
	d := &scripted{leaks: []string{"a crate: 1 retains"}}
	var out strings.Builder
	c := command(demo.Row{Name: "scripted", Open: func(env demo.Env) (demo.Demo, error) {
		s, err := sojourn.Open(sojourn.Options{Device: env.Device, Sink: env.Sink, Work: env.Work, Config: &env.Config})
		d.session = s
		return d, err
	}})
	c.SetOut(&out)
	c.SetErr(io.Discard)
	c.SetArgs([]string{"--headless", "--frames", "12", "--report", "r.json", "--cpu-profile", "cpu.prof"})
	if err := c.Execute(); err != nil {
		t.Fatal(err)
	}
	if d.ticks != 12 || d.presents != 12 || !d.finished {
		t.Errorf("%d ticks, %d presents, finished %v", d.ticks, d.presents, d.finished)
	}
	for _, says := range []string{"scripted on paper: 12 ticks", "under way", "leaks: [a crate: 1 retains]", "report: r.json"} {
		if !strings.Contains(out.String(), says) {
			t.Errorf("%q does not say %q", out.String(), says)
		}
	}
	b, err := os.ReadFile("r.json")
	if err != nil {
		t.Fatal(err)
	}
	var r demo.Report
	if err := json.Unmarshal(b, &r); err != nil || r.Frames != 12 || len(r.Leaks) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if st, err := os.Stat("cpu.prof"); err != nil || st.Size() == 0 {
		t.Errorf("no profile: %v", err)
	}
	// A report that cannot be written, and a present that fails, end the run.
	d = &scripted{}
	c.SetArgs([]string{"--headless", "--frames", "1", "--report", filepath.Join("none", "r.json"), "--cpu-profile", ""})
	if err := c.Execute(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	d = &scripted{failAt: 2}
	c.SetArgs([]string{"--headless", "--frames", "5", "--report", ""})
	if err := c.Execute(); !errors.Is(err, errStop) || d.ticks != 2 || d.finished {
		t.Errorf("%v after %d ticks", err, d.ticks)
	}
}

// scripted is a demo that notes what is asked of it.
type scripted struct {
	session         *sojourn.Session
	ticks, presents int
	failAt          int
	finished        bool
	leaks           []string
}

func (d *scripted) Tick(demo.Input, time.Duration) { d.ticks++ }

func (d *scripted) Present(any) error {
	d.presents++
	if d.presents == d.failAt {
		return errStop
	}
	return nil
}

func (d *scripted) Session() *sojourn.Session { return d.session }
func (d *scripted) Status() string            { return "under way" }

func (d *scripted) Finish() demo.Report {
	d.finished = true
	err := d.session.Close()
	r := demo.Report{Demo: "scripted", Device: "paper", Frames: d.ticks, Leaks: d.leaks, TickMS: demo.Spread{P50: math.Pi}}
	if err != nil {
		r.Leaks = append(r.Leaks, err.Error())
	}
	return r
}

func TestRowsAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows() {
		if r.Name == "" || r.About == "" || r.Open == nil || seen[r.Name] {
			t.Errorf("row %+v", r)
		}
		seen[r.Name] = true
		var c *cobra.Command = command(r)
		if c.Name() != r.Name {
			t.Errorf("command %s", c.Name())
		}
	}
}
