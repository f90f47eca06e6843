package gpu

import "sojourn/assets"

// Reset makes a row that is in use show the stand-in again, without maps: its
// document is on its way out.
func (ms *Materials) Reset(row uint32) {
	if !ms.owned(row) {
		return
	}
	for slot := range assets.MapSlots {
		ms.SetMap(row, slot, 0)
	}
	if stand := standInRow(); ms.rows[row] != stand {
		ms.rows[row] = stand
		ms.touch(row)
	}
}
