package stages

import (
	"errors"
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/audio"
	"sojourn/gpu"
	"sojourn/stages/work"
)

// Errors of building a table and opening its rows.
var (
	// ErrBadRow is wrapped when a row has no name, a taken name or no Open.
	ErrBadRow = errors.New("bad stage row")
	// ErrOpen is wrapped when a row's Open failed.
	ErrOpen = errors.New("stage did not open")
)

// Services are what the engine offers every stage. A guest's own services are
// captured by its Open closure.
type Services struct {
	Store    *assets.Store
	Geometry *gpu.Geometry
	Textures *gpu.Textures
	Mixer    *audio.Mixer
	Clock    work.Clock
}

// Row describes one stage of the table.
type Row struct {
	// Name is unique in a table and constant: diagnostics and the meter use it.
	Name string
	// Kinds are what can make this stage productive: a wake that names none of
	// them does not run it.
	Kinds assets.KindSet
	// NeedsWarm says that the stage binds decoded assets, and is better run
	// after the batch of cold ones that is under way has landed.
	NeedsWarm bool
	// Open makes the stage's state for one world: registered filters,
	// component ids, scratch. It runs before any pass.
	Open func(*ecs.World, Services) (Runner, error)
}

// Runner is one stage of one world. It runs on the game goroutine.
type Runner interface {
	// Run does what can be done now, asking the slice before each unit of
	// work. It returns Done when it looked at everything it waits for.
	Run(*Slice) Outcome
}

// ColdCollector is a [Runner] that names assets it waits for that are not in
// memory. The driver sends them to the workers.
type ColdCollector interface {
	CollectCold(*Cold)
}

// Closer is a [Runner] with something to give back when its world closes.
type Closer interface {
	Close()
}

// Outcome is how a stage's turn ended.
type Outcome uint8

// The outcomes.
const (
	// Done: everything was looked at.
	Done Outcome = iota
	// More: a batch is done and there is more; the driver carries on with the
	// next stage and owes this one another look.
	More
	// Yielded: time or one dimension of the frame ran out in here. The cursor
	// parks on the first stage of a turn that yields; where time is left, the
	// others still have theirs.
	Yielded
)

var outcomeNames = [...]string{"done", "more", "yielded"}

// String is the outcome's name in diagnostics.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return "outcome-?"
}

// Table is the rows in registration order. It does not change.
type Table struct {
	rows []Row
}

// NewTable checks the rows and freezes them. The error wraps [ErrBadRow] and
// names the row.
func NewTable(rows ...Row) (*Table, error) {
	names := make(map[string]int, len(rows))
	for i, r := range rows {
		switch other, taken := names[r.Name]; {
		case r.Name == "":
			return nil, fmt.Errorf("%w: row %d has no name", ErrBadRow, i)
		case taken:
			return nil, fmt.Errorf("%w: row %d: the name %q is taken by row %d", ErrBadRow, i, r.Name, other)
		case r.Open == nil:
			return nil, fmt.Errorf("%w: row %d (%q) has no Open", ErrBadRow, i, r.Name)
		}
		names[r.Name] = i
	}
	return &Table{rows: append([]Row(nil), rows...)}, nil
}

// Len is the number of stages.
func (t *Table) Len() int { return len(t.rows) }

// Name is the name of stage i.
func (t *Table) Name(i int) string { return t.rows[i].Name }
