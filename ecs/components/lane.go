package components

// Lane says what waits before what: everything of a lane that can go does so
// before the next lane. Within a lane, the lower priority goes first, then
// what was asked for first.
type Lane int8

// The lanes of loads. Retirement comes after all of them, in a stage of its
// own.
const (
	LaneDestination Lane = iota - 2 // what a reveal waits for
	LaneVisible                     // near, and in view
	LaneNear                        // the default
	LaneFar                         // a guess: not wanted yet
)

var laneNames = [...]string{"destination", "visible", "near", "far"}

// String is the lane's name in diagnostics.
func (l Lane) String() string {
	if l >= LaneDestination && l <= LaneFar {
		return laneNames[l-LaneDestination]
	}
	return "lane-?"
}

// Before tells whether what waits with this lane, priority and serial goes
// before another.
func (l *Layer) Before(other *Layer) bool {
	switch {
	case l.Lane != other.Lane:
		return l.Lane < other.Lane
	case l.Priority != other.Priority:
		return l.Priority < other.Priority
	}
	return l.Serial < other.Serial
}
