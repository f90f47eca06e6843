package model

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"path"
	"strings"
)

// readURI reads the file a URI names, and gives its path inside the content
// root. Errors show the URI as it is written in the document.
//
// Escapes are decoded; where no file has the decoded name, one with the name
// as written is taken, as several exporters don't encode. Plus and '#' are
// ordinary characters.
func (d *document) readURI(uri string) (data []byte, at string, err error) {
	decoded, bad := unescape(uri)
	tries := []string{decoded, uri}
	if bad || decoded == uri {
		tries = tries[1:]
	}
	// Every spelling must be harmless, also one that is not tried because an
	// earlier one was found.
	paths := make([]string, len(tries))
	for i, name := range tries {
		if paths[i], err = d.resolve(name); err != nil {
			return nil, "", corruptf("URI %s %w", shown(uri), err)
		}
	}
	for i, p := range paths {
		data, err = d.in.Read(p)
		if err == nil {
			if bad {
				d.in.Warn("URI %s has a broken %%-escape, the file of exactly that name was taken", shown(uri))
			}
			return data, paths[i], nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if bad {
		return nil, "", corruptf("URI %s has a broken %%-escape", shown(uri))
	}
	return nil, "", corruptf("URI %s: %w", shown(uri), err)
}

var (
	errScheme   = errors.New("is not allowed: only files inside the content root, and data URIs")
	errAbsolute = errors.New("is not allowed: it must be relative to the model")
	errOutside  = errors.New("leads outside the content root")
	errName     = errors.New("is not allowed: it is no file name")
)

// resolve gives the path inside the content root of a name relative to the
// model. Backslashes separate, as on the systems that write them.
func (d *document) resolve(name string) (string, error) {
	name = strings.ReplaceAll(name, `\`, "/")
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
		return "", errName
	}
	if name[0] == '/' {
		return "", errAbsolute
	}
	// A colon in the first segment is a scheme or a drive.
	first, _, _ := strings.Cut(name, "/")
	if strings.Contains(first, ":") {
		return "", errScheme
	}
	p := path.Join(path.Dir(d.in.Path), name)
	if p == ".." || strings.HasPrefix(p, "../") || path.IsAbs(p) {
		return "", errOutside
	}
	return p, nil
}

// unescape decodes %XX. bad tells that an escape is broken.
func unescape(s string) (decoded string, bad bool) {
	if !strings.Contains(s, "%") {
		return s, false
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if i+2 >= len(s) {
			return s, true
		}
		high, low := hexDigit(s[i+1]), hexDigit(s[i+2])
		if high < 0 || low < 0 {
			return s, true
		}
		b = append(b, byte(high<<4|low))
		i += 2
	}
	return string(b), false
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// isDataURI tells whether the bytes are in the URI itself.
func isDataURI(uri string) bool {
	return len(uri) >= 5 && strings.EqualFold(uri[:5], "data:")
}

// dataURI decodes a data URI. The media type does not matter: content decides.
// Base64's padding may be missing.
func dataURI(uri string) ([]byte, error) {
	head, body, ok := strings.Cut(uri, ",")
	if !ok {
		return nil, corruptf("data URI without a comma")
	}
	if len(head) < 7 || !strings.EqualFold(head[len(head)-7:], ";base64") {
		return nil, corruptf("data URI %s is not base64", shown(head))
	}
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(body, "="))
	if err != nil {
		return nil, corruptf("data URI: base64: %w", err)
	}
	return data, nil
}
