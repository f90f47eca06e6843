//go:build unix

package mapped

import (
	"os"

	"golang.org/x/sys/unix"
)

func mapFile(f *os.File, n int) (b []byte, err error) {
	c, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	if err2 := c.Control(func(fd uintptr) {
		b, err = unix.Mmap(int(fd), 0, n, unix.PROT_READ, unix.MAP_SHARED)
	}); err2 != nil {
		return nil, err2
	}
	if err == nil {
		// What is read is asked for; the system's guess would bring megabytes
		// along with a page. It is advice: a system without it is only slower.
		_ = unix.Madvise(b, unix.MADV_RANDOM)
	}
	return b, err
}

func unmapFile(b []byte) error { return unix.Munmap(b) }

// prefetch starts to read whole pages, which is advice again.
func prefetch(pages []byte) { _ = unix.Madvise(pages, unix.MADV_WILLNEED) }
