package assets

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// StemBytesMax bounds a stem's length.
const StemBytesMax = 512

// Key identifies an asset: a stem and a kind. The zero Key is not valid.
type Key struct {
	Stem string
	Kind Kind
}

// NewKey validates the stem and makes a key. The error wraps [ErrBadStem].
func NewKey(stem string, kind Kind) (Key, error) {
	if err := CheckStem(stem); err != nil {
		return Key{}, err
	}
	return Key{Stem: stem, Kind: kind}, nil
}

// String is "kind:stem", as diagnostics print it.
func (k Key) String() string { return k.Kind.String() + ":" + k.Stem }

// Family is the stem of the source file that produced this asset: the part
// before '#', which separates a file from a part of it ("models/car#wheel").
// Hot reload works by family.
func (k Key) Family() string { return StemFamily(k.Stem) }

// StemFamily is the part of a stem before '#'.
func StemFamily(stem string) string {
	if i := strings.IndexByte(stem, '#'); i >= 0 {
		return stem[:i]
	}
	return stem
}

// CheckStem tells why a stem is not usable: a stem is a relative,
// slash-separated, case-sensitive path without empty, "." or ".." segments,
// without backslashes, colons or control characters, valid UTF-8 and at most
// [StemBytesMax] bytes. Two dots inside a name ("A..B") are fine. The error
// wraps [ErrBadStem] and quotes the stem.
func CheckStem(stem string) error {
	reason := ""
	switch {
	case stem == "":
		reason = "it is empty"
	case len(stem) > StemBytesMax:
		return fmt.Errorf("%w: %.40q...: %d bytes, at most %d", ErrBadStem, stem, len(stem), StemBytesMax)
	case !utf8.ValidString(stem):
		reason = "it is not UTF-8"
	case stem[0] == '/':
		reason = "it must be relative"
	case strings.ContainsAny(stem, "\\:"):
		reason = "it has a backslash or colon"
	case strings.IndexFunc(stem, func(r rune) bool { return r < 0x20 || r == 0x7f }) >= 0:
		reason = "it has a control character"
	default:
		for seg := range strings.SplitSeq(stem, "/") {
			if seg == "" || seg == "." || seg == ".." {
				reason = fmt.Sprintf("segment %q is not allowed", seg)
				break
			}
		}
	}
	if reason == "" {
		return nil
	}
	return fmt.Errorf("%w: %q: %s", ErrBadStem, stem, reason)
}
