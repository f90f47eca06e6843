package hallway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/demos/hallway/art"
	"sojourn/gpu"
	"sojourn/stages"
	"sojourn/stages/work"
)

// ErrInject is wrapped when a fault has no such name.
var ErrInject = errors.New("unknown fault")

// Faults are the names that --inject takes. Each makes one field of the report
// tell of it, so that a report without them can be believed.
func Faults() []string {
	return []string{"leak", "inline-decode", "slow-step", "lost-upload", "failed-asset"}
}

// faults does on purpose what the engine promises not to. A zero one does
// nothing.
type faults struct {
	name  string
	done  bool
	ticks int
}

// faultTick is when a fault strikes.
const faultTick = 30

func newFaults(name string) (*faults, error) {
	if name != "" && !slices.Contains(Faults(), name) {
		return nil, fmt.Errorf("%w: %q; there are %s", ErrInject, name, strings.Join(Faults(), ", "))
	}
	return &faults{name: name}, nil
}

// tick strikes once the hallway is running.
func (f *faults) tick(s *sojourn.Session) {
	f.ticks++
	if f.done || f.ticks < faultTick {
		return
	}
	f.done = true
	ctx := context.Background()
	switch f.name {
	case "leak":
		// A retain that nobody will ever release.
		_, _ = s.Store().Retain(ctx, assets.Key{Stem: art.CellWall(0), Kind: assets.KindTexture})
	case "inline-decode":
		s.Store().EnterTick()
		h, err := s.Store().Retain(ctx, assets.Key{Stem: art.CellWall(1), Kind: assets.KindTexture})
		s.Store().LeaveTick()
		if err == nil {
			s.Store().Release(h)
		}
	}
}

// source spoils one entry under --inject failed-asset.
func (f *faults) source(under assets.Source) assets.Source {
	if f.name != "failed-asset" {
		return under
	}
	return spoiled{under, CellStem(3) + "/wall.ktx2"}
}

// device loses one upload under --inject lost-upload.
func (f *faults) device(under gpu.Device) gpu.Device {
	if f.name != "lost-upload" {
		return under
	}
	return &lossy{Device: under}
}

// rows adds a stage that hogs the frame under --inject slow-step.
func (f *faults) rows() []stages.Row {
	if f.name != "slow-step" {
		return nil
	}
	return []stages.Row{{Name: "slow step", Kinds: assets.AllKinds, Open: func(*ecs.World, stages.Services) (stages.Runner, error) {
		return &hog{}, nil
	}}}
}

// hog spends 5 ms of a frame in one unit of work, now and then.
type hog struct{ n int }

func (h *hog) Run(s *stages.Slice) stages.Outcome {
	if h.n++; h.n%50 != 0 {
		return stages.Done
	}
	if !s.Begin(work.Of(work.EntityOps, 1)) {
		return stages.Yielded
	}
	for start := time.Now(); time.Since(start) < 5*time.Millisecond; {
	}
	s.Commit()
	return stages.Done
}

// spoiled gives garbage for one entry.
type spoiled struct {
	assets.Source
	name string
}

func (s spoiled) Open(name string) (assets.Entry, error) {
	if name == s.name {
		return newMemoryEntry([]byte("this is no texture, whatever its name says")), nil
	}
	return s.Source.Open(name)
}

// lossy drops every write to one image, the first that is made after a while.
type lossy struct {
	gpu.Device
	created int
	victim  gpu.TextureID
}

func (l *lossy) CreateTexture(d gpu.TextureDesc) (gpu.TextureID, error) {
	id, err := l.Device.CreateTexture(d)
	if l.created++; err == nil && l.created == 20 {
		l.victim = id
	}
	return id, err
}

func (l *lossy) WriteTexture(id gpu.TextureID, s gpu.Strip) error {
	if id == l.victim {
		return fmt.Errorf("%w: image %#x", gpu.ErrLost, uint64(id))
	}
	return l.Device.WriteTexture(id, s)
}
