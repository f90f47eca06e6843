package resources

import "github.com/mlange-42/arche/ecs"

// presence tells whether a world still has its set. World.Reset takes it away
// without a word, and starts entity ids anew: from then on an id on record may
// lie past the end of the world's table, or name a stranger.
type presence struct {
	world *ecs.World
	id    ecs.ResID
	on    bool // false where no set was installed
}

func (p *presence) lost() bool { return p.on && !p.world.Resources().Has(p.id) }
