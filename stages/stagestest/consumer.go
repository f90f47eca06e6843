package stagestest

import (
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/stages"
	"sojourn/stages/work"
)

// Consumer says how to exercise a row: what assets it eats, how an entity asks
// for one, and how to see that it got it. Every function is called on the
// test's goroutine and may be called for many rigs.
type Consumer struct {
	// Kinds are a guest's own, beside the engine's.
	Kinds []assets.KindSpec
	// Rows makes the table. The first row is the one under test; others run
	// beside it, where it cannot do without.
	Rows func() []stages.Row
	// Put writes the i-th good asset, and all it needs, into a source. It
	// returns the asset's key and the name of its entry.
	Put func(s *assetstest.Source, i int) (key assets.Key, entry string)
	// Spawn makes an entity that wants the asset with this stem, of the kind
	// Put gives. It may use the rig's world, store and set.
	Spawn func(r *Rig, stem string) ecs.Entity
	// Bound tells whether the entity has what it wants.
	Bound func(r *Rig, e ecs.Entity) bool
	// Failed tells whether the entity has settled for less. nil: the row keeps
	// no record of it.
	Failed func(r *Rig, e ecs.Entity) bool
	// Component is the one whose removal lets go.
	Component func(w *ecs.World) ecs.ID
	// Attach gives the component back to an entity that lost it. nil: that is
	// not done with this component.
	Attach func(r *Rig, e ecs.Entity, stem string)
}

func (c *Consumer) check(t testing.TB) {
	t.Helper()
	if c.Rows == nil || c.Put == nil || c.Spawn == nil || c.Bound == nil || c.Component == nil {
		t.Fatal("stagestest: a Consumer needs Rows, Put, Spawn, Bound and Component")
	}
}

// assetsMax is how many assets a case has at its disposal.
const assetsMax = 12

// tiny is a budget of one unit of work a frame.
func tiny() work.Budget {
	b := work.High()
	b.Name = "tiny"
	b.Max[work.EntityOps], b.Max[work.Retirements] = 1, 1
	return b
}

// testCase is a rig with a consumer's row in it, and good assets in its source.
type testCase struct {
	*Rig
	t       testing.TB
	c       *Consumer
	probe   *Probe
	keys    []assets.Key
	entries []string
}

// caseOptions are what a check asks for.
type caseOptions struct {
	tiny          bool
	keepAliveFull bool // keep what is released
}

func newCase(t testing.TB, c *Consumer, o caseOptions) *testCase {
	t.Helper()
	rows := c.Rows()
	if len(rows) == 0 {
		t.Fatal("stagestest: a Consumer needs a row")
	}
	k := &testCase{t: t, c: c}
	rows[0], k.probe = Watch(t, rows[0])
	ro := RigOptions{Rows: rows, Kinds: c.Kinds}
	if o.tiny {
		ro.Work = tiny()
	}
	if o.keepAliveFull {
		ro.KeepAliveBytesMax = 64 << 20
	}
	k.Rig = NewRig(t, ro)
	for i := range assetsMax {
		key, entry := c.Put(k.Source, i)
		k.keys, k.entries = append(k.keys, key), append(k.entries, entry)
	}
	return k
}

// missing is the key of an asset that no source has.
func (k *testCase) missing(i int) assets.Key {
	return assets.Key{Stem: fmt.Sprintf("conform/missing%d", i), Kind: k.keys[0].Kind}
}

// spawnAll makes one entity for each asset.
func (k *testCase) spawnAll() []ecs.Entity {
	var all []ecs.Entity
	for _, key := range k.keys {
		all = append(all, k.c.Spawn(k.Rig, key.Stem))
	}
	return all
}

func (k *testCase) boundCount(all []ecs.Entity) int {
	n := 0
	for _, e := range all {
		if k.World.Alive(e) && k.c.Bound(k.Rig, e) {
			n++
		}
	}
	return n
}

// wantBound fails the test unless every entity is bound.
func (k *testCase) wantBound(all []ecs.Entity) {
	k.t.Helper()
	if n := k.boundCount(all); n != len(all) {
		k.t.Errorf("%d of %d entities are bound", n, len(all))
	}
}

// remove lets entities go by a plain RemoveEntity.
func (k *testCase) remove(all []ecs.Entity) {
	for _, e := range all {
		if k.World.Alive(e) {
			k.World.RemoveEntity(e)
		}
	}
}
