package pack

import (
	"fmt"
	"runtime"
)

// skipReadBytes is read at a frame whose content is not wanted: its header and
// first block header.
const skipReadBytes = 64

// findFrame looks at the next frame. more is false where there is none. A frame
// that can't be decoded on its own sets streamed instead of being recorded.
func (e *zstdEntry) findFrame(readBytes int) (more bool, err error) {
	rest := e.record.encodedBytes - e.nextOff
	if rest == 0 {
		return false, nil
	}
	f, err := walkFrame(e.peeker(e.nextOff, readBytes))
	if err != nil {
		return false, err
	}
	switch {
	case f.encodedBytes > rest:
		return false, errUnexpectedEnd
	case f.dictionary:
		return false, corrupt("zstd dictionaries are not supported")
	case f.contentBytes > e.record.sizeBytes-e.nextAt:
		return false, errLarger(e.record.sizeBytes)
	case f.windowBytes > windowBytesMax:
		return false, fmt.Errorf("it wants a zstd window of %d bytes, at most %d", f.windowBytes, windowBytesMax)
	case f.contentBytes < 0, f.contentBytes > FrameBytesMax, f.encodedBytes > frameEncodedBytesMax:
		e.streamed = true
		return true, nil
	}
	if f.contentBytes > 0 {
		e.frames = append(e.frames, framePlace{
			off: e.nextOff, at: e.nextAt,
			encodedBytes: int32(f.encodedBytes), contentBytes: int32(f.contentBytes),
		})
	}
	e.nextOff += f.encodedBytes
	e.nextAt += f.contentBytes
	return true, nil
}

// peeker gives walkFrame the encoded bytes from off on.
func (e *zstdEntry) peeker(off int64, readBytes int) func(int64, int) ([]byte, error) {
	return func(at int64, n int) ([]byte, error) { return e.peek(off+at, n, readBytes) }
}

// peek gives n encoded bytes at off, or fewer at the end. Where it has to read,
// it reads readBytes. The bytes are valid until the next peek.
func (e *zstdEntry) peek(off int64, n, readBytes int) ([]byte, error) {
	rest := e.record.encodedBytes - off
	if rest <= 0 {
		return nil, nil
	}
	n = int(min(int64(n), rest))
	have := e.windowOff + int64(len(e.window)) - off // behind off
	if off >= e.windowOff && have >= int64(n) {
		return e.window[off-e.windowOff:][:n], nil
	}
	readBytes = int(min(int64(max(readBytes, n)), rest))
	if e.codec == nil {
		e.codec = e.pack.takeCodec()
	}
	buf := grown(e.codec.in, readBytes)
	keep := 0
	if off >= e.windowOff && have > 0 {
		keep = copy(buf, e.window[off-e.windowOff:])
	}
	e.codec.in, e.window = buf, nil
	if err := readFull(e.pack.file, buf[keep:], e.dataOff+off+int64(keep)); err != nil {
		return nil, err
	}
	e.window, e.windowOff = buf, off
	if e.refills++; e.refills%64 == 0 {
		runtime.Gosched()
	}
	return buf[:n], nil
}
