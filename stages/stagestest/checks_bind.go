package stagestest

import (
	"testing"

	"sojourn/assets"
	"sojourn/stages"
)

// checkBinds: what is asked for comes, from a cold start.
func checkBinds(t testing.TB, c Consumer) {
	c.check(t)
	k := newCase(t, &c, caseOptions{})
	all := k.spawnAll()
	k.Settle()
	k.wantBound(all)
}

// progressFramesMax is room for many units of work on each asset.
const progressFramesMax = 40 * assetsMax

// checkProgress: with everything in memory and room for one unit, no frame
// goes by without a commit until all are bound.
func checkProgress(t testing.TB, c Consumer) {
	c.check(t)
	k := newCase(t, &c, caseOptions{tiny: true})
	scope := k.Warm(k.keys...)
	defer scope.ReleaseAll()
	all := k.spawnAll()
	for frame := 1; k.boundCount(all) < len(all); frame++ {
		if r := k.Frame(); r.Committed == 0 && k.boundCount(all) < len(all) {
			t.Errorf("frame %d committed nothing with %d of %d bound and everything in memory", frame, k.boundCount(all), len(all))
			return
		}
		if frame > progressFramesMax {
			t.Errorf("%d of %d bound after %d frames", k.boundCount(all), len(all), frame)
			return
		}
	}
}

// checkResume: cut into many slices, the same work is done once.
func checkResume(t testing.TB, c Consumer) {
	c.check(t)
	run := func(o caseOptions) (frames, committed int, retains uint64) {
		k := newCase(t, &c, o)
		scope := k.Warm(k.keys...)
		defer scope.ReleaseAll()
		all := k.spawnAll()
		frames, committed = k.Settle()
		k.wantBound(all)
		return frames, committed, k.Store.Stats().Retains
	}
	_, wantUnits, wantRetains := run(caseOptions{})
	frames, units, retains := run(caseOptions{tiny: true})
	if units != wantUnits || retains != wantRetains {
		t.Errorf("in slices %d units and %d retains, in one go %d and %d", units, retains, wantUnits, wantRetains)
	}
	if frames < assetsMax {
		t.Errorf("%d assets took %d frames of one unit: a unit is asked for with Begin, one at a time", assetsMax, frames)
	}
}

// checkLateArrivals: what is spawned while a slice is cut short is not
// forgotten when the rest is through.
func checkLateArrivals(t testing.TB, c Consumer) {
	c.check(t)
	k := newCase(t, &c, caseOptions{tiny: true})
	scope := k.Warm(k.keys...)
	defer scope.ReleaseAll()
	all := k.spawnAll()
	for range assetsMax / 2 {
		k.Frame()
		all = append(all, c.Spawn(k.Rig, k.keys[0].Stem))
	}
	k.Settle()
	k.wantBound(all)
}

// checkWorkers: frames go by while a decode is held, and none of it runs on
// the tick.
func checkWorkers(t testing.TB, c Consumer) {
	c.check(t)
	free := newCase(t, &c, caseOptions{})
	free.spawnAll()
	free.Settle()
	if n := free.Store.Stats().DecodesOnTick; n > 0 {
		t.Errorf("%d decodes ran on the tick", n)
		return // the same with a held read would hang
	}

	k := newCase(t, &c, caseOptions{})
	k.Hold(k.entries[0])
	all := k.spawnAll()
	k.Frame()
	k.Source.WaitHeld(k.entries[0])
	for range 5 {
		k.Frame()
	}
	if c.Bound(k.Rig, all[0]) {
		t.Errorf("bound before its asset was decoded")
	}
	k.LetAllGo()
	k.Settle()
	k.wantBound(all)
}

// checkDecodesOnce: however thin the slices, and though nothing is kept that
// nobody holds, each asset is decoded once.
func checkDecodesOnce(t testing.TB, c Consumer) {
	c.check(t)
	run := func(o caseOptions) uint64 {
		k := newCase(t, &c, o)
		all := k.spawnAll()
		k.Settle()
		k.wantBound(all)
		return k.Decodes()
	}
	want := run(caseOptions{keepAliveFull: true})
	if got := run(caseOptions{tiny: true}); got != want {
		t.Errorf("%d decodes in slices, %d in one go: what was decoded was dropped before it was bound", got, want)
	}
}

// checkQueries: the world is unlocked however a turn ends. Each check looks
// after every turn; this one makes sure that turns end in every way.
func checkQueries(t testing.TB, c Consumer) {
	c.check(t)
	k := newCase(t, &c, caseOptions{tiny: true})
	scope := k.Warm(k.keys...)
	defer scope.ReleaseAll()
	all := k.spawnAll()
	k.Settle()
	if k.probe.Outcomes[stages.Yielded] == 0 {
		t.Errorf("no turn yielded: where Begin answers false, a stage returns Yielded")
	}
	if k.probe.Outcomes[stages.Done] == 0 {
		t.Errorf("no turn was done")
	}
	k.wantBound(all)
}

// checkIdle: with everything bound, a look costs no allocation, whether debt
// or a wake asks for it.
func checkIdle(t testing.TB, c Consumer) {
	c.check(t)
	k := newCase(t, &c, caseOptions{})
	all := k.spawnAll()
	k.Settle()
	wakes := []assets.Wake{{Kind: k.keys[0].Kind, Phase: assets.PhaseDecoded}}
	look := func() {
		k.Meter.NewFrame()
		k.Pass.ArmDebt()
		k.Pass.Run(k.Meter, nil)
		k.Pass.Run(k.Meter, wakes)
	}
	if n := testing.AllocsPerRun(20, look); n != 0 {
		t.Errorf("%v allocations in an idle look", n)
	}
	if r := k.Pass.Last(); r.Committed != 0 {
		t.Errorf("%d units committed with nothing to do", r.Committed)
	}
	k.Settle()
	runs := k.probe.Runs
	if k.Pass.Run(k.Meter, wakes); k.probe.Runs == runs {
		t.Errorf("a wake of kind %v does not run the row: name it in Kinds", k.keys[0].Kind)
	}
	k.wantBound(all)
}
