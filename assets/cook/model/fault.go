package model

import (
	"fmt"
	"strings"

	"sojourn/assets"
)

// corruptf makes an error that wraps [assets.ErrCorrupt].
func corruptf(format string, args ...any) error {
	return fmt.Errorf("%w: %w", assets.ErrCorrupt, fmt.Errorf(format, args...))
}

// tooLargef makes an error that wraps [assets.ErrTooLarge].
func tooLargef(format string, args ...any) error {
	return fmt.Errorf("%w: %w", assets.ErrTooLarge, fmt.Errorf(format, args...))
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
