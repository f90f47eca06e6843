package assets

import (
	"time"

	"sojourn/journal"
	"sojourn/trace"
)

// note tells the lifecycle log of an asset. It does not wait, so the store's
// lock may be held.
func (s *Store) note(what journal.Kind, k Key, bytes int64, reason string) {
	if s.journal.On() {
		s.journal.Note(journal.Event{Kind: what, Key: k.Stem, Asset: s.KindName(k.Kind), Bytes: bytes, Reason: reason})
	}
}

// tellDecode records one decode on its goroutine's track. Outside the lock.
func (s *Store) tellDecode(d *decoding, began time.Duration, err error) {
	if d.track.On() {
		s.tell(d.track, "decode", began, d.load.Key, d.load.sizeBytes, err)
	}
}

// tellRead records one range read.
func (s *Store) tellRead(t trace.Track, began time.Duration, k Key, n int64, err error) {
	if t.On() {
		s.tell(t, "read", began, k, n, err)
	}
}

func (s *Store) tell(t trace.Track, what string, began time.Duration, k Key, n int64, err error) {
	detail := ""
	if err != nil {
		detail = "failed" // or was stopped; the store's own account says why
	}
	t.Span(what, k.Stem, began, trace.Args{Bytes: n, Kind: s.KindName(k.Kind), Detail: detail})
}
