//go:build !headless

package main

import (
	"errors"

	"github.com/spf13/cobra"

	"sojourn/audio"
	"sojourn/audio/otosink"
	"sojourn/cmd/demo/window"
	"sojourn/demos/demo"
	"sojourn/gpu/ebitengine"
)

const headlessBuild = false

func run(c *cobra.Command, row demo.Row, o *options) error {
	if o.headless {
		return runHeadless(c, row, o)
	}
	env, err := o.env(c)
	if err != nil {
		return err
	}
	shots, err := o.shots()
	if err != nil {
		return err
	}
	device := ebitengine.New(ebitengine.Options{
		RenderWidthMax: o.width, RenderHeightMax: o.height, Adaptive: !o.fixedSize,
	})
	env.Device, env.Sink = device, openSink(c, o)
	d, err := row.Open(env)
	if err != nil {
		return err
	}
	w := window.Options{
		Title: "Sojourn: " + row.Name + ", " + row.About, About: row.About, LookOn: row.LookOn, Width: o.width, Height: o.height, Frames: o.frames, PaceMax: o.pace == "max", Panel: o.panel,
	}
	for _, s := range shots {
		w.Shots = append(w.Shots, window.Shot{Path: s.path, Frame: s.frame})
	}
	err = window.Run(d, device, w)
	return errors.Join(err, finish(c, d, o)) // a run that failed still has a report
}

// openSink opens the sound device, or says why there is none.
func openSink(c *cobra.Command, o *options) audio.Sink {
	if o.silent {
		return audio.NewSilent(nil)
	}
	sink, err := otosink.Open()
	if err != nil {
		c.PrintErrln("no sound:", err)
		return audio.NewSilent(nil)
	}
	return sink
}
