package pack

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"sojourn/assets"
)

// record is one entry of the directory. It holds no pointer, so that a pack of
// 100,000 entries costs the collector nothing; names lie in one string.
type record struct {
	headerOff    int64 // of the local header
	encodedBytes int64
	sizeBytes    int64
	nameOff      uint32
	crc          uint32
	nameLen      uint16
	method       uint16
	flags        uint16
}

// directory is the parsed central directory of a zip file, sorted by name.
type directory struct {
	names   string
	records []record
	// dataEnd is where the directory starts: no entry reaches further.
	dataEnd int64
}

func (d *directory) name(r *record) string {
	return d.names[r.nameOff : r.nameOff+uint32(r.nameLen)]
}

// find gives the record of a name, or nil.
func (d *directory) find(name string) *record {
	i, ok := slices.BinarySearchFunc(d.records, name, func(r record, name string) int {
		return strings.Compare(d.name(&r), name)
	})
	if !ok {
		return nil
	}
	return &d.records[i]
}

const (
	sigEnd        = 0x06054b50
	sigEnd64      = 0x06064b50
	sigEnd64Where = 0x07064b50
	sigDirectory  = 0x02014b50
	sigLocal      = 0x04034b50

	endBytes             = 22
	end64Bytes           = 56
	end64WhereBytes      = 20
	directoryHeaderBytes = 46
	commentBytesMax      = 1<<16 - 1

	extraZip64 = 1
	unset32    = 1<<32 - 1
	unset16    = 1<<16 - 1
)

// whereabouts is what the records at the end of a zip file tell.
type whereabouts struct {
	entries        uint64
	off, sizeBytes uint64
	limit          int64 // the directory ends at or before it
}

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %w", assets.ErrCorrupt, fmt.Errorf(format, args...))
}

// readDirectory parses and validates the directory of a zip file.
func readDirectory(r io.ReaderAt, fileBytes int64) (*directory, error) {
	w, err := findDirectory(r, fileBytes)
	if err != nil {
		return nil, err
	}
	if w.off > uint64(w.limit) || w.sizeBytes > uint64(w.limit)-w.off {
		return nil, corrupt("the zip directory (%d bytes at %d) lies outside the file of %d bytes", w.sizeBytes, w.off, fileBytes)
	}
	if w.sizeBytes > directoryBytesMax {
		return nil, fmt.Errorf("%w: a zip directory of %d bytes, at most %d", assets.ErrTooLarge, w.sizeBytes, directoryBytesMax)
	}
	if w.entries > w.sizeBytes/directoryHeaderBytes {
		return nil, corrupt("the zip directory of %d bytes cannot hold %d entries", w.sizeBytes, w.entries)
	}
	raw := make([]byte, w.sizeBytes)
	if err := readFull(r, raw, int64(w.off)); err != nil {
		return nil, err
	}
	d := &directory{records: make([]record, 0, w.entries), dataEnd: int64(w.off)}
	names := make([]byte, 0, w.sizeBytes-w.entries*directoryHeaderBytes)
	for i := uint64(0); i < w.entries; i++ {
		var rec record
		raw, names, err = d.parse(raw, names, &rec)
		if err != nil {
			return nil, err
		}
		if rec.nameLen > 0 {
			d.records = append(d.records, rec)
		}
	}
	if bytes.HasPrefix(raw, []byte("PK\x01\x02")) {
		return nil, corrupt("the zip directory holds more entries than it says (%d)", w.entries)
	}
	d.names = string(names)
	if err := d.sort(); err != nil {
		return nil, err
	}
	return d, d.checkOverlap()
}

func readFull(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		return corrupt("unexpected end after %d bytes", off+int64(n))
	}
	return err
}

// findDirectory looks for the end record, which a comment may follow.
func findDirectory(r io.ReaderAt, fileBytes int64) (whereabouts, error) {
	if fileBytes < endBytes {
		return whereabouts{}, corrupt("not a zip file: it has %d bytes", fileBytes)
	}
	// Without a comment the first, short look is enough.
	for _, n := range []int64{1 << 10, endBytes + commentBytesMax} {
		tail := make([]byte, min(n, fileBytes))
		at := fileBytes - int64(len(tail))
		if err := readFull(r, tail, at); err != nil {
			return whereabouts{}, err
		}
		for i := len(tail) - endBytes; i >= 0; i-- {
			i = bytes.LastIndex(tail[:i+4], []byte("PK\x05\x06"))
			if i < 0 {
				break
			}
			if comment := int(binary.LittleEndian.Uint16(tail[i+20:])); i+endBytes+comment == len(tail) {
				return parseEnd(r, tail[i:], at+int64(i))
			}
		}
	}
	return whereabouts{}, corrupt("not a zip file, or its end is cut off")
}

func parseEnd(r io.ReaderAt, b []byte, at int64) (whereabouts, error) {
	le := binary.LittleEndian
	disk, first := le.Uint16(b[4:]), le.Uint16(b[6:])
	w := whereabouts{
		entries:   uint64(le.Uint16(b[10:])),
		sizeBytes: uint64(le.Uint32(b[12:])),
		off:       uint64(le.Uint32(b[16:])),
		limit:     at,
	}
	if w.entries == unset16 || w.sizeBytes == unset32 || w.off == unset32 {
		found, err := parseEnd64(r, at, &w)
		if err != nil || found {
			return w, err
		}
	}
	if disk != 0 || first != 0 || le.Uint16(b[8:]) != le.Uint16(b[10:]) {
		return w, corrupt("zip files in several parts are not supported")
	}
	return w, nil
}

// parseEnd64 reads the zip64 records before the end record, if there are any.
func parseEnd64(r io.ReaderAt, at int64, w *whereabouts) (found bool, err error) {
	var where [end64WhereBytes]byte
	if at < end64WhereBytes {
		return false, nil
	}
	if err := readFull(r, where[:], at-end64WhereBytes); err != nil {
		return false, err
	}
	le := binary.LittleEndian
	if le.Uint32(where[:]) != sigEnd64Where {
		return false, nil
	}
	off := le.Uint64(where[8:])
	if le.Uint32(where[4:]) != 0 || le.Uint32(where[16:]) > 1 {
		return false, corrupt("zip files in several parts are not supported")
	}
	if at < end64WhereBytes+end64Bytes || off > uint64(at-end64WhereBytes-end64Bytes) {
		return false, corrupt("the zip64 end record lies outside the file")
	}
	var b [end64Bytes]byte
	if err := readFull(r, b[:], int64(off)); err != nil {
		return false, err
	}
	if le.Uint32(b[:]) != sigEnd64 {
		return false, corrupt("the zip64 end record is damaged")
	}
	w.entries, w.sizeBytes, w.off = le.Uint64(b[32:]), le.Uint64(b[40:]), le.Uint64(b[48:])
	w.limit = int64(off)
	return true, nil
}

// parse reads one directory header and gives what is left. Folder entries
// leave rec without a name.
func (d *directory) parse(raw, names []byte, rec *record) (rest, grown []byte, err error) {
	le := binary.LittleEndian
	if len(raw) < directoryHeaderBytes || le.Uint32(raw) != sigDirectory {
		return nil, nil, corrupt("the zip directory is damaged after %d entries", len(d.records))
	}
	nameLen, extraLen, commentLen := int(le.Uint16(raw[28:])), int(le.Uint16(raw[30:])), int(le.Uint16(raw[32:]))
	all := directoryHeaderBytes + nameLen + extraLen + commentLen
	if all > len(raw) {
		return nil, nil, corrupt("the zip directory is cut off after %d entries", len(d.records))
	}
	name := raw[directoryHeaderBytes : directoryHeaderBytes+nameLen]
	folder := nameLen > 1 && name[nameLen-1] == '/'
	checked := name
	if folder {
		checked = name[:nameLen-1]
	}
	if fault := nameFault(checked); fault != "" {
		return nil, nil, corrupt("entry %.100q: %s", name, fault)
	}
	*rec = record{
		headerOff:    int64(le.Uint32(raw[42:])),
		encodedBytes: int64(le.Uint32(raw[20:])),
		sizeBytes:    int64(le.Uint32(raw[24:])),
		crc:          le.Uint32(raw[16:]),
		method:       le.Uint16(raw[10:]),
		flags:        le.Uint16(raw[8:]),
		nameOff:      uint32(len(names)),
		nameLen:      uint16(nameLen),
	}
	if err := rec.applyZip64(raw[directoryHeaderBytes+nameLen:][:extraLen]); err != nil {
		return nil, nil, corrupt("entry %q: %v", name, err)
	}
	if fault := rec.fault(d.dataEnd); fault != "" {
		return nil, nil, corrupt("entry %q: %s", name, fault)
	}
	if folder {
		*rec = record{}
		return raw[all:], names, nil
	}
	return raw[all:], append(names, name...), nil
}

// applyZip64 replaces fields that did not fit by those of the extra field.
func (r *record) applyZip64(extra []byte) error {
	for len(extra) >= 4 {
		id, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if n > len(extra)-4 {
			break // Tools tolerate a ragged end; so do we.
		}
		field := extra[4 : 4+n]
		extra = extra[4+n:]
		if id != extraZip64 {
			continue
		}
		for _, at := range []*int64{&r.sizeBytes, &r.encodedBytes, &r.headerOff} {
			if *at != unset32 {
				continue
			}
			if len(field) < 8 {
				return fmt.Errorf("its zip64 field is too short")
			}
			v := binary.LittleEndian.Uint64(field)
			if v > 1<<62 {
				return fmt.Errorf("its zip64 field holds %d", v)
			}
			*at, field = int64(v), field[8:]
		}
	}
	return nil
}

// expansionMax is how many bytes one encoded byte can become at most.
func expansionMax(method uint16) int64 {
	switch method {
	case methodStore:
		return 1
	case methodDeflate:
		return 1032
	default:
		return blockContentBytesMax / 4
	}
}

// fault tells why a record cannot be right, or "".
func (r *record) fault(dataEnd int64) string {
	switch {
	case r.headerOff > dataEnd-localHeaderBytes || r.encodedBytes > dataEnd-localHeaderBytes-r.headerOff:
		return fmt.Sprintf("it (%d bytes at %d) lies outside the file", r.encodedBytes, r.headerOff)
	case r.method == methodStore && r.flags&flagEncrypted == 0 && r.sizeBytes != r.encodedBytes:
		return fmt.Sprintf("stored with %d bytes but %d declared", r.encodedBytes, r.sizeBytes)
	case r.sizeBytes/expansionMax(r.method) > r.encodedBytes:
		return fmt.Sprintf("%d encoded bytes cannot become the declared %d", r.encodedBytes, r.sizeBytes)
	}
	return ""
}

// sort brings records into the order of names and refuses duplicates.
func (d *directory) sort() error {
	byName := func(a, b record) int { return strings.Compare(d.name(&a), d.name(&b)) }
	if !slices.IsSortedFunc(d.records, byName) {
		slices.SortFunc(d.records, byName)
	}
	for i := 1; i < len(d.records); i++ {
		if d.name(&d.records[i]) == d.name(&d.records[i-1]) {
			return corrupt("entry %q is there twice", d.name(&d.records[i]))
		}
	}
	return nil
}

// checkOverlap refuses entries that share bytes of the file: the mark of a
// hostile one.
func (d *directory) checkOverlap() error {
	order := d.records
	byOffset := func(a, b record) int { return int(min(max(a.headerOff-b.headerOff, -1), 1)) }
	if !slices.IsSortedFunc(order, byOffset) {
		order = slices.Clone(order)
		slices.SortFunc(order, byOffset)
	}
	for i := 1; i < len(order); i++ {
		prev := &order[i-1]
		if prev.headerOff+localHeaderBytes+int64(prev.nameLen)+prev.encodedBytes > order[i].headerOff {
			return corrupt("entry %q overlaps %q", d.name(prev), d.name(&order[i]))
		}
	}
	return nil
}
