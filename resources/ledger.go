package resources

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"
)

// HoldClass says what a hold keeps: a name in the store, a retain, a device
// reference, a voice, or something of a guest's.
type HoldClass uint8

// HoldClassesMax bounds the classes of one ledger.
const HoldClassesMax = 64

// ReleaseFunc lets go of one hold. It runs while its world may be locked, so
// it must not change entities.
type ReleaseFunc func(e ecs.Entity, value uint64)

// Ledger records what each entity holds, beside the entity: Arche tells of a
// removed component only after its data is gone. Each hold is released once:
// by its consumer, or when its component or entity is removed.
type Ledger struct {
	classes []holdClass
	heads   []ledgerHead // by entity id
	holds   []hold
	free    int32
	live    int
	sweepAt int
	// releaseAt is where ReleaseNext goes on.
	releaseAt int
	unseen    int64
	here      presence
}

type holdClass struct {
	name    string
	release ReleaseFunc
	live    int
}

type ledgerHead struct {
	entity ecs.Entity
	first  int32 // index into holds, -1: none
}

type hold struct {
	value    uint64
	next     int32
	class    HoldClass
	consumer ecs.ID
}

const noHold = -1

// NewLedger makes a ledger with room for so many entities.
func NewLedger(entitiesExpected int) *Ledger {
	return &Ledger{
		free:  noHold,
		heads: make([]ledgerHead, 0, entitiesExpected),
		holds: make([]hold, 0, 4*entitiesExpected),
	}
}

// grower makes room for holds.
func (l *Ledger) grower() Grower {
	return Grower{
		Kind: RoomHolds, Used: l.Live, Room: func() int { return cap(l.holds) },
		Grow: func(places int) { l.holds = WithRoom(l.holds, places) },
	}
}

// HeadsRoom is how large the ids of entities may become before the ledger grows.
func (l *Ledger) HeadsRoom() int { return cap(l.heads) }

// GrowHeads makes room for ids below so many.
func (l *Ledger) GrowHeads(ids int) { l.heads = WithRoom(l.heads, ids) }

// AddClass makes a class of holds. It panics past [HoldClassesMax].
func (l *Ledger) AddClass(name string, release ReleaseFunc) HoldClass {
	if len(l.classes) == HoldClassesMax {
		panic(fmt.Sprintf("resources: more than %d hold classes", HoldClassesMax))
	}
	l.classes = append(l.classes, holdClass{name: name, release: release})
	return HoldClass(len(l.classes) - 1)
}

// Add records a hold that the entity's component now owns. consumer is the
// component whose removal releases it.
func (l *Ledger) Add(e ecs.Entity, consumer ecs.ID, class HoldClass, value uint64) {
	head := l.head(e)
	i := l.free
	if i == noHold {
		i = int32(len(l.holds))
		l.holds = append(l.holds, hold{})
	} else {
		l.free = l.holds[i].next
	}
	l.holds[i] = hold{value: value, next: head.first, class: class, consumer: consumer}
	head.first = i
	l.live++
	l.classes[class].live++
}

func (l *Ledger) head(e ecs.Entity) *ledgerHead {
	id := int(e.ID())
	for len(l.heads) <= id {
		l.heads = append(l.heads, ledgerHead{first: noHold})
	}
	h := &l.heads[id]
	if h.entity != e {
		// The former owner of this id died unseen (a world reset): what it
		// held must not pass to its successor.
		if h.first != noHold {
			l.unseen++
			l.drop(h, func(*hold) bool { return true })
		}
		h.entity = e
	}
	return h
}

// Drop releases one hold and tells whether there was such a one.
func (l *Ledger) Drop(e ecs.Entity, consumer ecs.ID, class HoldClass, value uint64) bool {
	h := l.find(e)
	if h == nil {
		return false
	}
	for at := &h.first; *at != noHold; at = &l.holds[*at].next {
		if c := &l.holds[*at]; c.class == class && c.value == value && c.consumer == consumer {
			l.unlink(e, at)
			return true
		}
	}
	return false
}

// Holds tells whether the entity holds this.
func (l *Ledger) Holds(e ecs.Entity, class HoldClass, value uint64) bool {
	h := l.find(e)
	if h == nil {
		return false
	}
	for i := h.first; i != noHold; i = l.holds[i].next {
		if c := &l.holds[i]; c.class == class && c.value == value {
			return true
		}
	}
	return false
}

func (l *Ledger) find(e ecs.Entity) *ledgerHead {
	if id := int(e.ID()); id < len(l.heads) && l.heads[id].entity == e {
		return &l.heads[id]
	}
	return nil
}

// ReleaseComponent releases what one component of an entity holds.
func (l *Ledger) ReleaseComponent(e ecs.Entity, consumer ecs.ID) int {
	h := l.find(e)
	if h == nil {
		return 0
	}
	return l.drop(h, func(c *hold) bool { return c.consumer == consumer })
}

// ReleaseEntity releases everything an entity holds.
func (l *Ledger) ReleaseEntity(e ecs.Entity) int {
	h := l.find(e)
	if h == nil {
		return 0
	}
	return l.drop(h, func(*hold) bool { return true })
}

// ReleaseAll empties the ledger, for the end of its world.
func (l *Ledger) ReleaseAll() int {
	n := 0
	for i := range l.heads {
		n += l.drop(&l.heads[i], func(*hold) bool { return true })
	}
	return n
}

// ReleaseNext releases what the next n entities hold, for the end of the world
// in steps, and tells whether that was all. Nothing may be added any more.
func (l *Ledger) ReleaseNext(n int) (done bool) {
	for n > 0 && l.releaseAt < len(l.heads) {
		if h := &l.heads[l.releaseAt]; h.first != noHold {
			l.drop(h, func(*hold) bool { return true })
			n--
		}
		l.releaseAt++
	}
	return l.releaseAt == len(l.heads)
}

func (l *Ledger) drop(h *ledgerHead, match func(*hold) bool) int {
	n := 0
	for at := &h.first; *at != noHold; {
		if !match(&l.holds[*at]) {
			at = &l.holds[*at].next
			continue
		}
		l.unlink(h.entity, at)
		n++
	}
	return n
}

// unlink takes a hold out before it is released, so that a release that looks
// here again finds it gone.
func (l *Ledger) unlink(e ecs.Entity, at *int32) {
	i := *at
	c := l.holds[i]
	*at = c.next
	l.holds[i] = hold{next: l.free}
	l.free = i
	l.live--
	class := &l.classes[c.class]
	class.live--
	class.release(e, c.value)
}

// Live is the number of holds.
func (l *Ledger) Live() int { return l.live }

// LiveIn is the number of holds of one class.
func (l *Ledger) LiveIn(class HoldClass) int { return l.classes[class].live }

// Unseen is how many entities died without the ledger being told, as by
// World.Reset.
func (l *Ledger) Unseen() int64 { return l.unseen }

// ClassName is a class's name.
func (l *Ledger) ClassName(class HoldClass) string { return l.classes[class].name }

// EachHold calls f with every hold of an entity.
func (l *Ledger) EachHold(e ecs.Entity, f func(class HoldClass, consumer ecs.ID, value uint64)) {
	h := l.find(e)
	if h == nil {
		return
	}
	for i := h.first; i != noHold; i = l.holds[i].next {
		f(l.holds[i].class, l.holds[i].consumer, l.holds[i].value)
	}
}

// EachHolder calls f with every entity that holds this.
func (l *Ledger) EachHolder(class HoldClass, value uint64, f func(ecs.Entity)) {
	for i := range l.heads {
		for at := l.heads[i].first; at != noHold; at = l.holds[at].next {
			if c := &l.holds[at]; c.class == class && c.value == value {
				f(l.heads[i].entity)
			}
		}
	}
}

// Sweep looks at a few entities a call and releases what died unseen. It
// returns the number of entities it had to clean up after: after a World.Reset
// all that held something.
func (l *Ledger) Sweep(w *ecs.World, look int) int {
	found := 0
	if l.here.lost() {
		for i := range l.heads {
			if l.drop(&l.heads[i], func(*hold) bool { return true }) > 0 {
				found++
			}
		}
		l.unseen += int64(found)
		return found
	}
	for range min(look, len(l.heads)) {
		if l.sweepAt >= len(l.heads) {
			l.sweepAt = 0
		}
		h := &l.heads[l.sweepAt]
		l.sweepAt++
		if h.first != noHold && !w.Alive(h.entity) {
			l.unseen++
			found++
			l.drop(h, func(*hold) bool { return true })
		}
	}
	return found
}
