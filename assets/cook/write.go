package cook

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"strings"

	"sojourn/assets/pack"
)

// item is one entry on its way into the pack: bytes at hand, spooled, or in
// the old pack.
type item struct {
	name  string
	data  []byte
	out   *outputRecord
	span  span
	reuse bool
}

// write makes the pack out of what was cooked and puts it in place.
func (r *run) write(ctx context.Context, list []*cooked, old *oldPack) error {
	items, err := r.items(list)
	if err != nil {
		return err
	}
	r.begin(len(items))
	w, err := pack.Create(r.opts.Out, pack.WriterOptions{})
	if err != nil {
		return err
	}
	defer w.Abort()
	var scratch []byte
	for i := range items {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		it := &items[i]
		switch {
		case it.out == nil:
			if scratch, err = r.encoders.encode(scratch[:0], it.data); err == nil {
				err = w.AddEncoded(it.name, scratch, int64(len(it.data)), crc32.ChecksumIEEE(it.data))
			}
		case it.reuse:
			err = w.AddCopy(old.Pack, it.name)
		default:
			scratch, err = it.addSpooled(w, scratch[:0])
		}
		if err != nil {
			return err
		}
		r.step(Step{Phase: PhaseWrite, Path: it.name, Reused: it.reuse})
	}
	r.begin(1)
	r.step(Step{Phase: PhaseCommit, Path: r.opts.Out})
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if old != nil {
		old.Close() // where an open file can't be replaced
	}
	if err := w.Commit(); err != nil {
		return err
	}
	info, err := os.Stat(r.opts.Out)
	if err != nil {
		return err
	}
	r.report.PackBytes = info.Size()
	return nil
}

// items lists every entry in order of names, the two that describe the pack
// among them.
func (r *run) items(list []*cooked) ([]item, error) {
	var items []item
	var rows []registryRow
	m := manifest{Version: Version()}
	for _, c := range list {
		m.Files = append(m.Files, c.record)
		rows = append(rows, c.identities()...)
		for i := range c.record.Outputs {
			it := item{name: c.record.Outputs[i].entry(), out: &c.record.Outputs[i], reuse: c.reused}
			if !c.reused {
				it.span = c.spans[i]
			}
			items = append(items, it)
		}
	}
	r.report.Entries = len(items)
	sortRows(rows)
	encodedManifest, err := m.encode()
	registry, err2 := lines(rows)
	if err := errors.Join(err, err2); err != nil {
		return nil, fmt.Errorf("describing the pack: %w", err)
	}
	items = append(items, item{name: ManifestName, data: encodedManifest}, item{name: RegistryName, data: registry})
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.name, b.name) })
	return items, nil
}

func (it *item) addSpooled(w *pack.Writer, scratch []byte) ([]byte, error) {
	stored, err := it.span.read(scratch)
	if err != nil {
		return scratch, err
	}
	if it.out.Raw {
		return stored, w.Add(it.name, stored, true)
	}
	return stored, w.AddEncoded(it.name, stored, it.out.Bytes, it.out.CRC)
}
