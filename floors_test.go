package sojourn_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// floors says on which floor a package stands: it may import packages of lower
// floors only. The longest matching prefix counts.
func floors() map[string]int {
	return map[string]int{
		"sojourn/trace":               0,
		"sojourn/journal":             0,
		"sojourn/chunked":             0,
		"sojourn/trace/tracetest":     1,
		"sojourn/stages/work":         1,
		"sojourn/assets":              1,
		"sojourn/assets/cook/unit":    10,
		"sojourn/gpu/mips":            10,
		"sojourn/gpu":                 11,
		"sojourn/audio":               11,
		"sojourn/ecs/components":      12,
		"sojourn/gpu/ebitengine":      13,
		"sojourn/gpu/headless":        13,
		"sojourn/audio/otosink":       13,
		"sojourn/assets/mapped":       13,
		"sojourn/assets/assetstest":   13,
		"sojourn/assets/ktx2":         13,
		"sojourn/assets/meshfile":     13,
		"sojourn/assets/soundfile":    13,
		"sojourn/assets/docfile":      13,
		"sojourn/assets/pack":         14,
		"sojourn/assets/loose":        14,
		"sojourn/assets/watch":        14,
		"sojourn/assets/kinds":        14,
		"sojourn/assets/cook/picture": 14,
		"sojourn/assets/cook/sound":   14,
		"sojourn/assets/cook/model":   15,
		"sojourn/assets/catalog":      15,
		"sojourn/assets/registry":     15,
		"sojourn/assets/cook":         16,
		"sojourn/stages":              20,
		"sojourn/resources":           21,
		"sojourn/stages/stagestest":   22,
		"sojourn/ecs/systems/scene":   30,
		"sojourn/ecs/systems":         31,
		"sojourn":                     40,
		"sojourn/sojourntest":         41,
		"sojourn/demos/demo":          49,
		"sojourn/demos/hallway/art":   49,
		"sojourn/demos/hello":         50,
		"sojourn/demos/alone":         50,
		"sojourn/demos/hallway":       50,
		"sojourn/demos/portals":       50,
		"sojourn/cmd/artgen":          60,
		"sojourn/cmd/cook":            60,
		"sojourn/cmd/demo/window":     60,
		"sojourn/cmd/demo":            61,
	}
}

// siblings may import each other on one floor.
func siblings() map[string][]string {
	return map[string][]string{}
}

type listed struct {
	ImportPath string
	Imports    []string
}

func list(t *testing.T, tags string) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "-tags", tags, "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list -tags %q: %v\n%s", tags, err, stderr.String())
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// TestFloors holds the direction of imports, in both tag sets.
func TestFloors(t *testing.T) {
	for _, tags := range []string{"", "headless"} {
		for _, p := range list(t, tags) {
			floor, known := floors()[p.ImportPath]
			if !known {
				t.Errorf("%s stands on no floor: name one in this test", p.ImportPath)
				continue
			}
			for _, imp := range p.Imports {
				if !strings.HasPrefix(imp, "sojourn") {
					checkForeign(t, tags, p.ImportPath, imp)
					continue
				}
				if under := floors()[imp]; under >= floor && !slices.Contains(siblings()[p.ImportPath], imp) {
					t.Errorf("%s (floor %d) imports %s (floor %d): imports go only downward", p.ImportPath, floor, imp, under)
				}
			}
		}
	}
}

// checkForeign keeps window and sound libraries behind their packages, and out
// of headless builds.
func checkForeign(t *testing.T, tags, pkg, imp string) {
	t.Helper()
	for prefix, owners := range map[string][]string{
		"github.com/hajimehoshi/ebiten":  {"sojourn/gpu/ebitengine", "sojourn/cmd/demo/window", "sojourn/demos/hello"},
		"github.com/ebitengine/debugui":  {"sojourn/cmd/demo/window"},
		"github.com/ebitengine/oto":      {"sojourn/audio/otosink"},
		"github.com/mlange-42/arche":     nil,
		"github.com/klauspost/compress":  nil,
		"github.com/hajimehoshi/go-mp3":  {"sojourn/assets/cook/sound"},
		"github.com/jfreymuth/oggvorbis": {"sojourn/assets/cook/sound"},
	} {
		if !strings.HasPrefix(imp, prefix) || owners == nil {
			continue
		}
		if !slices.Contains(owners, pkg) {
			t.Errorf("%s imports %s, which only %v may", pkg, imp, owners)
		}
		if tags == "headless" && (strings.Contains(prefix, "ebiten") || strings.Contains(prefix, "oto")) {
			t.Errorf("with tag headless %s still imports %s", pkg, imp)
		}
	}
}
