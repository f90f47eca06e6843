package pack

import "strings"

// Changed calls yield with every entry that is only in one of two packs, or
// whose content differs by its size and checksum, in order of names. Two packs
// of the same content are equal whatever their layout. It reads no file; both
// packs may be closed.
func Changed(old, next *Pack, yield func(name string)) {
	a, b := old.dir, next.dir
	i, j := 0, 0
	for i < len(a.records) || j < len(b.records) {
		order := 0
		switch {
		case i == len(a.records):
			order = 1
		case j == len(b.records):
			order = -1
		default:
			order = strings.Compare(a.name(&a.records[i]), b.name(&b.records[j]))
		}
		switch {
		case order < 0:
			yield(a.name(&a.records[i]))
			i++
		case order > 0:
			yield(b.name(&b.records[j]))
			j++
		default:
			if !a.records[i].same(&b.records[j]) {
				yield(a.name(&a.records[i]))
			}
			i++
			j++
		}
	}
}

// same tells whether two records stand for the same content.
func (r *record) same(o *record) bool { return r.sizeBytes == o.sizeBytes && r.crc == o.crc }

// Same tells whether two packs have this entry with the same content.
func Same(old, next *Pack, name string) bool {
	a, b := old.dir.find(name), next.dir.find(name)
	return a != nil && b != nil && a.same(b)
}

// Leases is how many mapping leases are out, also after Close.
func (p *Pack) Leases() int {
	p.mu.Lock()
	m := p.mu.mapping
	p.mu.Unlock()
	if m == nil {
		return 0
	}
	return int(m.Leases())
}
