package hallway

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"sojourn/assets"
	"sojourn/assets/docfile"
	"sojourn/demos/hallway/art"
)

// CellStem is the stem of a cell's scene in the corridor. However many cells
// there are, their content is that of the art's cells in turn, under keys of
// their own.
func CellStem(index int32) string { return fmt.Sprintf("cells/%06d", index) }

// corridor is a source that gives the art's cells under the corridor's keys:
// documents are rewritten, pixels pass through. It sits over the art's pack.
type corridor struct {
	under assets.Source
	cells int // in the art
	dress *dressing

	scenes    []assets.Scene // of the art's cells
	templates []template     // none with a dressing
}

// newCorridor reads the art's scenes. It owns the source under it from here on,
// also on error.
func newCorridor(under assets.Source, cells int, dress *dressing) (*corridor, error) {
	c := &corridor{under: under, cells: cells, dress: dress}
	for i := range cells {
		if err := c.prepare(i); err != nil {
			return nil, errors.Join(err, under.Close())
		}
	}
	return c, nil
}

func (c *corridor) prepare(i int) error {
	name := artCell(i) + ".scene"
	b, err := readEntry(c.under, name)
	if err != nil {
		return err
	}
	doc, err := docfile.DecodeScene(name, b)
	if err != nil {
		return err
	}
	c.scenes = append(c.scenes, doc)
	if c.dress != nil {
		return nil
	}
	encoded, err := c.encode(i, templateCell, i)
	c.templates = append(c.templates, newTemplate(encoded))
	return err
}

// Name names the source under it.
func (c *corridor) Name() string { return c.under.Name() + " (corridor)" }

// Close closes the source under it.
func (c *corridor) Close() error { return c.under.Close() }

// List lists the source under it; the corridor's own names have no end.
func (c *corridor) List(yield func(string, int64) bool) error { return c.under.List(yield) }

// Open gives an entry of a cell, or of the source under it.
func (c *corridor) Open(name string) (assets.Entry, error) {
	index, rest, ok := cellEntry(name)
	if !ok {
		return c.under.Open(name)
	}
	art := index % c.cells
	switch rest {
	case ".scene":
		return c.scene(index, art)
	case "/wall.material":
		return c.wall(index)
	case "/wall.ktx2", "/drone.pcm":
		return c.under.Open(artCell(art) + rest)
	}
	return nil, fmt.Errorf("%s: %s: %w", c.Name(), name, fs.ErrNotExist)
}

func artCell(i int) string { return art.CellScene(i) }

// cellEntry splits "cells/000123/wall.ktx2" into 123 and "/wall.ktx2".
func cellEntry(name string) (index int, rest string, ok bool) {
	const prefix, digits = "cells/", 6
	if len(name) < len(prefix)+digits || !strings.HasPrefix(name, prefix) {
		return 0, "", false
	}
	for _, c := range name[len(prefix) : len(prefix)+digits] {
		if c < '0' || c > '9' { // Atoi takes a sign
			return 0, "", false
		}
		index = 10*index + int(c-'0')
	}
	return index, name[len(prefix)+digits:], true
}

func (c *corridor) scene(index, art int) (assets.Entry, error) {
	cell := CellStem(int32(index))
	if c.dress != nil {
		b, err := c.encode(art, cell, index)
		return newMemoryEntry(b), err
	}
	return c.templates[art].of(cell), nil
}

// encode is the scene of an art cell with its own assets under another cell.
func (c *corridor) encode(art int, cell string, index int) ([]byte, error) {
	doc := &c.scenes[art]
	own := assets.Scene{Entities: make([]assets.SceneEntity, 0, len(doc.Entities)+2)}
	from := artCell(art) + "/"
	for _, e := range doc.Entities {
		for _, stem := range []*string{&e.Material, &e.Sound} {
			if rest, ok := strings.CutPrefix(*stem, from); ok {
				*stem = cell + "/" + rest
			}
		}
		own.Entities = append(own.Entities, e)
	}
	c.dress.stand(&own, index)
	return docfile.EncodeScene(&own)
}

func (c *corridor) wall(index int) (assets.Entry, error) {
	m := docfile.DefaultMaterial()
	m.Roughness = 0.85
	m.Maps[assets.MapBaseColor] = CellStem(int32(index)) + "/wall"
	if t := c.dress.texture(index); t != "" {
		m.Maps[assets.MapBaseColor] = t
	}
	b, err := docfile.EncodeMaterial(&m)
	if err != nil {
		return nil, err
	}
	return newMemoryEntry(b), nil
}

// documentBytesMax bounds a document read whole.
const documentBytesMax = 16 << 20

func readEntry(s assets.Source, name string) ([]byte, error) {
	e, err := s.Open(name)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	if e.SizeBytes() > documentBytesMax {
		return nil, fmt.Errorf("%s: %s: %w: %d bytes, at most %d", s.Name(), name, assets.ErrTooLarge, e.SizeBytes(), documentBytesMax)
	}
	b := make([]byte, e.SizeBytes())
	if n, err := e.ReadAt(b, 0); n < len(b) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("%s: %s: %w: %w", s.Name(), name, assets.ErrCorrupt, err)
	}
	return b, nil
}

// memoryEntry is an entry made on the spot.
type memoryEntry struct {
	*bytes.Reader
}

func newMemoryEntry(b []byte) memoryEntry { return memoryEntry{bytes.NewReader(b)} }

// SizeBytes is the length.
func (e memoryEntry) SizeBytes() int64 { return e.Reader.Size() }

// Ranged is true: it is memory.
func (e memoryEntry) Ranged() bool { return true }

// Map is refused: nothing outlives the entry.
func (e memoryEntry) Map(int64, int64) (assets.Lease, bool) { return nil, false }

// Close does nothing.
func (e memoryEntry) Close() error { return nil }
