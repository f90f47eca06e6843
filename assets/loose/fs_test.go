package loose

import (
	"embed"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"sojourn/assets"
)

//go:embed testdata
var embedded embed.FS

func mapFS(files map[string][]byte) fstest.MapFS {
	m := fstest.MapFS{}
	for name, b := range files {
		m[name] = &fstest.MapFile{Data: b}
	}
	return m
}

// limitedFS hides what its files can do beyond reading, and seeking if asked.
type limitedFS struct {
	fs.FS
	seek bool
}

type onlyFile struct{ fs.File }

type seekFile struct {
	fs.File
	io.Seeker
}

func (l limitedFS) Open(name string) (fs.File, error) {
	f, err := l.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return f, err
	}
	if l.seek {
		return seekFile{f, f.(io.Seeker)}, nil
	}
	return onlyFile{f}, nil
}

// fs.WalkDir reads folders through the file system itself.
func (l limitedFS) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(l.FS, name) }

func TestFileSystem_IsASource(t *testing.T) {
	files := someFiles()
	t.Run("random access", func(t *testing.T) { checkSource(t, FS("memory", mapFS(files)), files) })
	t.Run("seeking", func(t *testing.T) { checkSource(t, FS("memory", limitedFS{mapFS(files), true}), files) })
	t.Run("reading", func(t *testing.T) { checkSource(t, FS("memory", limitedFS{mapFS(files), false}), files) })
	t.Run("embedded", func(t *testing.T) {
		sub, err := fs.Sub(embedded, "testdata/tree")
		if err != nil {
			t.Fatal(err)
		}
		checkSource(t, FS("embedded", sub), map[string][]byte{"a/b.txt": []byte("hello\n"), "c.json": []byte("{}\n")})
	})
}

func TestFileSystem_RangedWhereItCanSeek(t *testing.T) {
	files := mapFS(someFiles())
	for _, c := range []struct {
		fsys fs.FS
		want bool
	}{{files, true}, {limitedFS{files, true}, true}, {limitedFS{files, false}, false}} {
		e, err := FS("m", c.fsys).Open("a/b.txt")
		if err != nil {
			t.Fatal(err)
		}
		if e.Ranged() != c.want {
			t.Errorf("%T: ranged %v", c.fsys, e.Ranged())
		}
		if _, ok := e.Map(0, 1); ok {
			t.Error("mapped")
		}
		e.Close()
	}
}

// liarFS has one file that claims a size and gives a few bytes, or an error.
type liarFS struct {
	claimBytes int64
	give       string
	err        error
}

type liar struct {
	liarFS
	io.Reader
}

func (l liarFS) Open(string) (fs.File, error) {
	r := io.Reader(strings.NewReader(l.give))
	if l.err != nil {
		r = io.MultiReader(r, errReader{l.err})
	}
	return liar{l, r}, nil
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

func (l liar) Stat() (fs.FileInfo, error) { return l, nil }
func (l liar) Close() error               { return nil }
func (l liar) Name() string               { return "liar" }
func (l liar) Size() int64                { return l.claimBytes }
func (l liar) Mode() fs.FileMode          { return 0 }
func (l liar) ModTime() time.Time         { return time.Time{} }
func (l liar) IsDir() bool                { return false }
func (l liar) Sys() any                   { return nil }

func TestFileSystem_WrongSizes(t *testing.T) {
	if _, err := FS("m", liarFS{claimBytes: WholeBytesMax + 1}).Open("liar"); !errors.Is(err, assets.ErrTooLarge) {
		t.Errorf("huge: %v", err)
	}
	e, err := FS("m", liarFS{claimBytes: 200 << 20, give: "short"}).Open("liar")
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 3)
	if n, err := e.ReadAt(b, 100<<20); n != 0 || !errors.Is(err, assets.ErrCorrupt) {
		t.Errorf("behind what there is: %d, %v", n, err)
	}
	if have := cap(e.(*fsEntry).at.(*wholeReader).have); have > 1<<20 {
		t.Errorf("%d bytes kept for a claim", have)
	}
	if n, err := e.ReadAt(b, 0); n != 3 || err != nil {
		t.Errorf("what there is: %d, %v", n, err)
	}
	e, err = FS("m", liarFS{claimBytes: 4, give: "longer than claimed"}).Open("liar")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(io.NewSectionReader(e, 0, 100))
	if err != nil || string(got) != "long" {
		t.Errorf("%q, %v", got, err)
	}
	e, err = FS("m", liarFS{claimBytes: 9, give: "part", err: os.ErrPermission}).Open("liar")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.ReadAt(make([]byte, 9), 0); !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), `m: "liar"`) {
		t.Errorf("failing read: %v", err)
	}
}
