package stages

import "sojourn/assets"

// Abandoner is a [Runner] whose entities hold assets that may be reloaded.
type Abandoner interface {
	// Abandon makes every entity let go of what match names and wait for it
	// anew: each hold is released, none is merely forgotten. Entities whose
	// load had failed wait again, too. It runs between passes, without a
	// budget: a reload is an edge.
	Abandon(match func(assets.Handle) bool)
	// Rearm makes only entities whose load had failed wait again.
	Rearm(match func(assets.Handle) bool)
}

// Abandon is called before assets are reloaded: every stage of this world lets
// go of what match names. Game goroutine, between passes.
func (p *Pass) Abandon(match func(assets.Handle) bool) {
	for _, r := range p.runners {
		if a, ok := r.(Abandoner); ok {
			a.Abandon(match)
		}
	}
	p.warmScope.Drop(match)
	p.debt.Arm()
}

// Rearm is called with the wakes of a tick: what failed and can be asked for
// again is waited for again.
func (p *Pass) Rearm(wakes []assets.Wake) {
	unloaded := false
	for i := range wakes {
		unloaded = unloaded || wakes[i].Phase == assets.PhaseUnloaded
	}
	if !unloaded {
		return
	}
	match := func(h assets.Handle) bool {
		for i := range wakes {
			if wakes[i].Phase == assets.PhaseUnloaded && wakes[i].Handle == h {
				return true
			}
		}
		return false
	}
	for _, r := range p.runners {
		if a, ok := r.(Abandoner); ok {
			a.Rearm(match)
		}
	}
}
