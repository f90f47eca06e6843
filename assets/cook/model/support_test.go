package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"sojourn/assets"
	"sojourn/assets/cook/picture"
	"sojourn/assets/cook/unit"
	"sojourn/assets/docfile"
	"sojourn/assets/ktx2"
	"sojourn/assets/meshfile"
)

// imported is everything that came out of one import, decoded again.
type imported struct {
	root      *os.Root
	model     assets.Model
	meshes    map[string]assets.Mesh
	materials map[string]assets.Material
	textures  map[string][]byte
	order     []assets.Key
	reads     []string
	warnings  []string
	err       error // with the path in front, as the cook reports it
}

// run imports a file of a folder, whose root nothing can leave.
func run(t testing.TB, folder, file string) *imported {
	t.Helper()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	data, err := root.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return runBytes(t, root, file, data)
}

func runBytes(t testing.TB, root *os.Root, file string, data []byte) *imported {
	t.Helper()
	out := &imported{
		root: root, meshes: map[string]assets.Mesh{}, materials: map[string]assets.Material{}, textures: map[string][]byte{},
	}
	in := &unit.Input{
		Path: file, Stem: strings.TrimSuffix(file, path.Ext(file)), Data: data,
		Read: func(name string) ([]byte, error) {
			out.reads = append(out.reads, name)
			if root == nil {
				return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
			}
			return root.ReadFile(name)
		},
		Warn: func(format string, args ...any) { out.warnings = append(out.warnings, fmt.Sprintf(format, args...)) },
	}
	seen := map[string]bool{}
	err := Import(in, func(o unit.Output) {
		out.order = append(out.order, o.Key)
		name := strings.ToLower(o.Key.Stem + o.Suffix)
		if seen[name] {
			t.Errorf("%s was emitted twice", name)
		}
		seen[name] = true
		if err := assets.CheckStem(o.Key.Stem); err != nil {
			t.Error(err)
		}
		if o.Key.Family() != assets.StemFamily(in.Stem) {
			t.Errorf("%v is not of the family of %s", o.Key, in.Stem)
		}
		out.take(t, o)
	})
	if err != nil {
		if !errors.Is(err, assets.ErrCorrupt) && !errors.Is(err, assets.ErrTooLarge) && !errors.Is(err, assets.ErrBadStem) {
			t.Errorf("error wraps no sentinel: %v", err)
		}
		out.err = fmt.Errorf("%s: %w", file, err)
	}
	return out
}

// take decodes an output with the package that will read it.
func (i *imported) take(t testing.TB, o unit.Output) {
	t.Helper()
	var err error
	raw := false
	switch o.Key.Kind {
	case assets.KindModel:
		if o.Suffix != ".model" {
			t.Errorf("%v has suffix %s", o.Key, o.Suffix)
		}
		i.model, err = docfile.DecodeModel(o.Key.Stem, o.Data)
	case assets.KindMesh:
		raw = true
		if o.Suffix != ".mesh" {
			t.Errorf("%v has suffix %s", o.Key, o.Suffix)
		}
		i.meshes[o.Key.Stem], err = meshfile.Decode(assets.OwnBytes(o.Data))
	case assets.KindMaterial:
		if o.Suffix != ".material" {
			t.Errorf("%v has suffix %s", o.Key, o.Suffix)
		}
		i.materials[o.Key.Stem], err = docfile.DecodeMaterial(o.Key.Stem, o.Data)
	case assets.KindTexture:
		raw = true
		if o.Suffix != ".ktx2" {
			t.Errorf("%v has suffix %s", o.Key, o.Suffix)
		}
		i.textures[o.Key.Stem] = o.Data
	default:
		t.Errorf("unexpected output %v", o.Key)
	}
	if err != nil {
		t.Errorf("%v: %v", o.Key, err)
	}
	if o.Raw != raw {
		t.Errorf("%v: raw is %v", o.Key, o.Raw)
	}
}

// texture gives size and the texels of level 0 of a texture stem, of a part or
// of a file of its own.
func (i *imported) texture(t testing.TB, stem string) (w, h int, texels []byte, linear bool) {
	t.Helper()
	if data, ok := i.textures[stem]; ok {
		tex, err := ktx2.Parse(strings.NewReader(string(data)), int64(len(data)))
		if err != nil {
			t.Fatalf("%s: %v", stem, err)
		}
		m := tex.Mips[0]
		return int(tex.Width), int(tex.Height), data[m.OffsetBytes : m.OffsetBytes+m.SizeBytes], !tex.SRGB
	}
	for _, suffix := range []string{".png", ".jpg"} {
		data, err := i.root.ReadFile(stem + suffix)
		if err != nil {
			continue
		}
		m, _, err := picture.Decode(stem, data)
		if err != nil {
			t.Fatal(err)
		}
		return m.Rect.Dx(), m.Rect.Dy(), m.Pix, false
	}
	t.Fatalf("texture %q is neither a part nor a file", stem)
	return
}

// expectation is one row of testdata/expected.json.
type expectation struct {
	File, Item, Expect   string
	Mention, Warning     []string
	Positions, Colors    [][]float32
	Indices              []uint32
	Primitives, Textures *int
	Texel0               []byte
	TextureSize          []int `json:"texture_size"`
	Meshes               map[string]expectedMesh
}

type expectedMesh struct {
	Vertices      int
	Positions, UV [][]float32
}

func expectations(t testing.TB, item string) []expectation {
	t.Helper()
	data, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var all, out []expectation
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Item == item && e.Expect != "support" {
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		t.Fatalf("no expectations for %s", item)
	}
	return out
}

// mentions tells whether text has the wanted words; "a / b" means any of them.
func mentions(text, wanted string) bool {
	for w := range strings.SplitSeq(wanted, " / ") {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// check compares an import with what is expected of it.
func (i *imported) check(t *testing.T, e expectation) {
	t.Helper()
	if e.Expect == "error" || e.Expect == "load-or-error" && i.err != nil {
		if i.err == nil {
			t.Fatal("it loaded")
		}
		for _, m := range e.Mention {
			if !mentions(i.err.Error(), m) {
				t.Errorf("the error does not mention %q: %v", m, i.err)
			}
		}
		return
	}
	if i.err != nil {
		t.Fatal(i.err)
	}
	if e.Primitives != nil && len(i.model.Parts) != *e.Primitives {
		t.Errorf("%d parts, want %d", len(i.model.Parts), *e.Primitives)
	}
	for _, w := range e.Warning {
		if !mentions(strings.Join(i.warnings, "\n"), w) {
			t.Errorf("no warning mentions %q: %q", w, i.warnings)
		}
	}
	if e.Positions != nil {
		i.checkMesh(t, i.only(t).Mesh, e.Positions, nil, e.Colors, e.Indices)
	}
	for name, m := range e.Meshes {
		i.checkMesh(t, "", m.Positions, m.UV, nil, nil, name)
	}
	if e.Textures != nil {
		i.checkTexture(t, e)
	}
}

// only is the single part there must be.
func (i *imported) only(t *testing.T) assets.ModelPart {
	t.Helper()
	if len(i.model.Parts) != 1 {
		t.Fatalf("%d parts, want 1", len(i.model.Parts))
	}
	return i.model.Parts[0]
}

func (i *imported) checkMesh(t *testing.T, stem string, pos, uv, colors [][]float32, indices []uint32, named ...string) {
	t.Helper()
	for s := range i.meshes {
		if len(named) > 0 && strings.Contains(s, "#mesh-"+named[0]+"-") {
			stem = s
		}
	}
	m, ok := i.meshes[stem]
	if !ok {
		t.Fatalf("no mesh %q %v", stem, named)
	}
	if len(m.Vertices) != len(pos) {
		t.Fatalf("%s: %d vertices, want %d", stem, len(m.Vertices), len(pos))
	}
	for n, v := range m.Vertices {
		if v.Pos != [3]float32(pos[n]) {
			t.Errorf("%s: position %d is %v, want %v", stem, n, v.Pos, pos[n])
		}
		if uv != nil && v.UV != [2]float32(uv[n]) {
			t.Errorf("%s: uv %d is %v, want %v", stem, n, v.UV, uv[n])
		}
		if colors != nil {
			want := [4]uint8{uint8(colors[n][0] * 255), uint8(colors[n][1] * 255), uint8(colors[n][2] * 255), 255}
			if v.Color != want {
				t.Errorf("%s: colour %d is %v, want %v", stem, n, v.Color, want)
			}
		}
	}
	if indices != nil && fmt.Sprint(m.Indices) != fmt.Sprint(indices) {
		t.Errorf("%s: indices %v, want %v", stem, m.Indices, indices)
	}
}

func (i *imported) checkTexture(t *testing.T, e expectation) {
	t.Helper()
	stem := i.materials[i.only(t).Material].Maps[assets.MapBaseColor]
	w, h, texels, linear := i.texture(t, stem)
	if w != e.TextureSize[0] || h != e.TextureSize[1] || linear {
		t.Errorf("%s: %dx%d linear %v, want %v", stem, w, h, linear, e.TextureSize)
	}
	if string(texels[:4]) != string(e.Texel0) {
		t.Errorf("%s: first texel %v, want %v", stem, texels[:4], e.Texel0)
	}
}
