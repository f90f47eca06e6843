package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"sojourn/assets"
)

func TestDecodeFormats(t *testing.T) {
	want, _, err := Decode("gradient.png", readFile(t, "gradient.png"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file      string
		format    Format
		tolerance int
	}{
		{"gradient_baseline.jpg", JPEG, 6},
		{"gradient_progressive.jpg", JPEG, 6},
		{"gradient_lossy.webp", WebP, 16},
	} {
		m, info, err := Decode(c.file, readFile(t, c.file))
		if err != nil {
			t.Fatal(err)
		}
		if info.Format != c.format || info.HasAlpha || info.Width != 32 || info.Height != 24 {
			t.Errorf("%s: %+v", c.file, info)
		}
		if red, blue := m.NRGBAAt(0, 0), m.NRGBAAt(31, 23); red.R < 248 || red.G > 8 || blue.B < 246 || blue.G > 8 {
			t.Errorf("%s: corners %v and %v: not the full range", c.file, red, blue)
		}
		for i := range m.Pix {
			if d := int(m.Pix[i]) - int(want.Pix[i]); d > c.tolerance || d < -c.tolerance {
				t.Fatalf("%s: byte %d is %d, want about %d", c.file, i, m.Pix[i], want.Pix[i])
			}
		}
	}
}

func TestDecodeFlatColours(t *testing.T) {
	for _, c := range []struct {
		file string
		want color.NRGBA
	}{
		{"ycck_cyan.jpg", color.NRGBA{0, 255, 255, 255}},
		{"ycck_orange.jpg", color.NRGBA{200, 100, 50, 255}},
		// The same stored numbers as inks, with and without Adobe's marker.
		{"cmyk_adobe.jpg", color.NRGBA{76, 142, 46, 255}},
		{"cmyk_plain.jpg", color.NRGBA{76, 142, 46, 255}},
	} {
		m, info, err := Decode(c.file, readFile(t, c.file))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		got := m.NRGBAAt(5, 5)
		for i, d := range [4]int{int(got.R) - int(c.want.R), int(got.G) - int(c.want.G), int(got.B) - int(c.want.B), int(got.A) - int(c.want.A)} {
			if d > 2 || d < -2 {
				t.Errorf("%s: %v, want %v (channel %d)", c.file, got, c.want, i)
				break
			}
		}
		if info.HasAlpha {
			t.Errorf("%s: HasAlpha", c.file)
		}
	}
}

func TestDecodeWebPAlpha(t *testing.T) {
	for _, file := range []string{"gradient_lossless.webp", "gradient_lossy_alpha.webp"} {
		m, info, err := Decode(file, readFile(t, file))
		if err != nil {
			t.Fatal(err)
		}
		if !info.HasAlpha || m.NRGBAAt(0, 0).A != 51 || m.NRGBAAt(31, 23).A != 255 {
			t.Errorf("%s: alpha %v, corners %v %v", file, info.HasAlpha, m.NRGBAAt(0, 0), m.NRGBAAt(31, 23))
		}
		// Straight, not multiplied: a fifth of full red stays bright.
		if m.NRGBAAt(0, 0).R < 200 {
			t.Errorf("%s: red is %d", file, m.NRGBAAt(0, 0).R)
		}
	}
}

func TestDecodePalettesAndGrey(t *testing.T) {
	palette := image.NewPaletted(image.Rect(0, 0, 3, 1), color.Palette{
		color.NRGBA{10, 20, 30, 255}, color.NRGBA{200, 100, 50, 77}, color.NRGBA{1, 2, 3, 0},
	})
	copy(palette.Pix, []byte{0, 1, 2})
	grey := image.NewGray(image.Rect(0, 0, 2, 1))
	copy(grey.Pix, []byte{3, 250})
	grey16 := image.NewGray16(image.Rect(0, 0, 1, 1))
	grey16.SetGray16(0, 0, color.Gray16{0x8110})
	rgb16 := image.NewRGBA64(image.Rect(0, 0, 1, 1))
	rgb16.SetRGBA64(0, 0, color.RGBA64{0xffff, 0x1234, 0x0081, 0xffff})
	for _, c := range []struct {
		name string
		m    image.Image
		want []byte
	}{
		{"palette", palette, []byte{10, 20, 30, 255, 200, 100, 50, 77, 1, 2, 3, 0}},
		{"grey", grey, []byte{3, 3, 3, 255, 250, 250, 250, 255}},
		{"grey 16", grey16, []byte{129, 129, 129, 255}},
		{"rgb 16", rgb16, []byte{255, 18, 1, 255}},
	} {
		var file bytes.Buffer
		if err := png.Encode(&file, c.m); err != nil {
			t.Fatal(err)
		}
		m, _, err := Decode(c.name, file.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(m.Pix, c.want) {
			t.Errorf("%s: %v, want %v", c.name, m.Pix, c.want)
		}
	}
}

func TestDecodeTrustsContent(t *testing.T) {
	_, info, err := Decode("lies.webp", readFile(t, "gradient_baseline.jpg"))
	if err != nil || info.Format != JPEG {
		t.Errorf("%+v, %v", info, err)
	}
	_, _, err = Decode("notes.png", []byte("just text"))
	if !errors.Is(err, assets.ErrCorrupt) || !strings.Contains(err.Error(), "notes.png") {
		t.Errorf("%v", err)
	}
}

// TestEveryCutIsAnError holds that no prefix of a file gives a picture.
func TestEveryCutIsAnError(t *testing.T) {
	for _, name := range []string{
		"gradient.png", "gradient_baseline.jpg", "gradient_progressive.jpg", "ycck_orange.jpg",
		"gradient_lossless.webp", "gradient_lossy.webp", "gradient_lossy_alpha.webp",
	} {
		data := readFile(t, name)
		for n := range len(data) - 1 {
			_, _, err := Decode(name, data[:n])
			if err == nil {
				t.Errorf("%s cut to %d of %d bytes decodes", name, n, len(data))
			} else if n == len(data)/2 && !mentions(err.Error(), "truncated / unexpected end") {
				t.Errorf("%s cut to %d bytes: %v", name, n, err)
			}
		}
	}
}

func TestSmallFilesThatClaimMuch(t *testing.T) {
	claim := func(name string, patch func([]byte)) []byte {
		data := bytes.Clone(readFile(t, name))
		patch(data)
		return data
	}
	for _, c := range []struct {
		name string
		data []byte
		says string
	}{
		{"wide.jpg", claim("gradient_baseline.jpg", func(b []byte) { sof(t, b, 0xffc0, 1, 65500) }), "65500"},
		{"big.jpg", claim("gradient_progressive.jpg", func(b []byte) { sof(t, b, 0xffc2, 16000, 4000) }), "truncated"},
		{"zero.jpg", claim("gradient_baseline.jpg", func(b []byte) { sof(t, b, 0xffc0, 10, 0) }), ""},
		{"canvas.webp", claim("gradient_lossy_alpha.webp", func(b []byte) { copy(b[24:], "\xff\xff\x00\xff\xff\x00") }), "65536"},
		{"area.webp", claim("gradient_lossy_alpha.webp", func(b []byte) { copy(b[24:], "\xff\x3f\x00\xff\x3f\x00") }), "limit"},
	} {
		m, _, err := Decode(c.name, c.data)
		if err == nil || m != nil {
			t.Errorf("%s decodes", c.name)
		} else if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v does not mention %q", err, c.says)
		}
	}
}

// sof rewrites the size in a JPEG's frame header.
func sof(t *testing.T, b []byte, marker uint16, height, width uint16) {
	t.Helper()
	at := bytes.Index(b, binary.BigEndian.AppendUint16(nil, marker))
	if at < 0 {
		t.Fatal("no frame header")
	}
	binary.BigEndian.PutUint16(b[at+5:], height)
	binary.BigEndian.PutUint16(b[at+7:], width)
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{
		"gradient.png", "gradient_progressive.jpg", "ycck_orange.jpg", "cmyk_plain.jpg", "gradient_lossless.webp",
		"gradient_lossy_alpha.webp", "a12/bad_crc.png", "a12/claims_max_int.png", "a13/adam7_7x5.png", "a13/grey_16_key.png",
	} {
		f.Add(readFile(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		// Large but honest pictures are slow, not wrong.
		if info, err := Inspect(data); err == nil && info.Width*info.Height > 1<<20 {
			t.Skip()
		}
		m, info, err := Decode("f", data)
		if err != nil {
			if m != nil {
				t.Error("a picture beside an error")
			}
			return
		}
		if m.Rect != image.Rect(0, 0, info.Width, info.Height) || len(m.Pix) != 4*info.Width*info.Height {
			t.Errorf("%v holds %d bytes, %+v", m.Rect, len(m.Pix), info)
		}
	})
}

func TestDecodeGreyJPEG(t *testing.T) {
	m, info, err := Decode("gradient_grey.jpg", readFile(t, "gradient_grey.jpg"))
	if err != nil || info.HasAlpha || info.Width != 32 || info.Height != 24 {
		t.Fatalf("%+v, %v", info, err)
	}
	for i := 0; i < len(m.Pix); i += 4 {
		if p := m.Pix[i : i+4]; p[0] != p[1] || p[1] != p[2] || p[3] != 255 {
			t.Fatalf("texel %d is %v", i/4, p)
		}
	}
}
