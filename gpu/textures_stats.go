package gpu

import (
	"sojourn/assets"
	"sojourn/gpu/mips"
)

// TextureLimited is a texture that has less detail than it should.
type TextureLimited struct {
	Texture            assets.Handle
	Wanted, Affordable int32 // finest level; 0 is full detail
}

// TextureStats counts a table's work since it was made.
type TextureStats struct {
	Live      int // textures with users
	Waiting   int // admitted to nothing yet
	Reading   int // suffix reads in flight
	Uploading int

	Published           int64 // first publications
	Upgrades, Demotions int64 // replacements by finer and by coarser images
	Refreshes           int64 // replacements asked for by [Textures.Refresh]
	Cancelled           int64 // reads and uploads given up because the last user left
	FailedReads, Failed int64
	LostUploads         int64 // given up after the device lost them too often
	Retries             int64 // lost and sent again
	OutOfMemory         int64 // images the device had no room for

	LimitedNow   int   // resident with less than full detail
	MissingBytes int64 // of those, against full detail
	Limited      TextureLimited
	WindowBytes  int64 // CPU bytes that wait now
	Reserved     int64 // device bytes of images that are not made yet
}

// Lines are what waits for room, for its reads and for its uploads; the first
// has replacements that were asked for, the second no age.
func (t *Textures) Lines() (admission, reads, uploads Line) {
	admission = t.chains.line(waiting, waitingDestination, refreshing)
	reads = Line{Waiting: t.reading, Bytes: t.window.Bytes()}
	return admission, reads, t.chains.line(uploading, uploadDestination)
}

// Stats are the counts so far. It walks the textures that lack detail.
func (t *Textures) Stats() TextureStats {
	s := t.stats
	s.Waiting = t.chains.len(waiting) + t.chains.len(waitingDestination)
	s.Uploading = t.chains.len(uploading) + t.chains.len(uploadDestination)
	s.Reading = t.reading
	s.WindowBytes, s.Reserved = t.window.Bytes(), t.reserved
	for slot := t.chains.head(limited); slot != none; slot = t.chains.next(slot) {
		e := &t.entries[slot]
		if p := t.payload(e); p != nil {
			s.LimitedNow++
			s.MissingBytes += mips.Bytes(p, 0) - e.bytes
			if s.LimitedNow == 1 {
				s.Limited = TextureLimited{Texture: e.key, Affordable: e.base}
			}
		}
	}
	return s
}
