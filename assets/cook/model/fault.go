package model

import (
	"errors"
	"fmt"
	"strings"

	"sojourn/assets"
)

// corruptf makes an error that wraps [assets.ErrCorrupt]. Each layer of the
// document names its place around the reason; none says again what went wrong
// at large, [Import] does so once.
func corruptf(format string, args ...any) error {
	return fault{assets.ErrCorrupt, fmt.Errorf(format, args...)}
}

// tooLargef makes an error that wraps [assets.ErrTooLarge], likewise.
func tooLargef(format string, args ...any) error {
	return fault{assets.ErrTooLarge, fmt.Errorf(format, args...)}
}

// fault is a sentinel that is not spelled out, and the text that is.
type fault struct {
	sentinel error
	text     error
}

func (f fault) Error() string   { return f.text.Error() }
func (f fault) Unwrap() []error { return []error{f.sentinel, f.text} }

// spelled puts the sentinel in front of the text.
func spelled(err error) error {
	for _, s := range []error{assets.ErrTooLarge, assets.ErrCorrupt} {
		if err != nil && errors.Is(err, s) && !strings.Contains(err.Error(), s.Error()) {
			return fmt.Errorf("%w: %w", s, err)
		}
	}
	return err
}

// shown is text out of a file as messages print it: as written, so that it can
// be searched for, but on one line and of bounded length.
func shown(s string) string {
	const bytesMax = 200
	cut := len(s) > bytesMax
	if cut {
		s = s[:bytesMax]
	}
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if cut {
		s += "..."
	}
	return `"` + s + `"`
}
