package docfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sojourn/assets"
)

const byteOrderMark = "\xEF\xBB\xBF"

// strictReader reads JSON of an expected shape token by token. Nothing is
// skipped, so what it spends is bounded by the shape, not by the nesting of
// the input.
type strictReader struct {
	name string
	src  []byte
	dec  *json.Decoder
	at   int // where the last token starts
	// interned makes equal stems share their memory.
	interned map[string]string
}

func newStrictReader(name string, src []byte, bytesMax int) (*strictReader, error) {
	if len(src) > bytesMax {
		return nil, fmt.Errorf("%s: %w", name, tooLarge("bytes of JSON", int64(len(src)), int64(bytesMax)))
	}
	src = bytes.TrimPrefix(src, []byte(byteOrderMark))
	r := &strictReader{name: name, src: src, interned: map[string]string{}}
	if !utf8.Valid(src) {
		return nil, r.fail(invalidAt(src), "this is not UTF-8")
	}
	r.dec = json.NewDecoder(bytes.NewReader(src))
	r.dec.UseNumber()
	return r, nil
}

func invalidAt(src []byte) int {
	at := 0
	for at < len(src) {
		c, n := utf8.DecodeRune(src[at:])
		if c == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return at
}

// fail makes an error that begins with name, line and column of a byte.
func (r *strictReader) fail(at int, format string, args ...any) error {
	return r.wrap(at, corrupt(format, args...))
}

func (r *strictReader) wrap(at int, err error) error {
	before := r.src[:min(at, len(r.src))]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Errorf("%s:%d:%d: %w", r.name, line, column, err)
}

func (r *strictReader) token() (json.Token, error) {
	r.at = int(r.dec.InputOffset())
	for r.at < len(r.src) && bytes.IndexByte([]byte(" \t\r\n,:"), r.src[r.at]) >= 0 {
		r.at++
	}
	t, err := r.dec.Token()
	if err == nil {
		return t, nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, r.fail(len(r.src), "unexpected end of the document")
	}
	return nil, r.fail(r.at, "%v", err)
}

// end refuses anything after the document.
func (r *strictReader) end() error {
	at := int(r.dec.InputOffset())
	rest := bytes.TrimLeft(r.src[at:], " \t\r\n")
	if len(rest) > 0 {
		return r.fail(len(r.src)-len(rest), "something follows the document")
	}
	return nil
}

// object calls field for each key, with the reader before the key's value.
// field answers false for a key it does not know.
func (r *strictReader) object(what string, field func(key string) (known bool, err error)) error {
	t, err := r.token()
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return r.fail(r.at, "%s must be an object, not %s", what, describe(t))
	}
	var seen []string
	for r.dec.More() {
		t, err := r.token()
		if err != nil {
			return err
		}
		key, ok := t.(string)
		at := r.at
		if !ok {
			return r.fail(at, "expected a key, not %s", describe(t))
		}
		if slices.Contains(seen, key) {
			return r.fail(at, "key %q is there twice", key)
		}
		seen = append(seen, key)
		known, err := field(key)
		if err != nil {
			return err
		}
		if !known {
			return r.fail(at, "%s has no key %.40q", what, key)
		}
	}
	_, err = r.token()
	return err
}

// array calls item before each value.
func (r *strictReader) array(what string, item func(i int) error) error {
	t, err := r.token()
	if err != nil {
		return err
	}
	if t != json.Delim('[') {
		return r.fail(r.at, "%s must be an array, not %s", what, describe(t))
	}
	for i := 0; r.dec.More(); i++ {
		if err := item(i); err != nil {
			return err
		}
	}
	_, err = r.token()
	return err
}

func (r *strictReader) number(what string, lo, hi float32) (float32, error) {
	t, err := r.token()
	if err != nil {
		return 0, err
	}
	n, ok := t.(json.Number)
	if !ok {
		return 0, r.fail(r.at, "%s must be a number, not %s", what, describe(t))
	}
	x, err := strconv.ParseFloat(string(n), 32)
	if err != nil {
		return 0, r.fail(r.at, "%s: %.40q does not fit 32 bits", what, string(n))
	}
	if err := checkRange(what, lo, hi, float32(x)); err != nil {
		return 0, r.wrap(r.at, err)
	}
	return float32(x), nil
}

// numbers fills dst from an array of just as many numbers.
func (r *strictReader) numbers(what string, dst []float32, lo, hi float32) error {
	count := 0
	err := r.array(what, func(i int) (err error) {
		if i >= len(dst) {
			return r.fail(r.at, "%s has more than %d numbers", what, len(dst))
		}
		count = i + 1
		dst[i], err = r.number(what, lo, hi)
		return err
	})
	if err == nil && count < len(dst) {
		return r.fail(r.at, "%s has %d numbers, want %d", what, count, len(dst))
	}
	return err
}

func (r *strictReader) boolean(what string) (bool, error) {
	t, err := r.token()
	if err != nil {
		return false, err
	}
	b, ok := t.(bool)
	if !ok {
		return false, r.fail(r.at, "%s must be true or false, not %s", what, describe(t))
	}
	return b, nil
}

func (r *strictReader) text(what string) (string, error) {
	t, err := r.token()
	if err != nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", r.fail(r.at, "%s must be a string, not %s", what, describe(t))
	}
	return s, nil
}

func (r *strictReader) stem(what string) (string, error) {
	s, err := r.text(what)
	if err != nil {
		return "", err
	}
	if known, ok := r.interned[s]; ok {
		return known, nil
	}
	if err := checkStem(what, s); err != nil {
		return "", r.wrap(r.at, err)
	}
	r.interned[s] = s
	return s, nil
}

func describe(t json.Token) string {
	switch t := t.(type) {
	case nil:
		return "null"
	case json.Delim:
		if t == '{' {
			return "an object"
		}
		return "an array"
	case string:
		return fmt.Sprintf("%.40q", t)
	}
	return fmt.Sprintf("%.40v", t)
}

// isJSON tells a document's source form from its packed form, which starts
// with a CBOR array.
func isJSON(name string, b []byte) bool {
	b = bytes.TrimPrefix(b, []byte(byteOrderMark))
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) > 0 && b[0] == '{' || strings.HasSuffix(name, ".json")
}

// DefaultMaterial is the material of an empty document: white, rough, opaque.
func DefaultMaterial() assets.Material {
	return assets.Material{
		BaseColor: [4]float32{1, 1, 1, 1}, Roughness: 1, NormalScale: 1, Occlusion: 1,
	}
}
