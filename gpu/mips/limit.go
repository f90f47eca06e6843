// Package mips decides which levels of a texture a budget affords. It is pure
// arithmetic over a texture's directory: no device, no store, no state.
//
// Level 0 is the finest. A texture is resident from some base level down to
// its smallest, so the base says everything.
package mips

import "sojourn/assets"

// Shares of a [Limit].
const (
	tailShare  = 16 // one sixteenth is open to guaranteed tails only
	slackShare = 32 // an upgrade must leave this much more free than it needs

	// demoteRoomShare and demoteRoomBytesMax bound what is kept even from
	// tails: a demotion needs the coarser image before it gives the finer back.
	demoteRoomShare    = 64
	demoteRoomBytesMax = 64 << 10
)

// Limit is the number of device bytes all textures may take together,
// including both images of each replacement.
type Limit struct {
	BytesMax int64
}

// TailsBytes is the share that only guaranteed tails may enter.
func (l Limit) TailsBytes() int64 { return l.BytesMax / tailShare }

// SlackBytes is what an upgrade must leave free beyond [Limit.TailsBytes]. It
// keeps a texture from moving back and forth at the edge of the budget.
func (l Limit) SlackBytes() int64 { return l.BytesMax / slackShare }

// DemoteRoomBytes is the share that only demotions may enter.
func (l Limit) DemoteRoomBytes() int64 { return min(l.BytesMax/demoteRoomShare, demoteRoomBytesMax) }

// Bytes is what the levels from base to the smallest take on a device.
func Bytes(t *assets.Texture, base int32) int64 {
	total := int64(0)
	for level := base; level < t.Levels; level++ {
		total += int64(t.Mips[level].Width) * int64(t.Mips[level].Height) * 4
	}
	return total
}

// TailBytes is what the guaranteed tail takes on a device.
func TailBytes(t *assets.Texture) int64 { return Bytes(t, t.TailStart()) }

// Fits tells whether the guaranteed tail can ever be admitted.
func (l Limit) Fits(t *assets.Texture) bool {
	return TailBytes(t) <= l.BytesMax-l.DemoteRoomBytes()
}

// Admit gives the finest base for a texture that has nothing resident while
// usedBytes are taken. Levels above the guaranteed tail leave
// [Limit.TailsBytes] free. ok is false when not even the tail fits.
func (l Limit) Admit(t *assets.Texture, usedBytes int64) (base int32, ok bool) {
	free := l.BytesMax - usedBytes
	if base, ok = finest(t, 0, t.TailStart(), free-l.TailsBytes()); ok {
		return base, true
	}
	tail := t.TailStart()
	return tail, TailBytes(t) <= free-l.DemoteRoomBytes()
}

// Upgrade gives the finest base below now for a texture that is resident from
// level now. The new image is made beside the old one, so its bytes must be
// free as a whole, and [Limit.TailsBytes] and [Limit.SlackBytes] on top.
func (l Limit) Upgrade(t *assets.Texture, usedBytes int64, now int32) (base int32, ok bool) {
	return finest(t, 0, now, l.BytesMax-usedBytes-l.TailsBytes()-l.SlackBytes())
}

// Refresh gives the finest base from now on for making a texture's image
// again beside the old one. ok is false when not even the tail fits.
func (l Limit) Refresh(t *assets.Texture, usedBytes int64, now int32) (base int32, ok bool) {
	return finest(t, now, t.TailStart()+1, l.BytesMax-usedBytes-l.DemoteRoomBytes())
}

// Demote gives the finest base above now (coarser) whose image fits into what
// is free and that gives back at least gainBytes in the end, or the tail where
// none gives as much. ok is false when nothing coarser exists or fits.
func (l Limit) Demote(t *assets.Texture, usedBytes int64, now int32, gainBytes int64) (base int32, ok bool) {
	free, have := l.BytesMax-usedBytes, Bytes(t, now)
	tail := t.TailStart()
	for base = now + 1; base <= tail; base++ {
		if n := Bytes(t, base); n <= free && (have-n >= gainBytes || base == tail) {
			return base, true
		}
	}
	return 0, false
}

// finest gives the first base in [from, to) whose levels take at most
// bytesMax.
func finest(t *assets.Texture, from, to int32, bytesMax int64) (base int32, ok bool) {
	if from >= to {
		return 0, false
	}
	n := Bytes(t, from)
	for base = from; base < to; base++ {
		if n <= bytesMax {
			return base, true
		}
		n -= int64(t.Mips[base].Width) * int64(t.Mips[base].Height) * 4
	}
	return 0, false
}
