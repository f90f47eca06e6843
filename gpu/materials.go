package gpu

import "sojourn/assets"

// MaterialRowsMax is the most rows one [Materials] holds.
const MaterialRowsMax = 1 << 20

// defaultRow is the row that is always there.
const defaultRow = 0

// Materials mirrors materials as rows that a device can take. A row's map
// shows a texture's index from the moment the texture is published until its
// ref is gone, and [NoMap] otherwise. Rows hold no refs alive: that is the
// caller's part. Game goroutine only.
type Materials struct {
	textures *Textures
	rows     []MaterialRow
	maps     []TextureRef // nine a row
	live     []bool
	free     []uint32
	users    mapUsers

	liveRows         int
	dirtyLo, dirtyHi uint32 // empty when equal
}

// NewMaterials makes a table that has only its default row, and follows the
// textures until [Materials.Close].
func NewMaterials(t *Textures) *Materials { return newMaterials(t, indexedRowsMax) }

func newMaterials(t *Textures, indexedRows int) *Materials {
	m := &Materials{textures: t, users: mapUsers{cellsMax: indexedRows * int(assets.MapSlots)}}
	m.grow()
	m.live[defaultRow] = true
	t.watchers = append(t.watchers, m)
	return m
}

// Close ends the following. The rows stay as they are.
func (ms *Materials) Close() {
	for i, w := range ms.textures.watchers {
		if w == ms {
			ms.textures.watchers = append(ms.textures.watchers[:i], ms.textures.watchers[i+1:]...)
			return
		}
	}
}

// standInRow is neutral grey without maps.
func standInRow() MaterialRow {
	r := MaterialRow{
		BaseColor: [4]float32{0.5, 0.5, 0.5, 1},
		Emissive:  [4]float32{0, 0, 0, 1},
		Specular:  [4]float32{0.04, 0.04, 0.04, 1},
		Ambient:   [4]float32{1, 1, 1, 1},
		Roughness: [4]float32{1, 0, 1, 1},
	}
	for i := range r.Maps {
		r.Maps[i] = NoMap
	}
	return r
}

func (ms *Materials) grow() uint32 {
	row := uint32(len(ms.rows))
	ms.rows = append(ms.rows, standInRow())
	ms.free = room(ms.free, len(ms.rows))
	ms.maps = append(ms.maps, make([]TextureRef, assets.MapSlots)...)
	ms.live = append(ms.live, false)
	ms.users.grow(len(ms.maps))
	ms.touch(row)
	return row
}

// Taken is the number of rows in use, with the default row, and Places how many
// there may be before the table grows.
func (ms *Materials) Taken() int { return ms.liveRows + 1 }

// Places is explained at [Materials.Taken].
func (ms *Materials) Places() int { return cap(ms.rows) }

// GrowTo makes places for so many rows.
func (ms *Materials) GrowTo(rows int) {
	ms.rows = roomFor(ms.rows, rows)
	ms.free = room(ms.free, rows)
	ms.maps = roomFor(ms.maps, rows*int(assets.MapSlots))
	ms.live = roomFor(ms.live, rows)
	ms.users.links = roomFor(ms.users.links, min(rows*int(assets.MapSlots), ms.users.cellsMax))
}

// Alloc gives a row with stand-in values: neutral grey, no maps. The caller
// owes one [Materials.Free]. With [MaterialRowsMax] rows in use it gives
// [Materials.DefaultRow], which every other method leaves alone.
func (ms *Materials) Alloc() uint32 {
	var row uint32
	switch n := len(ms.free); {
	case n > 0:
		row = ms.free[n-1]
		ms.free = ms.free[:n-1]
	case len(ms.rows) >= MaterialRowsMax:
		return defaultRow
	default:
		row = ms.grow()
	}
	ms.live[row] = true
	ms.liveRows++
	return row
}

// Free gives a row back, which shows the stand-in until it is used again. A
// row that is not in use is ignored.
func (ms *Materials) Free(row uint32) {
	if !ms.owned(row) {
		return
	}
	for slot := range assets.MapSlots {
		ms.SetMap(row, slot, 0)
	}
	ms.live[row] = false
	ms.liveRows--
	ms.rows[row] = standInRow()
	ms.free = append(ms.free, row)
	ms.touch(row)
}

// owned tells whether a row is in use and somebody's own.
func (ms *Materials) owned(row uint32) bool {
	return row != defaultRow && int(row) < len(ms.rows) && ms.live[row]
}

// Set writes a material's figures into its row. Maps come through
// [Materials.SetMap].
func (ms *Materials) Set(row uint32, mat *assets.Material) {
	if !ms.owned(row) {
		return
	}
	r := standInRow()
	r.Maps = ms.rows[row].Maps
	r.BaseColor = mat.BaseColor
	r.Emissive = [4]float32{mat.Emissive[0], mat.Emissive[1], mat.Emissive[2], 1}
	r.Roughness = [4]float32{mat.Roughness, mat.Metallic, mat.NormalScale, mat.Occlusion}
	r.Factors = [4]float32{mat.AlphaCutoff, flag(mat.Blend), flag(mat.DoubleSided), flag(mat.Unlit)}
	if ms.rows[row] != r {
		ms.rows[row] = r
		ms.touch(row)
	}
}

func flag(on bool) float32 {
	if on {
		return 1
	}
	return 0
}

// SetMap binds a texture to one map of a row; zero clears it. The row follows
// the texture from then on.
func (ms *Materials) SetMap(row uint32, slot assets.MapSlot, tex TextureRef) {
	if !ms.owned(row) || slot >= assets.MapSlots {
		return
	}
	cell := cellOf(row, slot)
	if ms.textures.at(tex) == nil {
		tex = 0
	}
	if old := ms.maps[cell]; old != tex {
		if old != 0 {
			ms.users.remove(cell, refSlot(uint64(old)))
		}
		ms.maps[cell] = tex
		if tex != 0 {
			ms.users.add(cell, refSlot(uint64(tex)))
		}
	}
	ms.refresh(cell)
}

// refresh makes one cell show what its texture is now.
func (ms *Materials) refresh(cell uint32) {
	row, slot := cell/uint32(assets.MapSlots), cell%uint32(assets.MapSlots)
	show := uint32(NoMap)
	if tex := ms.maps[cell]; tex != 0 {
		switch e := ms.textures.at(tex); {
		case e == nil:
			ms.users.remove(cell, refSlot(uint64(tex)))
			ms.maps[cell] = 0
		case e.id != 0:
			show = refSlot(uint64(tex))
		}
	}
	if ms.rows[row].Maps[slot] != show {
		ms.rows[row].Maps[slot] = show
		ms.touch(row)
	}
}

// textureChanged moves every user of a texture whose image was published,
// replaced or taken away: through the index, or by looking at every row where
// some users are not indexed.
func (ms *Materials) textureChanged(tex uint32) {
	if ms.users.unindexed > 0 {
		for cell, r := range ms.maps {
			if r != 0 && refSlot(uint64(r)) == tex {
				ms.refresh(uint32(cell))
			}
		}
		return
	}
	for cell := ms.users.first(tex); cell != none; {
		next := ms.users.next(cell)
		ms.refresh(cell)
		cell = next
	}
}

func (ms *Materials) touch(row uint32) {
	if ms.dirtyLo == ms.dirtyHi {
		ms.dirtyLo, ms.dirtyHi = row, row+1
		return
	}
	ms.dirtyLo, ms.dirtyHi = min(ms.dirtyLo, row), max(ms.dirtyHi, row+1)
}

// Rows are all rows, those not in use showing the stand-in. The slice is this
// object's own.
func (ms *Materials) Rows() []MaterialRow { return ms.rows }

// Dirty is the range [lo, hi) around every row that changed since
// [Materials.ClearDirty]; any is false when none did.
func (ms *Materials) Dirty() (lo, hi uint32, any bool) {
	return ms.dirtyLo, ms.dirtyHi, ms.dirtyLo != ms.dirtyHi
}

// ClearDirty says that the device has the rows.
func (ms *Materials) ClearDirty() { ms.dirtyLo, ms.dirtyHi = 0, 0 }

// Live is the number of rows in use, without the default row.
func (ms *Materials) Live() int { return ms.liveRows }

// DefaultRow is a row with stand-in values that never changes.
func (ms *Materials) DefaultRow() uint32 { return defaultRow }
