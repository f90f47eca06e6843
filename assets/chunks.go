package assets

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
)

// readChunks fills dst from r at off, yielding after each chunk.
func readChunks(r io.ReaderAt, dst []byte, off int64, yield func() error) error {
	for done := 0; done < len(dst); {
		if err := yield(); err != nil {
			return err
		}
		end := min(done+ChunkBytesMax, len(dst))
		n, err := r.ReadAt(dst[done:end], off+int64(done))
		done += n
		if done == end {
			continue
		}
		if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("%w: unexpected end after %d of %d bytes", ErrCorrupt, off+int64(done), off+int64(len(dst)))
		}
		return err
	}
	return nil
}

const pageBytes = 4096

// prefetchMin is the size up to which asking first costs more than a fault for
// each page.
const prefetchMin = 4 * pageBytes

// touchPages reads one byte of each page of a lease, so that later reads find
// it mapped. The next chunk is on its way while one is touched.
func touchPages(lease Lease, yield func() error) error {
	b := lease.Bytes()
	prefetch := func(int) {}
	if p, ok := lease.(Prefetcher); ok && len(b) > prefetchMin {
		prefetch = func(at int) { p.Prefetch(int64(at), int64(min(ChunkBytesMax, len(b)-at))) }
	}
	for at := 0; at < len(b); at += ChunkBytesMax {
		if err := yield(); err != nil {
			return err
		}
		if at == 0 {
			prefetch(0)
		}
		if at+ChunkBytesMax < len(b) {
			prefetch(at + ChunkBytesMax)
		}
		chunk := b[at:min(at+ChunkBytesMax, len(b))]
		if err := Guard(func() { touch(chunk) }); err != nil {
			return err
		}
	}
	return nil
}

//go:noinline
func touch(b []byte) (sum byte) {
	for i := 0; i < len(b); i += pageBytes {
		sum += b[i]
	}
	return sum
}

// Guard runs f, which reads mapped bytes, and turns a fault (the file was
// truncated under its mapping) into an error wrapping [ErrCorrupt]. Any other
// panic passes through. It must not be nested around code that may yield to a
// scheduler-visible wait.
func Guard(f func()) (err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		r := recover()
		if r == nil {
			return
		}
		if fault, ok := r.(interface{ Addr() uintptr }); ok {
			err = fmt.Errorf("%w: the file was truncated under its mapping (fault at %#x)", ErrCorrupt, fault.Addr())
			return
		}
		panic(r)
	}()
	f()
	return nil
}
