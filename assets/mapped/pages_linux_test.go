package mapped

import (
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What is touched comes into memory with its nearest neighbours, what is
// prefetched to its last page, and nothing else.
func TestPrefetch_BringsWhatWasAskedFor(t *testing.T) {
	const pages, from, n = 4096, 1000, 64
	page := os.Getpagesize()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, pages*page), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := Open(f, pages*int64(page))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	if inMemory(t, m.View(), page) != 0 {
		t.Skip("this file system keeps its files in memory")
	}

	l, ok := m.Lease(7, int64(len(m.View())-7))
	if !ok {
		t.Fatal("no lease")
	}
	defer l.Release()
	for _, bad := range [][2]int64{{-1, 4}, {0, -1}, {0, 1 << 40}, {int64(pages * page), 1}} {
		l.Prefetch(bad[0], bad[1])
	}
	l.Prefetch(int64(from*page), int64(n*page))
	sum := byte(0)
	for i := range n {
		sum += l.Bytes()[(from+i)*page]
	}
	sum += l.Bytes()[3000*page] // without asking first
	const along = 16            // what a fault may map around itself
	if got := inMemory(t, m.View(), page); got < n+1 || got > n+1+4*along {
		t.Errorf("%d pages came, asked for %d (%d)", got, n+1, sum)
	}
}

func inMemory(t *testing.T, view []byte, page int) (n int) {
	t.Helper()
	vec := make([]byte, len(view)/page)
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&view[0])), uintptr(len(view)), uintptr(unsafe.Pointer(&vec[0]))); errno != 0 {
		t.Skip("this system does not tell which pages are in memory: ", errno)
	}
	for _, v := range vec {
		n += int(v & 1)
	}
	return n
}
