package demo

import (
	"io"
	"log/slog"
	"time"

	"sojourn"
	"sojourn/audio"
	"sojourn/gpu"
	"sojourn/journal"
	"sojourn/stages/work"
	"sojourn/trace"
)

// Input is what the player does in one tick.
type Input struct {
	// Move is left-right, down-up, back-forward, each -1 to 1.
	Move [3]float32
	// LookX and LookY turn the view to the left and down, in radians since the
	// last tick.
	LookX, LookY float32
	// ToggleFly hands the camera to the player or back.
	ToggleFly bool
}

// Env is where a demo runs: the device and sink a front door chose, and the
// flags.
type Env struct {
	Device gpu.Device // owned by the demo from Open on, also when Open fails
	Sink   audio.Sink // likewise; nil is silent
	Config sojourn.Config
	Work   work.Budget // zero: work.High

	Cells    int     // 0: the demo's own number
	Seed     uint64  // of everything generated
	FlySpeed float64 // metres per second; 0: the demo's own
	Content  string  // a pack of the user's, or empty
	CacheDir string  // where generated content is kept
	Frames   int     // how many are expected, to size the recorder; 0: open-ended
	Inject   string  // a fault to show in the report, or empty
	Mode     string  // one of the row's modes; empty: the first
	Rounds   int     // of a demo that ends by itself; 0: its own number
	Paced    bool    // 60 ticks a second, for a person who looks on
	Workers  int
	// SpareBytesMax is the session's: negative lends no buffer twice.
	SpareBytesMax int64
	Log           *slog.Logger
	Progress      io.Writer // plain lines about set-up; nil is silent
	WithClock     work.Clock
	Trace         *trace.Recorder // of the session; nil: none
	Journal       *journal.Log    // of the session; nil: none
}

// Close closes the device and the sink, for a demo that did not start.
func (e *Env) Close() error {
	if e.Device != nil {
		e.Device.Close()
	}
	if e.Sink != nil {
		return e.Sink.Close()
	}
	return nil
}

// Demo is one running demo. Everything runs on the game goroutine.
type Demo interface {
	// Tick runs one step of dt.
	Tick(in Input, dt time.Duration)
	// Present draws on target, the device's kind of image.
	Present(target any) error
	// Session is the demo's session, for panels.
	Session() *sojourn.Session
	// Status is one line about what is going on.
	Status() string
	// Finish unloads everything, closes the session and reports.
	Finish() Report
}

// Ending is a demo that comes to its end by itself.
type Ending interface {
	// Over tells whether everything was done: no further tick is needed.
	Over() bool
}

// Traveller is a demo that at times has no place to show.
type Traveller interface {
	// Travel tells whether the frame that is presented next has no place in it,
	// and what a travel screen says in its stead. A front door shows one in
	// every such frame: the picture itself is bare.
	Travel() (Travel, bool)
}

// Travel is what a travel screen says.
type Travel struct {
	To    string  // where to
	Note  string  // how it is going
	Ready float64 // 0 to 1
}

// Row describes a demo in the list.
type Row struct {
	Name, About string
	// Modes are what the demo can be asked to do in its place, the default
	// first; empty: there is one way only.
	Modes []string
	// Ends says that what opens is an [Ending].
	Ends bool
	// LookOn says that the player looks on: [Input] moves nothing.
	LookOn bool
	Open   func(Env) (Demo, error)
}
