package main

import (
	"errors"
	"strings"

	"sojourn/audio"
	"sojourn/demos/demo"
	"sojourn/demos/portals"
)

// compareExceeded loads the cold scene and goes a round of the portals under the
// default budget, and counts the frames that went over it in bytes or counts
// without the one oversize step named, and those that went over its time with
// no stage named.
func compareExceeded(r *run) error {
	path, err := r.coldPack()
	if err != nil {
		return err
	}
	ours, _, _ := coldWays()
	if err := ours.run(path); err != nil {
		return err
	}
	x := &ours.over
	p, sink, err := r.openPortals("sojourn", 1, 0)
	if err != nil {
		return err
	}
	for !p.Over() {
		p.Tick(demo.Input{}, tickTime)
		if p.Way().Leg > 0 { // a session has no time limit before the login
			x.look(p.Session())
		}
		sink.Advance(audio.SampleRate / 60)
		if err := p.Present(nil); err != nil {
			return errors.Join(err, p.Session().Close())
		}
		waitForWorkers(p.Session())
	}
	d := p.Finish().Details.(*portals.Details)
	r.addExceeded("pass-exceeded", x)
	r.note("pass-exceeded: of the portals' own account, over budget: %v", d.OverBudget)
	return nil
}

// addExceeded is a line that wants no frame to be over its budget unnamed.
func (r *run) addExceeded(name string, x *exceeded) {
	r.add(atMost(name, "", x.unnamed(), 0, x.frames))
	r.note("%s: of %d frames %d went past their budget; unnamed %d in counts or bytes, %d in time %s",
		name, x.frames, x.past, x.counts, x.late, strings.Join(x.worst, "; "))
}
