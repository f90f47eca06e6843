package assets

// SetColdRecordsMax shortens the cold queue, for tests.
func (s *Store) SetColdRecordsMax(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.cold.max = n
}

// ColdRecords is the length of the cold queue's buffer.
func (s *Store) ColdRecords() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.mu.cold.records)
}

// InvariantsOn tells whether misuse panics.
const InvariantsOn = invariantsOn

// MailLen is the number of letters in the mailbox.
func (s *Store) MailLen() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.mu.mail)
}
