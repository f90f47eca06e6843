package model

import (
	"fmt"
	"strings"

	"sojourn/assets"
	"sojourn/assets/cook/unit"
)

// parts names and emits what a model is made of.
type parts struct {
	in    *unit.Input
	emit  func(unit.Output)
	taken map[string]bool // lower-cased part names
}

// name makes a part's stem: portable, and unique without regard to case.
func (p *parts) name(part string) string {
	unique := part
	for n := 2; p.taken[strings.ToLower(unique)]; n++ {
		unique = fmt.Sprintf("%s-%d", part, n)
	}
	p.taken[strings.ToLower(unique)] = true
	return p.in.Stem + "#" + unique
}

// put emits one entry.
func (p *parts) put(kind assets.Kind, stem, suffix string, data []byte, raw bool) error {
	key, err := assets.NewKey(stem, kind)
	if err != nil {
		return err
	}
	p.emit(unit.Output{Key: key, Suffix: suffix, Data: data, Raw: raw})
	return nil
}

// portable reduces a name out of a file to characters that every file system
// takes; an empty result is replaced by the number.
func portable(name string, number int) string {
	var b strings.Builder
	for _, r := range name {
		if b.Len() >= nameBytesMax {
			break
		}
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	s := strings.Trim(b.String(), "._-")
	if s == "" {
		return fmt.Sprint(number)
	}
	return s
}

// nodeName is a node's name as the model keeps it: on one line, bounded.
func nodeName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r == '\uFFFD' {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(s, "_"))
	for len(s) > nameBytesMax {
		cut := nameBytesMax
		for cut > 0 && s[cut]&0xc0 == 0x80 {
			cut--
		}
		s = s[:cut]
	}
	return s
}
