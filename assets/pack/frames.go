package pack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// emptySkippable is a zstd skippable frame without content.
var emptySkippable = [8]byte{0x50, 0x2A, 0x4D, 0x18}

// NewEncoder makes an encoder with the settings of packs, for [EncodeFrames].
// It starts no goroutine; one goroutine at a time uses it.
func NewEncoder() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedBestCompression),
		zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(true),
		zstd.WithSingleSegment(true),
		zstd.WithWindowSize(FrameBytesMax),
	)
}

// EncodeFrames appends data to dst as independent zstd frames, as
// [Writer.AddEncoded] takes them. enc comes from [NewEncoder].
func EncodeFrames(dst, data []byte, enc *zstd.Encoder) []byte {
	whole := len(data)%FrameBytesMax == 0
	for len(data) > 0 {
		n := min(len(data), FrameBytesMax)
		dst = enc.EncodeAll(data[:n], dst)
		data = data[n:]
	}
	if whole {
		dst = append(dst, emptySkippable[:]...)
	}
	return dst
}

// frame is what the header and block headers of one zstd frame tell.
type frame struct {
	encodedBytes int64 // the whole frame, with header and checksum
	contentBytes int64 // as declared; -1 where the frame does not say
	atMostBytes  int64 // what its blocks can decode to at most
	windowBytes  uint64
	checksum     bool
	dictionary   bool
}

const (
	blockContentBytesMax = 128 << 10
	frameHeaderBytesMax  = 18
	blockHeaderBytes     = 3
)

var (
	errUnexpectedEnd = errors.New("unexpected end of the compressed data")
	errNotZstd       = errors.New("not zstd data")
	errBadBlock      = errors.New("a zstd block has a reserved type or an impossible size")
)

// walkFrame reads one frame's headers without decoding it. peek gives n bytes
// at an offset relative to the frame's start, or fewer where the data ends.
func walkFrame(peek func(off int64, n int) ([]byte, error)) (frame, error) {
	head, err := peek(0, frameHeaderBytesMax)
	if err != nil {
		return frame{}, err
	}
	var h zstd.Header
	if err := h.Decode(head); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return frame{}, errUnexpectedEnd
		}
		return frame{}, fmt.Errorf("%w: %v", errNotZstd, err)
	}
	if h.Skippable {
		return frame{encodedBytes: int64(h.HeaderSize) + int64(h.SkippableSize)}, nil
	}
	f := frame{
		contentBytes: -1, windowBytes: h.WindowSize,
		checksum: h.HasCheckSum, dictionary: h.DictionaryID != 0,
	}
	if h.HasFCS {
		if h.FrameContentSize > 1<<62 {
			return frame{}, fmt.Errorf("%w: a frame claims %d bytes", errNotZstd, h.FrameContentSize)
		}
		f.contentBytes = int64(h.FrameContentSize)
	}
	if h.SingleSegment {
		f.windowBytes = h.FrameContentSize
	}
	at, atMost, err := walkBlocks(int64(h.HeaderSize), peek)
	if err != nil {
		return frame{}, err
	}
	if h.HasCheckSum {
		at += 4
	}
	f.encodedBytes, f.atMostBytes = at, atMost
	return f, nil
}

// walkBlocks follows block headers from offset at to the end of the last
// block.
func walkBlocks(at int64, peek func(off int64, n int) ([]byte, error)) (end, atMostBytes int64, err error) {
	for last := false; !last; {
		b, err := peek(at, blockHeaderBytes)
		if err != nil {
			return 0, 0, err
		}
		if len(b) < blockHeaderBytes {
			return 0, 0, errUnexpectedEnd
		}
		v := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
		last = v&1 != 0
		size := int64(v >> 3)
		at += blockHeaderBytes
		switch v >> 1 & 3 {
		case 0: // raw
			atMostBytes += size
			at += size
		case 1: // one byte, repeated
			atMostBytes += size
			at++
		case 2:
			atMostBytes += blockContentBytesMax
			at += size
		default:
			return 0, 0, errBadBlock
		}
		if size > blockContentBytesMax {
			return 0, 0, errBadBlock
		}
	}
	return at, atMostBytes, nil
}

// checkFrames tells why encoded is not a sequence of frames as
// [EncodeFrames] makes them, with sizeBytes of content.
func checkFrames(encoded []byte, sizeBytes int64) error {
	total := int64(0)
	rest := encoded
	skippable := false
	for len(rest) > 0 {
		f, err := walkFrame(func(off int64, n int) ([]byte, error) {
			if off >= int64(len(rest)) {
				return nil, nil
			}
			return rest[off:min(off+int64(n), int64(len(rest)))], nil
		})
		if err != nil {
			return err
		}
		if f.encodedBytes > int64(len(rest)) {
			return errUnexpectedEnd
		}
		skippable = binary.LittleEndian.Uint32(rest)>>4 == skippableMagic>>4
		if !skippable && (f.contentBytes < 0 || f.contentBytes > FrameBytesMax || !f.checksum || f.dictionary) {
			return fmt.Errorf("a frame has no size, no checksum, or over %d bytes", FrameBytesMax)
		}
		total += f.contentBytes
		rest = rest[f.encodedBytes:]
	}
	if total != sizeBytes {
		return fmt.Errorf("the frames hold %d bytes, not %d", total, sizeBytes)
	}
	if sizeBytes%FrameBytesMax == 0 && !skippable {
		return errors.New("the closing skippable frame is missing")
	}
	return nil
}

const skippableMagic = 0x184D2A50
