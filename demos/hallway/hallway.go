package hallway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/pack"
	"sojourn/demos/demo"
	"sojourn/demos/hallway/art"
	"sojourn/ecs/components"
	"sojourn/ecs/systems"
	"sojourn/resources"
)

// The window of cells around the camera, in metres.
const (
	aheadMetres      = 72
	behindMetres     = 16
	hysteresisMetres = 8
)

// CellsMax bounds the corridor: six digits of a stem.
const CellsMax = 999_999

// ErrCells is wrapped when the number of cells is out of range.
var ErrCells = errors.New("bad number of cells")

// Row describes the demo in the list.
func Row() demo.Row {
	return demo.Row{Name: "hallway", About: "an endless corridor of cells that come and go under budget", Open: Open}
}

type hallway struct {
	env     demo.Env
	cells   int
	session *sojourn.Session
	world   *sojourn.World
	flight  flight
	sources *systems.Sources
	source  ecs.Entity
	grid    ecs.Entity
	rec     *demo.Recorder
	faults  *faults
	report  demo.Report
	events  []resources.LayerEvent
	opened  time.Time
	tick    int64

	artCells int // cells of the art, which the corridor repeats
	openArt  func() (assets.Source, error)
}

// Open makes the content if need be and starts the demo. Whatever happens, it
// takes over the environment's device and sink.
func Open(env demo.Env) (demo.Demo, error) {
	return openOn(env, art.CellsDefault, func() (assets.Source, error) {
		return EnsureContent(context.Background(), env.CacheDir, env.Seed, env.Progress)
	})
}

// openOn is [Open] on art of so many cells.
func openOn(env demo.Env, artCells int, openArt func() (assets.Source, error)) (demo.Demo, error) {
	h := &hallway{env: env, cells: env.Cells, artCells: artCells, openArt: openArt}
	if h.cells == 0 {
		h.cells = art.CellsDefault
	}
	sources, err := h.prepare()
	if err != nil {
		return nil, errors.Join(err, env.Close())
	}
	h.session, err = sojourn.Open(sojourn.Options{
		Sources: sources, Device: h.faults.device(env.Device), Sink: env.Sink, Config: &env.Config, Work: env.Work,
		Rows: h.faults.rows(), Workers: env.Workers, Log: env.Log, Clock: env.WithClock,
		Trace: env.Trace, Journal: env.Journal,
	})
	if err != nil {
		return nil, err // it closed the device, the sink and the sources
	}
	if err := h.populate(); err != nil {
		return nil, errors.Join(err, h.session.Close())
	}
	h.rec = demo.NewRecorder(env.Frames)
	h.opened = time.Now()
	return h, nil
}

func (h *hallway) prepare() (sources []assets.Source, err error) {
	if h.cells < 1 || h.cells > CellsMax {
		return nil, fmt.Errorf("%w: %d, want 1 to %d", ErrCells, h.cells, CellsMax)
	}
	if h.faults, err = newFaults(h.env.Inject); err != nil {
		return nil, err
	}
	return h.openSources()
}

func (h *hallway) openSources() ([]assets.Source, error) {
	base, err := h.openArt()
	if err != nil {
		return nil, err
	}
	if h.env.Content == "" {
		c, err := newCorridor(base, h.artCells, nil)
		if err != nil {
			return nil, err
		}
		return []assets.Source{h.faults.source(c)}, nil
	}
	user, err := pack.Open(h.env.Content)
	if err != nil {
		return nil, errors.Join(err, base.Close())
	}
	dress, notes, err := newDressing(user)
	if err != nil {
		return nil, errors.Join(err, base.Close(), user.Close())
	}
	if h.env.Progress != nil {
		fmt.Fprintf(h.env.Progress, "%s: %d textures for the walls, %d models for the cells\n",
			h.env.Content, len(dress.textures), len(dress.models))
		for _, n := range notes {
			fmt.Fprintln(h.env.Progress, "  "+n)
		}
	}
	c, err := newCorridor(base, h.artCells, dress)
	if err != nil {
		return nil, errors.Join(err, user.Close())
	}
	// The user's pack lies under the hallway's, so that no file of theirs can
	// take the place of a cell.
	return []assets.Source{user, h.faults.source(c)}, nil
}

func (h *hallway) populate() error {
	w, err := h.session.NewWorld(sojourn.WorldOptions{Name: "hallway", EntitiesExpected: 4096})
	if err != nil {
		return err
	}
	h.world = w
	h.flight = newFlight(float64(h.cells)*art.CellLength, h.env.FlySpeed)
	h.grid = systems.Grid(w.ECS(), components.StreamGrid{
		Columns: int32(h.cells), CellMetres: art.CellLength, Axis: 2,
	}, func(i int32) (string, [3]float32) {
		return CellStem(i), [3]float32{0, 0, float32(i) * art.CellLength}
	})
	h.sources = systems.NewSources(w.ECS())
	h.source = h.sources.Add(components.StreamSource{
		AheadMetres: aheadMetres, BehindMetres: behindMetres, HysteresisMetres: hysteresisMetres, Forward: 1,
	})
	if _, err := sojourn.SpawnSkybox(w, art.Skybox); err != nil {
		return err
	}
	w.Camera.Far, w.Camera.FogStart, w.Camera.FogEnd = 72, 16, 62
	w.Camera.FogColor = [3]float32{0.055, 0.06, 0.075}
	w.Camera.ClearColor = w.Camera.FogColor
	h.flight.look(&w.Camera)
	return nil
}

// Tick flies one step and runs the session.
func (h *hallway) Tick(in demo.Input, dt time.Duration) {
	h.flight.step(in, dt)
	h.flight.look(&h.world.Camera)
	h.sources.Move(h.source, h.world.Camera.Pos, float32(h.flight.forward))
	h.rec.BeginTick()
	h.faults.tick(h.session)
	h.session.Tick(dt)
	h.rec.EndTick()
	h.tick++
	h.events = h.world.TakeEvents(h.events[:0])
	h.note()
}

// note records when something was first shown, and when the first window was
// resident.
func (h *hallway) note() {
	if h.report.ResidentMS != 0 {
		return
	}
	c := h.world.Counts()
	since := time.Since(h.opened).Seconds() * 1e3
	if h.report.FirstPresentMS == 0 && c.Presented > 0 {
		h.report.FirstPresentMS = since
	}
	if c.Presented > 0 && c.Presented >= c.Live {
		h.report.ResidentMS = since
	}
}

// Present draws.
func (h *hallway) Present(target any) error {
	err := h.session.Present(target)
	h.rec.Presented()
	h.rec.Observe(h.session)
	return err
}

// Session is the demo's session.
func (h *hallway) Session() *sojourn.Session { return h.session }

// Recorder is the demo's measurements so far.
func (h *hallway) Recorder() *demo.Recorder { return h.rec }

// Status is one line for a title bar or a terminal.
func (h *hallway) Status() string {
	c := h.world.Counts()
	s := h.session.Store().Stats()
	return fmt.Sprintf("cell %d of %d, %d live, %d entered, %d left, %.0f MB resident",
		int(h.flight.pos[2]/art.CellLength), h.cells, c.Live, c.Entered, c.Left, float64(s.CPUBytes)/(1<<20))
}

// Finish unloads everything, waits until nothing is under way, and reports.
func (h *hallway) Finish() demo.Report {
	r := &h.report
	r.Demo, r.Seed, r.Cell = "hallway", h.env.Seed, h.cells
	r.Sound = "silent"
	if h.env.Sink != nil {
		r.Sound = h.env.Sink.Name()
	}
	demo.Fill(r, h.session, h.rec)
	h.world.ECS().RemoveEntity(h.source)
	h.world.Set().ArmDebt()
	h.removeAll()
	demo.Settle(h.session)
	evicted := int64(h.session.Store().Stats().Evicted) // the flush below is ours, not the run's
	h.session.Store().SetKeepAlive(0)
	demo.Settle(h.session)
	c := h.world.Counts()
	r.Cells = demo.Cells{Entered: c.Entered, Left: c.Left, LiveMax: c.LiveMax}
	demo.FillEnd(r, h.session)
	r.Assets.Evicted = evicted
	return *r
}

// removeAll removes what is no cell: the sky.
func (h *hallway) removeAll() {
	w := h.world.ECS()
	sky := ecs.All(ecs.ComponentID[components.Skybox](w))
	var loose []ecs.Entity
	q := w.Query(&sky)
	for q.Next() {
		loose = append(loose, q.Entity())
	}
	for _, e := range loose {
		w.RemoveEntity(e)
	}
}
