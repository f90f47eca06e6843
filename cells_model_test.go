package sojourn_test

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn/ecs/components"
	"sojourn/sojourntest"
)

// TestCellsAgainstAModel walks several sources at random over a field and over
// a line, and compares what is loaded with a model that looks at every cell.
func TestCellsAgainstAModel(t *testing.T) {
	steps := 120
	if testing.Short() || raceDetector {
		steps = 40
	}
	seeds := []int64{1, 2, 3, 4}
	if *seed != 0 {
		seeds = []int64{*seed}
	}
	for _, s := range seeds {
		for name, g := range map[string]components.StreamGrid{
			"field":           {Columns: 14, Rows: 12},
			"line":            {Columns: 60},
			"field in grace":  {Columns: 14, Rows: 12, GraceTime: 700 * time.Millisecond, GraceCellsMax: 1000},
			"field far apart": {Columns: 14, Rows: 12, OriginMetres: [2]float32{-55, 35}},
		} {
			t.Run(fmt.Sprintf("%s, seed %d", name, s), func(t *testing.T) {
				m := &cellModel{field: openField(t, 60, g), g: g, rng: rand.New(rand.NewSource(s)), grace: map[int32]time.Duration{}, loaded: map[int32]bool{}}
				for step := range steps {
					m.step(step)
					if t.Failed() {
						t.Fatalf("seed %d, step %d", s, step)
					}
				}
				m.end()
			})
		}
	}
}

// cellModel is what should be loaded, found by looking at every cell.
type cellModel struct {
	*field
	g      components.StreamGrid
	rng    *rand.Rand
	around []ecs.Entity
	loaded map[int32]bool
	grace  map[int32]time.Duration // when it left
}

func (m *cellModel) step(step int) {
	for range 1 + m.rng.Intn(3) {
		m.command()
	}
	began := m.Clock.Now()
	if m.g.GraceTime == 0 && m.rng.Intn(3) == 0 {
		m.Frames(1) // on while cells still come and go
		m.look(began)
		return
	}
	m.Settle()
	m.look(began)
	m.endGrace()
	got := m.cells()
	for i := range got {
		if _, inGrace := m.grace[i]; !m.loaded[i] && !inGrace {
			m.t.Errorf("step %d: cell %d is loaded, and should not be", step, i)
		}
		if got[i].State != components.LayerPresented {
			m.t.Errorf("step %d: cell %d is %v", step, i, got[i].State)
		}
	}
	if len(got) != len(m.loaded)+len(m.grace) {
		m.t.Errorf("step %d: %d cells are loaded, want %d and %d in grace", step, len(got), len(m.loaded), len(m.grace))
	}
	if c := m.w.Set().Cells; c.Waiting != 0 || c.Grace != len(m.grace) || c.Live != len(got) {
		m.t.Errorf("step %d: %+v", step, *c)
	}
}

// command adds, removes or moves a source.
func (m *cellModel) command() {
	place := func() [3]float32 { // in quarters, so that the model's sums are exact
		return [3]float32{float32(m.rng.Intn(4*160)-40) / 4, 0, float32(m.rng.Intn(4*160)-40) / 4}
	}
	k := m.rng.Intn(20)
	switch {
	case len(m.around) == 0 || k == 0 && len(m.around) < 4:
		src := components.StreamSource{
			Pos: place(), AheadMetres: float32(m.rng.Intn(40)), BehindMetres: float32(m.rng.Intn(20)),
			SideMetres: float32(m.rng.Intn(30)), HysteresisMetres: float32(m.rng.Intn(12)), Forward: 1,
			LookAheadTime: time.Duration(m.rng.Intn(3)) * time.Second / 2, LookAheadMetresMax: float32(m.rng.Intn(30)),
		}
		m.around = append(m.around, m.sources.Add(src))
	case k == 1:
		i := m.rng.Intn(len(m.around))
		m.w.ECS().RemoveEntity(m.around[i])
		m.w.Set().ArmDebt()
		m.around = append(m.around[:i], m.around[i+1:]...)
	case k == 2:
		m.sources.MoveAt(m.around[m.rng.Intn(len(m.around))], place(), 1, [3]float32{})
	default:
		e := m.around[m.rng.Intn(len(m.around))]
		pos := m.source(e).Pos
		for i := range pos {
			pos[i] += float32(m.rng.Intn(97)-48) / 4
		}
		v := [3]float32{float32(m.rng.Intn(80) - 40), 3, float32(m.rng.Intn(80) - 40)}
		m.sources.MoveAt(e, pos, float32(1-2*m.rng.Intn(2)), v)
	}
}

func (m *cellModel) source(e ecs.Entity) *components.StreamSource {
	w := m.w.ECS()
	return (*components.StreamSource)(w.Get(e, ecs.ComponentID[components.StreamSource](w)))
}

// look goes over every cell of the grid.
func (m *cellModel) look(now time.Duration) {
	for i := range m.g.Columns * max(m.g.Rows, 1) {
		wanted, kept := false, false
		for _, e := range m.around {
			wanted = wanted || m.touches(i, m.source(e), 0)
			kept = kept || m.touches(i, m.source(e), float64(m.source(e).HysteresisMetres))
		}
		switch {
		case wanted:
			m.loaded[i] = true
			delete(m.grace, i)
		case m.loaded[i] && !kept:
			delete(m.loaded, i)
			if m.g.GraceTime > 0 {
				m.grace[i] = now
			}
		}
	}
	if len(m.around) == 0 {
		clear(m.grace)
	}
}

// endGrace forgets those whose time was over when the last pass ran.
func (m *cellModel) endGrace() {
	last := m.Clock.Now() - sojourntest.FrameTime
	for i, left := range m.grace {
		if last >= left+m.g.GraceTime {
			delete(m.grace, i)
		}
	}
}

// touches is the window's formula, cell by cell.
func (m *cellModel) touches(i int32, s *components.StreamSource, slack float64) bool {
	front, back := float64(s.AheadMetres), float64(s.BehindMetres)
	if s.Forward < 0 {
		front, back = back, front
	}
	if !m.overlaps(i%m.g.Columns, 0, 0, s, back+slack, front+slack) {
		return false
	}
	side := float64(s.SideMetres) + slack
	return m.g.Rows < 2 || m.overlaps(i/m.g.Columns, 1, 2, s, side, side)
}

func (m *cellModel) overlaps(cell int32, axis, coordinate int, s *components.StreamSource, back, front float64) bool {
	lead := float64(s.Velocity[coordinate]) * s.LookAheadTime.Seconds()
	most := float64(s.LookAheadMetresMax)
	switch lead = min(max(lead, -most), most); {
	case lead > 0:
		front += lead
	default:
		back -= lead
	}
	at := float64(s.Pos[coordinate]) - float64(m.g.OriginMetres[axis])
	from, to := float64(cell)*cellMetres, float64(cell+1)*cellMetres
	return from <= at+front && to > at-back
}

// end: without sources everything retires.
func (m *cellModel) end() {
	for _, e := range m.around {
		m.w.ECS().RemoveEntity(e)
	}
	m.w.Set().ArmDebt()
	m.Settle()
	if c := m.w.Counts(); c.Live != 0 || c.Left != c.Entered || c.Entered == 0 || entities[components.StreamCell](m.w) != 0 {
		m.t.Errorf("without sources: %+v", c)
	}
}
