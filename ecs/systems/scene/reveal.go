package scene

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/ecs/components"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

// RevealRow shows a destination once it is ready, by one predicate and in one
// step. No time that passes shows it earlier: a player who waits is told so.
func RevealRow() stages.Row {
	return stages.Row{Name: "reveal", Open: openReveal}
}

type reveal struct {
	world  *ecs.World
	set    *resources.Set
	clock  work.Clock
	layers generic.Filter1[components.Layer]
}

func openReveal(w *ecs.World, s stages.Services) (stages.Runner, error) {
	return &reveal{
		world: w, set: resources.Must(w), clock: s.Clock,
		layers: filterOf[components.Layer](w),
	}, nil
}

// Run looks at the destination's layers while a reveal is pending.
func (r *reveal) Run(s *stages.Slice) stages.Outcome {
	v := r.set.Reveal
	if !v.Pending {
		return stages.Done
	}
	s.SetClass(work.Destination)
	now := r.clock.Now()
	if due := int((now - v.Since) / resources.NoticeEvery); due > v.Notices {
		v.Notice(now)
	}
	if !r.ready() {
		s.Owe()
		return stages.Done
	}
	if !s.Begin(work.Of(work.EntityOps, 1)) {
		return stages.Yielded
	}
	v.Show(now)
	r.set.ArmDebt() // sounds may start
	s.Commit()
	return stages.Done
}

// ready is the one predicate: every cell of the destination was asked for, and
// every layer of it is on the device, or failed for good.
func (r *reveal) ready() bool {
	v := r.set.Reveal
	v.Required, v.Missing = 0, 0
	q := r.layers.Query(r.world)
	for q.Next() {
		l := q.Get()
		if !v.WaitsFor(l) || l.State == components.LayerRetiring {
			continue
		}
		v.Required++
		if !arrived(l) {
			v.Missing++
		}
	}
	return v.Missing == 0 && v.Covered == v.Generation
}

// arrived tells whether nothing of a layer is awaited any more.
func arrived(l *components.Layer) bool {
	switch l.State {
	case components.LayerFailed, components.LayerReady:
		return true
	case components.LayerPresented:
		return l.Pending == 0
	}
	return false
}

// memberLayers finds the layer of a member.
type memberLayers struct {
	world   *ecs.World
	members generic.Map[components.Member]
	layers  generic.Map[components.Layer]
}

func newMemberLayers(w *ecs.World) memberLayers {
	return memberLayers{world: w, members: generic.NewMap[components.Member](w), layers: generic.NewMap[components.Layer](w)}
}

// of is an entity's layer, or nil.
func (m *memberLayers) of(e ecs.Entity) *components.Layer {
	if !m.members.Has(e) {
		return nil
	}
	layer := m.members.Get(e).Layer
	if !m.world.Alive(layer) || !m.layers.Has(layer) {
		return nil
	}
	return m.layers.Get(layer)
}
