// Package unit is what an importer gets and gives: one source file in,
// cooked entries out. It keeps importers apart from the driver, and from one
// another.
package unit

import "sojourn/assets"

// Input is one source file on its way through an importer. It belongs to one
// goroutine.
type Input struct {
	// Path is the file's slash-separated path inside the content root, as
	// errors and warnings name it.
	Path string
	// Stem is Path without its suffix: where the file's assets go.
	Stem string
	// Data is the whole file.
	Data []byte

	// Read gives another file inside the content root, by a slash-separated
	// path relative to the root, and notes it as something this file depends
	// on. It refuses whatever lies outside the root. The error wraps
	// fs.ErrNotExist where there is no such file.
	Read func(path string) ([]byte, error)
	// Warn reports something that was left out or mended; the file still cooks.
	Warn func(format string, args ...any)
}

// Output is one cooked entry.
type Output struct {
	Key assets.Key
	// Suffix completes the entry's name: Key.Stem + Suffix.
	Suffix string
	Data   []byte
	// Raw entries are stored uncompressed and aligned, to be mapped or read
	// in ranges. Others are compressed.
	Raw bool
}

// Importer turns one source file into entries. An error means nothing of this
// file is used, whatever was emitted before; its text need not repeat the path.
type Importer func(in *Input, emit func(Output)) error
