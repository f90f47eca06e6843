package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"golang.org/x/image/webp"

	"sojourn/assets"
)

// Decode reads a whole picture as straight-alpha, 8-bit RGBA whose rows lie
// without gaps and whose bounds start at zero. The format is told by content,
// never by name; name is only for the error, which wraps [assets.ErrCorrupt]
// or [assets.ErrTooLarge]. The caller owns the image.
//
// Deeper channels are rounded to 8 bits, shallower ones spread over the full
// range. Embedded colour profiles and orientation tags are ignored, as glTF
// asks.
func Decode(name string, data []byte) (*image.NRGBA, Info, error) {
	m, info, err := decode(data)
	if err != nil {
		return nil, Info{}, fmt.Errorf("%s: %w", name, err)
	}
	return m, info, nil
}

func decode(data []byte) (m *image.NRGBA, info Info, err error) {
	// The decoders below are not ours; a panic of theirs is a damaged file.
	defer func() {
		if r := recover(); r != nil {
			m, info, err = nil, Info{}, fmt.Errorf("%w: the %v decoder panicked: %v", assets.ErrCorrupt, info.Format, r)
		}
	}()
	if info, err = Inspect(data); err != nil {
		return nil, Info{}, err
	}
	var src image.Image
	switch info.Format {
	case PNG:
		if err = checkBlocks(data); err == nil {
			src, err = png.Decode(bytes.NewReader(data))
		}
	case JPEG:
		src, err = decodeJPEG(data)
	case WebP:
		src, err = webp.Decode(bytes.NewReader(data))
	}
	if err != nil {
		return nil, Info{}, reword(err)
	}
	if b := src.Bounds(); b.Dx() != info.Width || b.Dy() != info.Height {
		return nil, Info{}, fmt.Errorf("%w: the header says %dx%d, the pixels are %dx%d",
			assets.ErrCorrupt, info.Width, info.Height, b.Dx(), b.Dy())
	}
	if video, ok := src.(*image.YCbCr); ok && info.Format == WebP {
		m = videoRange(video)
	} else {
		m = straight(src)
	}
	info.HasAlpha = !m.Opaque()
	return m, info, nil
}

// adobeMarker says "four inks, stored inverted", as Adobe's programs write.
const adobeMarker = "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"

// decodeJPEG also takes four-ink files without Adobe's marker, which the
// library refuses. Nearly every program writes and reads inks inverted, marker
// or not, so they are read that way.
func decodeJPEG(data []byte) (image.Image, error) {
	m, err := jpeg.Decode(bytes.NewReader(data))
	if err == nil || !strings.Contains(err.Error(), "Adobe APP14") {
		return m, err
	}
	return jpeg.Decode(io.MultiReader(bytes.NewReader(data[:2]), strings.NewReader(adobeMarker), bytes.NewReader(data[2:])))
}

// reword says what went wrong in the same words for every format.
func reword(err error) error {
	text := err.Error()
	switch {
	case errors.Is(err, assets.ErrCorrupt):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF),
		strings.Contains(text, "short chunk"), strings.Contains(text, "missing chunk"),
		strings.Contains(text, "not enough pixel data"):
		return fmt.Errorf("%w: truncated: unexpected end (%v)", assets.ErrCorrupt, err)
	case strings.Contains(text, "checksum"):
		return fmt.Errorf("%w: checksum mismatch (%v)", assets.ErrCorrupt, err)
	}
	return fmt.Errorf("%w: %v", assets.ErrCorrupt, err)
}
