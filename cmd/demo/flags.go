package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sojourn"
	"sojourn/demos/demo"
	"sojourn/demos/hallway"
	"sojourn/stages/work"
)

// configPath is read when it is there and --config says nothing.
const configPath = "configs/game.json"

// unset is a figure that leaves the configuration alone.
const unset = -1

// flyMax bounds --fly, in metres per second.
const flyMax = 10_000

// options are a demo's flags.
type options struct {
	cells             int
	seed              uint64
	fly               float64
	content           string
	frames            int
	report            string
	screenshot        string
	headless          bool
	pace              string
	profile           string
	config            string
	inject            string
	cache             string
	workers           int
	mode              string
	rounds            int
	keepAliveMB       int
	textureMB         int
	geometryMB        int
	bindMS            float64
	width, height     int
	fixedSize, silent bool
	panel             bool
	cpuProfile        string
	trace, log        string
	records           records
}

func command(row demo.Row) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: row.Name, Short: row.About, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			stop, err := startProfile(o.cpuProfile)
			if err != nil {
				return err
			}
			if o.records, err = openRecords(o.trace, o.log); err != nil {
				return errors.Join(err, stop())
			}
			// A run that failed has a trace and a log all the more.
			return errors.Join(run(c, row, &o), o.records.close(c.OutOrStdout()), stop())
		},
	}
	f := c.Flags()
	f.IntVar(&o.cells, "cells", 0, "number of cells (default: the demo's own)")
	f.Uint64Var(&o.seed, "seed", 1, "seed of everything generated")
	f.Float64Var(&o.fly, "fly", 0, "flying speed in metres per second (default: the demo's own)")
	f.StringVar(&o.content, "content", "", "a cooked pack whose textures and models dress the demo")
	f.IntVar(&o.frames, "frames", 0, "end after so many ticks; 0 goes on, to the end where the demo has one (headless, where it has none: 3600)")
	f.StringVar(&o.report, "report", "", "write a JSON report to this file")
	f.StringVar(&o.screenshot, "screenshot", "", "write a PNG: FILE or FILE@frame; may be given as A@60,B@600")
	f.BoolVar(&o.headless, "headless", false, "use the counting device instead of a window")
	f.StringVar(&o.pace, "pace", "", "real (60 ticks a second) or max (default: real in a window, max headless)")
	f.StringVar(&o.profile, "profile", "high", "work profile: low, medium, high, ultra, literal, unbounded")
	f.StringVar(&o.config, "config", "", "configuration file (default: "+configPath+" where it exists)")
	f.StringVar(&o.inject, "inject", "", "show a fault in the report: "+strings.Join(hallway.Faults(), ", "))
	f.StringVar(&o.cache, "cache", filepath.Join("out", "content"), "folder for generated content")
	f.IntVar(&o.workers, "workers", 0, "decoding workers; 0: one less than the processors")
	f.IntVar(&o.keepAliveMB, "keep-alive-mb", unset, "unreferenced payload that may stay, in MiB; 0 keeps none")
	f.IntVar(&o.textureMB, "texture-mb", unset, "texture budget of the device, in MiB")
	f.IntVar(&o.geometryMB, "geometry-mb", unset, "geometry budget of the device, in MiB")
	f.Float64Var(&o.bindMS, "bind-ms", unset, "ceiling of one residency pass, in milliseconds; 0: none")
	f.IntVar(&o.width, "width", 1280, "window width")
	f.IntVar(&o.height, "height", 720, "window height")
	f.BoolVar(&o.fixedSize, "fixed-size", false, "never lower the internal render size")
	f.BoolVar(&o.panel, "panel", false, "open the residency panel at once (F1 toggles it)")
	f.StringVar(&o.cpuProfile, "cpu-profile", "", "write a CPU profile of the run to this file, for go tool pprof")
	f.StringVar(&o.trace, "trace", "", "write a trace of the run to this file, for ui.perfetto.dev or chrome://tracing")
	f.StringVar(&o.log, "log", "", "write the lifecycle log to this file: JSON lines of what came and went")
	f.BoolVar(&o.silent, "silent", false, "open no sound device")
	if len(row.Modes) > 0 {
		f.StringVar(&o.mode, "mode", row.Modes[0], "how it is done: "+strings.Join(row.Modes, ", "))
	}
	if row.Ends {
		f.IntVar(&o.rounds, "rounds", 0, "end after so many rounds (default: the demo's own)")
	}
	return c
}

// env gathers everything but device and sink.
func (o *options) env(c *cobra.Command) (demo.Env, error) {
	cfg, err := o.readConfig(c)
	if err != nil {
		return demo.Env{}, err
	}
	budget, err := profile(o.profile)
	if err != nil {
		return demo.Env{}, err
	}
	if o.pace != "" && o.pace != "real" && o.pace != "max" {
		return demo.Env{}, fmt.Errorf("--pace is %q, must be real or max", o.pace)
	}
	if o.frames < 0 {
		return demo.Env{}, fmt.Errorf("--frames is %d, must not be negative", o.frames)
	}
	if o.rounds < 0 {
		return demo.Env{}, fmt.Errorf("--rounds is %d, must not be negative", o.rounds)
	}
	if !(o.fly >= 0 && o.fly <= flyMax) {
		return demo.Env{}, fmt.Errorf("--fly is %v, must be 0 to %d", o.fly, flyMax)
	}
	env := demo.Env{
		Config: cfg, Work: budget, Cells: o.cells, Seed: o.seed, FlySpeed: o.fly, Content: o.content,
		CacheDir: o.cache, Frames: o.frames, Inject: o.inject, Workers: o.workers,
		Mode: o.mode, Rounds: o.rounds, Paced: o.paced(),
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)), Progress: c.ErrOrStderr(),
	}
	o.records.put(&env)
	return env, nil
}

// paced tells whether there are 60 ticks a second.
func (o *options) paced() bool {
	if o.pace == "" {
		return !headlessBuild && !o.headless
	}
	return o.pace == "real"
}

func (o *options) readConfig(c *cobra.Command) (sojourn.Config, error) {
	path := o.config
	if path == "" {
		path = configPath
	}
	cfg, notes, err := sojourn.ReadConfig(path)
	if errors.Is(err, fs.ErrNotExist) && o.config == "" {
		err = nil
	}
	if err != nil {
		return cfg, err
	}
	if o.config == "" {
		notes = nil // the shipped file names every key on purpose
	}
	for _, n := range notes {
		fmt.Fprintf(c.ErrOrStderr(), "%s: %s\n", path, n)
	}
	for _, f := range []struct {
		flag int
		to   *int
	}{
		{o.keepAliveMB, &cfg.Residency.KeepAliveMB},
		{o.textureMB, &cfg.Residency.Texture.GPUBudgetMB},
		{o.geometryMB, &cfg.Residency.GPUGeometryMB},
	} {
		if f.flag != unset {
			*f.to = f.flag
		}
	}
	if o.bindMS != unset {
		cfg.World.ResidencyBindBudgetMS = o.bindMS
	}
	return cfg, cfg.Validate()
}

func profile(name string) (work.Budget, error) {
	for _, b := range []work.Budget{work.Low(), work.Medium(), work.High(), work.Ultra(), work.Literal(), work.Unbounded()} {
		if b.Name == name {
			return b, nil
		}
	}
	return work.Budget{}, fmt.Errorf("--profile is %q, must be low, medium, high, ultra, literal or unbounded", name)
}

// shot is one screenshot to take.
type shot struct {
	path  string
	frame int
}

// shots parses --screenshot; without a frame it is the last one, or frame 300
// of an open-ended run.
func (o *options) shots() ([]shot, error) {
	if o.screenshot == "" {
		return nil, nil
	}
	var out []shot
	for s := range strings.SplitSeq(o.screenshot, ",") {
		path, at, given := strings.Cut(s, "@")
		if path == "" {
			return nil, fmt.Errorf("--screenshot %q: there is no file before the @", s)
		}
		frame := 300
		if o.frames > 0 {
			frame = o.frames - 1
		}
		if given {
			n, err := strconv.Atoi(at)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("--screenshot %q: the frame after @ must be a positive number", s)
			}
			frame = n
		}
		out = append(out, shot{path, frame})
	}
	return out, nil
}
