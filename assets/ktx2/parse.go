package ktx2

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"sojourn/assets"
)

// Parse reads the directory of a KTX 2.0 file of sizeBytes: header, level
// index, data format descriptor and key/value pairs. It reads no pixels and
// allocates at most some tens of KiB whatever the file claims. Tail of the
// result is empty and TailLevel is past the last level.
//
// Every offset, size and count is checked: the chain is full, levels are
// contiguous, smallest first, and end where the file ends. The error wraps
// [assets.ErrCorrupt], or [assets.ErrTooLarge] for edges over
// [assets.TextureEdgeMax]; failures of r itself pass through.
func Parse(r io.ReaderAt, sizeBytes int64) (assets.Texture, error) {
	p := parser{r: r, size: max(0, sizeBytes)}
	if err := p.readHeader(); err != nil {
		return assets.Texture{}, err
	}
	if err := p.readLevels(); err != nil {
		return assets.Texture{}, err
	}
	premultiplied, err := p.readDFD()
	if err != nil {
		return assets.Texture{}, err
	}
	if err := p.readKeyValues(); err != nil {
		return assets.Texture{}, err
	}
	if p.tex.HasAlpha && !premultiplied {
		return assets.Texture{}, corrupt("colour is not premultiplied by alpha")
	}
	p.tex.TailLevel = p.tex.Levels
	return p.tex, nil
}

type section struct{ at, n int64 }

func (s section) end() int64 { return s.at + s.n }

type parser struct {
	r    io.ReaderAt
	size int64
	tex  assets.Texture
	dfd  section
	kvd  section
}

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: ktx2: %s", assets.ErrCorrupt, fmt.Sprintf(format, args...))
}

// read fills dst from the offset, which the caller has checked.
func (p *parser) read(dst []byte, at int64) error {
	if at+int64(len(dst)) > p.size {
		return corrupt("cut short: bytes %d..%d of %d", at, at+int64(len(dst)), p.size)
	}
	_, err := io.ReadFull(io.NewSectionReader(p.r, at, int64(len(dst))), dst)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return corrupt("cut short: bytes %d..%d are not there", at, at+int64(len(dst)))
	}
	return err
}

func (p *parser) readHeader() error {
	var h [headerBytes]byte
	if err := p.read(h[:], 0); err != nil {
		return err
	}
	if string(h[:len(identifier)]) != identifier {
		return corrupt("this is not a KTX 2.0 file")
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(h[at:]) }
	format := u32(atFormat)
	switch {
	case format != formatSRGB && format != formatUnorm:
		return corrupt("vkFormat %d; only R8G8B8A8 UNORM (%d) and SRGB (%d) are taken", format, formatUnorm, formatSRGB)
	case u32(atTypeSize) != 1:
		return corrupt("typeSize %d, want 1", u32(atTypeSize))
	case u32(atDepth) != 0 || u32(atLayers) != 0 || u32(atFaces) != 1:
		return corrupt("depth %d, layers %d, faces %d; only single 2D images are taken", u32(atDepth), u32(atLayers), u32(atFaces))
	case u32(atScheme) != 0:
		return corrupt("supercompression scheme %d is not taken", u32(atScheme))
	case binary.LittleEndian.Uint64(h[atGlobalOffset:]) != 0 || binary.LittleEndian.Uint64(h[atGlobalBytes:]) != 0:
		return corrupt("supercompression data without supercompression")
	}
	width, height, levels := int64(u32(atWidth)), int64(u32(atHeight)), u32(atLevels)
	if err := checkEdges(width, height); err != nil {
		return fmt.Errorf("ktx2: %w", err)
	}
	if want := LevelCount(int(width), int(height)); int64(levels) != int64(want) {
		return corrupt("%d levels, want the full chain of %d for %dx%d texels", levels, want, width, height)
	}
	p.tex.Width, p.tex.Height = int32(width), int32(height)
	p.tex.Levels = int32(levels)
	p.tex.SRGB = format == formatSRGB
	p.dfd = section{int64(u32(atDFDOffset)), int64(u32(atDFDBytes))}
	p.kvd = section{int64(u32(atKeyValOffset)), int64(u32(atKeyValBytes))}
	return p.checkSections()
}

// checkSections holds the two directories to their order, size and place.
func (p *parser) checkSections() error {
	indexEnd := headerBytes + int64(p.tex.Levels)*levelEntryBytes
	switch {
	case p.dfd.n > dfdBytesMax:
		return corrupt("data format descriptor of %d bytes, at most %d", p.dfd.n, dfdBytesMax)
	case p.dfd.at != indexEnd || p.dfd.end() > p.size:
		return corrupt("data format descriptor at bytes %d..%d of %d, want it at %d", p.dfd.at, p.dfd.end(), p.size, indexEnd)
	case p.kvd.n == 0:
		p.kvd.at = p.dfd.end()
	case p.kvd.n > keyValueBytesMax:
		return corrupt("key/value data of %d bytes, at most %d", p.kvd.n, keyValueBytesMax)
	case p.kvd.at < p.dfd.end() || p.kvd.at%4 != 0 || p.kvd.end() > p.size:
		return corrupt("key/value data at bytes %d..%d of %d, want it from %d on", p.kvd.at, p.kvd.end(), p.size, p.dfd.end())
	}
	return nil
}

func (p *parser) readLevels() error {
	var index [assets.MipsMax * levelEntryBytes]byte
	levels := int(p.tex.Levels)
	if err := p.read(index[:levels*levelEntryBytes], headerBytes); err != nil {
		return err
	}
	next := int64(-1) // where the level must start; -1: anywhere after the directory
	for i := levels - 1; i >= 0; i-- {
		entry := index[i*levelEntryBytes:]
		offset := binary.LittleEndian.Uint64(entry)
		size := binary.LittleEndian.Uint64(entry[8:])
		raw := binary.LittleEndian.Uint64(entry[16:])
		w, h := LevelSize(int(p.tex.Width), int(p.tex.Height), i)
		want := uint64(w) * uint64(h) * texelBytes
		switch {
		case size != want || raw != want:
			return corrupt("level %d (%dx%d) has %d bytes (%d unpacked), want %d", i, w, h, size, raw, want)
		case offset > uint64(p.size) || want > uint64(p.size)-offset:
			return corrupt("level %d at bytes %d+%d of %d", i, offset, size, p.size)
		case next >= 0 && int64(offset) != next:
			return corrupt("level %d at byte %d, want %d: levels lie smallest first without gaps", i, offset, next)
		case next < 0 && (int64(offset) < max(p.dfd.end(), p.kvd.end()) || offset%levelAlignBytes != 0):
			return corrupt("levels start at byte %d, want a multiple of %d from %d on", offset, levelAlignBytes, max(p.dfd.end(), p.kvd.end()))
		}
		p.tex.Mips[i] = assets.MipSpan{OffsetBytes: int64(offset), SizeBytes: int64(size), Width: int32(w), Height: int32(h)}
		next = int64(offset) + int64(size)
	}
	if next != p.size {
		return corrupt("%d bytes after the last level", p.size-next)
	}
	return nil
}

// readDFD holds the data format descriptor to the format of the header.
func (p *parser) readDFD() (premultiplied bool, err error) {
	if p.dfd.n < dfdTotalBytes {
		return false, corrupt("data format descriptor of %d bytes, want at least %d", p.dfd.n, dfdTotalBytes)
	}
	d := make([]byte, p.dfd.n)
	if err := p.read(d, p.dfd.at); err != nil {
		return false, err
	}
	le := binary.LittleEndian
	block := d[4:]
	switch {
	case int64(le.Uint32(d)) != p.dfd.n:
		return false, corrupt("data format descriptor says %d bytes, the header %d", le.Uint32(d), p.dfd.n)
	case le.Uint32(block) != 0:
		return false, corrupt("the first data format descriptor is not a basic one")
	case le.Uint16(block[6:]) != dfdBlockBytes:
		return false, corrupt("basic data format descriptor of %d bytes, want %d", le.Uint16(block[6:]), dfdBlockBytes)
	case block[8] != dfdModelRGBSDA:
		return false, corrupt("colour model %d, want %d", block[8], dfdModelRGBSDA)
	case block[10] != transferOf(p.tex.SRGB):
		return false, corrupt("transfer function %d, want %d for this vkFormat", block[10], transferOf(p.tex.SRGB))
	case le.Uint32(block[12:]) != 0 || le.Uint64(block[16:]) != texelBytes:
		return false, corrupt("texel blocks are not one texel of %d bytes in one plane", texelBytes)
	}
	for i, channel := range dfdChannels {
		s := block[dfdBlockHeadBytes+i*dfdSampleBytes:]
		if int(le.Uint16(s)) != i*8 || s[2] != 8-1 || s[3]&dfdChannelMask != channel {
			return false, corrupt("sample %d is bits %d+%d of channel %d; want RGBA, 8 bits each",
				i, le.Uint16(s), int(s[2])+1, s[3]&dfdChannelMask)
		}
	}
	return block[11]&dfdFlagPremultiplied != 0, nil
}

func (p *parser) readKeyValues() error {
	p.tex.HasAlpha = true // unless the file says otherwise
	if p.kvd.n == 0 {
		return nil
	}
	kv := make([]byte, p.kvd.n)
	if err := p.read(kv, p.kvd.at); err != nil {
		return err
	}
	for len(kv) > 0 {
		if len(kv) < 4 {
			return corrupt("%d stray bytes after the key/value pairs", len(kv))
		}
		n := int64(binary.LittleEndian.Uint32(kv))
		kv = kv[4:]
		if n < 2 || n > int64(len(kv)) {
			return corrupt("key/value pair of %d bytes, %d left", n, len(kv))
		}
		key, value, ok := bytes.Cut(kv[:n], []byte{0})
		if !ok || len(key) == 0 {
			return corrupt("key/value pair without a key")
		}
		if err := p.note(string(key), string(bytes.TrimSuffix(value, []byte{0}))); err != nil {
			return err
		}
		kv = kv[min(alignUp(int(n), 4), len(kv)):]
	}
	return nil
}

func (p *parser) note(key, value string) error {
	switch {
	case key == keyAlpha && value != "0" && value != "1":
		return corrupt("%s is %.20q, want 0 or 1", key, value)
	case key == keyAlpha:
		p.tex.HasAlpha = value == "1"
	case key == keyOrientation && value != orientationTopDown:
		return corrupt("%s is %.20q, want %q", key, value, orientationTopDown)
	}
	return nil
}
