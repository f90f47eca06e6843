package assets

// ownersMax bounds how many owner names a store remembers; later ones are
// anonymous in diagnostics.
const ownersMax = 4096

// ownerIDLocked gives the number of an owner's name; 0 is nobody in particular.
func (s *Store) ownerIDLocked(name string) uint32 {
	if name == "" {
		return 0
	}
	if id, ok := s.mu.ownerIDs[name]; ok {
		return id
	}
	if len(s.mu.owners) >= ownersMax {
		return 0
	}
	id := uint32(len(s.mu.owners))
	s.mu.owners = append(s.mu.owners, name)
	s.mu.ownerIDs[name] = id
	return id
}
