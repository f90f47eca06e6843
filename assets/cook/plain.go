package cook

import (
	"fmt"
	"path"
	"strings"

	"golang.org/x/image/font/sfnt"

	"sojourn/assets"
	"sojourn/assets/cook/picture"
	"sojourn/assets/cook/unit"
	"sojourn/assets/docfile"
)

// importBlob takes the file as it is. A texture that is cooked already is
// stored raw, as the engine reads it in ranges.
func importBlob(in *unit.Input, emit func(unit.Output)) error {
	emit(unit.Output{
		Key:  assets.Key{Stem: in.Stem, Kind: assets.KindBlob},
		Data: in.Data, Raw: strings.HasSuffix(in.Stem, picture.Suffix),
	})
	return nil
}

// importFont keeps the file but takes only what parses as a font with glyphs.
func importFont(in *unit.Input, emit func(unit.Output)) error {
	f, err := sfnt.Parse(in.Data)
	if err != nil {
		return fmt.Errorf("%w: not a usable font: %v", assets.ErrCorrupt, err)
	}
	if f.NumGlyphs() == 0 {
		return fmt.Errorf("%w: the font has no glyphs", assets.ErrCorrupt)
	}
	emit(unit.Output{
		Key:    assets.Key{Stem: in.Stem, Kind: assets.KindFont},
		Suffix: strings.ToLower(path.Ext(in.Path)), Data: in.Data,
	})
	return nil
}

func importMaterial(in *unit.Input, emit func(unit.Output)) error {
	m, err := docfile.ParseMaterialJSON(path.Base(in.Path), in.Data)
	if err != nil {
		return err
	}
	data, err := docfile.EncodeMaterial(&m)
	if err != nil {
		return err
	}
	emit(unit.Output{Key: assets.Key{Stem: in.Stem, Kind: assets.KindMaterial}, Suffix: ".material", Data: data})
	return nil
}

func importScene(in *unit.Input, emit func(unit.Output)) error {
	s, err := docfile.ParseSceneJSON(path.Base(in.Path), in.Data)
	if err != nil {
		return err
	}
	data, err := docfile.EncodeScene(&s)
	if err != nil {
		return err
	}
	emit(unit.Output{Key: assets.Key{Stem: in.Stem, Kind: assets.KindScene}, Suffix: ".scene", Data: data})
	return nil
}

func importParticles(in *unit.Input, emit func(unit.Output)) error {
	p, err := docfile.ParseParticlesJSON(path.Base(in.Path), in.Data)
	if err != nil {
		return err
	}
	data, err := docfile.EncodeParticles(&p)
	if err != nil {
		return err
	}
	emit(unit.Output{Key: assets.Key{Stem: in.Stem, Kind: assets.KindParticle}, Suffix: ".particle", Data: data})
	return nil
}
