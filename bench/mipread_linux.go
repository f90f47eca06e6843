package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"sojourn/assets"
	"sojourn/assets/kinds"
	"sojourn/assets/pack"
)

const (
	mipEdge = 2048
	mipBase = 3 // 256 texels and down
	// mipAlong is how many pages on either side of what was read count as its
	// neighbours: what a fault may bring along.
	mipAlong   = 16
	mipWaitMax = 20 * time.Second
)

func mipReadComparisons() []comparison {
	return []comparison{{[]string{"store-mip-read-asked", "store-mip-read-copied", "store-mip-read-pages"}, compareMipRead}}
}

// compareMipRead reads the small half of a large texture from a pack that is
// not in the page cache, and counts: what was asked of the source, what was
// copied, and which pages of the file came into memory.
func compareMipRead(r *run) error {
	path := filepath.Join(r.dir, "big.zip")
	texture, err := noiseTexture(mipEdge, 5)
	if err != nil {
		return err
	}
	if err := writePack(path, func(w *pack.Writer) error { return w.Add("big.ktx2", texture, true) }); err != nil {
		return err
	}
	p, err := pack.Open(path)
	if err != nil {
		return err
	}
	source := &countingSource{Source: p}
	store, err := assets.Open(assets.Options{Kinds: kinds.Builtin(), Sources: []assets.Source{source}, Workers: 1})
	if err != nil {
		return errors.Join(err, p.Close())
	}
	scope := assets.NewScope(store)
	handles, err := loadAll(store, scope, []assets.Key{{Stem: "big", Kind: assets.KindTexture}})
	if err == nil {
		err = r.readMip(path, store, source, handles[0])
	}
	scope.ReleaseAll()
	return errors.Join(err, store.Close(), p.Close())
}

func (r *run) readMip(path string, store *assets.Store, source *countingSource, h assets.Handle) error {
	whole, err := mapWhole(source.Source)
	if err != nil {
		return err
	}
	defer whole.Release()
	file, err := openPages(path)
	if err != nil {
		return err
	}
	defer file.close()
	if err := file.drop(whole.Bytes()); err != nil {
		return err
	}
	left := file.resident(0, len(file.view))

	off, n := assets.Of[assets.Texture](store, assets.KindTexture).At(h).SuffixSpan(mipBase)
	source.asked.Store(0)
	got, err := readRange(store, h, off, n)
	if err != nil {
		return err
	}
	defer got.Free()
	r.add(within("store-mip-read-asked", "B", "range", float64(source.asked.Load()), float64(n), 1, 1))
	copied := n
	if start := addressOf(got.Slice()) - addressOf(whole.Bytes()); got.Mapped() && start == uintptr(off) {
		copied = 0
	}
	r.add(atMost("store-mip-read-copied", "B", float64(copied), 0, 1))
	asked := int(n)/os.Getpagesize() + 2
	r.add(atMost("store-mip-read-pages", "", float64(file.resident(0, len(file.view))-left), float64(asked+2*mipAlong), 1))
	r.note("store-mip-read-pages: %d asked for, of %d in the file", asked-2, len(file.view)/os.Getpagesize())
	return nil
}

// readRange reads through the store's workers.
func readRange(store *assets.Store, h assets.Handle, off, n int64) (got assets.Bytes, err error) {
	reads := store.NewReads("bench", 1)
	defer reads.Close()
	if err := reads.Submit(h, off, n, 0, 1); err != nil {
		return got, err
	}
	for end, done := time.Now().Add(mipWaitMax), false; !done; {
		if time.Now().After(end) {
			return got, errNotResident
		}
		reads.Drain(func(d assets.ReadDone) { got, err, done = d.Bytes, d.Err, true })
		time.Sleep(100 * time.Microsecond)
	}
	return got, err
}

// countingSource adds up what is asked of the entries of a source.
type countingSource struct {
	assets.Source
	asked atomic.Int64
}

// Open is the source's.
func (s *countingSource) Open(name string) (assets.Entry, error) {
	e, err := s.Source.Open(name)
	if err != nil {
		return nil, err
	}
	return &countingEntry{e, s}, nil
}

type countingEntry struct {
	assets.Entry
	source *countingSource
}

// ReadAt is the entry's.
func (e *countingEntry) ReadAt(b []byte, off int64) (int, error) {
	e.source.asked.Add(int64(len(b)))
	return e.Entry.ReadAt(b, off)
}

// Map is the entry's.
func (e *countingEntry) Map(off, n int64) (assets.Lease, bool) {
	e.source.asked.Add(n)
	return e.Entry.Map(off, n)
}

// mapWhole gives the texture's place in the pack's mapping.
func mapWhole(source assets.Source) (assets.Lease, error) {
	e, err := source.Open("big.ktx2")
	if err != nil {
		return nil, err
	}
	lease, ok := e.Map(0, e.SizeBytes())
	if !ok {
		return nil, errors.Join(io.ErrUnexpectedEOF, e.Close())
	}
	return lease, e.Close()
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// filePages is a file as the page cache has it.
type filePages struct {
	file *os.File
	view []byte
}

func openPages(path string) (*filePages, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	view, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &filePages{f, view}, nil
}

func (p *filePages) close() {
	_ = unix.Munmap(p.view) // it is a view, and read only
	_ = p.file.Close()
}

// drop takes the file out of the page cache, and out of another mapping of it
// that would keep it there.
func (p *filePages) drop(mapped []byte) error {
	page := uintptr(os.Getpagesize())
	before := addressOf(mapped) % page
	from := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(mapped)), -int(before))), len(mapped)+int(before))
	err := errors.Join(p.file.Sync(), unix.Madvise(from, unix.MADV_DONTNEED), unix.Madvise(p.view, unix.MADV_DONTNEED),
		unix.Fadvise(int(p.file.Fd()), 0, 0, unix.FADV_DONTNEED))
	if err != nil {
		return fmt.Errorf("the page cache of %s: %w", p.file.Name(), err)
	}
	return nil
}

// resident counts the pages of a range that are in memory; -1 where the system
// does not tell.
func (p *filePages) resident(from, to int) (n int) {
	page := os.Getpagesize()
	vec := make([]byte, (to-from+page-1)/page)
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, addressOf(p.view[from:]), uintptr(to-from), addressOf(vec)); errno != 0 {
		return -1
	}
	for _, v := range vec {
		n += int(v & 1)
	}
	return n
}
