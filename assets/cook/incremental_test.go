package cook

import (
	"context"
	"errors"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sojourn/assets"
	"sojourn/assets/cook/unit"
)

// cold cooks the folder to a fresh path and gives the pack's bytes.
func cold(t *testing.T, dir string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "cold.zip")
	mustRun(t, Options{Out: out, Dirs: []string{dir}})
	return fileBytes(t, out)
}

func TestIncrementalReusesWhatIsUnchanged(t *testing.T) {
	dir := folder(t, content())
	out := filepath.Join(t.TempDir(), "x.zip")
	cook := func(wantReused int) Report {
		t.Helper()
		rep := mustRun(t, Options{Out: out, Dirs: []string{dir}})
		if rep.Reused != wantReused {
			t.Errorf("%d of %d reused, want %d", rep.Reused, rep.Files, wantReused)
		}
		if fileBytes(t, out) != cold(t, dir) {
			t.Error("differs from a cold cook")
		}
		return rep
	}
	cook(0)
	if rep := cook(8); rep.CookedBytes != 0 {
		t.Errorf("%+v", rep)
	}
	tree{"text/a.txt": "changed"}.write(t, dir)
	if rep := cook(7); rep.CookedBytes != int64(len("changed")) {
		t.Errorf("%+v", rep)
	}
	tree{"text/new.txt": "new"}.write(t, dir)
	cook(8)
	if err := os.Remove(filepath.Join(dir, "textures", "brick.png")); err != nil {
		t.Fatal(err)
	}
	cook(8)
	tree{"textures/glass.png.uuid": "0f1e2d3c-4b5a-4968-8776-655443322110"}.write(t, dir)
	cook(8)
}

func TestTimesDoNotMatter(t *testing.T) {
	dir := folder(t, tree{"a.txt": "1"})
	out := filepath.Join(t.TempDir(), "x.zip")
	mustRun(t, Options{Out: out, Dirs: []string{dir}})
	info, err := os.Stat(filepath.Join(dir, "a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	tree{"a.txt": "2"}.write(t, dir)
	if err := os.Chtimes(filepath.Join(dir, "a.txt"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if rep := mustRun(t, Options{Out: out, Dirs: []string{dir}}); rep.Reused != 0 || entries(t, out)["a.txt"] != "2" {
		t.Error("an old entry stands in for a changed file of the same time and size")
	}
}

// withImporter cooks ".test" files by imp, by way of the job alone.
func withImporter(t *testing.T, dir string, old *oldPack, imp unit.Importer) (*cooked, error) {
	t.Helper()
	r, err := openRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.fs.Close()
	sp, err := newSpool(t.TempDir(), "x", new(encoders))
	if err != nil {
		t.Fatal(err)
	}
	defer sp.remove()
	l := make(lane, 1)
	j := &job{ctx: context.Background(), lane: &l, spool: sp, source: &source{
		root: r, path: "a.test", stem: "a", route: route{".test", assets.KindBlob, imp, 1},
	}}
	err = j.run(old)
	if len(l) != 0 {
		t.Error("the lane is still taken")
	}
	return j.out, err
}

func emitOne(in *unit.Input, emit func(unit.Output)) error {
	emit(unit.Output{Key: assets.Key{Stem: in.Stem, Kind: assets.KindBlob}, Data: in.Data})
	return nil
}

func TestReadsAreRecordedAndStayInside(t *testing.T) {
	secret := folder(t, tree{"s.txt": "secret"})
	dir := folder(t, tree{"a.test": "x", "b/A..B.bin": "dep"})
	if err := os.Symlink(filepath.Join(secret, "s.txt"), filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	c, err := withImporter(t, dir, nil, func(in *unit.Input, emit func(unit.Output)) error {
		if b, err := in.Read("b/A..B.bin"); err != nil || string(b) != "dep" {
			t.Errorf("%q, %v", b, err)
		}
		for _, p := range []string{"../s.txt", "/etc/passwd", "b/../../s.txt", "link", ""} {
			if _, err := in.Read(p); !errors.Is(err, ErrOutside) {
				t.Errorf("%q: %v", p, err)
			}
		}
		if _, err := in.Read("b/missing.bin"); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "missing.bin") {
			t.Errorf("%v", err)
		}
		if _, err := in.Read("b"); err == nil {
			t.Error("a folder was read")
		}
		in.Warn("mended %d", 1)
		return emitOne(in, emit)
	})
	if err != nil {
		t.Fatal(err)
	}
	rec := c.record
	if len(rec.Reads) != 2 || rec.Reads[0].Path != "b/A..B.bin" || rec.Reads[0].Hash == absent ||
		rec.Reads[1] != (readRecord{"b/missing.bin", absent}) || len(rec.Warnings) != 1 || rec.Warnings[0] != "mended 1" {
		t.Errorf("%+v", rec)
	}
}

func TestDependenciesDecideReuse(t *testing.T) {
	dir := folder(t, tree{"a.test": "x", "dep.bin": "1"})
	runs := 0
	imp := func(in *unit.Input, emit func(unit.Output)) error {
		runs++
		in.Read("dep.bin")
		in.Read("later.bin")
		return emitOne(in, emit)
	}
	c, err := withImporter(t, dir, nil, imp)
	if err != nil {
		t.Fatal(err)
	}
	// An old pack that has the entry: cooked as a blob of the same bytes.
	out := filepath.Join(t.TempDir(), "old.zip")
	mustRun(t, Options{Out: out, Dirs: []string{folder(t, tree{"a": "x"})}})
	old, err := openOld(out)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	old.files["a.test"] = &c.record
	for _, step := range []struct {
		change tree
		runs   int
	}{{nil, 1}, {tree{"other.bin": "1"}, 1}, {tree{"dep.bin": "2"}, 2}, {tree{"dep.bin": "1"}, 2}, {tree{"later.bin": ""}, 3}} {
		step.change.write(t, dir)
		if _, err := withImporter(t, dir, old, imp); err != nil {
			t.Fatal(err)
		}
		if runs != step.runs {
			t.Errorf("after %v: %d imports, want %d", step.change, runs, step.runs)
		}
	}
}

func TestImporterFaults(t *testing.T) {
	dir := folder(t, tree{"a.test": "x"})
	key := assets.Key{Stem: "a", Kind: assets.KindBlob}
	for name, c := range map[string]struct {
		imp  unit.Importer
		says string
	}{
		"panic":   {func(*unit.Input, func(unit.Output)) error { panic("oh no") }, "oh no"},
		"nothing": {func(*unit.Input, func(unit.Output)) error { return nil }, "nothing"},
		"foreign": {func(_ *unit.Input, emit func(unit.Output)) error {
			emit(unit.Output{Key: assets.Key{Stem: "b"}})
			return nil
		}, "no part"},
		"bad stem": {func(_ *unit.Input, emit func(unit.Output)) error {
			emit(unit.Output{Key: assets.Key{Stem: "../a"}})
			return nil
		}, "stem"},
		"after one": {func(_ *unit.Input, emit func(unit.Output)) error {
			emit(unit.Output{Key: key})
			return errors.New("late")
		}, "late"},
	} {
		if _, err := withImporter(t, dir, nil, c.imp); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnusableOldPacks(t *testing.T) {
	dir := folder(t, content())
	want := cold(t, dir)
	raw := strings.Index(want, "\xabKTX 20") // an entry that lies there as it is
	if raw < 0 {
		t.Fatal("no raw entry")
	}
	damaged := []byte(want)
	damaged[raw+200] ^= 1
	for name, c := range map[string]struct{ old, says string }{
		"not a zip": {"this is no pack", "not reused"},
		"empty":     {"", "not reused"},
		"cut":       {want[:len(want)-100], "not reused"},
		"damaged":   {string(damaged), "not reused"},
	} {
		out := filepath.Join(t.TempDir(), "x.zip")
		if err := os.WriteFile(out, []byte(c.old), 0o644); err != nil {
			t.Fatal(err)
		}
		rep := mustRun(t, Options{Out: out, Dirs: []string{dir}})
		if rep.Reused != 0 || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0].String(), c.says) {
			t.Errorf("%s: %+v", name, rep)
		}
		if fileBytes(t, out) != want {
			t.Errorf("%s: differs from a cold cook", name)
		}
		onlyFile(t, out)
	}
}

func TestFailedFilesAreTriedAgain(t *testing.T) {
	dir := folder(t, tree{"a.png": "broken", "b.txt": "b"})
	out := filepath.Join(t.TempDir(), "x.zip")
	for range 2 {
		rep, err := Run(context.Background(), Options{Out: out, Dirs: []string{dir}})
		if !errors.Is(err, ErrFailed) || len(rep.Failed) != 1 {
			t.Fatalf("%v, %+v", err, rep)
		}
	}
	tree{"a.png": pngFile(3, 3, color.NRGBA{1, 2, 3, 255})}.write(t, dir)
	if rep := mustRun(t, Options{Out: out, Dirs: []string{dir}}); rep.Reused != 1 || rep.Entries != 2 {
		t.Errorf("%+v", rep)
	}
	if fileBytes(t, out) != cold(t, dir) {
		t.Error("differs from a cold cook")
	}
}
