package work

import (
	"errors"
	"fmt"
	"time"
)

// ErrBadBudget is wrapped by [Budget.Validate].
var ErrBadBudget = errors.New("bad work budget")

// Budget is what one frame may spend on everything that streams. Counts are
// safety ceilings; time is what paces. Batch sizes of single stages are not
// here: those bound a stage, this bounds the frame.
type Budget struct {
	Name          string
	UpdateTimeMax time.Duration
	Max           Cost // per dimension
	// DestinationReserve is the share of every dimension and of the time
	// (0..1) that only destination work may use while a reveal is pending.
	DestinationReserve float64
}

// Validate tells what is wrong with a budget: every figure must be positive,
// the reserve within 0 to 0.95.
func (b Budget) Validate() error {
	if b.UpdateTimeMax <= 0 {
		return fmt.Errorf("%w: %s: update time %v must be positive", ErrBadBudget, b.Name, b.UpdateTimeMax)
	}
	for d, n := range b.Max {
		if n <= 0 {
			return fmt.Errorf("%w: %s: %v %d must be positive", ErrBadBudget, b.Name, Dimension(d), n)
		}
	}
	if b.DestinationReserve < 0 || b.DestinationReserve > 0.95 {
		return fmt.Errorf("%w: %s: destination reserve %.2f must be between 0 and 0.95", ErrBadBudget, b.Name, b.DestinationReserve)
	}
	return nil
}

const mib = 1 << 20

// scaled is the High profile with time, counts and bytes times f.
func scaled(name string, f float64) Budget {
	s := func(n float64) int64 { return int64(n * f) }
	return Budget{
		Name:          name,
		UpdateTimeMax: time.Duration(2 * f * float64(time.Millisecond)),
		Max: Cost{
			Admissions:   s(64),
			AdoptedBytes: s(8 * mib),
			EntityOps:    s(8192),
			UploadBytes:  s(8 * mib),
			// A draw from an image of its own takes a real device some 9 us, and
			// a chain of levels is written with one strip for each at least.
			DeviceCreates: s(64),
			DeviceTouches: s(256),
			Retirements:   s(8192),
			DeviceFrees:   s(64),
			Transitions:   s(16),
		},
		DestinationReserve: 0.75,
	}
}

// Low is half of [High].
func Low() Budget { return scaled("low", 0.5) }

// Medium is three quarters of [High].
func Medium() Budget { return scaled("medium", 0.75) }

// High is the default: 2 ms, 64 admissions, 8 MiB adopted, 8 MiB uploaded,
// 64 device creates, 256 touches, 64 frees, 8,192 entity operations and
// retirements.
func High() Budget { return scaled("high", 1) }

// Ultra is twice [High].
func Ultra() Budget { return scaled("ultra", 2) }

// Literal is High with counts in the place of time: 256 entity operations and
// 64 retirements a frame. It makes a cold scene several times slower to become
// resident; it is here to compare with.
func Literal() Budget {
	b := High()
	b.Name = "literal"
	b.Max[EntityOps], b.Max[Retirements] = 256, 64
	return b
}

// Unbounded has no limit that work can reach: for tools and loading screens.
func Unbounded() Budget {
	b := High()
	b.Name = "unbounded"
	b.UpdateTimeMax = time.Hour
	for d := range b.Max {
		b.Max[d] = 1 << 50
	}
	b.DestinationReserve = 0
	return b
}
