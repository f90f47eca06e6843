package art

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/png"
	"io/fs"
	"math"
	"os"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"

	"sojourn/assets"
	"sojourn/assets/docfile"
)

const (
	testCells = 3
	testSeed  = 7
)

// generate once for all tests that only look.
var generate = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "hallway-art-")
	if err != nil {
		return "", err
	}
	return dir, Generate(dir, Options{Cells: testCells, Seed: testSeed})
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, _ := generate(); dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func generated(t *testing.T) fs.FS {
	t.Helper()
	dir, err := generate()
	if err != nil {
		t.Fatalf("Generate: %v", err)
	}
	return os.DirFS(dir)
}

func contents(t *testing.T, dir fs.FS) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var b []byte
			b, err = fs.ReadFile(dir, name)
			all[name] = string(b)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestSameSeedSameFiles(t *testing.T) {
	again := t.TempDir()
	calls, last := 0, 0
	err := Generate(again, Options{Cells: testCells, Seed: testSeed, Progress: func(done, total int) {
		calls++
		if last = total; done != calls {
			t.Errorf("progress %d at call %d", done, calls)
		}
	}})
	if err != nil || calls != last {
		t.Fatalf("Generate: %v, %d of %d steps", err, calls, last)
	}
	a, b := contents(t, generated(t)), contents(t, os.DirFS(again))
	for name, text := range a {
		if b[name] != text {
			t.Errorf("%s differs from run to run", name)
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d files, then %d", len(a), len(b))
	}
	other := newWall(newGrain(testSeed+1), testSeed+1, 0).picture()
	if same := newWall(newGrain(testSeed), testSeed, 0).picture(); bytes.Equal(same.Pix, other.Pix) {
		t.Error("the seed does not matter")
	}
}

func TestCellsOutOfRange(t *testing.T) {
	for _, cells := range []int{-1, CellsMax + 1} {
		if err := Generate(t.TempDir(), Options{Cells: cells}); !errors.Is(err, ErrCells) {
			t.Errorf("%d cells: %v", cells, err)
		}
	}
}

// What a document names is there.
func TestDocumentsAreComplete(t *testing.T) {
	all := contents(t, generated(t))
	has := func(from, stem, suffix string) {
		if _, ok := all[stem+suffix]; stem != "" && !ok {
			t.Errorf("%s names %s%s, which is missing", from, stem, suffix)
		}
	}
	scenes := 0
	for name, text := range all {
		switch {
		case strings.HasSuffix(name, ".material.json"):
			m, err := docfile.ParseMaterialJSON(name, []byte(text))
			if err != nil {
				t.Error(err)
			}
			for _, stem := range m.Maps {
				has(name, stem, ".png")
			}
		case strings.HasSuffix(name, ".scene.json"):
			s, err := docfile.ParseSceneJSON(name, []byte(text))
			if err != nil {
				t.Error(err)
			}
			scenes++
			has(name, s.Skybox, ".png")
			for _, e := range s.Entities {
				has(name, e.Model, ".gltf")
				has(name, e.Material, ".material.json")
				has(name, e.Sound, ".wav")
			}
			if name != SkyScene+".scene.json" {
				checkCell(t, name, s.Entities)
			}
		}
	}
	if scenes != testCells+1 {
		t.Errorf("%d scenes", scenes)
	}
	for _, stem := range Models() {
		has("Models", stem, ".gltf")
	}
	for _, stem := range Sounds() {
		has("Sounds", stem, ".wav")
	}
}

func checkCell(t *testing.T, name string, entities []assets.SceneEntity) {
	t.Helper()
	props, lamps, sounds := 0, 0, 0
	for _, e := range entities {
		p := e.At.Pos
		if p[0] < -3 || p[0] > 3 || p[1] < 0 || p[1] > CellHeight || p[2] < 0 || p[2] > CellLength {
			t.Errorf("%s: %s at %v is outside the cell", name, e.ID, p)
		}
		switch {
		case e.Sound != "":
			sounds++
		case e.Model == PropLamp:
			lamps++
		case strings.HasPrefix(e.ID, "prop"):
			props++
			if p[0] > -1.2 && p[0] < 1.2 {
				t.Errorf("%s: %s stands in the way", name, e.ID)
			}
		}
	}
	if props < 6 || props > 20 || lamps != 1 || sounds < 1 || sounds > 2 {
		t.Errorf("%s: %d props, %d lamps, %d sounds", name, props, lamps, sounds)
	}
}

// At the default number of cells the walls alone are over 300 MB.
func TestWallsAreUniqueAndLarge(t *testing.T) {
	dir := generated(t)
	all := contents(t, dir)
	seen := map[string]int{}
	var size int
	for cell := range testCells {
		img := readPNG(t, dir, CellWall(cell)+".png")
		size = 0
		for edge := img.Bounds().Dx(); edge > 0; edge /= 2 {
			size += 4 * edge * edge
		}
		if other, taken := seen[all[CellWall(cell)+".png"]]; taken {
			t.Errorf("cells %d and %d share a wall", other, cell)
		}
		seen[all[CellWall(cell)+".png"]] = cell
	}
	if total := size * CellsDefault; total < 300e6 {
		t.Errorf("%d bytes of walls", total)
	}
}

func readPNG(t *testing.T, dir fs.FS, name string) image.Image {
	t.Helper()
	f, err := dir.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return img
}

// Across the seam neighbouring columns differ no more than elsewhere.
func TestWallsWrap(t *testing.T) {
	g := newGrain(3)
	for cell := range len(patterns()) {
		img := newWall(g, 3, cell).picture()
		var worst, seam int
		for x := range wallEdge {
			sum := 0
			for y := range wallEdge {
				a, b := img.NRGBAAt(x, y), img.NRGBAAt((x+1)%wallEdge, y)
				sum += abs(int(a.R)-int(b.R)) + abs(int(a.G)-int(b.G))
			}
			if x == wallEdge-1 {
				seam = sum
			} else {
				worst = max(worst, sum)
			}
		}
		if seam > worst {
			t.Errorf("pattern of cell %d: the seam differs by %d, elsewhere at most %d", cell, seam, worst)
		}
	}
}

func TestModelsFaceTheRightWay(t *testing.T) {
	dir := generated(t)
	inside := vec{0, CellHeight / 2, CellLength / 2}
	for _, stem := range Models() {
		doc := new(gltf.Document)
		if err := gltf.NewDecoderFS(opened(t, dir, stem+".gltf"), sub(t, dir, path.Dir(stem))).Decode(doc); err != nil {
			t.Fatalf("%s: %v", stem, err)
		}
		for _, m := range doc.Meshes {
			p := m.Primitives[0]
			pos, err := modeler.ReadPosition(doc, doc.Accessors[p.Attributes[gltf.POSITION]], nil)
			if err != nil {
				t.Fatalf("%s: %v", stem, err)
			}
			normals, _ := modeler.ReadNormal(doc, doc.Accessors[p.Attributes[gltf.NORMAL]], nil)
			index, _ := modeler.ReadIndices(doc, doc.Accessors[*p.Indices], nil)
			for i := 0; i < len(index); i += 3 {
				a, b, c := vec(pos[index[i]]), vec(pos[index[i+1]]), vec(pos[index[i+2]])
				face := b.minus(a).cross(c.minus(a))
				if face.dot(normals[index[i]]) < 0 {
					t.Fatalf("%s %s: triangle %d winds the wrong way", stem, m.Name, i/3)
				}
				if strings.HasPrefix(stem, "shell/") && m.Name != "shaft" && face.dot(inside.minus(a)) <= 0 {
					t.Fatalf("%s %s: triangle %d faces outwards", stem, m.Name, i/3)
				}
				if side := max(b.minus(a).length(), c.minus(b).length(), a.minus(c).length()); side > 4 {
					t.Fatalf("%s %s: a triangle is %.2f m long", stem, m.Name, side)
				}
			}
			for _, n := range normals {
				if l := vec(n).length(); math.Abs(float64(l-1)) > 1e-5 {
					t.Fatalf("%s %s: a normal of length %v", stem, m.Name, l)
				}
			}
		}
	}
}

func opened(t *testing.T, dir fs.FS, name string) fs.File {
	t.Helper()
	f, err := dir.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func sub(t *testing.T, dir fs.FS, name string) fs.FS {
	t.Helper()
	s, err := fs.Sub(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSoundsLoopQuietly(t *testing.T) {
	for _, l := range loops() {
		b := l.wav()
		samples := make([]float64, l.frames)
		var peak, step float64
		for i := range samples {
			samples[i] = float64(int16(binary.LittleEndian.Uint16(b[44+2*i:]))) / 32767
			peak = max(peak, math.Abs(samples[i]))
			if i > 0 {
				step = max(step, math.Abs(samples[i]-samples[i-1]))
			}
		}
		if seam := math.Abs(samples[0] - samples[l.frames-1]); seam > step*1.01 {
			t.Errorf("%s: the seam steps by %v, elsewhere at most %v", l.name, seam, step)
		}
		if math.Abs(peak-l.peak) > 1e-3 || peak > 0.3 {
			t.Errorf("%s: peak %v", l.name, peak)
		}
		seconds := float64(l.frames) / float64(l.rate)
		if len(b) != 44+2*l.frames || seconds < 1 || seconds > 2 {
			t.Errorf("%s: %v s, %d bytes", l.name, seconds, len(b))
		}
	}
}
