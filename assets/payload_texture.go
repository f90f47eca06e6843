package assets

// MipsMax is the number of levels of the largest texture the engine takes.
const MipsMax = 15

// TextureEdgeMax is the largest width or height in texels.
const TextureEdgeMax = 1 << (MipsMax - 1)

// TextureTailLevels is how many of the smallest levels are always kept.
const TextureTailLevels = 4

// MipSpan says where one level lies in its file. The levels of a cooked
// texture lie smallest first, so the levels from n to the smallest are one
// contiguous range.
type MipSpan struct {
	OffsetBytes, SizeBytes int64
	Width, Height          int32
}

// Texture is the CPU side of a cooked texture: its directory, and the pixels
// of a suffix of its levels until the device has them.
//
// Pixels are RGBA, 8 bits each, rows top to bottom, colour premultiplied by
// alpha; colour maps are sRGB-encoded ([Texture.SRGB]).
type Texture struct {
	Width, Height int32 // of level 0, in texels
	Levels        int32 // number of levels, 0 the finest
	SRGB          bool
	HasAlpha      bool
	Mips          [MipsMax]MipSpan

	// TailLevel is the finest level whose pixels Tail holds.
	TailLevel int32
	// Tail holds the guaranteed tail, smallest level first, as in the file.
	Tail Bytes
}

// TailStart is the finest level of the guaranteed tail.
func (t *Texture) TailStart() int32 { return max(0, t.Levels-TextureTailLevels) }

// SuffixSpan is the file range that holds levels from base (finest) to the
// smallest.
func (t *Texture) SuffixSpan(base int32) (offsetBytes, sizeBytes int64) {
	last := t.Levels - 1
	start := t.Mips[last].OffsetBytes
	end := t.Mips[base].OffsetBytes + t.Mips[base].SizeBytes
	return start, end - start
}

// LevelIn gives the pixels of one level out of a suffix that was read with
// [Texture.SuffixSpan].
func (t *Texture) LevelIn(suffix []byte, level int32) []byte {
	at := t.Mips[level].OffsetBytes - t.Mips[t.Levels-1].OffsetBytes
	return suffix[at : at+t.Mips[level].SizeBytes]
}
