package pack

import (
	"os"
	"path/filepath"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"sojourn/assets"
	"sojourn/assets/kinds"
	"sojourn/assets/ktx2"
)

// pages of a file, as far as the page cache has them.
type pages struct {
	t    *testing.T
	f    *os.File
	view []byte
}

func openPages(t *testing.T, path string) *pages {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	view, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(view) })
	return &pages{t: t, f: f, view: view}
}

// resident tells of each page whether it is in memory.
func (p *pages) resident() []bool {
	p.t.Helper()
	size := os.Getpagesize()
	vec := make([]byte, (len(p.view)+size-1)/size)
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&p.view[0])), uintptr(len(p.view)), uintptr(unsafe.Pointer(&vec[0])))
	if errno != 0 {
		p.t.Fatal(errno)
	}
	in := make([]bool, len(vec))
	for i, v := range vec {
		in[i] = v&1 != 0
	}
	return in
}

func count(in []bool) (n int) {
	for _, is := range in {
		if is {
			n++
		}
	}
	return n
}

// drop takes the file out of the page cache. It skips the test where the file
// system keeps it.
func (p *pages) drop() {
	p.t.Helper()
	if err := p.f.Sync(); err != nil {
		p.t.Fatal(err)
	}
	if err := unix.Fadvise(int(p.f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		p.t.Skipf("fadvise: %v", err)
	}
	if n := count(p.resident()); n > 0 {
		p.t.Skipf("%d pages stay in memory here", n)
	}
}

//go:noinline
func touch(b []byte) byte { return b[0] }

// A mip read touches the asked pages and what the system reads along with
// them, not the rest of the texture; it copies nothing.
func TestMipRead_OnlyItsPagesBecomeResident(t *testing.T) {
	l := ktx2.Levels{Width: 2048, Height: 2048}
	for level := range ktx2.LevelCount(2048, 2048) {
		w, h := ktx2.LevelSize(2048, 2048, level)
		l.Pixels = append(l.Pixels, noise(w*h*4))
	}
	file, err := ktx2.Encode(&l)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "big.zip")
	w, err := Create(path, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add("big.ktx2", file, true); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	look := openPages(t, path)

	// How much comes along with one page that is touched.
	look.drop()
	touch(look.view[len(look.view)/2:])
	along := count(look.resident())

	p, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := assets.Open(assets.Options{Kinds: kinds.Builtin(), Sources: []assets.Source{p}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h, err := s.Retain(t.Context(), assets.Key{Stem: "big", Kind: assets.KindTexture})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release(h)
	tex := assets.Of[assets.Texture](s, assets.KindTexture).At(h)
	off, n := tex.SuffixSpan(3) // 256 texels and down
	if err := unix.Madvise(p.mapping().View(), unix.MADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	if err := unix.Madvise(look.view, unix.MADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	look.drop()

	reads := s.NewReads("test", 1)
	defer reads.Close()
	if err := reads.Submit(h, off, n, 0, 1); err != nil {
		t.Fatal(err)
	}
	var got assets.Bytes
	deadline := time.After(20 * time.Second)
	for got.Len() == 0 {
		select {
		case <-deadline:
			t.Fatal("no range came")
		default:
		}
		reads.Drain(func(d assets.ReadDone) {
			if d.Err != nil {
				t.Fatal(d.Err)
			}
			got = d.Bytes
		})
	}
	defer got.Free()

	view := p.mapping().View()
	first, start := uintptr(unsafe.Pointer(&view[0])), uintptr(unsafe.Pointer(&got.Slice()[0]))
	if !got.Mapped() || start < first || start+uintptr(got.Len()) > first+uintptr(len(view)) {
		t.Error("the bytes do not lie inside the mapping")
	}

	size := int64(os.Getpagesize())
	base := int64(start - first)
	lo, hi := base/size, (base+n+size-1)/size
	in := look.resident()
	// Neighbours: what comes along on either side. The end of the file holds
	// the directory, which nobody reads again.
	slack := int64(max(along, 32))
	for page, is := range in {
		if at := int64(page); is && (at < lo-slack || at >= hi+slack) && at >= slack {
			t.Errorf("page %d is in memory; %d..%d were asked for", page, lo, hi)
			break
		}
	}
	for page := lo; page < hi; page++ {
		if !in[page] {
			t.Errorf("page %d was asked for and is not in memory", page)
			break
		}
	}
	t.Logf("%d of %d pages for a range of %d; %d come along with one", count(in), len(in), hi-lo, along)
}
