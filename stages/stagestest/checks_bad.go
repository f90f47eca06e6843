package stagestest

import (
	"testing"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

// restFrames are enough for any debt that is paid at all.
const restFrames = 30

// checkMissing: an asset that no source has leaves its entity degraded, the
// others bound, and no debt behind.
func checkMissing(t testing.TB, c Consumer) {
	c.check(t)
	k := newCase(t, &c, caseOptions{})
	bad := []ecs.Entity{c.Spawn(k.Rig, k.missing(0).Stem), c.Spawn(k.Rig, k.missing(1).Stem)}
	good := k.spawnAll()
	bad = append(bad, c.Spawn(k.Rig, k.missing(0).Stem))
	k.degrades(good, bad, k.missing(0))
}

// checkBroken: the same of an asset that cannot be opened or read.
func checkBroken(t testing.TB, c Consumer) {
	c.check(t)
	for _, fault := range []assetstest.FaultKind{assetstest.FaultOpen, assetstest.FaultRead, assetstest.FaultPanic} {
		k := newCase(t, &c, caseOptions{})
		k.Source.Script(k.entries[0], assetstest.Fault{Kind: fault})
		all := k.spawnAll()
		bad := []ecs.Entity{all[0], c.Spawn(k.Rig, k.keys[0].Stem)}
		k.degrades(all[1:], bad, k.keys[0])
	}
}

func (k *testCase) degrades(good, bad []ecs.Entity, key assets.Key) {
	k.t.Helper()
	k.Settle()
	k.wantBound(good)
	for _, e := range bad {
		if k.c.Bound(k.Rig, e) {
			k.t.Errorf("%v counts as bound to an asset that cannot be had", e)
		}
		if k.c.Failed != nil && !k.c.Failed(k.Rig, e) {
			k.t.Errorf("%v does not count as failed", e)
		}
	}
	if n := k.Refs(key); n != 0 {
		k.t.Errorf("%v has %d retains though it cannot be had", key, n)
	}
	k.Pass.ArmDebt()
	for range restFrames {
		if r := k.Frame(); !r.Owed {
			break
		}
	}
	if r := k.Pass.Last(); r.Owed {
		k.t.Errorf("debt is owed for ever: %+v", r)
	}
	k.remove(append(good, bad...))
	k.Settle()
	k.CheckReleased()
}
