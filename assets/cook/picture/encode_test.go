package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"

	"sojourn/assets"
	"sojourn/assets/cook/unit"
	"sojourn/assets/ktx2"
)

// parseKTX2 reads back every level, finest first.
func parseKTX2(t testing.TB, file []byte) (assets.Texture, [][]byte) {
	t.Helper()
	tex, err := ktx2.Parse(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var levels [][]byte
	for _, m := range tex.Mips[:tex.Levels] {
		levels = append(levels, file[m.OffsetBytes:m.OffsetBytes+m.SizeBytes])
	}
	return tex, levels
}

func encodeLevels(t testing.TB, m *image.NRGBA, o Options) (assets.Texture, [][]byte) {
	t.Helper()
	file, err := Encode(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return parseKTX2(t, file)
}

func filled(w, h int, c color.NRGBA) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

func TestCurveRoundTrips(t *testing.T) {
	c := curve()
	for i := range 256 {
		if got := c.encode(c.linear[i]); int(got) != i {
			t.Errorf("byte %d comes back as %d", i, got)
		}
	}
}

func TestLevelsAreFullAndHalvedByFloor(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {2, 1}, {1, 9}, {5, 3}, {7, 7}, {16, 16}, {33, 2}, {640, 3}} {
		tex, levels := encodeLevels(t, filled(size[0], size[1], color.NRGBA{1, 2, 3, 255}), Options{})
		w, h := size[0], size[1]
		for i, l := range levels {
			if len(l) != 4*w*h || int(tex.Mips[i].Width) != w || int(tex.Mips[i].Height) != h {
				t.Fatalf("%v level %d is %d bytes, %dx%d", size, i, len(l), tex.Mips[i].Width, tex.Mips[i].Height)
			}
			last := i == len(levels)-1
			if last != (w == 1 && h == 1) {
				t.Fatalf("%v: level %d of %d is %dx%d", size, i, len(levels), w, h)
			}
			w, h = max(1, w/2), max(1, h/2)
		}
	}
}

func TestUniformStaysUniform(t *testing.T) {
	for _, c := range []color.NRGBA{{255, 255, 255, 255}, {1, 17, 200, 255}, {200, 100, 50, 128}, {9, 255, 1, 1}} {
		for _, linear := range []bool{false, true} {
			m := filled(37, 23, c)
			_, levels := encodeLevels(t, m, Options{Linear: linear})
			for i, l := range levels {
				for at := 0; at < len(l); at += 4 {
					if !bytes.Equal(l[at:at+4], levels[0][:4]) {
						t.Fatalf("%v linear %v: level %d has %v, level 0 %v", c, linear, i, l[at:at+4], levels[0][:4])
					}
				}
			}
		}
	}
}

func TestColourIsAveragedAsLightAndDataAsNumbers(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	copy(m.Pix, []byte{0, 0, 0, 255, 255, 255, 255, 255})
	if _, l := encodeLevels(t, m, Options{}); !bytes.Equal(l[1], []byte{188, 188, 188, 255}) {
		t.Errorf("colour: %v", l[1])
	}
	tex, l := encodeLevels(t, m, Options{Linear: true})
	if !bytes.Equal(l[1], []byte{128, 128, 128, 255}) || tex.SRGB {
		t.Errorf("data: %v, sRGB %v", l[1], tex.SRGB)
	}
}

func TestTransparentTexelsLendNoColour(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	copy(m.Pix, []byte{200, 10, 10, 255, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0})
	_, l := encodeLevels(t, m, Options{})
	if want := []byte{50, 3, 3, 64}; !bytes.Equal(l[1], want) { // 200*64/255
		t.Errorf("%v, want %v", l[1], want)
	}
}

func TestDataMapsDropAlpha(t *testing.T) {
	tex, l := encodeLevels(t, filled(2, 2, color.NRGBA{10, 20, 30, 0}), Options{Linear: true})
	if tex.HasAlpha || !bytes.Equal(l[0][:4], []byte{10, 20, 30, 255}) || !bytes.Equal(l[1], []byte{10, 20, 30, 255}) {
		t.Errorf("HasAlpha %v, levels %v", tex.HasAlpha, l)
	}
}

// TestChainAgainstReference compares with a slow filter in float64 that knows
// nothing of rows or tables.
func TestChainAgainstReference(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 0))
	for range 40 {
		w, h := 1+r.IntN(21), 1+r.IntN(21)
		m := image.NewNRGBA(image.Rect(0, 0, w, h))
		for i := range m.Pix {
			m.Pix[i] = uint8(r.Uint32())
		}
		levels, _ := chain(m, false)
		ref := referenceChain(m)
		if len(levels) != len(ref) {
			t.Fatalf("seed %d: %dx%d: %d levels, want %d", seed, w, h, len(levels), len(ref))
		}
		for i := range ref {
			for k := range ref[i] {
				if math.Abs(float64(levels[i][k])-ref[i][k]) > 1.51 { // colour, alpha and their product are each rounded
					t.Fatalf("seed %d: %dx%d level %d byte %d: %d, want %.2f", seed, w, h, i, k, levels[i][k], ref[i][k])
				}
			}
		}
	}
}

func referenceChain(m *image.NRGBA) [][]float64 {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	light := make([]float64, len(m.Pix))
	for i := 0; i < len(light); i += 4 {
		a := float64(m.Pix[i+3]) / 255
		for c := range 3 {
			light[i+c] = toLinear(float64(m.Pix[i+c])/255) * a
		}
		light[i+3] = a
	}
	var out [][]float64
	for {
		bytes := make([]float64, len(light))
		for i := 0; i < len(light); i += 4 {
			if a := light[i+3]; a > 0 {
				for c := range 3 {
					bytes[i+c] = 255 * toSRGB(light[i+c]/a) * a
				}
				bytes[i+3] = 255 * a
			}
		}
		out = append(out, bytes)
		if w == 1 && h == 1 {
			return out
		}
		nw, nh := max(1, w/2), max(1, h/2)
		next := make([]float64, 4*nw*nh)
		overlap := func(i, target, source, at int) float64 {
			from, to := float64(i*source)/float64(target), float64((i+1)*source)/float64(target)
			return max(0, min(to, float64(at+1))-max(from, float64(at))) / (to - from)
		}
		for y := range nh {
			for x := range nw {
				for sy := range h {
					for sx := range w {
						k := overlap(x, nw, w, sx) * overlap(y, nh, h, sy)
						for c := range 4 {
							next[4*(y*nw+x)+c] += k * light[4*(sy*w+sx)+c]
						}
					}
				}
			}
		}
		w, h, light = nw, nh, next
	}
}

func TestEncodeTakesSubImages(t *testing.T) {
	m := filled(6, 6, color.NRGBA{1, 1, 1, 255})
	for y := 2; y < 5; y++ {
		for x := 1; x < 4; x++ {
			m.SetNRGBA(x, y, color.NRGBA{90, 80, 70, 255})
		}
	}
	sub := m.SubImage(image.Rect(1, 2, 4, 5)).(*image.NRGBA)
	_, got := encodeLevels(t, sub, Options{})
	_, want := encodeLevels(t, filled(3, 3, color.NRGBA{90, 80, 70, 255}), Options{})
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("level %d: %v, want %v", i, got[i], want[i])
		}
	}
}

func TestEncodeRefusesSizes(t *testing.T) {
	for _, r := range []image.Rectangle{{}, image.Rect(0, 0, assets.TextureEdgeMax+1, 1)} {
		if _, err := Encode(image.NewNRGBA(r), Options{}); err == nil {
			t.Errorf("%v was taken", r)
		}
	}
}

func TestImport(t *testing.T) {
	for stem, linear := range map[string]bool{
		"ui/logo": false, "rock_Normal": true, "a/rock_orm": true, "normal_rock": false, "x_height": true, "x_data": true,
	} {
		var got []unit.Output
		in := &unit.Input{Path: stem + ".png", Stem: stem, Data: readFile(t, "a13/rgba_16.png")}
		if err := Import(in, func(o unit.Output) { got = append(got, o) }); err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0].Key != (assets.Key{Stem: stem, Kind: assets.KindTexture}) || got[0].Suffix != ".ktx2" || !got[0].Raw {
			t.Fatalf("%s: %+v", stem, got)
		}
		if tex, _ := parseKTX2(t, got[0].Data); tex.SRGB == linear {
			t.Errorf("%s: sRGB %v", stem, tex.SRGB)
		}
	}
	in := &unit.Input{Path: "x.png", Stem: "x", Data: []byte("nonsense")}
	if err := Import(in, func(unit.Output) { t.Error("emitted") }); err == nil {
		t.Error("nonsense cooked")
	}
}

func BenchmarkCook512(b *testing.B) {
	m := image.NewNRGBA(image.Rect(0, 0, 512, 512))
	r := rand.New(rand.NewPCG(1, 1))
	for i := range m.Pix {
		m.Pix[i] = uint8(i/64) + uint8(r.Uint32()&7)
	}
	var file bytes.Buffer
	if err := png.Encode(&file, m); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		m, _, err := Decode("x", file.Bytes())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Encode(m, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
