package cook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"

	"sojourn/assets"
	"sojourn/assets/docfile"
	"sojourn/assets/ktx2"
)

func TestRunCooksEverything(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.zip")
	files := content()
	files["fonts/go.TTF"] = string(goregular.TTF)
	rep := mustRun(t, Options{Out: out, Dirs: []string{folder(t, files)}})
	onlyFile(t, out)
	got := entries(t, out)
	for _, name := range []string{
		".cook/manifest", ".cook/registry", "fonts/go.ttf", "materials/brick.material", "text/a.txt", "text/empty.txt",
		"text/exact.bin", "text/long.csv", "textures/brick.ktx2", "textures/brick_normal.ktx2", "textures/glass.ktx2",
	} {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	if len(got) != 11 || rep.Files != 9 || rep.Entries != 9 || rep.Reused != 0 || len(rep.Warnings) != 0 {
		t.Errorf("%d entries, %+v", len(got), rep)
	}
	if got["text/long.csv"] != content()["text/long.csv"] || got["fonts/go.ttf"] != string(goregular.TTF) {
		t.Error("a blob changed")
	}
	tex, err := ktx2.Parse(strings.NewReader(got["textures/brick_normal.ktx2"]), int64(len(got["textures/brick_normal.ktx2"])))
	if err != nil || tex.SRGB || tex.Width != 16 || tex.Levels != 5 {
		t.Errorf("%+v, %v", tex, err)
	}
	m, err := docfile.DecodeMaterial("m", []byte(got["materials/brick.material"]))
	if err != nil || m.Maps[assets.MapBaseColor] != "textures/brick" {
		t.Errorf("%+v, %v", m, err)
	}
	if want := int64(len(fileBytes(t, out))); rep.PackBytes != want {
		t.Errorf("PackBytes %d, the file has %d", rep.PackBytes, want)
	}
}

func TestSameBytesWhateverTheJobs(t *testing.T) {
	dir, other := folder(t, content()), folder(t, content())
	var first string
	for i, o := range []Options{
		{Dirs: []string{dir}, Jobs: 1}, {Dirs: []string{dir}, Jobs: 4}, {Dirs: []string{other}, Jobs: 3},
	} {
		o.Out = filepath.Join(t.TempDir(), "x.zip")
		mustRun(t, o)
		got := fileBytes(t, o.Out)
		if i == 0 {
			first = got
		} else if got != first {
			t.Errorf("run %d differs", i)
		}
	}
}

func TestRootsMergeInAnyOrder(t *testing.T) {
	a, b := folder(t, tree{"x/a.txt": "a", "b.txt": "b"}), folder(t, tree{"x/c.txt": "c"})
	var packs [2]string
	for i, dirs := range [][]string{{a, b}, {b, a}} {
		out := filepath.Join(t.TempDir(), "x.zip")
		mustRun(t, Options{Out: out, Dirs: dirs})
		packs[i] = fileBytes(t, out)
		if got := entries(t, out); got["x/a.txt"] != "a" || got["x/c.txt"] != "c" || got["b.txt"] != "b" {
			t.Errorf("%v", got)
		}
	}
	if packs[0] != packs[1] {
		t.Error("the order of folders matters")
	}
}

func TestCollisionNamesBothAndCooksNeither(t *testing.T) {
	one := folder(t, tree{"a.png": pngFile(2, 2, color.NRGBA{1, 2, 3, 255}), "a.jpeg": "not even a picture", "b.txt": "1", "ok.txt": "ok"})
	two := folder(t, tree{"b.txt": "2"})
	// A cooked texture beside its source: another asset, the same entry.
	three := folder(t, tree{"c.png": pngFile(2, 2, color.NRGBA{1, 2, 3, 255}), "c.ktx2": "cooked"})
	out := filepath.Join(t.TempDir(), "x.zip")
	rep, err := Run(context.Background(), Options{Out: out, Dirs: []string{one, two, three}})
	if !errors.Is(err, ErrFailed) || len(rep.Failed) != 6 {
		t.Fatalf("%v, %v", err, rep.Failed)
	}
	partner := map[string]string{"a.png": "a.jpeg", "a.jpeg": "a.png", "b.txt": "b.txt", "c.png": "c.ktx2", "c.ktx2": "c.png"}
	for _, f := range rep.Failed {
		if !errors.Is(f.Err, ErrCollision) || !strings.Contains(f.Err.Error(), partner[f.Path]) {
			t.Errorf("%v does not name %s", f, partner[f.Path])
		}
	}
	got := entries(t, out)
	delete(got, ManifestName)
	delete(got, RegistryName)
	if len(got) != 1 || got["ok.txt"] != "ok" {
		t.Errorf("%v", got)
	}
}

func TestFailuresNamePathAndReasonOnce(t *testing.T) {
	dir := folder(t, tree{
		"bad.png": "\x89PNG\r\n\x1a\n", "empty.jpg": "", "bad.ttf": "no font", "bad.material.json": `{"nope":1}`,
		"bad.scene.json": `[`, "bad.particle.json": `{"rate": 3}`, "part#1.txt": "x", "back\\slash.txt": "x", "good.txt": "good",
	})
	out := filepath.Join(t.TempDir(), "x.zip")
	rep, err := Run(context.Background(), Options{Out: out, Dirs: []string{dir}})
	if !errors.Is(err, ErrFailed) {
		t.Fatal(err)
	}
	reasons := map[string]string{
		"bad.png": "truncated", "empty.jpg": "empty", "bad.ttf": "font", "bad.material.json": "nope",
		"bad.scene.json": "", "bad.particle.json": "texture", "part#1.txt": "'#'", "back\\slash.txt": "backslash",
	}
	if len(rep.Failed) != len(reasons) {
		t.Errorf("%d failures, want %d: %v", len(rep.Failed), len(reasons), rep.Failed)
	}
	for _, f := range rep.Failed {
		reason, ok := reasons[f.Path]
		if !ok || !strings.Contains(f.Err.Error(), reason) || f.Dir != dir {
			t.Errorf("%v: want %q", f, reason)
		}
		delete(reasons, f.Path)
	}
	if got := entries(t, out); got["good.txt"] != "good" || len(got) != 3 {
		t.Errorf("%d entries", len(got))
	}
	if _, err := Run(context.Background(), Options{Out: out, Dirs: []string{dir}, Lenient: true}); err != nil {
		t.Errorf("lenient: %v", err)
	}
}

func TestHugeFilesAreRefusedUnread(t *testing.T) {
	dir := folder(t, tree{"small.txt": "x"})
	for _, name := range []string{"huge.bin", "huge.png"} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(FileBytesMax + 1); err != nil {
			t.Skipf("no sparse files here: %v", err)
		}
		f.Close()
	}
	rep, err := Run(context.Background(), Options{Out: filepath.Join(t.TempDir(), "x.zip"), Dirs: []string{dir}})
	if !errors.Is(err, ErrFailed) || len(rep.Failed) != 2 || rep.Entries != 1 {
		t.Fatalf("%v, %v", err, rep.Failed)
	}
	for _, f := range rep.Failed {
		if !errors.Is(f.Err, assets.ErrTooLarge) || !strings.Contains(f.Err.Error(), "limit") {
			t.Error(f)
		}
	}
}

func TestUnusableFoldersAndOutputs(t *testing.T) {
	dir := folder(t, tree{"a.txt": "a"})
	for name, o := range map[string]Options{
		"no output":     {Dirs: []string{dir}},
		"no folder":     {Out: filepath.Join(t.TempDir(), "x.zip")},
		"missing":       {Out: filepath.Join(t.TempDir(), "x.zip"), Dirs: []string{filepath.Join(dir, "nope")}},
		"file as root":  {Out: filepath.Join(t.TempDir(), "x.zip"), Dirs: []string{filepath.Join(dir, "a.txt")}},
		"out is folder": {Out: t.TempDir(), Dirs: []string{dir}},
		"out in none":   {Out: filepath.Join(t.TempDir(), "no", "x.zip"), Dirs: []string{dir}},
	} {
		if _, err := Run(context.Background(), o); err == nil || errors.Is(err, ErrFailed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOutputInsideItsRootIsNotCooked(t *testing.T) {
	dir := folder(t, tree{"a.txt": "a", "out.zip.123.tmp": "left over", "out.zip.9.spool.tmp": "left over", "out.zip.x.tmp": "a file"})
	out := filepath.Join(dir, "out.zip")
	mustRun(t, Options{Out: out, Dirs: []string{dir}})
	first := fileBytes(t, out)
	rep := mustRun(t, Options{Out: out, Dirs: []string{dir}})
	if rep.Files != 2 || fileBytes(t, out) != first {
		t.Errorf("%+v", rep)
	}
	if left, _ := filepath.Glob(out + ".[0-9]*.tmp"); left != nil {
		t.Errorf("%v left", left)
	}
}

func TestLinksStayInside(t *testing.T) {
	secret := folder(t, tree{"secret.txt": "secret", "sub/x.txt": "x"})
	dir := folder(t, tree{"a.txt": "a"})
	for name, target := range map[string]string{
		"inside.txt": "a.txt", "outside.txt": filepath.Join(secret, "secret.txt"), "folder": filepath.Join(secret, "sub"), "dangling.txt": "nope",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	out := filepath.Join(t.TempDir(), "x.zip")
	rep := mustRun(t, Options{Out: out, Dirs: []string{dir}})
	if got := entries(t, out); len(got) != 4 || got["inside.txt"] != "a" {
		t.Errorf("%v", got)
	}
	if len(rep.Warnings) != 3 {
		t.Errorf("%v", rep.Warnings)
	}
}

func TestRegistry(t *testing.T) {
	const id = "0f1e2d3c-4b5a-4968-8776-655443322110"
	dir := folder(t, tree{
		"b.txt": "b", "a.png": pngFile(1, 1, color.NRGBA{9, 9, 9, 255}), "a.png.uuid": id + "\n",
		"lost.txt.uuid": id, "bad.txt": "x", "bad.txt.uuid": "not a uuid",
	})
	out := filepath.Join(t.TempDir(), "x.zip")
	rep, err := Run(context.Background(), Options{Out: out, Dirs: []string{dir}})
	if !errors.Is(err, ErrFailed) || len(rep.Failed) != 1 || !strings.Contains(rep.Failed[0].Error(), "bad.txt.uuid") {
		t.Errorf("%v, %v", err, rep.Failed)
	}
	if len(rep.Warnings) != 1 || rep.Warnings[0].Path != "lost.txt.uuid" || rep.Files != 3 {
		t.Errorf("%v, %d files", rep.Warnings, rep.Files)
	}
	var rows []registryRow
	if err := json.Unmarshal([]byte(entries(t, out)[RegistryName]), &rows); err != nil {
		t.Fatal(err)
	}
	blob := assets.Key{Stem: "b.txt", Kind: assets.KindBlob}
	if len(rows) != 2 || rows[0].UUID.String() != id || rows[0].Stem != "a" || rows[0].Kind != "texture" ||
		rows[1].UUID != UUID(blob) || rows[1].UUID.Version() != 5 {
		t.Errorf("%+v", rows)
	}
	// Two files with one UUID: neither is cooked.
	tree{"b.txt.uuid": id}.write(t, dir)
	rep, _ = Run(context.Background(), Options{Out: out, Dirs: []string{dir}})
	if len(rep.Failed) != 3 || !errors.Is(rep.Failed[0].Err, ErrCollision) || !strings.Contains(rep.Failed[0].Error(), id) {
		t.Errorf("%v", rep.Failed)
	}
}

func TestZipToolsReadThePack(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.zip")
	mustRun(t, Options{Out: out, Dirs: []string{folder(t, content())}})
	for _, tool := range [][]string{{"bsdtar", "-tf"}, {"bsdtar", "-xOf"}, {"7z", "t"}, {"unzip", "-l"}} {
		if _, err := exec.LookPath(tool[0]); err != nil {
			t.Logf("%s is not installed", tool[0])
			continue
		}
		text, err := exec.Command(tool[0], append(tool[1:], out)...).CombinedOutput()
		if err != nil {
			if tool[0] == "7z" && bytes.Contains(text, []byte("Unsupported Method")) {
				t.Log("this 7z knows no zstd")
				continue
			}
			t.Errorf("%v: %v\n%s", tool, err, text[:min(len(text), 2000)])
		}
	}
}

// A scene's effects and a particle source are packed as they are written.
func TestEffectsAreCooked(t *testing.T) {
	dir := folder(t, tree{
		"fx/fire.particle.json": `{"texture": "fx/puff", "rate": 3}`,
		"yard.scene.json":       `{"effects": [{"id": "f", "particles": "fx/fire"}, {"id": "z", "zone": {"keep": ["texture:fx/puff"]}}]}`,
	})
	out := filepath.Join(t.TempDir(), "x.zip")
	mustRun(t, Options{Out: out, Dirs: []string{dir}})
	got := entries(t, out)
	p, err := docfile.DecodeParticles("p", []byte(got["fx/fire.particle"]))
	if err != nil || p.Texture != "fx/puff" || p.Rate != 3 {
		t.Errorf("%+v, %v", p, err)
	}
	s, err := docfile.DecodeScene("s", []byte(got["yard.scene"]))
	if err != nil || len(s.Effects) != 2 || s.Effects[0].Asset != "fx/fire" || len(s.Effects[1].Zone.Keep) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}
