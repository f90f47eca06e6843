package scene

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/ecs/components"
	"sojourn/resources"
	"sojourn/stages/work"
)

// Depart is a hard edge: in one observer-atomic step every layer of the world
// is quiesced and every cell forgotten. From here on nothing of them is drawn,
// heard or ticked; what they hold is let go of over the next frames, layer by
// layer. Entities of no layer stay as they are. It tells how many layers left.
func (l *Layers) Depart() int {
	l.withhold()
	l.scratch = l.scratch[:0]
	q := l.sources.Query(l.world)
	for q.Next() {
		if q.Get().Voice != 0 && l.members.Has(q.Entity()) {
			l.scratch = append(l.scratch, q.Entity())
		}
	}
	for _, e := range l.scratch {
		l.silence(e)
	}
	l.scratch = l.scratch[:0]
	lq := l.all.Query(l.world)
	for lq.Next() {
		if lq.Get().State != components.LayerRetiring {
			l.scratch = append(l.scratch, lq.Entity())
		}
	}
	for _, e := range l.scratch {
		l.retire(e)
	}
	cells := ecs.All(l.cellID)
	l.world.Batch().RemoveEntities(&cells)
	l.set.ArmDebt()
	return len(l.scratch)
}

// withhold takes every member that shows out of sight, table by table: entity
// by entity it would cost several times as much.
func (l *Layers) withhold() {
	shown := ecs.All(l.members.ID()).Without(l.isHid.ID())
	l.world.Batch().Add(&shown, l.isHid.ID())
}

// Travel is a hard edge towards a destination, whose reveal is pending from
// here on. It answers the new generation.
func (l *Layers) Travel(cause string, pos [3]float32, radiusMetres float32) uint32 {
	l.set.Reveal.Begin(cause, pos, radiusMetres, l.clock.Now())
	l.Depart()
	return l.set.Reveal.Generation
}

// CancelTravel gives a destination up: what of it has come leaves again. It
// answers false when another generation's reveal is pending, or none.
func (l *Layers) CancelTravel(generation uint32) bool {
	r := l.set.Reveal
	if !r.Pending || r.Generation != generation {
		return false
	}
	r.Cancel(l.clock.Now())
	l.Depart()
	return true
}

// Classes tell whose share of a frame work on an entity spends.
type Classes struct {
	reveal  *resources.Reveal
	members memberLayers
}

// NewClasses makes the classes of an installed world.
func NewClasses(w *ecs.World) Classes {
	return Classes{reveal: resources.Must(w).Reveal, members: newMemberLayers(w)}
}

// RevealPending tells whether a destination waits.
func (c *Classes) RevealPending() bool { return c.reveal.Pending }

// Of is the class of an entity's work.
func (c *Classes) Of(e ecs.Entity) work.Class {
	if !c.reveal.Pending {
		return work.Ordinary
	}
	if l := c.members.of(e); l != nil {
		return c.OfLayer(l)
	}
	return work.Ordinary
}

// OfLayer is the class of a layer's work.
func (c *Classes) OfLayer(l *components.Layer) work.Class {
	if c.reveal.WaitsFor(l) {
		return work.Destination
	}
	return work.Ordinary
}

// Leaving tells whether an entity's layer is being let go of.
func (c *Classes) Leaving(e ecs.Entity) bool {
	if !c.members.members.Has(e) {
		return false
	}
	l := c.members.of(e)
	return l == nil || l.State == components.LayerRetiring
}

// OfMaterial is the class of a material's work: a destination's when a
// primitive of the destination uses it.
func (c *Classes) OfMaterial(m *components.Material) work.Class {
	if c.reveal.Pending && m.Destination == c.reveal.Generation {
		return work.Destination
	}
	return work.Ordinary
}
