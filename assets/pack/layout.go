package pack

import (
	"unicode/utf8"

	"sojourn/assets"
)

// FrameBytesMax is the most content one zstd frame of a pack holds: the unit
// of decoding, of yielding and of a range read.
const FrameBytesMax = assets.ChunkBytesMax

// Limits of what is written and read.
const (
	// EntryBytesMax bounds one written entry, encoded and not.
	EntryBytesMax = 1<<32 - 2
	// nameBytesMax bounds an entry's name: a stem and a suffix.
	nameBytesMax = assets.StemBytesMax + 64
	// directoryBytesMax bounds the zip directory that Open reads at once.
	directoryBytesMax = 256 << 20
	// windowBytesMax bounds the zstd window of foreign entries: the largest
	// that every decoder should take.
	windowBytesMax = 8 << 20
)

// rawAlignBytes is where the data of raw entries may start.
const rawAlignBytes = 64

// Compression methods of zip.
const (
	methodStore   = 0
	methodDeflate = 8
	methodZstd    = 93
)

// nameFault tells why an entry name is refused, or "". Names follow the rules
// of stems: relative, slash-separated, no empty, "." or ".." segments, no
// backslash, colon or control character, valid UTF-8.
func nameFault(name []byte) string {
	switch {
	case len(name) == 0:
		return "the name is empty"
	case len(name) > nameBytesMax:
		return "the name is too long"
	case name[0] == '/':
		return "the name is absolute"
	}
	ascii := true
	start := 0
	for i := 0; i <= len(name); i++ {
		if i == len(name) || name[i] == '/' {
			switch string(name[start:i]) {
			case "":
				return "the name has an empty segment"
			case ".", "..":
				return "the name has a dot segment"
			}
			start = i + 1
			continue
		}
		switch c := name[i]; {
		case c == '\\' || c == ':':
			return "the name has a backslash or colon"
		case c < 0x20 || c == 0x7f:
			return "the name has a control character"
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	if !ascii && !utf8.Valid(name) {
		return "the name is not UTF-8"
	}
	return ""
}
