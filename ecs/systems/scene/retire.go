package scene

import (
	"cmp"
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/journal"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// RetireRow releases layers that were quiesced, and the parts of model
// instances that are gone: an entity at a time, from the back of each roster,
// first come first served.
func RetireRow() stages.Row {
	return stages.Row{Name: "retirement", Open: openRetire}
}

type retire struct {
	world  *ecs.World
	store  *assets.Store
	set    *resources.Set
	layers generic.Map[components.Layer]
	models generic.Map[components.ModelInstance]
	places generic.Map[components.Transform]
	all    generic.Filter1[components.Layer]
	line   []ecs.Entity
	// awaited are documents that a destination waits to load again.
	awaited []assets.Handle
}

func openRetire(w *ecs.World, s stages.Services) (stages.Runner, error) {
	return &retire{
		world: w, store: s.Store, set: resources.Must(w),
		models: generic.NewMap[components.ModelInstance](w),
		places: generic.NewMap[components.Transform](w),
		layers: generic.NewMap[components.Layer](w),
		all:    filterOf[components.Layer](w),
	}, nil
}

// Run goes on with the oldest retirement until the slice runs out.
func (r *retire) Run(s *stages.Slice) stages.Outcome {
	if !r.scopes(s) || !r.rosters(s) {
		return stages.Yielded
	}
	if r.set.Counts.Retiring == 0 {
		return stages.Done
	}
	r.collect()
	r.set.Counts.Retiring = len(r.line) // also right where one was removed past Unload
	for _, e := range r.line {
		layer := *r.layers.Get(e)
		s.SetClass(work.Ordinary)
		if r.rank(&layer) == 0 {
			s.SetClass(work.Destination)
		}
		document, _ := r.store.KeyOf(layer.Document())
		if layer.Roster >= 0 && !r.empty(s, layer.Roster, document) {
			return stages.Yielded
		}
		if !s.Begin(work.Of(work.Retirements, 1).And(work.EntityOps, 1)) {
			return stages.Yielded
		}
		r.set.Counts.Retiring--
		r.set.Events.Note(journal.LayerRetired, e, layer.Document(), "")
		r.world.RemoveEntity(e)
		s.Commit()
		r.set.ArmDebt() // a layer of the same document may stand in line
	}
	return stages.Done
}

// ReleaseStep is how many retains of one scope, or how many entities of a
// closed world, make one unit of work: one alone costs less than to account
// for it.
const ReleaseStep = 16

// scopes empties those of loads that are over, first in first out.
func (r *retire) scopes(s *stages.Slice) bool {
	loads := r.set.Loads
	for len(loads.Emptying) > 0 {
		scope := loads.Emptying[0]
		for n := scope.Len(); n > 0; n = scope.Len() {
			if !s.Begin(work.Of(work.Retirements, int64(min(n, ReleaseStep)))) {
				return false
			}
			scope.ReleaseSome(ReleaseStep)
			s.Commit()
		}
		loads.Emptied()
	}
	return true
}

// rosters empties those of removed model instances, first in first out.
func (r *retire) rosters(s *stages.Slice) bool {
	done := 0
	for done < len(r.set.Doomed) && r.empty(s, r.set.Doomed[done], assets.Key{}) {
		r.set.Rosters.Close(r.set.Doomed[done])
		done++
	}
	n := copy(r.set.Doomed, r.set.Doomed[done:])
	r.set.Doomed = r.set.Doomed[:n]
	return n == 0
}

// empty removes a roster's members, last first. Of a document's layer, what the
// game put there is kept on record.
func (r *retire) empty(s *stages.Slice, roster int32, document assets.Key) bool {
	members := r.set.Rosters.Members(roster)
	for i := members.Len() - 1; i >= 0; i-- {
		if !s.Begin(work.Of(work.Retirements, 1).And(work.EntityOps, 1)) {
			return false
		}
		if e := *members.At(i); r.world.Alive(e) {
			if d, ok := dormant(r.store, &r.models, &r.places, e); ok && document.Stem != "" {
				r.set.Dormant.Add(document, d)
			}
			r.world.RemoveEntity(e)
		}
		r.set.Rosters.Cut(roster, i)
		s.Commit()
	}
	return true
}

// collect lines up the retiring layers in the order they were unloaded. One
// thing goes before it: what a destination waits for, to load it again.
func (r *retire) collect() {
	r.line, r.awaited = r.line[:0], r.awaited[:0]
	q := r.all.Query(r.world)
	for q.Next() {
		switch l := q.Get(); {
		case l.State == components.LayerRetiring:
			r.line = append(r.line, q.Entity())
		case l.State == components.LayerQueued && r.set.Reveal.WaitsFor(l):
			r.awaited = append(r.awaited, l.Document())
		}
	}
	slices.SortFunc(r.line, func(a, b ecs.Entity) int {
		x, y := r.layers.Get(a), r.layers.Get(b)
		if c := cmp.Compare(r.rank(x), r.rank(y)); c != 0 {
			return c
		}
		return cmp.Compare(x.Serial, y.Serial)
	})
}

func (r *retire) rank(l *components.Layer) int {
	if slices.Contains(r.awaited, l.Document()) {
		return 0
	}
	return 1
}
