package picture

import (
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sojourn/assets"
)

// expectation is one row of testdata/expected.json: what a file from a public
// failure report must do. A mention "a / b" means either.
type expectation struct {
	File     string       `json:"file"`
	Item     string       `json:"item"`
	Expect   string       `json:"expect"`
	Mention  []string     `json:"mention"`
	AllocMax int64        `json:"max_alloc_mb"`
	Size     [2]int       `json:"size"`
	NRGBA    [][][4]uint8 `json:"nrgba8"`
}

func expectations(t *testing.T, item string) []expectation {
	t.Helper()
	text, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var all, picked []expectation
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Item == item {
			picked = append(picked, e)
		}
	}
	if len(picked) == 0 {
		t.Fatalf("no rows for %s", item)
	}
	return picked
}

func mentions(text, wanted string) bool {
	for alternative := range strings.SplitSeq(wanted, " / ") {
		if strings.Contains(text, alternative) {
			return true
		}
	}
	return false
}

func TestCaseA12_HostileSizesAndDamage(t *testing.T) {
	for _, e := range expectations(t, "A12") {
		t.Run(path.Base(e.File), func(t *testing.T) {
			data := readFile(t, e.File)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			m, _, err := Decode(path.Base(e.File), data)
			runtime.ReadMemStats(&after)
			if err == nil || m != nil {
				t.Fatalf("decoded to %v, want an error", m.Bounds())
			}
			if !errors.Is(err, assets.ErrCorrupt) && !errors.Is(err, assets.ErrTooLarge) {
				t.Errorf("%v wraps neither ErrCorrupt nor ErrTooLarge", err)
			}
			for _, m := range e.Mention {
				if !mentions(err.Error(), m) {
					t.Errorf("%q does not mention %q", err, m)
				}
			}
			if used := int64(after.TotalAlloc - before.TotalAlloc); e.AllocMax > 0 && used > e.AllocMax<<20 {
				t.Errorf("allocated %d bytes, at most %d MB allowed", used, e.AllocMax)
			}
		})
	}
}

func TestCaseA13_EveryPNGLayout(t *testing.T) {
	for _, e := range expectations(t, "A13") {
		t.Run(path.Base(e.File), func(t *testing.T) {
			m, info, err := Decode(e.File, readFile(t, e.File))
			if err != nil {
				t.Fatal(err)
			}
			if info.Width != e.Size[0] || info.Height != e.Size[1] {
				t.Fatalf("size %dx%d, want %v", info.Width, info.Height, e.Size)
			}
			tolerance := 0
			if strings.Contains(e.File, "16") {
				tolerance = 1
			}
			for y, row := range e.NRGBA {
				for x, want := range row {
					got := [4]uint8(m.Pix[y*m.Stride+4*x:])
					for i := range got {
						if d := int(got[i]) - int(want[i]); d > tolerance || d < -tolerance {
							t.Errorf("(%d,%d) = %v, want %v", x, y, got, want)
						}
					}
				}
			}
		})
	}
}

func TestCaseA13_MultipliedExactlyOnce(t *testing.T) {
	m, info, err := Decode("straight_alpha.png", readFile(t, "a13/straight_alpha.png"))
	if err != nil {
		t.Fatal(err)
	}
	if !info.HasAlpha {
		t.Error("HasAlpha is false")
	}
	file, err := Encode(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	tex, levels := parseKTX2(t, file)
	if !tex.SRGB || !tex.HasAlpha {
		t.Errorf("SRGB %v, HasAlpha %v", tex.SRGB, tex.HasAlpha)
	}
	want := []byte{128, 0, 0, 128, 0, 1, 0, 1, 0, 0, 0, 0}
	if string(levels[0]) != string(want) {
		t.Errorf("level 0 = %v, want %v", levels[0], want)
	}
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
