package loose

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sojourn/assets"
)

func writeTree(t *testing.T, files map[string][]byte) string {
	t.Helper()
	root := t.TempDir()
	for name, b := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func openDir(t *testing.T, root string) *Folder {
	t.Helper()
	d, err := Dir(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func listed(t *testing.T, s assets.Source) []string {
	t.Helper()
	var names []string
	if err := s.List(func(name string, _ int64) bool { names = append(names, name); return true }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// checkSource is what every source must do.
func checkSource(t *testing.T, s assets.Source, files map[string][]byte) {
	t.Helper()
	for name, want := range files {
		e, err := s.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if e.SizeBytes() != int64(len(want)) {
			t.Errorf("%s: %d bytes", name, e.SizeBytes())
		}
		got, err := io.ReadAll(io.NewSectionReader(e, 0, e.SizeBytes()))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if len(want) > 4 {
			b := make([]byte, 3)
			if n, err := e.ReadAt(b, 1); n != 3 || err != nil || !bytes.Equal(b, want[1:4]) {
				t.Errorf("%s: range %q, %v", name, b, err)
			}
			if n, err := e.ReadAt(b, int64(len(want)-1)); n != 1 || err != io.EOF {
				t.Errorf("%s: over the end: %d, %v", name, n, err)
			}
		}
		if n, err := e.ReadAt(make([]byte, 1), int64(len(want))); n != 0 || err != io.EOF {
			t.Errorf("%s: behind the end: %d, %v", name, n, err)
		}
		if _, err := e.ReadAt(make([]byte, 1), -1); err == nil || !strings.Contains(err.Error(), s.Name()) {
			t.Errorf("%s: negative offset: %v", name, err)
		}
		if err := errors.Join(e.Close(), e.Close()); err != nil {
			t.Error(err)
		}
		if _, err := e.ReadAt(make([]byte, 1), 0); !errors.Is(err, assets.ErrClosed) {
			t.Errorf("%s: read after Close: %v", name, err)
		}
	}
	for _, name := range []string{"", ".", "nope", "a", "a/nope", "a/b.txt/c", "/a/b.txt", "../x", "a/../a/b.txt", `a\b.txt`, "a//b.txt", "a/", "C:x", "a\x00b"} {
		if _, err := s.Open(name); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), s.Name()) {
			t.Errorf("%q: %v", name, err)
		}
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	if got := listed(t, s); !slices.Equal(got, names) {
		t.Errorf("listed %v, want %v", got, names)
	}
	n := 0
	if err := s.List(func(string, int64) bool { n++; return false }); err != nil || n != 1 {
		t.Errorf("%d listed after the stop, %v", n, err)
	}
	checkClosed(t, s)
}

func checkClosed(t *testing.T, s assets.Source) {
	t.Helper()
	e, err := s.Open("a/b.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := s.Open("a/b.txt"); !errors.Is(err, assets.ErrClosed) {
		t.Errorf("open: %v", err)
	}
	if _, err := e.ReadAt(make([]byte, 1), 0); !errors.Is(err, assets.ErrClosed) {
		t.Errorf("read: %v", err)
	}
	if err := s.List(func(string, int64) bool { return true }); !errors.Is(err, assets.ErrClosed) {
		t.Errorf("list: %v", err)
	}
}

func someFiles() map[string][]byte {
	return map[string][]byte{
		"a/b.txt": []byte("hello"), "A..B.bin": []byte("two dots are a name"), "empty": nil,
		"a/ä/c d.ktx2": bytes.Repeat([]byte("0123456789"), 40_000),
	}
}

func TestFolder_IsASource(t *testing.T) {
	files := someFiles()
	checkSource(t, openDir(t, writeTree(t, files)), files)
}

func TestFolder_NeedsAFolder(t *testing.T) {
	root := writeTree(t, someFiles())
	for _, path := range []string{root + "/nope", root + "/empty"} {
		if _, err := Dir(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Nothing outside the folder is read, whatever links it holds; links that stay
// inside work.
func TestFolder_LinksStayInside(t *testing.T) {
	outside := writeTree(t, map[string][]byte{"secret": []byte("secret")})
	root := writeTree(t, map[string][]byte{"in/file": []byte("inside")})
	for link, target := range map[string]string{
		"out-absolute": filepath.Join(outside, "secret"), "out-folder": outside,
		"out-relative": "../../../../../../../../etc/hostname", "inner": "in/file", "inner-folder": "in", "loop": "loop",
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Skipf("links cannot be made here: %v", err)
		}
	}
	d := openDir(t, root)
	for _, name := range []string{"out-absolute", "out-folder/secret", "out-relative", "loop"} {
		e, err := d.Open(name)
		if err == nil {
			e.Close()
			t.Errorf("%s was opened", name)
		} else if !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), root) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"inner", "inner-folder/file"} {
		e, err := d.Open(name)
		if err != nil {
			t.Error(err)
			continue
		}
		e.Close()
	}
	if got := listed(t, d); !slices.Equal(got, []string{"in/file", "inner"}) {
		t.Errorf("listed %v", got)
	}
}

func TestFolder_PipesAreNotFiles(t *testing.T) {
	root := t.TempDir()
	if makePipe(filepath.Join(root, "pipe")) != nil {
		t.Skip("pipes cannot be made here")
	}
	d := openDir(t, root)
	if _, err := d.Open("pipe"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if got := listed(t, d); len(got) != 0 {
		t.Errorf("listed %v", got)
	}
}

func TestFolder_ShrunkFileIsAnError(t *testing.T) {
	root := writeTree(t, map[string][]byte{"f": bytes.Repeat([]byte("x"), 1000)})
	e, err := openDir(t, root).Open("f")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := os.Truncate(filepath.Join(root, "f"), 500); err != nil {
		t.Fatal(err)
	}
	_, err = e.ReadAt(make([]byte, 1000), 0)
	if !errors.Is(err, assets.ErrCorrupt) || !strings.Contains(err.Error(), `"f"`) || !strings.Contains(err.Error(), "unexpected end") {
		t.Error(err)
	}
	// Growing changes nothing.
	if err := os.WriteFile(filepath.Join(root, "f"), bytes.Repeat([]byte("y"), 3000), 0o644); err != nil {
		t.Fatal(err)
	}
	if n, err := e.ReadAt(make([]byte, 5000), 0); n != 1000 || err != io.EOF {
		t.Errorf("%d, %v", n, err)
	}
}

func TestFolder_MapsLargeFilesOnly(t *testing.T) {
	big := bytes.Repeat([]byte("big content "), MapBytesMin/10)
	root := writeTree(t, map[string][]byte{"big": big, "small": big[:MapBytesMin-1]})
	d := openDir(t, root)
	small, err := d.Open("small")
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	if _, ok := small.Map(0, 10); ok {
		t.Error("a small file was mapped")
	}
	e, err := d.Open("big")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range [][2]int64{{-1, 2}, {0, 0}, {0, -1}, {1, int64(len(big))}, {1 << 62, 1 << 62}} {
		if _, ok := e.Map(r[0], r[1]); ok {
			t.Errorf("mapped %d bytes at %d", r[1], r[0])
		}
	}
	l, ok := e.Map(5, int64(len(big)-5))
	if !ok {
		t.Skip("files cannot be mapped here")
	}
	// The view outlives the entry, the source and the file.
	if err := errors.Join(e.Close(), d.Close(), os.Remove(filepath.Join(root, "big"))); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(l.Bytes(), big[5:]) {
		t.Error("the view changed")
	}
	l.Release()
	if _, ok := e.Map(0, 10); ok {
		t.Error("mapped after Close")
	}
}

func TestCaseA19_LooseFileChangesUnderItsMapping(t *testing.T) {
	big := bytes.Repeat([]byte("big content "), MapBytesMin/10)
	for _, how := range []string{"truncate", "empty", "replace", "delete"} {
		t.Run(how, func(t *testing.T) {
			root := writeTree(t, map[string][]byte{"big.tex": big})
			path := filepath.Join(root, "big.tex")
			e, err := openDir(t, root).Open("big.tex")
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			l, ok := e.Map(0, e.SizeBytes())
			if !ok {
				t.Skip("files cannot be mapped here")
			}
			defer l.Release()
			switch how {
			case "truncate":
				err = os.Truncate(path, int64(len(big)/2))
			case "empty":
				err = os.Truncate(path, 0)
			case "delete":
				err = os.Remove(path)
			case "replace":
				err = errors.Join(os.WriteFile(path+".new", make([]byte, len(big)), 0o644), os.Rename(path+".new", path))
			}
			if err != nil {
				t.Fatal(err)
			}
			lost := how == "truncate" || how == "empty"
			same := false
			tail := len(big) - 4096
			err = assets.Guard(func() { same = bytes.Equal(l.Bytes()[tail:], big[tail:]) })
			if lost != errors.Is(err, assets.ErrCorrupt) || same == lost {
				t.Errorf("touching: same %v, %v", same, err)
			}
			_, err = e.ReadAt(make([]byte, 100), int64(len(big)-100))
			if lost != errors.Is(err, assets.ErrCorrupt) || lost && !strings.Contains(err.Error(), "big.tex") {
				t.Errorf("reading: %v", err)
			}
			if _, ok := e.Map(0, 10); ok == lost {
				t.Errorf("mapped again: %v", ok)
			}
		})
	}
}

func TestFolder_ReadsAllocateNothing(t *testing.T) {
	root := writeTree(t, someFiles())
	e, err := openDir(t, root).Open("a/ä/c d.ktx2")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	b := make([]byte, 1000)
	if n := testing.AllocsPerRun(50, func() { e.ReadAt(b, 100) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
