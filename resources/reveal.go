package resources

import (
	"time"

	"sojourn/ecs/components"
	"sojourn/journal"
)

// Reveal is the one coordinator of a world's ways to a destination: by login,
// by portal, or given up. While it is pending, nothing of the world is drawn
// or heard, and the destination has its share of every frame reserved.
type Reveal struct {
	// Generation numbers the world's layers: a hard edge begins the next. Only
	// what belongs to the present one can be shown.
	Generation uint32
	Pending    bool
	Cause      string // "login", "portal": for people
	// Pos and RadiusMetres say which cells the destination needs.
	Pos          [3]float32
	RadiusMetres float32
	// Covered is the generation whose cells within the radius have all been
	// asked for. The cells stage sets it.
	Covered uint32
	// Required and Missing are the layers of the destination, and those of them
	// that were not ready, at the last look.
	Required, Missing int

	Since   time.Duration // when it began, by the session's clock
	Notices int           // how often the player was told to wait
	Events  []RevealEvent

	journal *journal.Log
	world   string
}

// journalKinds are the log's words for the events.
var journalKinds = [...]journal.Kind{
	RevealBegun: journal.RevealBegun, RevealNotice: journal.RevealNotice,
	RevealShown: journal.RevealShown, RevealCancelled: journal.RevealCancelled,
}

// RevealEvent is one thing that happened on the way, for the game to read.
type RevealEvent struct {
	Kind       RevealEventKind
	Generation uint32
	Cause      string
	After      time.Duration // since it began
	Missing    int           // layers that were not ready
}

// RevealEventKind is what happened.
type RevealEventKind uint8

// The events. Each begun reveal gives exactly one of RevealShown and
// RevealCancelled, and a RevealNotice for every [NoticeEvery] in between.
const (
	RevealBegun RevealEventKind = iota
	RevealNotice
	RevealShown
	RevealCancelled
)

var revealEventNames = [...]string{"begun", "please wait", "revealed", "cancelled"}

// String is the event's name.
func (k RevealEventKind) String() string {
	if int(k) < len(revealEventNames) {
		return revealEventNames[k]
	}
	return "reveal-event-?"
}

// NoticeEvery is after how long, again and again, a reveal that is pending
// tells the player to wait. It never shows what is not ready.
const NoticeEvery = 5 * time.Second

func (r *Reveal) push(kind RevealEventKind, now time.Duration) {
	r.Events = append(r.Events, RevealEvent{kind, r.Generation, r.Cause, now - r.Since, r.Missing})
	if r.journal.On() {
		r.journal.Note(journal.Event{Kind: journalKinds[kind], World: r.world, Reason: r.Cause})
	}
}

// Begin makes a new generation the world's, and its reveal pending. One that
// was pending is cancelled.
func (r *Reveal) Begin(cause string, pos [3]float32, radiusMetres float32, now time.Duration) {
	r.Cancel(now)
	r.Generation++
	r.Pending, r.Cause, r.Pos, r.RadiusMetres, r.Since = true, cause, pos, radiusMetres, now
	r.Required, r.Missing, r.Notices = 0, 0, 0
	r.push(RevealBegun, now)
}

// Notice counts and tells that the player waits.
func (r *Reveal) Notice(now time.Duration) {
	r.Notices++
	r.push(RevealNotice, now)
}

// Show ends the wait.
func (r *Reveal) Show(now time.Duration) {
	r.Pending = false
	r.push(RevealShown, now)
}

// Cancel gives the way up. Nothing is shown by it.
func (r *Reveal) Cancel(now time.Duration) {
	if r.Pending {
		r.Pending = false
		r.push(RevealCancelled, now)
	}
}

// WaitsFor tells whether a layer is of the destination that is pending.
func (r *Reveal) WaitsFor(l *components.Layer) bool {
	return r.Pending && l.Lane == components.LaneDestination && l.Generation == r.Generation
}

// RevealView is a copy for diagnostics.
type RevealView struct {
	Generation        uint32
	Pending           bool
	Cause             string
	Waited            time.Duration
	Required, Missing int
	Notices           int
}

// View copies the state.
func (r *Reveal) View(now time.Duration) RevealView {
	v := RevealView{
		Generation: r.Generation, Pending: r.Pending, Cause: r.Cause,
		Required: r.Required, Missing: r.Missing, Notices: r.Notices,
	}
	if r.Pending {
		v.Waited = now - r.Since
	}
	return v
}
