package kinds

import (
	"io"

	"sojourn/assets"
	"sojourn/assets/ktx2"
)

// textureHeadBytes is read in one go; it holds the whole directory of every
// texture the cook makes.
const textureHeadBytes = 1 << 10

func texture() assets.KindSpec {
	return assets.NewKindSpec(assets.KindOptions[assets.Texture]{
		Kind: assets.KindTexture, Name: assets.KindTexture.String(), Suffixes: []string{".ktx2"},
		Decode: decodeTexture,
		Free:   func(t *assets.Texture) { t.Tail.Free(); t.TailLevel = t.Levels },
		Size:   func(t *assets.Texture) assets.Footprint { return bytesFootprint(&t.Tail) },
	})
}

// decodeTexture reads the directory and the guaranteed tail, never the finer
// levels.
func decodeTexture(l *assets.Load, out *assets.Texture) error {
	head, err := l.ReadRange(0, min(textureHeadBytes, l.SizeBytes()))
	if err != nil {
		return err
	}
	defer head.Free()
	t, err := ktx2.Parse(&headReader{head: head.Slice(), load: l}, l.SizeBytes())
	if err != nil {
		return err
	}
	tail := t.TailStart()
	if t.Tail, err = l.MapOrRead(t.SuffixSpan(tail)); err != nil {
		return err
	}
	t.TailLevel = tail
	*out = t
	return nil
}

// headReader answers from the head where it can, so that a directory costs one
// read; foreign files with long key/value data cost some more.
type headReader struct {
	head []byte
	load *assets.Load
}

func (r *headReader) ReadAt(dst []byte, off int64) (int, error) {
	if off >= 0 && off+int64(len(dst)) <= int64(len(r.head)) {
		return copy(dst, r.head[off:]), nil
	}
	n := min(int64(len(dst)), r.load.SizeBytes()-off)
	if n <= 0 {
		return 0, io.EOF
	}
	b, err := r.load.ReadRange(off, n)
	if err != nil {
		return 0, err
	}
	defer b.Free()
	copy(dst, b.Slice())
	if int(n) < len(dst) {
		return int(n), io.EOF
	}
	return int(n), nil
}
