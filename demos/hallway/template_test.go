package hallway

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// However a cell's scene is read, it is the template with the cell's stem in all
// its places.
func TestTemplateReadsAsTheCell(t *testing.T) {
	text := strings.Repeat(templateCell+"/wall, ", 3) + "car" + templateCell
	const cell = "cells/012345"
	want := []byte(strings.ReplaceAll(text, templateCell, cell))
	tp := newTemplate([]byte(text))
	e := tp.of(cell)
	if e.SizeBytes() != int64(len(want)) || len(tp.at) != 4 {
		t.Fatalf("%d bytes with %d places, want %d with 4", e.SizeBytes(), len(tp.at), len(want))
	}
	for chunk := 1; chunk <= len(want); chunk++ {
		var got []byte
		for off := 0; off < len(want); off += chunk {
			p := make([]byte, chunk)
			n, err := e.ReadAt(p, int64(off))
			if err != nil && err != io.EOF {
				t.Fatal(err)
			}
			got = append(got, p[:n]...)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("in chunks of %d: %q, want %q", chunk, got, want)
		}
	}
	if string(tp.b) != text {
		t.Error("the template was written to")
	}
}
