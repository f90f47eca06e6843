package hallway

import "bytes"

// templateCell is the cell in the stems of a template, which a cell's own is read
// in place of: encoding each scene anew, or copying it, would be most of what a
// cell allocates.
const templateCell = "cells/000000"

// template is the encoded scene of an art cell, for any cell.
type template struct {
	b  []byte
	at []int // where templateCell is
}

func newTemplate(b []byte) template {
	t := template{b: b}
	for from := 0; ; {
		i := bytes.Index(b[from:], []byte(templateCell))
		if i < 0 {
			return t
		}
		t.at = append(t.at, from+i)
		from += i + len(templateCell)
	}
}

// of is the scene as a cell's, whose stem is as long as the template's.
func (t *template) of(cell string) cellScene {
	return cellScene{memoryEntry: newMemoryEntry(t.b), template: t, cell: cell}
}

// cellScene is an entry that reads a template as a cell's scene.
type cellScene struct {
	memoryEntry
	template *template
	cell     string
}

// ReadAt reads the template, with the cell's stem in place of its own.
func (e cellScene) ReadAt(p []byte, off int64) (int, error) {
	n, err := e.memoryEntry.ReadAt(p, off)
	for _, at := range e.template.at {
		if from := at - int(off); from < n && from+len(e.cell) > 0 {
			copy(p[max(from, 0):n], e.cell[max(-from, 0):])
		}
	}
	return n, err
}
