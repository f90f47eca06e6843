package assets

import "time"

// An asset thrashes when it, or something made from it, came and went
// [ThrashTimes] times within [ThrashWindow]: memory or a window is too small
// by a little, and work is done over and over.
const (
	ThrashTimes  = 6
	ThrashWindow = 5 * time.Second
)

// ThrashRow is one asset that thrashed, by one cause.
type ThrashRow struct {
	Key Key
	// Cause is who let it go: the store's reasons, or the words of a caller of
	// [Store.NoteWent].
	Cause string
	// Times is how often it went, counted from the first of the [ThrashTimes]
	// that gave it away.
	Times int
}

const (
	// thrashSets of thrashWays are the assets that are watched: those that went
	// last. What falls out of its set begins anew.
	thrashSets = 512
	thrashWays = 4
	// thrashMax is how many assets that thrashed are remembered; the one that
	// was quiet for longest makes room.
	thrashMax = 32
)

// thrashWatch counts what goes. A fixed table found by hash: nothing grows and
// nothing is allocated, whatever streams by. Guarded by the store's lock.
type thrashWatch struct {
	sets  [thrashSets][thrashWays]thrashEntry
	found [thrashMax]thrashFound
	total uint64
}

type thrashEntry struct {
	key   Key
	times [ThrashTimes]time.Duration // a ring of when it went last
	n     uint32                     // how often it went
}

type thrashFound struct {
	ThrashRow
	last time.Duration
}

func (w *thrashWatch) went(now time.Duration, k Key, cause string) {
	e := w.entry(k)
	e.times[e.n%ThrashTimes] = now
	e.n++
	if e.n < ThrashTimes || now-e.times[e.n%ThrashTimes] > ThrashWindow {
		return
	}
	w.name(now, k, cause)
}

// entry finds an asset's record, or takes the one of its set that was quiet
// for longest.
func (w *thrashWatch) entry(k Key) *thrashEntry {
	set := &w.sets[k.hash()%thrashSets]
	oldest := &set[0]
	for i := range set {
		e := &set[i]
		if e.key == k {
			return e
		}
		if e.last() < oldest.last() {
			oldest = e
		}
	}
	*oldest = thrashEntry{key: k}
	return oldest
}

func (e *thrashEntry) last() time.Duration {
	if e.n == 0 {
		return -1
	}
	return e.times[(e.n-1)%ThrashTimes]
}

func (w *thrashWatch) name(now time.Duration, k Key, cause string) {
	at := &w.found[0]
	for i := range w.found {
		f := &w.found[i]
		if f.Times == 0 || f.Key == k && f.Cause == cause {
			at = f
			break
		}
		if f.last < at.last {
			at = f
		}
	}
	if at.Key != k || at.Cause != cause {
		w.total++
		*at = thrashFound{ThrashRow: ThrashRow{Key: k, Cause: cause, Times: ThrashTimes - 1}}
	}
	at.Times++
	at.last = now
}

// appendTo adds what thrashed to dst, in the order in which it was found.
func (w *thrashWatch) appendTo(dst []ThrashRow) []ThrashRow {
	for i := range w.found {
		if w.found[i].Times > 0 {
			dst = append(dst, w.found[i].ThrashRow)
		}
	}
	return dst
}

// hash is FNV-1a of stem and kind: the same in every run.
func (k Key) hash() uint32 {
	h := uint32(2166136261)
	for i := range len(k.Stem) {
		h = (h ^ uint32(k.Stem[i])) * 16777619
	}
	return (h ^ uint32(k.Kind)) * 16777619
}

// NoteTime tells the store the time of the session's clock, once a tick:
// thrash is counted by it. A store that is never told counts none. Without a
// lock.
func (s *Store) NoteTime(now time.Duration) { s.told.Store(int64(now) + 1) }

// NoteWent says that something outside the store that was made from an asset
// is gone, such as a layer from its document or detail from a texture, and
// why. Often enough, it is thrash. cause should be a constant, or made once; a
// stale handle is ignored.
func (s *Store) NoteWent(h Handle, cause string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, _ := s.liveLocked(h); e != nil {
		s.wentLocked(e.key, cause)
	}
}

func (s *Store) wentLocked(k Key, cause string) {
	if told := s.told.Load(); told > 0 && Diagnostics {
		s.mu.thrash.went(time.Duration(told-1), k, cause)
	}
}

var thrashCauses = [...]string{
	FreeReleased: "released, and nothing is kept alive", FreeEvicted: "evicted by the keep-alive budget",
	FreeFlushed: "keep-alive switched off", FreeOverBudget: "larger than the keep-alive budget",
	FreeUnrecorded: "the queue of kept payloads is full", FreeReloaded: "reload",
}

// freedThrashLocked counts a payload that was freed, unless the store closes.
func (s *Store) freedThrashLocked(k Key, reason FreeReason) {
	if int(reason) < len(thrashCauses) {
		s.wentLocked(k, thrashCauses[reason])
	}
}
