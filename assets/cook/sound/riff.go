package sound

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"sojourn/assets/cook/unit"
)

// wavChunks are the two chunks of a WAV file that matter.
type wavChunks struct {
	format, data []byte
}

// sizeUnknown is what writers put that cannot go back to fill in a size.
const sizeUnknown = 0xffffffff

// chunkHeaderBytes is a chunk's name and size.
const chunkHeaderBytes = 8

// findChunks walks a RIFF file. The sizes of the chunks count; the file's own
// size field is often wrong and is not needed.
func findChunks(in *unit.Input) (wavChunks, error) {
	var c wavChunks
	b := in.Data
	if len(b) == 0 {
		return c, corruptf("the file is empty")
	}
	if len(b) < 12 {
		return c, corruptf("truncated: %d bytes are no WAV header", len(b))
	}
	switch magic := string(b[:4]); {
	case magic == "RF64" || magic == "BW64" || magic == "RIFX":
		return c, corruptf("the format %s is not supported, only RIFF", magic)
	case magic != "RIFF" || string(b[8:12]) != "WAVE":
		return c, corruptf("not a WAV file")
	}
	at := 12
	for at+chunkHeaderBytes <= len(b) && (c.format == nil || c.data == nil) {
		name := string(b[at : at+4])
		size := int64(binary.LittleEndian.Uint32(b[at+4:]))
		at += chunkHeaderBytes
		left := int64(len(b) - at)
		if name == "data" && size == sizeUnknown {
			in.Warn("the size of the samples was never filled in, the rest of the file is taken")
			size = left
		}
		if size > left {
			if c.format != nil && c.data != nil || name != "data" && name != "fmt " {
				break
			}
			return c, corruptf("truncated: chunk %q declares %d bytes, %d are left", name, size, left)
		}
		body := b[at : at+int(size) : at+int(size)]
		switch {
		case name == "fmt " && c.format == nil:
			c.format = body
		case name == "data" && c.data == nil:
			c.data = body
		}
		at = nextChunk(b, at+int(size), size%2 == 1)
	}
	switch {
	case c.format == nil:
		return c, corruptf("no fmt chunk")
	case c.data == nil:
		return c, corruptf("no data chunk")
	}
	return c, nil
}

// nextChunk is where the chunk after one that ends at end starts. Odd chunks
// are padded with a zero byte, which some writers forget; then the byte is the
// first of a name.
func nextChunk(b []byte, end int, odd bool) int {
	if !odd || end >= len(b) {
		return end
	}
	if b[end] != 0 && !isName(b[end+1:]) && isName(b[end:]) {
		return end
	}
	return end + 1
}

// isName tells whether a chunk could start here: four printable characters and
// a size.
func isName(b []byte) bool {
	return len(b) >= chunkHeaderBytes && bytes.IndexFunc(b[:4], func(r rune) bool { return r < 0x20 || r > 0x7e }) < 0
}

// encoding is how a sample is stored.
type encoding uint8

const (
	unsigned encoding = iota // 8-bit
	integer
	float
)

// wavFormat is what the fmt chunk says.
type wavFormat struct {
	shape
	encoding encoding
	bytes    int // per sample, container included
}

// formatNames are formats that files really have and that this package lacks.
func formatName(tag uint16) string {
	names := map[uint16]string{
		2: "Microsoft ADPCM", 6: "A-law", 7: "mu-law", 0x11: "IMA ADPCM", 0x31: "GSM 6.10", 0x50: "MPEG", 0x55: "MP3",
		0x161: "Windows Media Audio",
	}
	if name, ok := names[tag]; ok {
		return fmt.Sprintf("%d (%s)", tag, name)
	}
	return fmt.Sprint(tag)
}

// parseFormat reads a fmt chunk, plain or extensible.
func parseFormat(b []byte) (wavFormat, error) {
	const plainBytes, extensibleBytes = 16, 40
	var f wavFormat
	if len(b) < plainBytes {
		return f, corruptf("truncated fmt chunk: %d bytes, want at least %d", len(b), plainBytes)
	}
	le := binary.LittleEndian
	tag, bits := le.Uint16(b), int(le.Uint16(b[14:]))
	f.channels, f.rate = int(le.Uint16(b[2:])), int(le.Uint32(b[4:]))
	blockBytes := int(le.Uint16(b[12:]))
	if tag == 0xfffe {
		if len(b) < extensibleBytes {
			return f, corruptf("truncated fmt chunk: %d bytes, the extensible format has %d", len(b), extensibleBytes)
		}
		// The sub-format is a plain tag in a fixed frame.
		guid := b[24:40]
		if string(guid[2:]) != "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71" {
			return f, corruptf("sub-format %x is not supported", guid)
		}
		tag = le.Uint16(guid)
	}
	if err := f.check(0); err != nil {
		return f, err
	}
	if blockBytes == 0 || blockBytes%f.channels != 0 {
		return f, corruptf("format: frames of %d bytes for %d channels", blockBytes, f.channels)
	}
	f.bytes = blockBytes / f.channels
	if bits < 1 || bits > f.bytes*8 {
		return f, corruptf("format: %d bits in samples of %d bytes", bits, f.bytes)
	}
	switch {
	case tag == 1 && f.bytes == 1:
		f.encoding = unsigned
	case tag == 1 && f.bytes <= 4:
		f.encoding = integer
	case tag == 3 && (f.bytes == 4 || f.bytes == 8):
		f.encoding = float
	case tag == 1 || tag == 3:
		return f, corruptf("format %d with samples of %d bytes is not supported", tag, f.bytes)
	default:
		return f, corruptf("format %s is not supported, only PCM and float", formatName(tag))
	}
	return f, nil
}
