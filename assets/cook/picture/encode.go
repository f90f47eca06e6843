package picture

import (
	"image"
	"path"
	"strings"

	"sojourn/assets"
	"sojourn/assets/cook/unit"
	"sojourn/assets/ktx2"
)

// Options says how a picture becomes a texture.
type Options struct {
	// Linear marks a data map, such as normals or occlusion-roughness-metal:
	// values are averaged as they are, not as sRGB light, and alpha is dropped.
	Linear bool
}

// Encode makes a KTX2 file of RGBA8 with every level down to 1x1. The image is
// straight alpha and is not changed; colour maps are averaged in linear light
// weighted by alpha, then multiplied by alpha once. Sizes are kept as they
// are, powers of two or not. The error wraps [assets.ErrTooLarge] or
// [assets.ErrCorrupt].
func Encode(img *image.NRGBA, o Options) ([]byte, error) {
	if err := checkSize(img.Rect.Dx(), img.Rect.Dy()); err != nil {
		return nil, err
	}
	levels, hasAlpha := chain(img, o.Linear)
	return ktx2.Encode(&ktx2.Levels{
		Width: img.Rect.Dx(), Height: img.Rect.Dy(),
		SRGB: !o.Linear, HasAlpha: hasAlpha, Pixels: levels,
	})
}

// Suffix completes the name of a cooked texture.
const Suffix = ".ktx2"

// linearNames end the stems of pictures that hold data, not colour.
func linearNames() []string { return []string{"_normal", "_orm", "_height", "_data"} }

// LinearByName tells whether a lone picture file holds data: its stem ends in
// _normal, _orm, _height or _data, in any case.
func LinearByName(stem string) bool {
	base := strings.ToLower(path.Base(stem))
	for _, end := range linearNames() {
		if strings.HasSuffix(base, end) {
			return true
		}
	}
	return false
}

// Import cooks one image file to one texture at its stem; see [LinearByName]
// for what makes it a data map. It is a [unit.Importer].
func Import(in *unit.Input, emit func(unit.Output)) error {
	img, _, err := decode(in.Data)
	if err != nil {
		return err
	}
	data, err := Encode(img, Options{Linear: LinearByName(in.Stem)})
	if err != nil {
		return err
	}
	key, err := assets.NewKey(in.Stem, assets.KindTexture)
	if err != nil {
		return err
	}
	emit(unit.Output{Key: key, Suffix: Suffix, Data: data, Raw: true})
	return nil
}
