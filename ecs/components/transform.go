package components

import "sojourn/gpu"

// Transform places an entity in the world: a column-major matrix from the
// entity's own space to world space, metres, Y up.
type Transform struct {
	World gpu.Mat4
}

// Withheld marks an entity whose layer is not presented: it exists and binds,
// but is not drawn, heard or ticked. The engine's filters exclude it; a
// game's should too.
type Withheld struct{}
