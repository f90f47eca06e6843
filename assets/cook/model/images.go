package model

import (
	"image"
	"image/draw"
	"path"
	"strings"

	"sojourn/assets/cook/picture"
)

// imageFile is an image's encoded bytes and where they came from.
type imageFile struct {
	data []byte
	// at is the file's path inside the content root; empty for images inside
	// the model.
	at string
}

// image finds the bytes of an image.
func (d *document) image(i int) (imageFile, error) {
	m, err := pick("image", d.Images, i)
	if err != nil {
		return imageFile{}, err
	}
	switch {
	case m.BufferView != nil:
		v, err := d.view(*m.BufferView)
		if err != nil {
			return imageFile{}, corruptf("image %d: %w", i, err)
		}
		return imageFile{data: v.bytes}, nil
	case m.URI == "":
		return imageFile{}, corruptf("image %d: it has neither a URI nor a bufferView", i)
	case isDataURI(m.URI):
		data, err := dataURI(m.URI)
		if err != nil {
			return imageFile{}, corruptf("image %d: %w", i, err)
		}
		return imageFile{data: data}, nil
	}
	data, at, err := d.readURI(m.URI)
	if err != nil {
		return imageFile{}, corruptf("image %d: %w", i, err)
	}
	return imageFile{data, at}, nil
}

// ownStem is the stem under which the cook makes a texture of the image file
// itself, in the wanted encoding. None for files that the cook would leave
// alone, and for names with a '#', which in a stem starts a part.
func (f imageFile) ownStem(linear bool) (string, bool) {
	suffix := path.Ext(f.at)
	stem := strings.TrimSuffix(f.at, suffix)
	switch strings.ToLower(suffix) {
	case ".png", ".jpg", ".jpeg", ".webp":
	default:
		return "", false
	}
	if strings.Contains(stem, "#") || picture.LinearByName(stem) != linear {
		return "", false
	}
	return stem, true
}

// setOpaque drops the alpha of an image.
func setOpaque(m *image.NRGBA) {
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 255
	}
}

// packORM makes one map out of occlusion (its red) and roughness and metalness
// (green and blue of the other). Either may be nil and counts as full. The
// smaller one is stretched to the size of the larger, per axis.
func packORM(occlusion, rough *image.NRGBA) *image.NRGBA {
	var size image.Point
	for _, m := range [...]*image.NRGBA{occlusion, rough} {
		if m != nil {
			size.X, size.Y = max(size.X, m.Rect.Dx()), max(size.Y, m.Rect.Dy())
		}
	}
	out := image.NewNRGBA(image.Rectangle{Max: size})
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	if rough != nil {
		each(out, rough, func(dst, src []byte) { dst[1], dst[2] = src[1], src[2] })
	}
	if occlusion != nil {
		each(out, occlusion, func(dst, src []byte) { dst[0] = src[0] })
	}
	return out
}

// each pairs every texel of dst with the texel of src at the same place.
func each(dst, src *image.NRGBA, set func(dst, src []byte)) {
	w, h := dst.Rect.Dx(), dst.Rect.Dy()
	for y := range h {
		row := src.Pix[y*src.Rect.Dy()/h*src.Stride:]
		for x := range w {
			at := x * src.Rect.Dx() / w * 4
			set(dst.Pix[y*dst.Stride+x*4:], row[at:at+4])
		}
	}
}
