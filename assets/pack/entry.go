package pack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"

	"github.com/klauspost/compress/zstd"

	"sojourn/assets"
)

// entry is what the kinds of entries share.
type entry struct {
	pack    *Pack
	record  *record
	dataOff int64
	closed  bool

	// The zip checksum covers the content from its start: it is checked when
	// reads arrive in order, from 0 to the end.
	summedBytes int64
	sum         uint32
}

// SizeBytes is the content's size, as declared.
func (e *entry) SizeBytes() int64 { return e.record.sizeBytes }

// fail names pack and entry in an error, and tells damage from trouble with
// the file itself.
func (e *entry) fail(err error) error {
	name := e.pack.dir.name(e.record)
	var path *fs.PathError
	switch {
	case errors.Is(err, os.ErrClosed), errors.Is(err, assets.ErrClosed):
		err = assets.ErrClosed
	case errors.As(err, &path), errors.Is(err, assets.ErrCorrupt):
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		err = fmt.Errorf("%w: %w", assets.ErrCorrupt, errUnexpectedEnd)
	case errors.Is(err, zstd.ErrCRCMismatch):
		err = fmt.Errorf("%w: the checksum of a zstd frame does not match", assets.ErrCorrupt)
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrFrameSizeExceeded):
		err = errLarger(e.record.sizeBytes)
	default:
		err = fmt.Errorf("%w: %w", assets.ErrCorrupt, err)
	}
	return fmt.Errorf("pack %s: entry %q: %w", e.pack.path, name, err)
}

func errLarger(declaredBytes int64) error {
	return corrupt("the content is larger than declared (%d bytes)", declaredBytes)
}

// resolve reads the local header, finds where the data starts, and refuses a
// header that disagrees with the directory.
func (e *entry) resolve() error {
	r, le := e.record, binary.LittleEndian
	if r.flags&flagEncrypted != 0 {
		return e.fail(corrupt("encrypted entries are not supported"))
	}
	if m := r.method; m != methodStore && m != methodDeflate && m != methodZstd {
		return e.fail(corrupt("compression method %d is not supported", m))
	}
	b := make([]byte, localHeaderBytes+int(r.nameLen))
	if err := readFull(e.pack.file, b, r.headerOff); err != nil {
		return e.fail(err)
	}
	if le.Uint32(b) != sigLocal || le.Uint16(b[8:]) != r.method || le.Uint16(b[26:]) != r.nameLen ||
		string(b[localHeaderBytes:]) != e.pack.dir.name(r) {
		return e.fail(corrupt("its header disagrees with the directory"))
	}
	if le.Uint16(b[6:])&flagDescriptor == 0 {
		encoded, size := le.Uint32(b[18:]), le.Uint32(b[22:])
		if le.Uint32(b[14:]) != r.crc ||
			encoded != unset32 && int64(encoded) != r.encodedBytes ||
			size != unset32 && int64(size) != r.sizeBytes {
			return e.fail(corrupt("the size or checksum in its header disagrees with the directory"))
		}
	}
	e.dataOff = r.headerOff + localHeaderBytes + int64(r.nameLen) + int64(le.Uint16(b[28:]))
	if e.dataOff > e.pack.dir.dataEnd-r.encodedBytes {
		return e.fail(corrupt("its data reaches into the directory"))
	}
	return nil
}

// clamp cuts a read at the end of the content. eof is what a complete read of
// the rest returns.
func (e *entry) clamp(p []byte, off int64) (q []byte, eof, err error) {
	switch {
	case e.closed, e.pack.closed.Load():
		return nil, nil, e.fail(assets.ErrClosed)
	case off < 0:
		return nil, nil, fmt.Errorf("pack %s: entry %q: negative offset", e.pack.path, e.pack.dir.name(e.record))
	case len(p) == 0:
		return nil, nil, nil
	case off >= e.record.sizeBytes:
		return nil, nil, io.EOF
	}
	if rest := e.record.sizeBytes - off; int64(len(p)) > rest {
		return p[:rest], io.EOF, nil
	}
	return p, nil, nil
}

// account adds content that was read to the checksum, and compares it at the
// end.
func (e *entry) account(p []byte, off int64) error {
	if off == 0 {
		e.summedBytes, e.sum = 0, 0
	}
	if off != e.summedBytes || len(p) == 0 {
		return nil
	}
	e.sum = crc32.Update(e.sum, crc32.IEEETable, p)
	e.summedBytes += int64(len(p))
	if e.summedBytes == e.record.sizeBytes && e.sum != e.record.crc {
		return e.fail(corrupt("the checksum does not match: %08x, declared %08x", e.sum, e.record.crc))
	}
	return nil
}

// rawEntry is stored as it is.
type rawEntry struct{ entry }

var _ assets.Entry = (*rawEntry)(nil)

// ReadAt reads straight from the pack's descriptor. A whole entry that is read
// in order is checked against its checksum.
func (e *rawEntry) ReadAt(p []byte, off int64) (int, error) {
	p, eof, err := e.clamp(p, off)
	if err != nil {
		return 0, err
	}
	if err := readFull(e.pack.file, p, e.dataOff+off); err != nil {
		return 0, e.fail(err)
	}
	if err := e.account(p, off); err != nil {
		return 0, err
	}
	return len(p), eof
}

// Ranged is true: any range is one read.
func (e *rawEntry) Ranged() bool { return true }

// Map gives a view into the pack's mapping.
func (e *rawEntry) Map(off, n int64) (assets.Lease, bool) {
	if e.closed || off < 0 || n <= 0 || off > e.record.sizeBytes || n > e.record.sizeBytes-off {
		return nil, false
	}
	return e.pack.lease(e.dataOff+off, n)
}

// Close ends reads; leases stay.
func (e *rawEntry) Close() error {
	e.closed = true
	return nil
}
