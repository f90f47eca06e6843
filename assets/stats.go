package assets

import "time"

// counters count since the store opened, or gauge what is under way. Guarded
// by the store's lock.
type counters struct {
	decodes, decodesOnTick, duplicateDecodes uint64
	evicted, resurrected, destroyed          uint64
	overReleases                             uint64
	jobSerial                                uint64
	running                                  int   // jobs on workers
	inFlightBytes, inFlightBytesPeak         int64 // charged to the ceiling
	unadoptedBytes                           int64 // the part of results that batches have
	atRest                                   bool  // at the last look; see lookLocked
	letOneIn                                 bool
	letInCount                               uint64
}

// KindStats is the part of one kind. Resident and Bytes include the cold and
// the mapped.
type KindStats struct {
	Resident, Cold   int
	Bytes, ColdBytes int64
	MappedBytes      int64
	InFlightBytes    int64 // declared by loads at work and by reads not taken yet
	UnadoptedBytes   int64 // declared by loads whose payload is in memory and waits for its batch's owner
}

// Stats is what the store has done and what it holds.
type Stats struct {
	// Since the store opened.
	Retains, Releases uint64
	Decodes           uint64 // decoders run, failed ones included
	DecodesOnTick     uint64 // by Retain between EnterTick and LeaveTick
	DuplicateDecodes  uint64 // results thrown away because another was first
	Evicted           uint64 // cold payloads freed for the budget
	Resurrected       uint64 // cold payloads retained again
	Destroyed         uint64 // payloads freed, for whatever reason
	OverReleases      uint64 // releases refused
	LetIn             uint64 // loads that entered alone, over the ceiling, while everything was at rest
	FailedCount       int    // loads that failed
	ThrashCount       int    // assets that came and went too often, by cause

	// Now; the peaks since the store opened.
	CPUBytes, CPUBytesMax   int64 // owned and mapped, the cold included; peak
	ColdBytes, ColdBytesMax int64 // parked; peak
	KeepAliveBytesMax       int64 // the budget of the cold
	ColdEntries             int
	MappedBytes             int64 // the part of CPUBytes that lies in mappings
	// What a load or read declared counts against the ceiling until its result
	// is taken: first as in flight, and from when its payload is in memory, and
	// on the payload's row, as unadopted.
	InFlightBytes, UnadoptedBytes int64
	InFlightBytesPeak             int64 // of both together
	SpareBytes                    int64 // freed blocks kept for reuse
	QueueLen                      int   // jobs that wait for a worker
	Running                       int   // jobs on workers
	OpenTickets                   int
	Entries                       int // keys known
	Resident                      int // payloads in memory
	ByKind                        [KindsMax]KindStats
}

// Busy tells whether a worker has anything to do: a job that runs or waits for
// one, or the needs of what has landed. Unlike [Store.Stats] it walks nothing, so a loop may ask again and again.
func (s *Store) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.running+s.mu.following+len(s.mu.queue) > 0
}

// Queue tells how many jobs wait for a worker, how many run, and how long the
// oldest that waits has done so, as of the last tick. It walks nothing.
func (s *Store) Queue() (waiting, running int, oldest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.mu.oldest; j != nil {
		oldest = time.Duration(s.now.Load()) - j.queued
	}
	return len(s.mu.queue), s.mu.running, oldest
}

// Stats counts. Retains and releases are exact when nobody is at it.
func (s *Store) Stats() Stats {
	s.tickets.mu.Lock()
	open := s.tickets.mu.open
	s.tickets.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.statsLocked()
	st.OpenTickets = open
	return st
}

func (s *Store) statsLocked() Stats {
	m := &s.mu
	st := Stats{
		Decodes: m.decodes, DecodesOnTick: m.decodesOnTick, DuplicateDecodes: m.duplicateDecodes,
		Evicted: m.evicted, Resurrected: m.resurrected, Destroyed: m.destroyed,
		OverReleases: m.overReleases, LetIn: m.letInCount, FailedCount: int(m.failed.total), ThrashCount: int(m.thrash.total),
		CPUBytes: m.ledger.bytes, CPUBytesMax: m.ledger.bytesPeak,
		ColdBytes: m.ledger.coldBytes, ColdBytesMax: m.ledger.coldBytesPeak, KeepAliveBytesMax: m.keepAliveBytesMax,
		ColdEntries: m.ledger.cold, MappedBytes: m.ledger.mappedBytes,
		InFlightBytes: m.inFlightBytes - m.unadoptedBytes, UnadoptedBytes: m.unadoptedBytes, InFlightBytesPeak: m.inFlightBytesPeak, SpareBytes: s.pool.SpareBytes(),
		QueueLen: len(m.queue), Running: m.running,
		Entries: len(m.byKey), Resident: m.ledger.resident, ByKind: m.ledger.byKind,
	}
	live := uint64(0)
	for c := range m.entries {
		chunk := s.chunks.chunk(uint32(c))
		for i := range chunk.hot {
			w := chunk.hot[i].word.Load()
			live += w & countMask
			st.Retains += chunk.cool[i].retains.Load()
			if w&countMask != 0 { // else there is nothing at the stripes
				n, tally := chunk.stripes.count(uint32(i))
				live += uint64(n)
				st.Retains += tally
			}
		}
	}
	st.Releases = max(st.Retains, live) - live
	return st
}
