package sojourn_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/ecs/components"
	"sojourn/ecs/systems"
	"sojourn/ecs/systems/scene"
	"sojourn/sojourntest"
	"sojourn/stages"
)

// TestInvariant33_HooksEndWithTheirWorld: systems close worlds from within, in
// every combination; what is closed runs no more, and is detached once.
func TestInvariant33_HooksEndWithTheirWorld(t *testing.T) {
	for _, closer := range []int{0, 1, 2} {
		for _, victim := range []int{0, 1, 2, -1} {
			t.Run(fmt.Sprintf("%d closes %d", closer, victim), func(t *testing.T) {
				opened, closed := 0, 0
				row := stages.Row{Name: "guest", Open: func(*ecs.World, stages.Services) (stages.Runner, error) {
					opened++
					return &closing{&closed}, nil
				}}
				r := sojourntest.Open(t, shared(), sojourntest.Options{Rows: []stages.Row{row}})
				var worlds []*sojourn.World
				dead := map[*sojourn.World]bool{}
				for i := range 3 {
					worlds = append(worlds, r.World(fmt.Sprint(i)))
				}
				armed := false
				for i, w := range worlds {
					w.AddSystem(func(w *sojourn.World, _ time.Duration) {
						if dead[w] {
							t.Error("a closed world's system runs")
						}
						if !armed || i != closer {
							return
						}
						armed = false
						for j, other := range worlds {
							if j != victim && victim >= 0 {
								continue
							}
							dead[other] = true
							if err := other.Close(); err != nil {
								t.Error(err)
							}
						}
					})
					w.AddSystem(func(w *sojourn.World, _ time.Duration) {
						if dead[w] {
							t.Error("a closed world's second system runs")
						}
					})
					spawn(t, w, "ca")
					load(t, w, scene.Request{Stem: "full", Policy: gated})
				}
				r.Frames(3)
				armed = true
				r.Frames(5)
				want := 1
				if victim < 0 {
					want = 3
				}
				if closed != want || opened != 3 || len(r.Session.Worlds()) != 3-want {
					t.Errorf("%d opened, %d closed, %d worlds left", opened, closed, len(r.Session.Worlds()))
				}
				r.Close()
				if closed != 3 {
					t.Errorf("%d rows closed of 3", closed)
				}
			})
		}
	}
}

// TestInvariant33_SystemClosesTheSession: also from within a tick.
func TestInvariant33_SystemClosesTheSession(t *testing.T) {
	r := sojourntest.Open(t, shared(), sojourntest.Options{})
	w, later := r.World("w"), r.World("later")
	spawn(t, w, "ca")
	r.Settle()
	w.AddSystem(func(*sojourn.World, time.Duration) {
		if err := r.Session.Close(); err != nil {
			t.Error(err)
		}
	})
	later.AddSystem(func(*sojourn.World, time.Duration) { t.Error("a system runs in a closed session") })
	r.Session.Tick(sojourntest.FrameTime)
}

// TestCellsComeAndGo: the streaming grid at session level.
func TestCellsComeAndGo(t *testing.T) {
	c := shared()
	const n = 50
	for i := range n {
		c.Scene(fmt.Sprintf("cell%d", i), "cs")
	}
	c.Remove("cell20.scene")
	r := sojourntest.Open(t, c, sojourntest.Options{})
	w := r.World("w")
	w.Camera.Far = 1e6
	systems.Grid(w.ECS(), components.StreamGrid{Columns: n, CellMetres: 10, Axis: 2}, func(i int32) (string, [3]float32) {
		if i == 30 {
			return "bad//stem", [3]float32{}
		}
		return fmt.Sprintf("cell%d", i), [3]float32{0, 0, -float32(i) * 10}
	})
	sources := systems.NewSources(w.ECS())
	src := sources.Add(components.StreamSource{AheadMetres: 35, BehindMetres: 15, HysteresisMetres: 5, Forward: 1})
	r.Settle()
	if got := w.Counts().Presented; got != 4 {
		t.Fatalf("%d cells at the start, want 0 to 3", got)
	}
	for z := 0; z < n*10; z += 3 {
		sources.Move(src, [3]float32{0, 0, float32(z)}, 1)
		r.Frames(2)
		if live := w.Counts().Live; live > 8 {
			t.Fatalf("%d cells live", live)
		}
	}
	r.Settle()
	if got := w.Counts(); got.Entered != n-1 || got.Failed != 1 {
		t.Errorf("%+v", got)
	}
	w.ECS().RemoveEntity(src)
	w.Set().ArmDebt()
	r.Settle()
	if got := w.Counts(); got.Live != 0 || entities[components.StreamCell](w) != 0 {
		t.Errorf("without a source: %+v", got)
	}
}
