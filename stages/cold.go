package stages

import "sojourn/assets"

// ColdBatchMax is how many cold assets one batch sends to the workers.
const ColdBatchMax = 64

// geometryShare of a batch is kept for meshes and models, so that structure
// appears before the full set of textures. What shading leaves over flows back.
const geometryShare = ColdBatchMax * 3 / 4

// Cold collects what a pass's stages wait for that is not in memory. Materials
// and their maps go first: a stand-in that clears is worth more than a mesh
// that shows up grey.
type Cold struct {
	store    *assets.Store
	shading  []assets.Handle
	geometry []assets.Handle
	seen     map[assets.Handle]struct{}
}

// Add names one asset, if loading it can help: what is resident, on its way or
// known to be missing is left out. It answers false when the batch takes no
// more of this kind, which is when a collector may stop.
func (c *Cold) Add(h assets.Handle) bool {
	if c.store.State(h) != assets.StateUnloaded {
		return true
	}
	if _, dup := c.seen[h]; dup {
		return true
	}
	list := &c.shading
	if k := h.Kind(); k == assets.KindMesh || k == assets.KindModel {
		list = &c.geometry
	}
	if len(*list) >= ColdBatchMax {
		return false
	}
	*list = append(*list, h)
	c.seen[h] = struct{}{}
	return true
}

// choose fills the batch: materials first, three quarters for geometry, what
// either side leaves over for the other.
func (c *Cold) choose(batch *assets.Batch) int {
	geometry := min(len(c.geometry), max(geometryShare, ColdBatchMax-len(c.shading)))
	shading := min(len(c.shading), ColdBatchMax-geometry)
	for _, h := range c.shading[:shading] {
		batch.Add(h)
	}
	for _, h := range c.geometry[:geometry] {
		batch.Add(h)
	}
	return shading + geometry
}

func (c *Cold) reset() {
	c.shading, c.geometry = c.shading[:0], c.geometry[:0]
	clear(c.seen)
}
