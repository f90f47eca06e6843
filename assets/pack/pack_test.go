package pack

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sojourn/assets"
)

func TestPack_ListStatOpen(t *testing.T) {
	items := sampleItems()
	path := samplePack(t)
	p := openPack(t, path)
	if p.Name() != path || p.Len() != len(items) {
		t.Errorf("%s with %d entries", p.Name(), p.Len())
	}
	i := 0
	err := p.List(func(name string, sizeBytes int64) bool {
		if name != items[i].name || sizeBytes != int64(len(items[i].data)) {
			t.Errorf("entry %d: %s, %d bytes", i, name, sizeBytes)
		}
		i++
		return i < 5
	})
	if err != nil || i != 5 {
		t.Errorf("%d listed, %v", i, err)
	}
	for _, it := range items {
		info, ok := p.Stat(it.name)
		if !ok || info.Name != it.name || info.Raw != it.raw || info.SizeBytes != int64(len(it.data)) {
			t.Errorf("%+v, %v", info, ok)
		}
		e, err := p.Open(it.name)
		if err != nil {
			t.Fatal(err)
		}
		if e.Ranged() != it.raw || e.SizeBytes() != int64(len(it.data)) {
			t.Errorf("%s: ranged %v, %d bytes", it.name, e.Ranged(), e.SizeBytes())
		}
		e.Close()
	}
	for _, name := range []string{"nope", "", "a", "a/", "../a"} {
		if _, err := p.Open(name); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := Open(path + ".nope"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a folder opened as a pack")
	}
}

func TestPack_Close(t *testing.T) {
	p := openPack(t, samplePack(t))
	packed, err := p.Open("i/size.packed")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := p.Open("i/size.raw")
	if err != nil {
		t.Fatal(err)
	}
	var b [10]byte
	if _, err := packed.ReadAt(b[:], 5); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Close(), p.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Open("i/size.raw"); !errors.Is(err, assets.ErrClosed) {
		t.Errorf("open: %v", err)
	}
	if err := p.List(func(string, int64) bool { return true }); !errors.Is(err, assets.ErrClosed) {
		t.Errorf("list: %v", err)
	}
	for _, e := range []assets.Entry{packed, raw} {
		if _, err := e.ReadAt(b[:], 600_000); !errors.Is(err, assets.ErrClosed) {
			t.Errorf("read: %v", err)
		}
		if _, ok := e.Map(0, 10); ok {
			t.Error("mapped after Close")
		}
		if err := errors.Join(e.Close(), e.Close()); err != nil {
			t.Error(err)
		}
		if _, err := e.ReadAt(b[:], 0); !errors.Is(err, assets.ErrClosed) {
			t.Errorf("read of a closed entry: %v", err)
		}
	}
}

// Any range of any entry, in any order, is what was written.
func TestPack_RandomRanges(t *testing.T) {
	items := sampleItems()
	p := openPack(t, samplePack(t))
	const seed = 11
	r := rand.New(rand.NewPCG(seed, 0))
	for _, it := range items {
		e, err := p.Open(it.name)
		if err != nil {
			t.Fatal(err)
		}
		size := len(it.data)
		for range 60 {
			off := r.IntN(size + 2)
			n := r.IntN(size + 10)
			if r.IntN(2) == 0 {
				n = r.IntN(100)
			}
			b := make([]byte, n)
			got, err := e.ReadAt(b, int64(off))
			want := it.data[min(off, size):min(off+n, size)]
			if !bytes.Equal(b[:got], want) || (err == io.EOF) != (off+n > size && n > 0) || err != nil && err != io.EOF {
				t.Fatalf("seed %d: %s: %d bytes at %d: got %d, %v", seed, it.name, n, off, got, err)
			}
		}
		if _, err := e.ReadAt(make([]byte, 1), -1); err == nil {
			t.Error("a negative offset was read")
		}
		e.Close()
	}
}

// A range in the middle reads frame headers up to it, then one frame; it does
// not decode what comes before.
func TestPack_RangeStartsAtItsFrame(t *testing.T) {
	data := content(3, 8*FrameBytesMax)
	p := openPack(t, writePack(t, []item{{"a", data, false}}))
	opened, err := p.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	b := make([]byte, 100)
	off := 6*FrameBytesMax + 1000
	if _, err := opened.ReadAt(b, int64(off)); err != nil || !bytes.Equal(b, data[off:off+100]) {
		t.Fatalf("wrong bytes, %v", err)
	}
	e := opened.(*zstdEntry)
	if e.outFrame != 7 || len(e.frames) != 7 {
		t.Errorf("frame %d of %d found", e.outFrame, len(e.frames))
	}
}

func TestPack_ManyReadersAtOnce(t *testing.T) {
	items := sampleItems()
	p := openPack(t, samplePack(t))
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range items {
				it := items[(i+g*3)%len(items)]
				got, err := readAll(p, it.name)
				if err != nil || !bytes.Equal(got, it.data) {
					t.Errorf("%s: %v", it.name, err)
				}
				if e, err := p.Open(it.name); err == nil {
					if l, ok := e.Map(0, e.SizeBytes()); ok {
						if !bytes.Equal(l.Bytes(), it.data) {
							t.Errorf("%s: wrong bytes mapped", it.name)
						}
						l.Release()
					}
					e.Close()
				}
			}
		})
	}
	wg.Wait()
	if n := len(p.mu.spare); n == 0 || n > spareCodecsMax {
		t.Errorf("%d spare codecs", n)
	}
}

// What other tools write: any order, folders, comments, deflate, sizes behind
// the data.
func TestPack_ForeignZip(t *testing.T) {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	w.SetComment("made elsewhere, PK\x05\x06 and all")
	text := content(4, 300_000)
	if _, err := w.Create("folder/"); err != nil {
		t.Fatal(err)
	}
	for _, h := range []zip.FileHeader{
		{Name: "z.bin", Method: zip.Deflate}, {Name: "folder/a.bin", Method: zip.Store}, {Name: "m.txt", Method: zip.Deflate, Comment: "hi"},
	} {
		f, err := w.CreateHeader(&h)
		if err != nil {
			t.Fatal(err)
		}
		f.Write(text)
	}
	w.Close()
	path := filepath.Join(t.TempDir(), "foreign.zip")
	if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	p := openPack(t, path)
	var names []string
	p.List(func(name string, _ int64) bool { names = append(names, name); return true })
	if !slices.Equal(names, []string{"folder/a.bin", "m.txt", "z.bin"}) {
		t.Errorf("listed %v", names)
	}
	checkItems(t, p, []item{{"folder/a.bin", text, true}, {"m.txt", text, false}, {"z.bin", text, false}})
	e, err := p.Open("z.bin")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	b := make([]byte, 50)
	for _, off := range []int64{290_000, 100, 299_950} {
		if _, err := e.ReadAt(b, off); err != nil || !bytes.Equal(b, text[off:off+50]) {
			t.Errorf("at %d: %v", off, err)
		}
	}
}

func TestPack_WarmReadsAllocateNothing(t *testing.T) {
	p := openPack(t, samplePack(t))
	b := make([]byte, FrameBytesMax)
	for _, name := range []string{"h/size.raw", "h/size.packed"} {
		e, err := p.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		var failed error
		allocs := testing.AllocsPerRun(20, func() {
			for off := int64(0); off < e.SizeBytes(); off += FrameBytesMax {
				if _, err := e.ReadAt(b, off); err != nil {
					failed = err
				}
			}
		})
		// The race detector makes sync.Pool forget, and decoders use one.
		if failed != nil || allocs > 0 && !raceDetector {
			t.Errorf("%s: %v allocations, %v", name, allocs, failed)
		}
		e.Close()
	}
}

func BenchmarkOpen100000(b *testing.B) {
	path := filepath.Join(b.TempDir(), "many.pack")
	w, err := Create(path, WriterOptions{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 100_000 {
		name := []byte("folder/entry-000000.bin")
		for j, v := 18, i; j >= 13; j, v = j-1, v/10 {
			name[j] = byte('0' + v%10)
		}
		if err := w.Add(string(name), name, i%2 == 0); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		b.Fatal(err)
	}
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p, err := Open(path)
			if err != nil {
				b.Fatal(err)
			}
			p.Close()
		}
	})
	b.Run("archive-zip", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r, err := zip.OpenReader(path)
			if err != nil {
				b.Fatal(err)
			}
			r.Close()
		}
	})
}

func BenchmarkReadAll(b *testing.B) {
	const size = 8 << 20
	p := openPack(b, writePack(b, []item{{"packed", content(1, size), false}, {"raw", content(1, size), true}}))
	block := make([]byte, size)
	for _, name := range []string{"packed", "raw"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				e, err := p.Open(name)
				if err != nil {
					b.Fatal(err)
				}
				for off := 0; off < size; off += FrameBytesMax {
					if _, err := e.ReadAt(block[off:off+FrameBytesMax], int64(off)); err != nil {
						b.Fatal(err)
					}
				}
				e.Close()
			}
		})
	}
}
