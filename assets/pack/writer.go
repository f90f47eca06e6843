package pack

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"

	"github.com/klauspost/compress/zstd"

	"sojourn/assets"
)

// WriterOptions tunes a [Writer]. The zero value is right for products.
type WriterOptions struct {
	// NoSync leaves out flushing to the disk before the rename: faster, for
	// tests and scratch packs that need not survive a power cut.
	NoSync bool
}

// Writer writes one pack: into a temporary file beside its path, which
// replaces what was there only when [Writer.Commit] succeeds. The same
// entries in the same order give the same bytes. It belongs to one goroutine;
// [EncodeFrames] and [Writer.AddEncoded] let others compress for it.
//
// The caller ends with Commit or Abort; Abort after Commit does nothing, so it
// may be deferred.
type Writer struct {
	path     string
	opts     WriterOptions
	file     *os.File
	buffered *bufio.Writer
	zip      *zip.Writer
	enc      *zstd.Encoder
	scratch  []byte
	offset   int64 // where the next local header goes
	last     string
	err      error // first failure; the pack can't be committed then
}

// ErrOrder is wrapped when an entry is added out of order or twice.
var ErrOrder = errors.New("entries must be added in order, once each")

// errEnded is what a Writer says after Commit or Abort.
var errEnded = errors.New("the pack writer has ended")

// Create starts a pack that will be at path.
func Create(path string, o WriterOptions) (*Writer, error) {
	enc, err := NewEncoder()
	if err != nil {
		return nil, fmt.Errorf("pack %s: %w", path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, fmt.Errorf("pack %s: %w", path, err)
	}
	w := &Writer{path: path, opts: o, file: f, enc: enc}
	w.buffered = bufio.NewWriterSize(f, 256<<10)
	w.zip = zip.NewWriter(w.buffered)
	return w, nil
}

// Add writes one entry: raw ones uncompressed and aligned, to be mapped or
// read in ranges, others compressed. Names are added in ascending byte order,
// each once; the error wraps [ErrOrder] otherwise. data is not kept.
func (w *Writer) Add(name string, data []byte, raw bool) error {
	crc := crc32.ChecksumIEEE(data)
	if raw {
		return w.write(name, methodStore, data, int64(len(data)), crc)
	}
	if w.err == nil && w.zip != nil {
		w.scratch = EncodeFrames(w.scratch[:0], data, w.enc)
	}
	return w.write(name, methodZstd, w.scratch, int64(len(data)), crc)
}

// AddEncoded writes one compressed entry from what [EncodeFrames] gave.
// sizeBytes and sum (CRC-32, IEEE) are those of the content. encoded is not
// kept.
func (w *Writer) AddEncoded(name string, encoded []byte, sizeBytes int64, sum uint32) error {
	if err := checkFrames(encoded, sizeBytes); err != nil {
		return fmt.Errorf("pack %s: entry %q: %w", w.path, name, err)
	}
	return w.write(name, methodZstd, encoded, sizeBytes, sum)
}

// AddCopy writes an entry of an open pack without compressing it again. The
// copy is checked against its checksums first; damage wraps
// [assets.ErrCorrupt], an entry that no [Writer] made is refused.
func (w *Writer) AddCopy(p *Pack, name string) error {
	info, ok := p.Stat(name)
	if !ok {
		return p.missing("copy", name)
	}
	encoded, err := p.encoded(name, w.scratch[:0])
	if err != nil {
		return err
	}
	w.scratch = encoded
	if info.Raw {
		return w.write(name, methodStore, encoded, info.SizeBytes, info.CRC32)
	}
	return w.AddEncoded(name, encoded, info.SizeBytes, info.CRC32)
}

func (w *Writer) write(name string, method uint16, stored []byte, sizeBytes int64, sum uint32) error {
	if w.zip == nil {
		return fmt.Errorf("pack %s: %w", w.path, errEnded)
	}
	if w.err != nil {
		return w.err
	}
	if err := w.check(name, int64(len(stored)), sizeBytes); err != nil {
		return fmt.Errorf("pack %s: entry %q: %w", w.path, name, err)
	}
	h := &zip.FileHeader{
		Name: name, Method: method, CRC32: sum,
		CompressedSize64: uint64(len(stored)), UncompressedSize64: uint64(sizeBytes),
		CreatorVersion: creatorUnix<<8 | versionStore, ReaderVersion: versionStore,
		Flags: flagUTF8, ExternalAttrs: 0o100644 << 16,
	}
	// Modified, which replaced this field, would add an extra field per entry.
	h.ModifiedDate = dosDate1980
	if method == methodZstd {
		h.CreatorVersion, h.ReaderVersion = creatorUnix<<8|versionZstd, versionZstd
	} else {
		h.Extra = alignExtra(w.offset + localHeaderBytes + int64(len(name)))
	}
	out, err := w.zip.CreateRaw(h)
	if err == nil {
		_, err = out.Write(stored)
	}
	if err != nil {
		w.err = fmt.Errorf("pack %s: entry %q: %w", w.path, name, err)
		return w.err
	}
	w.offset += localHeaderBytes + int64(len(name)+len(h.Extra)+len(stored))
	w.last = name
	return nil
}

func (w *Writer) check(name string, encodedBytes, sizeBytes int64) error {
	if fault := nameFault([]byte(name)); fault != "" {
		return fmt.Errorf("%w: %s", assets.ErrBadStem, fault)
	}
	if name == w.last {
		return fmt.Errorf("%w: added twice", ErrOrder)
	}
	if name < w.last {
		return fmt.Errorf("%w: it comes after %q", ErrOrder, w.last)
	}
	if encodedBytes > EntryBytesMax || sizeBytes > EntryBytesMax {
		return fmt.Errorf("%w: %d bytes, at most %d", assets.ErrTooLarge, sizeBytes, int64(EntryBytesMax))
	}
	return nil
}

const (
	localHeaderBytes = 30
	creatorUnix      = 3
	versionStore     = 20
	versionZstd      = 63
	flagEncrypted    = 0x1
	flagDescriptor   = 0x8
	flagUTF8         = 0x800
	dosDate1980      = 0<<9 | 1<<5 | 1
	alignExtraID     = 0xD935 // known to zip tools as alignment padding
)

// alignExtra is the extra field that brings data, which would start at
// offset, to the next multiple of rawAlignBytes.
func alignExtra(offset int64) []byte {
	pad := int(-offset & (rawAlignBytes - 1))
	if pad == 0 {
		return nil
	}
	const least = 6
	if pad < least {
		pad += rawAlignBytes
	}
	extra := make([]byte, pad)
	binary.LittleEndian.PutUint16(extra, alignExtraID)
	binary.LittleEndian.PutUint16(extra[2:], uint16(pad-4))
	binary.LittleEndian.PutUint16(extra[4:], rawAlignBytes)
	return extra
}

// Commit writes the directory, brings everything to the disk and puts the
// pack in place of what was at its path. On error the temporary file is gone
// and the old file is untouched, unless only the last step failed: flushing
// the folder after the rename.
func (w *Writer) Commit() error {
	if w.zip == nil {
		return fmt.Errorf("pack %s: %w", w.path, errEnded)
	}
	err := w.err
	if err == nil {
		err = w.finish()
	}
	if err != nil {
		w.Abort()
		return fmt.Errorf("pack %s: commit: %w", w.path, err)
	}
	w.zip, w.file = nil, nil
	return nil
}

func (w *Writer) finish() error {
	if err := w.zip.Close(); err != nil {
		return err
	}
	if err := w.buffered.Flush(); err != nil {
		return err
	}
	if err := w.file.Chmod(0o644); err != nil {
		return err
	}
	if !w.opts.NoSync {
		if err := w.file.Sync(); err != nil {
			return err
		}
	}
	if err := w.file.Close(); err != nil {
		return err
	}
	if err := os.Rename(w.file.Name(), w.path); err != nil {
		return err
	}
	if w.opts.NoSync {
		return nil
	}
	return syncFolder(filepath.Dir(w.path))
}

// Abort gives up: the temporary file is removed and what was at the path
// stays. After Commit or Abort it does nothing.
func (w *Writer) Abort() {
	if w.file == nil {
		return
	}
	w.file.Close()
	os.Remove(w.file.Name())
	w.zip, w.file = nil, nil
}

// syncFolder makes a rename durable where folders can be synced.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
