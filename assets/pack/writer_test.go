package pack

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"sojourn/assets"
)

func TestWriter_RoundTrip(t *testing.T) {
	items := sampleItems()
	checkItems(t, openPack(t, samplePack(t)), items)
}

func TestWriter_EqualContentGivesEqualFiles(t *testing.T) {
	items := sampleItems()
	a := sampleBytes(t)
	b, _ := os.ReadFile(writePack(t, items))
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Fatal("two packs of the same entries differ")
	}
}

// The standard library reads packs, and agrees on where raw data starts.
func TestWriter_StandardLibraryReads(t *testing.T) {
	items := sampleItems()
	r, err := zip.OpenReader(samplePack(t))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.RegisterDecompressor(methodZstd, zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1)))
	if len(r.File) != len(items) {
		t.Fatalf("%d entries, want %d", len(r.File), len(items))
	}
	for i, f := range r.File {
		off, err := f.DataOffset()
		if err != nil {
			t.Fatal(err)
		}
		if items[i].raw && off%rawAlignBytes != 0 {
			t.Errorf("%s: data at %d, not aligned", f.Name, off)
		}
		rc, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(rc)
		rc.Close()
		if err != nil || !bytes.Equal(got, items[i].data) {
			t.Errorf("%s: %v, %d bytes", f.Name, err, len(got))
		}
	}
}

func TestWriter_Refuses(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(filepath.Join(dir, "p"), WriterOptions{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add("b", []byte("1"), false); err != nil {
		t.Fatal(err)
	}
	enc, _ := NewEncoder()
	small := EncodeFrames(nil, []byte("hello"), enc)
	whole := EncodeFrames(nil, make([]byte, FrameBytesMax), enc)
	for _, c := range []struct {
		name string
		add  func() error
		want error
		text string
	}{
		{"twice", func() error { return w.Add("b", nil, true) }, ErrOrder, "twice"},
		{"out of order", func() error { return w.Add("a", nil, true) }, ErrOrder, `after "b"`},
		{"climbs", func() error { return w.Add("c/../d", nil, true) }, assets.ErrBadStem, "dot segment"},
		{"absolute", func() error { return w.Add("/c", nil, true) }, assets.ErrBadStem, "absolute"},
		{"backslash", func() error { return w.Add(`c\d`, nil, true) }, assets.ErrBadStem, "backslash"},
		{"empty", func() error { return w.Add("", nil, true) }, assets.ErrBadStem, "empty"},
		{"wrong size", func() error { return w.AddEncoded("c", small, 6, 0) }, nil, "hold 5 bytes, not 6"},
		{"cut", func() error { return w.AddEncoded("c", small[:len(small)-1], 5, 0) }, nil, "unexpected end"},
		{"no closing frame", func() error { return w.AddEncoded("c", whole[:len(whole)-8], FrameBytesMax, 0) }, nil, "closing"},
		{"not zstd", func() error { return w.AddEncoded("c", []byte("hello there"), 5, 0) }, nil, "not zstd"},
	} {
		err := c.add()
		if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// None of these ended the writer.
	if err := w.AddEncoded("c", small, 5, crc32.ChecksumIEEE([]byte("hello"))); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := w.Add("d", nil, true); err == nil {
		t.Error("added after Commit")
	}
	if err := w.Commit(); err == nil {
		t.Error("committed twice")
	}
	w.Abort()
	p := openPack(t, filepath.Join(dir, "p"))
	if got, err := readAll(p, "c"); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWriter_AbortLeavesWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.pack")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Create(path, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add("a", []byte("x"), false); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	w.Abort()
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("the old file became %q", got)
	}
	if names := folderNames(t, dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

func TestWriter_CommitReplacesAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.pack")
	for _, text := range []string{"one", "two"} {
		w, err := Create(path, WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Add("a", []byte(text), false); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		p := openPack(t, path)
		if got, err := readAll(p, "a"); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	if names := folderNames(t, dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
	if info, _ := os.Stat(path); info.Mode().Perm()&0o444 != 0o444 {
		t.Errorf("others may not read the pack: %v", info.Mode())
	}
}

// A failed write (here: the file is closed underneath) fails Commit, which
// cleans up.
func TestWriter_FailedWriteFailsCommit(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(filepath.Join(dir, "p.pack"), WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.file.Close()
	_ = w.Add("a", noise(1<<20), true)
	if err := w.Commit(); err == nil || !strings.Contains(err.Error(), "p.pack") {
		t.Errorf("commit: %v", err)
	}
	if names := folderNames(t, dir); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

func TestWriter_AddCopyGivesTheSameFile(t *testing.T) {
	items := sampleItems()
	path := samplePack(t)
	p := openPack(t, path)
	again := filepath.Join(t.TempDir(), "again.pack")
	w, err := Create(again, WriterOptions{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, it := range items {
		if err := w.AddCopy(p, it.name); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.AddCopy(p, "zz"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("copy of a missing entry: %v", err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	a, _ := os.ReadFile(path)
	b, _ := os.ReadFile(again)
	if !bytes.Equal(a, b) {
		t.Error("the copied pack differs")
	}
}

func TestWriter_AddCopyRefusesDamageAndForeignEntries(t *testing.T) {
	for _, raw := range []bool{true, false} {
		path := writePack(t, []item{{"a", noise(5000), raw}})
		b, _ := os.ReadFile(path)
		b[2000] ^= 1
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		w, err := Create(path+"2", WriterOptions{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.AddCopy(openPack(t, path), "a"); !errors.Is(err, assets.ErrCorrupt) {
			t.Errorf("raw %v: %v", raw, err)
		}
		w.Abort()
	}
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	f, _ := zw.Create("a")
	f.Write(content(1, 5000))
	zw.Close()
	path := filepath.Join(t.TempDir(), "foreign.zip")
	os.WriteFile(path, buf.Bytes(), 0o644)
	w, err := Create(path+"2", WriterOptions{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.AddCopy(openPack(t, path), "a"); err == nil || !strings.Contains(err.Error(), "not written by") {
		t.Errorf("foreign entry: %v", err)
	}
}

func TestWriter_ManyEntriesUseZip64(t *testing.T) {
	const n = 66_000
	path := filepath.Join(t.TempDir(), "many.pack")
	w, err := Create(path, WriterOptions{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	name := []byte("e/00000")
	for i := range n {
		for j, v := len(name)-1, i; j >= 2; j, v = j-1, v/10 {
			name[j] = byte('0' + v%10)
		}
		if err := w.Add(string(name), name, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	p := openPack(t, path)
	if p.Len() != n {
		t.Fatalf("%d entries", p.Len())
	}
	for _, name := range []string{"e/00000", "e/65535", "e/65999"} {
		if got, err := readAll(p, name); err != nil || string(got) != name {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// A pack over 4 GiB, with a hole in the file instead of the first entries.
func TestWriter_LargePacksUseZip64(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.pack")
	w, err := Create(path, WriterOptions{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	const hole = 5 << 30
	if _, err := w.file.Seek(hole, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	w.zip.SetOffset(hole)
	w.offset = hole
	for _, name := range []string{"a", "b"} {
		if err := w.Add(name, []byte(name), name == "a"); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	p := openPack(t, path)
	for _, name := range []string{"a", "b"} {
		if got, err := readAll(p, name); err != nil || string(got) != name {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
