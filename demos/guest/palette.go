package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"unicode/utf8"
	"unsafe"

	"sojourn/assets"
)

// KindPalette is the first kind the engine leaves free.
const KindPalette = assets.NumBuiltinKinds

// Limits of a palette file. What is over them is refused before anything is
// allocated for it.
const (
	paletteBytesMax  = 1 << 20
	paletteColorsMax = 4096
	colorNameMax     = 64 // bytes
)

// yieldLines is how many lines are parsed between two yields.
const yieldLines = 256

// Color is one named color of a palette.
type Color struct {
	RGB  [3]uint8
	Name string
}

// Palette is the decoded form of a .palette file: the line "palette 1", then a
// line "#rrggbb name" for each color. Blank lines, and comments that begin with
// "# ", are left out.
type Palette struct {
	Colors []Color
	bytes  int64
}

// PaletteKind is what a store is opened with to load palettes.
func PaletteKind() assets.KindSpec {
	return assets.NewKindSpec(assets.KindOptions[Palette]{
		Kind:     KindPalette,
		Name:     "palette",
		Suffixes: []string{".palette"},
		Decode:   decodePalette,
		Size:     func(p *Palette) assets.Footprint { return assets.Footprint{OwnedBytes: p.bytes} },
	})
}

// decodePalette runs on a worker. The store adds key, entry and source to what
// it says.
func decodePalette(l *assets.Load, out *Palette) error {
	if n := l.SizeBytes(); n > paletteBytesMax {
		return fmt.Errorf("%w: %d bytes, at most %d", assets.ErrTooLarge, n, paletteBytesMax)
	}
	block, err := l.ReadAll()
	if err != nil {
		return err
	}
	defer block.Free() // colors are copied out of it
	p, err := parsePalette(block.Slice(), l.Yield)
	if err != nil {
		return err
	}
	*out = p
	return nil
}

// parsePalette reads a whole file, yielding after each yieldLines lines.
func parsePalette(text []byte, yield func() error) (Palette, error) {
	var p Palette
	for number := 1; len(text) > 0; number++ {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		line = bytes.TrimSpace(line)
		if number == 1 {
			if string(line) != "palette 1" {
				return Palette{}, fmt.Errorf(`%w: line 1: not "palette 1"`, assets.ErrCorrupt)
			}
			continue
		}
		if number%yieldLines == 0 {
			if err := yield(); err != nil {
				return Palette{}, err
			}
		}
		if len(line) == 0 || bytes.HasPrefix(line, []byte("# ")) {
			continue
		}
		c, err := parseColor(line)
		if err != nil {
			return Palette{}, fmt.Errorf("line %d: %w", number, err)
		}
		if len(p.Colors) == paletteColorsMax {
			return Palette{}, fmt.Errorf("line %d: %w: more than %d colors", number, assets.ErrTooLarge, paletteColorsMax)
		}
		p.Colors = append(p.Colors, c)
		p.bytes += int64(len(c.Name))
	}
	if len(p.Colors) == 0 {
		return Palette{}, fmt.Errorf("%w: no colors", assets.ErrCorrupt)
	}
	p.bytes += int64(cap(p.Colors)) * int64(unsafe.Sizeof(Color{}))
	return p, nil
}

func parseColor(line []byte) (Color, error) {
	var c Color
	if len(line) < 7 || line[0] != '#' || len(line) > 7 && line[7] != ' ' {
		return c, fmt.Errorf("%w: %.20q is not #rrggbb and a name", assets.ErrCorrupt, line)
	}
	if _, err := hex.Decode(c.RGB[:], line[1:7]); err != nil {
		return c, fmt.Errorf("%w: %.20q is not #rrggbb and a name", assets.ErrCorrupt, line)
	}
	name := bytes.TrimSpace(line[7:])
	if len(name) > colorNameMax || !utf8.Valid(name) {
		return c, fmt.Errorf("%w: %.20q: a name is UTF-8, at most %d bytes", assets.ErrCorrupt, line, colorNameMax)
	}
	c.Name = string(name)
	return c, nil
}
