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
	return b, err
}

func unmapFile(b []byte) error { return unix.Munmap(b) }
