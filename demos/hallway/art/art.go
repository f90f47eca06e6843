// Package art makes the hallway's source art: pictures, models, sounds and
// documents, as a user would hand them to the cook. The same options always
// give the same files.
//
// The corridor runs along +Z. A cell is [CellLength] long; its scene is in
// coordinates of its own (x from -3 to 3, y from 0 to 4, z from 0 to 8), and
// the demo places cell i at z = i*[CellLength]. What sets the cells apart is
// one wall texture and one droning sound each; everything else is shared.
package art

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
)

// The corridor, in metres.
const (
	CellLength = 8
	CellWidth  = 6
	CellHeight = 4
)

const (
	// CellsDefault is the default of [Options.Cells]: over 300 MB of wall
	// textures, decoded with their mips, and 40 MB of sound.
	CellsDefault = 240
	// CellsMax bounds [Options.Cells].
	CellsMax = 10_000
)

// Options says what to generate. The zero value gives the default hallway.
type Options struct {
	Cells int // 0: [CellsDefault]
	Seed  uint64
	// Progress, where set, is called after each step, by one goroutine at a
	// time.
	Progress func(done, total int)
}

// ErrCells is wrapped when [Options.Cells] is out of range.
var ErrCells = errors.New("bad number of cells")

// CellScene is the stem of a cell's scene.
func CellScene(cell int) string { return fmt.Sprintf("cells/%03d", cell) }

// CellWall is the stem of a cell's own wall, as a texture and as a material.
func CellWall(cell int) string { return CellScene(cell) + "/wall" }

// CellDrone is the stem of a cell's own sound.
func CellDrone(cell int) string { return CellScene(cell) + "/drone" }

// Skybox is the stem of the sky's texture, and SkyScene that of a scene with
// nothing but the sky. The cells' scenes have none of their own.
const (
	Skybox   = "textures/sky"
	SkyScene = "sky"
)

// step is one part of the work; it writes files under dir.
type step func(dir string) error

// Generate writes the art into dir, which is made if need be; files of an
// earlier run are overwritten, others are left alone. It uses every core.
func Generate(dir string, o Options) error {
	if o.Cells == 0 {
		o.Cells = CellsDefault
	}
	if o.Cells < 0 || o.Cells > CellsMax {
		return fmt.Errorf("%w: %d, want 1 to %d", ErrCells, o.Cells, CellsMax)
	}
	steps := plan(o)
	var progress sync.Mutex
	done := 0
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, s := range steps {
		group.Go(func() error {
			if err := s(dir); err != nil {
				return err
			}
			progress.Lock()
			defer progress.Unlock()
			done++
			if o.Progress != nil {
				o.Progress(done, len(steps))
			}
			return nil
		})
	}
	return group.Wait()
}

func plan(o Options) []step {
	grain := newGrain(o.Seed)
	var steps []step
	steps = append(steps, textureSteps(grain, o.Seed)...)
	steps = append(steps, modelSteps()...)
	steps = append(steps, documentSteps()...)
	steps = append(steps, soundSteps(o.Seed)...)
	for cell := range o.Cells {
		steps = append(steps, cellSteps(grain, o, cell)...)
	}
	return steps
}

// write makes a file of the art, and its folder.
func write(dir, name string, data []byte) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
