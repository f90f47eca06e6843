package cook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"sojourn/assets/pack"
)

// childEnv makes the test program cook once and say each step, to be killed.
const childEnv = "SOJOURN_COOK_CHILD"

func TestMain(m *testing.M) {
	if args := os.Getenv(childEnv); args != "" {
		out, dir, _ := strings.Cut(args, "\n")
		_, err := Run(context.Background(), Options{Out: out, Dirs: []string{dir}, Jobs: 2, Progress: func(s Step) {
			fmt.Println(s.Phase, s.Path)
			os.Stdout.Sync()
		}})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// tree is a content folder: path -> content.
type tree map[string]string

func (f tree) write(t testing.TB, dir string) {
	t.Helper()
	for name, content := range f {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// folder writes a tree to a fresh folder.
func folder(t testing.TB, f tree) string {
	t.Helper()
	dir := t.TempDir()
	f.write(t, dir)
	return dir
}

func pngFile(w, h int, c color.NRGBA) string {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := 0; i < len(m.Pix); i += 4 {
		m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = c.R+uint8(i), c.G, c.B, c.A
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.String()
}

// content is a folder with something for most importers.
func content() tree {
	return tree{
		"textures/brick.png":            pngFile(40, 24, color.NRGBA{200, 90, 40, 255}),
		"textures/brick_normal.PNG":     pngFile(16, 16, color.NRGBA{128, 128, 255, 255}),
		"textures/glass.png":            pngFile(7, 5, color.NRGBA{200, 200, 255, 90}),
		"materials/brick.material.json": `{"base_color":[1,1,1,1],"maps":{"base_color":"textures/brick"}}`,
		"text/a.txt":                    "hello",
		"text/empty.txt":                "",
		"text/long.csv":                 strings.Repeat("1,2,3\n", 10_000),
		"text/exact.bin":                strings.Repeat("x", 256<<10),
		".hidden":                       "no",
		".git/config":                   "no",
	}
}

func mustRun(t testing.TB, o Options) Report {
	t.Helper()
	rep, err := Run(context.Background(), o)
	if err != nil {
		t.Fatalf("%v; failed: %v", err, rep.Failed)
	}
	return rep
}

func fileBytes(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// entries reads a whole pack.
func entries(t testing.TB, path string) tree {
	t.Helper()
	p, err := pack.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	got := tree{}
	var names []string
	if err := p.List(func(name string, _ int64) bool { names = append(names, name); return true }); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		e, err := p.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, e.SizeBytes())
		if n, err := e.ReadAt(b, 0); n != len(b) && !errors.Is(err, io.EOF) {
			t.Fatalf("%s: %d of %d bytes, %v", name, n, len(b), err)
		}
		got[name] = string(b)
		e.Close()
	}
	return got
}

// onlyFile fails where the folder of path holds anything else.
func onlyFile(t testing.TB, path string) {
	t.Helper()
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if f.Name() != filepath.Base(path) {
			t.Errorf("%s was left behind", f.Name())
		}
	}
}
