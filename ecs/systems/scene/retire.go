package scene

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

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
	set    *resources.Set
	layers generic.Map[components.Layer]
	all    generic.Filter1[components.Layer]
	line   []ecs.Entity
}

func openRetire(w *ecs.World, _ stages.Services) (stages.Runner, error) {
	return &retire{
		world: w, set: resources.Must(w),
		layers: generic.NewMap[components.Layer](w),
		all:    *generic.NewFilter1[components.Layer](),
	}, nil
}

// Run goes on with the oldest retirement until the slice runs out.
func (r *retire) Run(s *stages.Slice) stages.Outcome {
	if !r.rosters(s) {
		return stages.Yielded
	}
	if r.set.Counts.Retiring == 0 {
		return stages.Done
	}
	r.collect()
	r.set.Counts.Retiring = len(r.line) // also right where one was removed past Unload
	for _, e := range r.line {
		layer := *r.layers.Get(e)
		if layer.Roster >= 0 && !r.empty(s, layer.Roster) {
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

// rosters empties those of removed model instances, first in first out.
func (r *retire) rosters(s *stages.Slice) bool {
	done := 0
	for done < len(r.set.Doomed) && r.empty(s, r.set.Doomed[done]) {
		r.set.Rosters.Close(r.set.Doomed[done])
		done++
	}
	n := copy(r.set.Doomed, r.set.Doomed[done:])
	r.set.Doomed = r.set.Doomed[:n]
	return n == 0
}

func (r *retire) empty(s *stages.Slice, roster int32) bool {
	members := r.set.Rosters.Members(roster)
	for i := len(members) - 1; i >= 0; i-- {
		if !s.Begin(work.Of(work.Retirements, 1).And(work.EntityOps, 1)) {
			return false
		}
		if r.world.Alive(members[i]) {
			r.world.RemoveEntity(members[i])
		}
		r.set.Rosters.Cut(roster, i)
		s.Commit()
	}
	return true
}

// collect lines up the retiring layers in the order they were unloaded.
func (r *retire) collect() {
	r.line = r.line[:0]
	q := r.all.Query(r.world)
	for q.Next() {
		if q.Get().State == components.LayerRetiring {
			r.line = append(r.line, q.Entity())
		}
	}
	for i := 1; i < len(r.line); i++ { // a handful: insertion keeps it free of allocation
		for j := i; j > 0 && r.layers.Get(r.line[j]).Serial < r.layers.Get(r.line[j-1]).Serial; j-- {
			r.line[j], r.line[j-1] = r.line[j-1], r.line[j]
		}
	}
}
