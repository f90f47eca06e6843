package assets

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// open finds the entry: sources last added first, in each the kind's suffixes
// in order. Outside the lock.
func (d *decoding) open(spec *KindSpec) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: source panicked: %v", d.load.Key, p)
		}
	}()
	for i := len(d.sources) - 1; i >= 0; i-- {
		src := d.sources[i]
		for _, suffix := range spec.suffixes {
			name := d.load.Key.Stem + suffix
			entry, err := src.Open(name)
			if err == nil {
				d.source = src
				d.load.entry, d.load.sizeBytes = entry, entry.SizeBytes()
				d.load.EntryName, d.load.SourceName = name, src.Name()
				d.load.reserveBytes = reserveBytes(entry, spec)
				return nil
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return explain(d.load.Key, name, src.Name(), err)
			}
		}
	}
	return d.missing(spec.suffixes)
}

// reserveBytes is what a load of an entry may need in memory at once: its
// content, its stored bytes where they are read beside it, and what the kind
// builds from it.
func reserveBytes(entry Entry, spec *KindSpec) int64 {
	n := entry.SizeBytes()
	if stored, ok := entry.(StoredSizer); ok {
		n += max(stored.StoredBytes(), 0)
	}
	if spec.staging != nil {
		n += max(spec.staging(entry.SizeBytes()), 0)
	}
	return n
}

// missing says what was looked for, and where.
func (d *decoding) missing(suffixes []string) error {
	if len(d.sources) == 0 {
		return fmt.Errorf("%s: %w: no source is open", d.load.Key, ErrMissing)
	}
	names := make([]string, len(suffixes))
	for i, suffix := range suffixes {
		names[i] = d.load.Key.Stem + suffix
	}
	sources := make([]string, len(d.sources))
	for i, src := range d.sources {
		sources[len(sources)-1-i] = src.Name()
	}
	return fmt.Errorf("%s: %w: no %s in %s", d.load.Key, ErrMissing,
		strings.Join(names, " or "), strings.Join(sources, ", "))
}

// decode runs the kind's decoder on the open entry and closes it.
func (d *decoding) decode() error {
	err := d.load.Yield()
	if err == nil {
		d.decoded = true
		err = d.res.decode(&d.load, d.cell)
	}
	d.close()
	if err == nil || d.stopped(err) {
		return err
	}
	return explain(d.load.Key, d.load.EntryName, d.load.SourceName, err)
}

func (d *decoding) close() {
	if d.load.entry == nil {
		return
	}
	// The bytes were read or failed to be; closing adds nothing to that.
	_ = d.load.entry.Close()
	d.load.entry = nil
}

// explain adds key, entry and source to an error, each unless it says so itself.
func explain(k Key, entry, source string, err error) error {
	text := err.Error()
	where := ""
	if !strings.Contains(text, entry) {
		where = entry
	}
	if !strings.Contains(text, source) {
		if where != "" {
			where += " "
		}
		where += "in " + source
	}
	if where == "" {
		return fmt.Errorf("%s: %w", k, err)
	}
	return fmt.Errorf("%s: %s: %w", k, where, err)
}
