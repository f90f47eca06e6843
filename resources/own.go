package resources

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
)

// OwnAssets is a world's one ticket for its own assets: skies, probes, look-up
// tables, decals, particles and what zones keep. What it requires is what is
// still waited for, so that the unresolved requirements in diagnostics are what
// the world lacks; it is open only while there are any. Each wish is a hold in
// the ledger: it ends by [Set.Got], or with its component or entity.
type OwnAssets struct {
	store  *assets.Store
	owner  string
	ticket assets.Ticket
	wishes map[assets.Handle]int32
	class  HoldClass
}

func newOwnAssets(store *assets.Store, world string) *OwnAssets {
	owner := "world"
	if world != "" {
		owner += " " + world
	}
	return &OwnAssets{store: store, owner: owner, wishes: make(map[assets.Handle]int32, 64)}
}

// Ticket is the open ticket, or zero while nothing is waited for.
func (o *OwnAssets) Ticket() assets.Ticket { return o.ticket }

// Wanted is how many assets are waited for.
func (o *OwnAssets) Wanted() int { return len(o.wishes) }

func (o *OwnAssets) want(h assets.Handle) {
	o.wishes[h]++
	if o.wishes[h] > 1 {
		return
	}
	if o.ticket == 0 {
		o.ticket = o.store.OpenTicket(assets.TicketOptions{Owner: o.owner, Mode: assets.WakeProgress})
	}
	// Refused only where too many tickets are open: then the wish is not shown,
	// and is met all the same.
	_ = o.store.Require(o.ticket, h, assets.PhaseDecoded)
}

func (o *OwnAssets) got(h assets.Handle) {
	if o.wishes[h]--; o.wishes[h] > 0 {
		return
	}
	delete(o.wishes, h)
	if len(o.wishes) == 0 {
		o.store.CloseTicket(o.ticket)
		o.ticket = 0
		return
	}
	o.store.Waive(o.ticket, h, assets.PhaseDecoded)
}

// Want puts an asset that a component waits for on the world's ticket.
func (s *Set) Want(e ecs.Entity, consumer ecs.ID, h assets.Handle) {
	s.Own.want(h)
	s.Ledger.Add(e, consumer, s.Own.class, uint64(h))
}

// Got ends a wish, if there is one: the component has the asset, or has done
// without.
func (s *Set) Got(e ecs.Entity, consumer ecs.ID, h assets.Handle) {
	s.Ledger.Drop(e, consumer, s.Own.class, uint64(h))
}

// NextWish is some asset that a component of an entity waits for and that
// matches; ok is false when there is none.
func (s *Set) NextWish(e ecs.Entity, consumer ecs.ID, match func(assets.Handle) bool) (h assets.Handle, ok bool) {
	s.Ledger.EachHold(e, func(class HoldClass, of ecs.ID, v uint64) {
		if !ok && class == s.Own.class && of == consumer && match(assets.Handle(v)) {
			h, ok = assets.Handle(v), true
		}
	})
	return h, ok
}
