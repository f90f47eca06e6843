package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

func goOn() error { return nil }

func TestParsePalette(t *testing.T) {
	for _, c := range []struct {
		name, text, says string
		is               error
		colors           int
	}{
		{name: "plain", text: "palette 1\n#010203 a\n#ffffff\n", colors: 2},
		{name: "spaces", text: "palette 1\r\n\r\n  #010203 a b c  \r\n# note\n", colors: 1},
		{name: "no newline at the end", text: "palette 1\n#010203", colors: 1},
		{name: "empty", text: "", is: assets.ErrCorrupt, says: "no colors"},
		{name: "header only", text: "palette 1\n", is: assets.ErrCorrupt, says: "no colors"},
		{name: "other version", text: "palette 2\n#010203\n", is: assets.ErrCorrupt, says: "line 1"},
		{name: "not hex", text: "palette 1\n#01020g\n", is: assets.ErrCorrupt, says: "line 2"},
		{name: "short", text: "palette 1\n#0102\n", is: assets.ErrCorrupt, says: "line 2"},
		{name: "no space", text: "palette 1\n#010203name\n", is: assets.ErrCorrupt, says: "line 2"},
		{name: "not UTF-8", text: "palette 1\n#010203 \xff\n", is: assets.ErrCorrupt, says: "UTF-8"},
		{name: "long name", text: "palette 1\n#010203 " + strings.Repeat("n", colorNameMax+1), is: assets.ErrCorrupt, says: "at most"},
		{name: "too many", text: "palette 1\n" + strings.Repeat("#010203\n", paletteColorsMax+1), is: assets.ErrTooLarge, says: "line 4098"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := parsePalette([]byte(c.text), goOn)
			if !errors.Is(err, c.is) || (err == nil) != (c.is == nil) || len(p.Colors) != c.colors {
				t.Fatalf("%d colors, %v", len(p.Colors), err)
			}
			if err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v does not say %q", err, c.says)
			}
		})
	}
}

func TestParsePaletteStopsWhenToldTo(t *testing.T) {
	stop := errors.New("stop")
	_, err := parsePalette([]byte("palette 1\n"+strings.Repeat("#010203\n", yieldLines)), func() error { return stop })
	if !errors.Is(err, stop) {
		t.Error(err)
	}
}

func TestPaletteKind(t *testing.T) {
	src := assetstest.NewSource("memory")
	src.SetText("good.palette", "palette 1\n#010203 a\n")
	src.SetText("bad.palette", "palette 1\nno\n")
	src.Set("huge.palette", make([]byte, paletteBytesMax+1))
	store, err := assets.Open(assets.Options{Kinds: []assets.KindSpec{PaletteKind()}, Sources: []assets.Source{src}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	h, err := store.Retain(ctx, assets.Key{Stem: "good", Kind: KindPalette})
	if err != nil {
		t.Fatal(err)
	}
	p := assets.Of[Palette](store, KindPalette).At(h)
	if st := store.Stats(); len(p.Colors) != 1 || p.Colors[0].Name != "a" || st.CPUBytes != p.bytes || p.bytes == 0 {
		t.Errorf("%+v, %d bytes in the store", p, st.CPUBytes)
	}
	store.Release(h)
	for stem, want := range map[string]error{"bad": assets.ErrCorrupt, "huge": assets.ErrTooLarge, "none": assets.ErrMissing} {
		_, err := store.Retain(ctx, assets.Key{Stem: stem, Kind: KindPalette})
		if !errors.Is(err, want) || !strings.Contains(err.Error(), stem) {
			t.Errorf("%s: %v", stem, err)
		}
	}
	assetstest.CheckLeaks(t, store)
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	assetstest.CheckSource(t, src)
}

func FuzzParsePalette(f *testing.F) {
	for _, s := range []string{"palette 1\n#010203 a\n", "palette 1\n# note\n#ffffff", "palette 2", "", "palette 1\n#"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parsePalette(text, goOn)
		if (err == nil) != (len(p.Colors) > 0) || len(p.Colors) > paletteColorsMax {
			t.Errorf("%d colors, %v", len(p.Colors), err)
		}
		if err != nil && !errors.Is(err, assets.ErrCorrupt) && !errors.Is(err, assets.ErrTooLarge) {
			t.Errorf("%v has no sentinel", err)
		}
	})
}
