package pack

import (
	"io"

	"sojourn/assets"
)

// deflateEntry is an entry that a common zip tool made.
type deflateEntry struct {
	entry
	codec *codec
	seq   sequence
}

var _ assets.Entry = (*deflateEntry)(nil)

// StoredBytes is the compressed size.
func (e *deflateEntry) StoredBytes() int64 { return e.record.encodedBytes }

// ReadAt decodes from front to back; reading before the last position starts
// over.
func (e *deflateEntry) ReadAt(p []byte, off int64) (int, error) {
	p, eof, err := e.clamp(p, off)
	if err != nil || len(p) == 0 {
		return 0, err
	}
	if e.codec == nil {
		e.codec = e.pack.takeCodec()
	}
	if err := e.seq.readAt(p, off, e.codec, e.restart); err != nil {
		return 0, e.fail(err)
	}
	if e.seq.at == e.record.sizeBytes {
		if err := e.seq.finish(e.record.sizeBytes); err != nil {
			return 0, e.fail(err)
		}
	}
	if err := e.account(p, off); err != nil {
		return 0, err
	}
	return len(p), eof
}

func (e *deflateEntry) restart() (io.Reader, int64, error) {
	r, err := e.codec.inflater(io.NewSectionReader(e.pack.file, e.dataOff, e.record.encodedBytes))
	return r, 0, err
}

// Ranged is false.
func (e *deflateEntry) Ranged() bool { return false }

// Map is not possible.
func (e *deflateEntry) Map(int64, int64) (assets.Lease, bool) { return nil, false }

// Close gives the decoder back.
func (e *deflateEntry) Close() error {
	e.closed = true
	if e.codec != nil {
		e.pack.putCodec(e.codec)
		e.codec, e.seq = nil, sequence{}
	}
	return nil
}
