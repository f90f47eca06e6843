package assets

import (
	"time"

	"sojourn/trace"
)

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
