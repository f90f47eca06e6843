package assets

import "strings"

// EntryKeys calls yield with each key that an entry of this name can serve, by
// the suffixes of the registered kinds: a texture's file is also a blob. Names
// that make no valid stem serve nothing. Without a lock.
func (s *Store) EntryKeys(entry string, yield func(Key)) {
	for k := range s.kinds {
		if s.kinds[k].res == nil {
			continue
		}
		for _, suffix := range s.kinds[k].spec.suffixes {
			stem, ok := strings.CutSuffix(entry, suffix)
			if ok && CheckStem(stem) == nil {
				yield(Key{Stem: stem, Kind: Kind(k)})
			}
		}
	}
}

// Changes is what changed on disk: families, each with the kinds concerned.
// One family changed by many files is one item.
type Changes map[string]KindSet

// AddEntry adds every asset that an entry of this name can serve.
func (c Changes) AddEntry(s *Store, entry string) {
	s.EntryKeys(entry, func(k Key) { c[k.Family()] |= Kinds(k.Kind) })
}

// Has tells whether a key is of a changed family and kind.
func (c Changes) Has(k Key) bool { return c[k.Family()].Has(k.Kind) }
