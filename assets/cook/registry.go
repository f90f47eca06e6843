package cook

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"sojourn/assets"
)

// namespace is that of every UUID made here.
var namespace = uuid.MustParse("6b0c1f0e-8f0b-5e0a-9a53-50300a6f7a1d")

// UUID is the identity of an asset that has none written beside it: the
// version-5 UUID of its kind and stem.
func UUID(key assets.Key) uuid.UUID { return uuid.NewSHA1(namespace, []byte(key.String())) }

// sidecarBytesMax bounds a file that holds one UUID.
const sidecarBytesMax = 256

func readSidecar(s *source) (uuid.UUID, error) {
	f, bytes, err := s.root.open(s.sidecar)
	if err != nil {
		return uuid.UUID{}, err
	}
	defer f.Close()
	if bytes > sidecarBytesMax {
		return uuid.UUID{}, fmt.Errorf("%s: %d bytes, the limit is %d", s.sidecar, bytes, sidecarBytesMax)
	}
	var text [sidecarBytesMax]byte
	n, err := f.Read(text[:])
	if err != nil {
		return uuid.UUID{}, fmt.Errorf("%s: %w", s.sidecar, err)
	}
	id, err := uuid.Parse(strings.TrimSpace(string(text[:n])))
	if err != nil {
		return uuid.UUID{}, fmt.Errorf("%s: %w", s.sidecar, err)
	}
	return id, nil
}

// identities lists a row for each output of a file.
func (c *cooked) identities() []registryRow {
	var rows []registryRow
	for i := range c.record.Outputs {
		key := c.record.Outputs[i].key()
		row := registryRow{UUID: UUID(key), Kind: key.Kind.String(), Stem: key.Stem}
		if key == c.source.primary() && c.uuid != uuid.Nil {
			row.UUID = c.uuid
		}
		rows = append(rows, row)
	}
	return rows
}

func sortRows(rows []registryRow) {
	slices.SortFunc(rows, func(a, b registryRow) int {
		return cmp.Or(strings.Compare(a.Stem, b.Stem), strings.Compare(a.Kind, b.Kind))
	})
}

// refuseDuplicates drops every file one of whose entries, assets or UUIDs
// another file has too.
func (r *run) refuseDuplicates(list []*cooked) []*cooked {
	claims := map[string][]*source{}
	each := func(c *cooked, f func(claim string)) {
		for i, row := range c.identities() {
			o := &c.record.Outputs[i]
			f("entry " + o.entry())
			f("asset " + o.key().String())
			f("UUID " + row.UUID.String())
		}
	}
	for _, c := range list {
		each(c, func(claim string) { claims[claim] = append(claims[claim], c.source) })
	}
	return slices.DeleteFunc(list, func(c *cooked) bool {
		var err error
		each(c, func(claim string) {
			if all := claims[claim]; err == nil && len(all) > 1 {
				err = clash(c.source, all, claim)
				if slices.Index(all, c.source) >= 0 && allSame(all) {
					err = fmt.Errorf("%w: it makes %s twice", ErrCollision, claim)
				}
			}
		})
		if err != nil {
			r.fail(c.source, err)
		}
		return err != nil
	})
}

func allSame(list []*source) bool {
	for _, s := range list {
		if s != list[0] {
			return false
		}
	}
	return true
}
