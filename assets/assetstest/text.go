package assetstest

import (
	"bytes"
	"fmt"
	"strings"

	"sojourn/assets"
)

// Text is the payload of a text kind. A line "> stem" needs another asset of
// the same kind; a line "> kind:stem" one of the kind with that number. The
// text "!corrupt" fails to decode, "!panic" panics.
type Text struct {
	Data  assets.Bytes
	Needs []assets.Key
}

// String is the text.
func (t *Text) String() string { return string(t.Data.Slice()) }

// TextKind makes a text kind whose entries end in suffix.
func TextKind(k assets.Kind, name, suffix string) assets.KindSpec {
	return assets.NewKindSpec(assets.KindOptions[Text]{
		Kind: k, Name: name, Suffixes: []string{suffix},
		Decode: func(l *assets.Load, out *Text) error { return decodeText(l, out, k) },
		Free:   func(t *Text) { t.Data.Free() },
		Size:   func(t *Text) assets.Footprint { return sizeOf(&t.Data) },
		Needs: func(t *Text, f func(assets.Key)) {
			for _, k := range t.Needs {
				f(k)
			}
		},
	})
}

// sizeOf charges a text by its length, so that tests can count.
func sizeOf(b *assets.Bytes) assets.Footprint {
	if b.Mapped() {
		return assets.Footprint{MappedBytes: int64(b.Len())}
	}
	return assets.Footprint{OwnedBytes: int64(b.Len())}
}

func decodeText(l *assets.Load, out *Text, own assets.Kind) error {
	b, err := l.MapOrRead(0, l.SizeBytes())
	if err != nil {
		return err
	}
	out.Data = b
	text := b.Slice()
	switch {
	case bytes.HasPrefix(text, []byte("!corrupt")):
		out.Data.Free()
		return fmt.Errorf("%w: it says so", assets.ErrCorrupt)
	case bytes.HasPrefix(text, []byte("!panic")):
		panic("it says so")
	case !bytes.Contains(text, []byte("> ")):
		return nil
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		stem, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		k := own
		if kind, rest, ok := strings.Cut(stem, ":"); ok {
			stem = rest
			if _, err := fmt.Sscanf(kind, "%d", &k); err != nil {
				out.Data.Free()
				return fmt.Errorf("%w: need %q", assets.ErrCorrupt, line)
			}
		}
		out.Needs = append(out.Needs, assets.Key{Stem: stem, Kind: k})
	}
	return nil
}
