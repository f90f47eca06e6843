package model

import (
	"encoding/json"
	"fmt"
	"image"

	"sojourn/assets"
	"sojourn/assets/cook/picture"
)

// use says what a material reads from an image.
type use uint8

const (
	useColor  use = iota // sRGB, alpha counts
	useOpaque            // sRGB, alpha is not used
	useNormal            // linear
	useORM               // linear, of up to two images
)

// textureKey identifies a cooked texture.
type textureKey struct {
	use      use
	image    int // -1: none (occlusion alone)
	packWith int // useORM: the image with the occlusion; -1: none
}

// textures cooks images once for each use.
type textures struct {
	d      *document
	parts  *parts
	stems  map[textureKey]string
	texels int64 // cooked so far
}

// source is the image behind a texture.
func (t *textures) source(texture int) (int, error) {
	x, err := pick("texture", t.d.Textures, texture)
	if err != nil {
		return 0, err
	}
	if raw, ok := x.Extensions[extWebP].(json.RawMessage); ok {
		var webp struct{ Source *int }
		if err := json.Unmarshal(raw, &webp); err != nil {
			return 0, corruptf("texture %d: %s: %w", texture, extWebP, err)
		}
		if webp.Source != nil {
			return *webp.Source, nil
		}
	}
	if x.Source == nil {
		return 0, corruptf("texture %d has no image", texture)
	}
	return *x.Source, nil
}

// stem gives the stem of a texture, cooking it when first asked for.
func (t *textures) stem(key textureKey) (string, error) {
	if s, ok := t.stems[key]; ok {
		return s, nil
	}
	s, err := t.cook(key)
	if err == nil {
		t.stems[key] = s
	}
	return s, err
}

func (t *textures) cook(key textureKey) (string, error) {
	if key.use == useORM {
		return t.cookORM(key)
	}
	f, err := t.d.image(key.image)
	if err != nil {
		return "", err
	}
	own, isFile := f.ownStem(key.use == useNormal)
	if isFile && key.use != useOpaque {
		return own, nil
	}
	m, info, err := t.decode(key.image, f)
	if err != nil {
		return "", err
	}
	part := ""
	switch {
	case key.use == useNormal:
		part = fmt.Sprintf("normal-%d", key.image)
	case key.use == useColor:
		part = fmt.Sprintf("image-%d", key.image)
	case info.HasAlpha:
		setOpaque(m)
		part = fmt.Sprintf("opaque-%d", key.image)
	default: // opaque already: share it with those that look at alpha
		if isFile {
			return own, nil
		}
		return t.stem(textureKey{useColor, key.image, -1})
	}
	return t.emit(part, m, key.use == useNormal)
}

func (t *textures) cookORM(key textureKey) (string, error) {
	var rough, occlusion *image.NRGBA
	part := "orm"
	if key.image >= 0 {
		m, err := t.open(key.image)
		if err != nil {
			return "", err
		}
		rough = m
		part += fmt.Sprintf("-%d", key.image)
	}
	switch {
	case key.packWith < 0:
	case key.packWith == key.image:
		occlusion = rough
		part += "-packed"
	default:
		m, err := t.open(key.packWith)
		if err != nil {
			return "", err
		}
		occlusion = m
		part += fmt.Sprintf("-occlusion-%d", key.packWith)
	}
	return t.emit(part, packORM(occlusion, rough), true)
}

func (t *textures) open(i int) (*image.NRGBA, error) {
	f, err := t.d.image(i)
	if err != nil {
		return nil, err
	}
	m, _, err := t.decode(i, f)
	return m, err
}

// decode reads the pixels, after their number was charged.
func (t *textures) decode(i int, f imageFile) (*image.NRGBA, picture.Info, error) {
	name := fmt.Sprintf("image %d", i)
	if f.at != "" {
		name += " " + shown(f.at)
	}
	info, err := picture.Inspect(f.data)
	if err != nil {
		return nil, info, fmt.Errorf("%s: %w", name, err)
	}
	if t.texels += int64(info.Width) * int64(info.Height); t.texels > texelsMax {
		return nil, info, tooLargef("%s: the textures of a model may have %d texels together", name, int64(texelsMax))
	}
	return picture.Decode(name, f.data)
}

func (t *textures) emit(part string, m *image.NRGBA, linear bool) (string, error) {
	if t.texels += int64(m.Rect.Dx()) * int64(m.Rect.Dy()); t.texels > texelsMax {
		return "", tooLargef("%s: the textures of a model may have %d texels together", part, int64(texelsMax))
	}
	data, err := picture.Encode(m, picture.Options{Linear: linear})
	if err != nil {
		return "", fmt.Errorf("%s: %w", part, err)
	}
	stem := t.parts.name(part)
	return stem, t.parts.put(assets.KindTexture, stem, picture.Suffix, data, true)
}
