package portals

import (
	"errors"
	"fmt"
	"strings"

	"sojourn/assets"
	"sojourn/stages/work"
)

// ErrMode is wrapped when there is no such mode.
var ErrMode = errors.New("no such mode")

// mode is one way to schedule the loads of a destination. Everything else is
// the same in all of them: store, pack, pools, stages and device, and how many
// decode at a time, which is the store's workers or, where retains block, as
// many goroutines; naive has the game's alone.
type mode struct {
	name string
	// budget is what a frame may spend, given the one asked for.
	budget func(asked work.Budget) work.Budget
	// fetch brings what these documents name into memory before the edge; nil
	// leaves that to the engine.
	fetch func(store *assets.Store, documents []assets.Key) *errand
	// away says that ticks go on meanwhile: the old place is left first.
	away bool
}

// modes are all there are; the first is what runs when nothing is asked for.
func modes() []mode {
	return []mode{
		{name: "sojourn", budget: func(asked work.Budget) work.Budget { return asked }},
		{name: "count", budget: func(work.Budget) work.Budget { return countOnly() }},
		{name: "goroutines", budget: func(work.Budget) work.Budget { return work.Unbounded() }, fetch: fetchEach, away: true},
		{name: "naive", budget: func(work.Budget) work.Budget { return work.Unbounded() }, fetch: fetchHere},
	}
}

// Modes are the names that [demo.Env.Mode] takes, the default first.
func Modes() (names []string) {
	for _, m := range modes() {
		names = append(names, m.name)
	}
	return names
}

func modeNamed(name string) (mode, error) {
	list := modes()
	if name == "" {
		return list[0], nil
	}
	for _, m := range list {
		if m.name == name {
			return m, nil
		}
	}
	return mode{}, fmt.Errorf("%w: %q, must be %s", ErrMode, name, strings.Join(Modes(), ", "))
}

// countMax is how many completions the count mode takes over in a frame.
const countMax = 64

// countOnly paces by the number of completions alone, and keeps no share for a
// destination.
func countOnly() work.Budget {
	b := work.Unbounded()
	b.Name = "count"
	b.Max[work.Admissions] = countMax
	b.DestinationReserve = 0
	return b
}
