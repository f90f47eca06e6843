package ktx2

import (
	"encoding/binary"
	"fmt"

	"sojourn/assets"
)

// Levels is an image with its full mip chain, as [Encode] takes it.
type Levels struct {
	Width, Height int  // of level 0, in texels
	SRGB          bool // colour is sRGB-encoded; alpha never is
	HasAlpha      bool // some texel is not opaque
	// Pixels is one block per level, level 0 (the finest) first: RGBA, 8 bits
	// each, rows top to bottom, colour premultiplied by alpha. The chain goes
	// down to 1x1, halving and rounding down.
	Pixels [][]byte
}

// Encode makes a KTX 2.0 file. The result is the caller's; equal levels give
// equal bytes. The error wraps [assets.ErrTooLarge] for edges over
// [assets.TextureEdgeMax], and [assets.ErrCorrupt] for a chain that is not
// full or whose levels have the wrong size.
func Encode(l *Levels) ([]byte, error) {
	if err := checkLevels(l); err != nil {
		return nil, err
	}
	count := len(l.Pixels)
	keyValues := encodeKeyValues(l.HasAlpha)
	dfdAt := headerBytes + count*levelEntryBytes
	keyValAt := dfdAt + dfdTotalBytes
	pixelsAt := alignUp(keyValAt+len(keyValues), levelAlignBytes)
	total := pixelsAt
	for _, p := range l.Pixels {
		total += len(p)
	}

	out := make([]byte, total)
	le := binary.LittleEndian
	copy(out, identifier)
	le.PutUint32(out[atFormat:], formatOf(l.SRGB))
	le.PutUint32(out[atTypeSize:], 1)
	le.PutUint32(out[atWidth:], uint32(l.Width))
	le.PutUint32(out[atHeight:], uint32(l.Height))
	le.PutUint32(out[atFaces:], 1)
	le.PutUint32(out[atLevels:], uint32(count))
	le.PutUint32(out[atDFDOffset:], uint32(dfdAt))
	le.PutUint32(out[atDFDBytes:], dfdTotalBytes)
	le.PutUint32(out[atKeyValOffset:], uint32(keyValAt))
	le.PutUint32(out[atKeyValBytes:], uint32(len(keyValues)))
	putDFD(out[dfdAt:keyValAt], l.SRGB)
	copy(out[keyValAt:], keyValues)

	at := pixelsAt
	for i := count - 1; i >= 0; i-- {
		p := l.Pixels[i]
		entry := out[headerBytes+i*levelEntryBytes:]
		le.PutUint64(entry, uint64(at))
		le.PutUint64(entry[8:], uint64(len(p)))
		le.PutUint64(entry[16:], uint64(len(p)))
		at += copy(out[at:], p)
	}
	return out, nil
}

func checkLevels(l *Levels) error {
	if err := checkEdges(int64(l.Width), int64(l.Height)); err != nil {
		return err
	}
	if want := LevelCount(l.Width, l.Height); len(l.Pixels) != want {
		return fmt.Errorf("%w: %dx%d texels need %d levels, there are %d",
			assets.ErrCorrupt, l.Width, l.Height, want, len(l.Pixels))
	}
	for i, p := range l.Pixels {
		w, h := LevelSize(l.Width, l.Height, i)
		if len(p) != w*h*texelBytes {
			return fmt.Errorf("%w: level %d (%dx%d) has %d bytes of pixels, want %d",
				assets.ErrCorrupt, i, w, h, len(p), w*h*texelBytes)
		}
	}
	return nil
}

func checkEdges(width, height int64) error {
	if width < 1 || height < 1 {
		return fmt.Errorf("%w: %dx%d texels", assets.ErrCorrupt, width, height)
	}
	if width > assets.TextureEdgeMax || height > assets.TextureEdgeMax {
		return fmt.Errorf("%w: %dx%d texels, at most %d a side",
			assets.ErrTooLarge, width, height, assets.TextureEdgeMax)
	}
	return nil
}

func formatOf(srgb bool) uint32 {
	if srgb {
		return formatSRGB
	}
	return formatUnorm
}

func transferOf(srgb bool) byte {
	if srgb {
		return dfdTransferSRGB
	}
	return dfdTransferLinear
}

func putDFD(out []byte, srgb bool) {
	le := binary.LittleEndian
	le.PutUint32(out, dfdTotalBytes)
	block := out[4:]
	le.PutUint16(block[4:], dfdVersion)
	le.PutUint16(block[6:], dfdBlockBytes)
	block[8] = dfdModelRGBSDA
	block[9] = dfdPrimariesBT709
	block[10] = transferOf(srgb)
	block[11] = dfdFlagPremultiplied
	block[16] = texelBytes // of plane 0; block dimensions stay 0, which means 1
	for i, channel := range dfdChannels {
		s := block[dfdBlockHeadBytes+i*dfdSampleBytes:]
		le.PutUint16(s, uint16(i*8))
		s[2] = 8 - 1
		s[3] = channel
		if srgb && i == dfdSamples-1 {
			s[3] |= dfdChannelLinear
		}
		le.PutUint32(s[12:], 255)
	}
}

func encodeKeyValues(hasAlpha bool) []byte {
	alpha := "0"
	if hasAlpha {
		alpha = "1"
	}
	var out []byte
	// The format wants the keys sorted.
	for _, kv := range [...][2]string{{keyOrientation, orientationTopDown}, {keyWriter, "sojourn"}, {keyAlpha, alpha}} {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(kv[0])+1+len(kv[1])+1))
		out = append(out, kv[0]...)
		out = append(out, 0)
		out = append(out, kv[1]...)
		out = append(out, 0)
		out = append(out, make([]byte, alignUp(len(out), 4)-len(out))...)
	}
	return out
}

func alignUp(n, to int) int { return (n + to - 1) / to * to }
