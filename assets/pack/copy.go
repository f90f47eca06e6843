package pack

import "fmt"

// encoded appends an entry's bytes as they lie in the file to dst, after
// checking its content against its checksums. Entries that are neither raw nor
// zstd are refused.
func (p *Pack) encoded(name string, dst []byte) ([]byte, error) {
	opened, err := p.Open(name)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	var e *entry
	switch opened := opened.(type) {
	case *rawEntry:
		e = &opened.entry
	case *zstdEntry:
		e = &opened.entry
		chunk := make([]byte, min(FrameBytesMax, e.record.sizeBytes))
		for off := int64(0); off < e.record.sizeBytes; off += FrameBytesMax {
			n := min(FrameBytesMax, e.record.sizeBytes-off)
			if _, err := opened.ReadAt(chunk[:n], off); err != nil {
				return nil, err
			}
		}
	default:
		return nil, fmt.Errorf("pack %s: entry %q: not written by this package", p.path, name)
	}
	at := len(dst)
	dst = append(dst, make([]byte, e.record.encodedBytes)...)
	if err := readFull(p.file, dst[at:], e.dataOff); err != nil {
		return nil, e.fail(err)
	}
	if e.record.method == methodStore {
		if err := e.account(dst[at:], 0); err != nil {
			return nil, err
		}
	}
	return dst, nil
}
