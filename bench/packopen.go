package main

import (
	"archive/zip"
	"fmt"
	"path/filepath"

	"sojourn/assets/pack"
)

const packOpenEntries = 100_000

func packComparisons() []comparison {
	return []comparison{{[]string{"store-pack-open"}, comparePackOpen}}
}

// comparePackOpen opens a large pack, and the same file as a plain zip.
func comparePackOpen(r *run) error {
	path := filepath.Join(r.dir, "large.zip")
	if err := writePack(path, largePack); err != nil {
		return err
	}
	var ours, plain series
	for range repetitions {
		var p *pack.Pack
		took, err := timed(func() (err error) { p, err = pack.Open(path); return err })
		if err != nil {
			return err
		}
		ours.figures = append(ours.figures, took.Seconds()*1e3)
		if p.Len() != packOpenEntries {
			return fmt.Errorf("%d entries, want %d", p.Len(), packOpenEntries)
		}
		if err := p.Close(); err != nil {
			return err
		}
		var z *zip.ReadCloser
		took, err = timed(func() (err error) { z, err = zip.OpenReader(path); return err })
		if err != nil {
			return err
		}
		plain.figures = append(plain.figures, took.Seconds()*1e3)
		if err := z.Close(); err != nil {
			return err
		}
	}
	r.add(withinOf("store-pack-open", "ms", "zip", &ours, &plain, 1, 1.2))
	return nil
}

// largePack has many cells of a raw and a compressed entry each.
func largePack(w *pack.Writer) error {
	data := make([]byte, 100)
	small, err := encode(data)
	if err != nil {
		return err
	}
	for i := range packOpenEntries / 2 {
		cell := fmt.Sprintf("cells/%06d/", i)
		if err := small.addTo(w, cell+"wall.material"); err != nil {
			return err
		}
		if err := w.Add(cell+"wall.tex", data, true); err != nil {
			return err
		}
	}
	return nil
}
