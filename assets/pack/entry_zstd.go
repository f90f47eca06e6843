package pack

import (
	"io"
	"runtime"
	"slices"

	"sojourn/assets"
)

// zstdEntry decodes frame by frame. It learns where frames are as far as it
// was read: from their headers, which cost one small read each to skip.
//
// An entry made by another tool, with frames that are large or do not tell
// their size, is streamed from the first such frame on.
type zstdEntry struct {
	entry
	codec *codec // lent at the first use, given back by Close

	frames   []framePlace // found so far, without empty ones
	nextOff  int64        // encoded offset behind the last frame found
	nextAt   int64        // content offset behind the last frame found
	streamed bool         // the frame at nextOff and all that follow are streamed
	seq      sequence

	window    []byte // encoded bytes in codec.in
	windowOff int64  // encoded offset of window
	refills   int
	outFrame  int // the frame in codec.out plus one; 0 for none
}

// framePlace is one frame: where its bytes and its content start.
type framePlace struct {
	off, at      int64
	encodedBytes int32
	contentBytes int32
}

var _ assets.Entry = (*zstdEntry)(nil)

// StoredBytes is the compressed size.
func (e *zstdEntry) StoredBytes() int64 { return e.record.encodedBytes }

// declaredBytesTrusted is up to which declared size an entry is opened without
// adding up its frames.
const declaredBytesTrusted = 64 << 20

// checkDeclared adds up what a very large entry can decode to before anyone
// allocates by its declared size.
func (e *zstdEntry) checkDeclared() error {
	if e.record.sizeBytes <= declaredBytesTrusted {
		return nil
	}
	for e.nextAt < e.record.sizeBytes {
		more, err := e.findFrame(skipReadBytes)
		if err != nil {
			return e.fail(err)
		}
		if !more {
			return e.fail(corrupt("%w: its frames hold %d of %d bytes", errUnexpectedEnd, e.nextAt, e.record.sizeBytes))
		}
		if e.streamed {
			return e.checkStreamed()
		}
	}
	return nil
}

// checkStreamed adds up the block headers of the frames that will be streamed.
func (e *zstdEntry) checkStreamed() error {
	atMost := e.nextAt
	for off := e.nextOff; off < e.record.encodedBytes && atMost < e.record.sizeBytes; {
		f, err := walkFrame(e.peeker(off, skipReadBytes))
		if err != nil {
			return e.fail(err)
		}
		atMost += f.atMostBytes
		off += f.encodedBytes
	}
	if atMost < e.record.sizeBytes {
		return e.fail(corrupt("%w: it can hold %d of %d bytes", errUnexpectedEnd, atMost, e.record.sizeBytes))
	}
	return nil
}

// ReadAt decodes the frames that hold the range: into p where it covers a
// frame, through scratch where it covers a part. It yields after each frame.
// Every frame is checked against its own checksum, and a whole entry that is
// read in order against that of the directory. Where it fails it says so
// without handing out a part.
func (e *zstdEntry) ReadAt(p []byte, off int64) (int, error) {
	p, eof, err := e.clamp(p, off)
	if err != nil || len(p) == 0 {
		return 0, err
	}
	for n := 0; n < len(p); {
		k, err := e.readSome(p[n:], off+int64(n))
		if err != nil {
			return 0, e.fail(err)
		}
		n += k
	}
	if off+int64(len(p)) == e.record.sizeBytes {
		if err := e.finish(); err != nil {
			return 0, e.fail(err)
		}
	}
	if err := e.account(p, off); err != nil {
		return 0, err
	}
	return len(p), eof
}

// readSome reads from content offset at what one frame gives.
func (e *zstdEntry) readSome(p []byte, at int64) (int, error) {
	for at >= e.nextAt && !e.streamed {
		readBytes := frameEncodedBytesMax
		if at >= e.nextAt+FrameBytesMax {
			readBytes = skipReadBytes // Not this frame, most likely.
		}
		more, err := e.findFrame(readBytes)
		if err != nil {
			return 0, err
		}
		if !more {
			return 0, corrupt("%w: its frames hold %d of %d bytes", errUnexpectedEnd, e.nextAt, e.record.sizeBytes)
		}
	}
	if at >= e.nextAt {
		return len(p), e.seq.readAt(p, at, e.codec, e.restart)
	}
	i, found := slices.BinarySearchFunc(e.frames, at, func(f framePlace, at int64) int {
		return int(min(max(f.at-at, -1), 1))
	})
	if !found {
		i--
	}
	return e.decode(i, p, at)
}

// decode gives the part of frame i that starts at content offset at.
func (e *zstdEntry) decode(i int, p []byte, at int64) (int, error) {
	f := e.frames[i]
	if at == f.at && len(p) >= int(f.contentBytes) {
		err := e.decodeWhole(f, p[:f.contentBytes])
		runtime.Gosched()
		return int(f.contentBytes), err
	}
	if e.outFrame != i+1 {
		e.outFrame = 0
		e.codec.out = grown(e.codec.out, int(f.contentBytes))
		if err := e.decodeWhole(f, e.codec.out); err != nil {
			return 0, err
		}
		e.outFrame = i + 1
		runtime.Gosched()
	}
	return copy(p, e.codec.out[at-f.at:]), nil
}

func (e *zstdEntry) decodeWhole(f framePlace, dst []byte) error {
	encoded, err := e.peek(f.off, int(f.encodedBytes), frameEncodedBytesMax)
	if err != nil {
		return err
	}
	dec, err := e.codec.decoder()
	if err != nil {
		return err
	}
	got, err := dec.DecodeAll(encoded, dst[:0:len(dst)])
	if err != nil {
		return err
	}
	if len(got) != len(dst) {
		return corrupt("a frame holds %d bytes, not %d", len(got), len(dst))
	}
	if &got[0] != &dst[0] {
		copy(dst, got)
	}
	return nil
}

// finish looks at what follows the last byte: nothing that has content may.
func (e *zstdEntry) finish() error {
	if e.streamed {
		return e.seq.finish(e.record.sizeBytes)
	}
	for {
		more, err := e.findFrame(skipReadBytes)
		if err != nil || !more {
			return err
		}
		if e.streamed || e.nextAt > e.record.sizeBytes {
			return errLarger(e.record.sizeBytes)
		}
	}
}

func (e *zstdEntry) restart() (io.Reader, int64, error) {
	e.outFrame = 0 // The stream skips through codec.out.
	dec, err := e.codec.decoder()
	if err != nil {
		return nil, 0, err
	}
	r := io.NewSectionReader(e.pack.file, e.dataOff+e.nextOff, e.record.encodedBytes-e.nextOff)
	return dec, e.nextAt, dec.Reset(r)
}

// Ranged is false: a range costs up to one frame more than it reads.
func (e *zstdEntry) Ranged() bool { return false }

// Map is not possible.
func (e *zstdEntry) Map(int64, int64) (assets.Lease, bool) { return nil, false }

// Close gives the decoder back.
func (e *zstdEntry) Close() error {
	e.closed = true
	if e.codec != nil {
		e.pack.putCodec(e.codec)
		e.codec, e.window, e.seq = nil, nil, sequence{}
	}
	return nil
}
