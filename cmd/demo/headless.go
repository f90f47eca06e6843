package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"sojourn/audio"
	"sojourn/demos/demo"
	"sojourn/gpu/headless"
)

// headlessFrames is how long a headless run is when --frames says nothing.
const headlessFrames = 3600

const tickTime = time.Second / 60

// errNoPicture says why a headless run cannot take one.
var errNoPicture = errors.New("--screenshot needs a window: the headless device keeps no pixels")

func runHeadless(c *cobra.Command, row demo.Row, o *options) error {
	if o.screenshot != "" {
		return errNoPicture
	}
	if o.frames == 0 && !row.Ends {
		o.frames = headlessFrames
	}
	env, err := o.env(c)
	if err != nil {
		return err
	}
	sink := audio.NewManual()
	env.Device, env.Sink = headless.New(headless.Options{}), sink
	d, err := row.Open(env)
	if err != nil {
		return err
	}
	next := time.Now()
	ending, _ := d.(demo.Ending)
	for tick := 0; o.frames == 0 || tick < o.frames; tick++ {
		if ending != nil && ending.Over() {
			break
		}
		d.Tick(demo.Input{}, tickTime)
		sink.Advance(audio.SampleRate / 60)
		if err := d.Present(nil); err != nil {
			return errors.Join(err, d.Session().Close())
		}
		if o.pace == "real" {
			next = next.Add(tickTime)
			time.Sleep(time.Until(next))
			continue
		}
		waitForWorkers(d)
	}
	return finish(c, d, o)
}

// waitForWorkers lets decoding go on between ticks: until the workers are idle
// or 2 ms have passed.
func waitForWorkers(d demo.Demo) {
	for end := time.Now().Add(2 * time.Millisecond); time.Now().Before(end); {
		if !d.Session().Store().Busy() {
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
}

func finish(c *cobra.Command, d demo.Demo, o *options) error {
	status := d.Status()
	r := d.Finish()
	fmt.Fprintf(c.OutOrStdout(), "%s on %s: %d ticks, p50 %.2f ms, p99 %.2f ms; %s\n",
		r.Demo, r.Device, r.Frames, r.TickMS.P50, r.TickMS.P99, status)
	if len(r.Leaks) > 0 {
		fmt.Fprintf(c.OutOrStdout(), "leaks: %v\n", r.Leaks)
	}
	if o.report == "" {
		return nil
	}
	if err := r.Write(o.report); err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "report: %s\n", o.report)
	return nil
}
