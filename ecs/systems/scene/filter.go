package scene

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
)

// filterOf is a filter that is ready to use. A generic filter is compiled at
// its first query, which allocates; made here, it does so when a row opens and
// not in some later frame.
func filterOf[C any](w *ecs.World) generic.Filter1[C] {
	f := generic.NewFilter1[C]()
	f.Filter(w)
	return *f
}
