package picture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/jpeg"

	"golang.org/x/image/webp"

	"sojourn/assets"
)

// PixelsMax bounds width times height of one picture.
const PixelsMax = 64 << 20

// Format is an image file format, told by content.
type Format uint8

// The formats.
const (
	Unknown Format = iota
	PNG
	JPEG
	WebP
)

// String is the format's name.
func (f Format) String() string {
	switch f {
	case PNG:
		return "PNG"
	case JPEG:
		return "JPEG"
	case WebP:
		return "WebP"
	}
	return "unknown format"
}

// Info is what a picture file says about itself.
type Info struct {
	Format        Format
	Width, Height int // texels
	// WorkBytes is about how much memory decoding and encoding takes, by which
	// callers can bound what runs at once.
	WorkBytes int64
	// HasAlpha tells whether some texel is not opaque. Only [Decode] sets it.
	HasAlpha bool
}

const (
	pngSignature  = "\x89PNG\r\n\x1a\n"
	pngHeaderEnd  = 8 + 8 + 13 + 4 // signature, then length, name, body and checksum of IHDR
	jpegSignature = "\xff\xd8\xff"
)

// Inspect reads the header and checks every limit, without taking memory for
// pixels. The error wraps [assets.ErrCorrupt] or [assets.ErrTooLarge] and does
// not name the file.
func Inspect(data []byte) (Info, error) {
	if len(data) == 0 {
		return Info{}, fmt.Errorf("%w: the file is empty", assets.ErrCorrupt)
	}
	info := Info{Format: sniff(data)}
	var err error
	var workPerPixel int64
	switch info.Format {
	case PNG:
		workPerPixel, err = inspectPNG(data, &info)
	case JPEG:
		workPerPixel, err = inspectJPEG(data, &info)
	case WebP:
		workPerPixel, err = inspectWebP(data, &info)
	default:
		err = fmt.Errorf("%w: the content is not PNG, JPEG or WebP", assets.ErrCorrupt)
	}
	if err != nil {
		return Info{}, err
	}
	if err := checkSize(info.Width, info.Height); err != nil {
		return Info{}, err
	}
	if err := checkEnough(data, info); err != nil {
		return Info{}, err
	}
	info.WorkBytes = int64(len(data)) + int64(info.Width)*int64(info.Height)*(workPerPixel+encodeWorkPerPixel)
	return info, nil
}

// sniff also recognises a file that was cut inside its signature.
func sniff(data []byte) Format {
	head := data[:min(len(data), 12)]
	isCut := func(signature string) bool {
		n := min(len(head), len(signature))
		return string(head[:n]) == signature[:n]
	}
	switch {
	case isCut(pngSignature):
		return PNG
	case isCut(jpegSignature):
		return JPEG
	case isCut("RIFF") && (len(head) < 12 || string(head[8:12]) == "WEBP"):
		return WebP
	}
	return Unknown
}

func checkSize(width, height int) error {
	switch {
	case width <= 0 || height <= 0:
		return fmt.Errorf("%w: the size %dx%d is zero or negative", assets.ErrCorrupt, width, height)
	case width > assets.TextureEdgeMax || height > assets.TextureEdgeMax:
		return fmt.Errorf("%w: %dx%d texels, the limit is %d a side", assets.ErrTooLarge, width, height, assets.TextureEdgeMax)
	case int64(width)*int64(height) > PixelsMax:
		return fmt.Errorf("%w: %dx%d is %d texels, the limit is %d",
			assets.ErrTooLarge, width, height, int64(width)*int64(height), PixelsMax)
	}
	return nil
}

func inspectPNG(data []byte, info *Info) (workPerPixel int64, err error) {
	if len(data) < pngHeaderEnd {
		return 0, fmt.Errorf("%w: truncated in the header, %d of %d bytes", assets.ErrCorrupt, len(data), pngHeaderEnd)
	}
	if string(data[12:16]) != "IHDR" {
		return 0, fmt.Errorf("%w: the first block is not IHDR", assets.ErrCorrupt)
	}
	width, height := binary.BigEndian.Uint32(data[16:]), binary.BigEndian.Uint32(data[20:])
	if width > 1<<31-1 || height > 1<<31-1 {
		return 0, fmt.Errorf("%w: %dx%d texels, the limit is %d a side", assets.ErrTooLarge, width, height, assets.TextureEdgeMax)
	}
	info.Width, info.Height = int(width), int(height)
	if data[24] == 16 {
		return 8, nil
	}
	return 4, nil
}

// checkBlocks holds every block to its length and checksum up front: damaged
// pixels would otherwise surface as some fault of the decompressor.
func checkBlocks(data []byte) error {
	const frame = 4 + 4 + 4 // length, name, checksum
	for at := len(pngSignature); at < len(data); {
		rest := data[at:]
		if len(rest) < frame {
			return fmt.Errorf("%w: truncated: unexpected end between blocks", assets.ErrCorrupt)
		}
		n, name := int64(binary.BigEndian.Uint32(rest)), rest[4:8]
		if n > int64(len(rest)-frame) {
			return fmt.Errorf("%w: truncated: unexpected end in block %q, %d of %d bytes", assets.ErrCorrupt, name, len(rest)-frame, n)
		}
		if crc32.ChecksumIEEE(rest[4:8+n]) != binary.BigEndian.Uint32(rest[8+n:]) {
			return fmt.Errorf("%w: checksum mismatch in block %q", assets.ErrCorrupt, name)
		}
		if string(name) == "IEND" {
			return nil
		}
		at += frame + int(n)
	}
	return fmt.Errorf("%w: truncated: unexpected end before the last block", assets.ErrCorrupt)
}

func inspectJPEG(data []byte, info *Info) (workPerPixel int64, err error) {
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, reword(err)
	}
	info.Width, info.Height = c.Width, c.Height
	// A progressive file keeps a 32-bit coefficient for each sample.
	return 4 + 4*4, nil
}

func inspectWebP(data []byte, info *Info) (workPerPixel int64, err error) {
	if len(data) >= 30 && string(data[12:16]) == "VP8X" {
		edge := func(b []byte) int { return 1 + int(b[0]) + int(b[1])<<8 + int(b[2])<<16 }
		if err := checkSize(edge(data[24:]), edge(data[27:])); err != nil {
			return 0, err
		}
	}
	c, err := webp.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, reword(err)
	}
	info.Width, info.Height = c.Width, c.Height
	return 8, nil
}

// Least bytes a format needs for a picture, used to refuse a small file that
// claims a large picture before the pixels are allocated.
const (
	deflateRatioMax     = 1032 // of zlib, PNG's compression
	jpegTexelsPerBitMax = 64   // each 8x8 block takes a bit at least
)

func checkEnough(data []byte, info Info) error {
	w, h := int64(info.Width), int64(info.Height)
	var need int64
	switch info.Format {
	case PNG:
		channels := map[byte]int64{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[data[25]]
		need = h * ((w*channels*int64(data[24]) + 7) / 8) / deflateRatioMax
	case JPEG:
		need = w * h / jpegTexelsPerBitMax / 8
	}
	if int64(len(data)) < need {
		return fmt.Errorf("%w: truncated: %dx%d texels need at least %d bytes, the file has %d",
			assets.ErrCorrupt, w, h, need, len(data))
	}
	return nil
}
