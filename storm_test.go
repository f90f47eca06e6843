package sojourn_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/sojourntest"
	"sojourn/stages/work"
)

// Random loads, holds, reloads and cancels: everything comes to rest, and nothing
// leaks.
func TestLayers_ComeToRest(t *testing.T) {
	first := rand.Uint64()
	for seed := first; seed < first+80; seed++ {
		t.Logf("seed %d", seed)
		rnd := rand.New(rand.NewPCG(seed, 7))
		c := halls(3, 3, 2)
		c.Texture("mark", 16)
		c.Texture("puff", 8)
		c.Particles("fire", "puff")
		doc := assets.Scene{Skybox: "mark", Effects: sojourntest.Effects("fire", "mark", 0, 0, 0)}
		for i := range 4 {
			doc.Entities = append(doc.Entities, sojourntest.Placed(fmt.Sprint("x", i), fmt.Sprintf("own0-%d", i%3), float32(i), 0, -4))
		}
		c.SceneOf("fx", doc)
		budget := work.High()
		budget.Max[work.EntityOps] = int64(1 + rnd.IntN(6))
		budget.Max[work.Admissions] = int64(1 + rnd.IntN(4))
		budget.Max[work.Retirements] = int64(1 + rnd.IntN(4))
		r := sojourntest.Open(t, c, sojourntest.Options{Work: budget, Workers: 2})
		w := r.World("w")
		names := []string{}
		_ = c.List(func(n string, _ int64) bool { names = append(names, n); return true })
		var layers []ecs.Entity
		held := map[string]bool{}
		for range 60 {
			switch rnd.IntN(10) {
			case 0, 1, 2:
				stem := []string{"hall0", "hall1", "hall2", "fx"}[rnd.IntN(4)]
				layers = append(layers, load(t, w, scene.Request{Stem: stem, Policy: components.PresentPolicy(rnd.IntN(4)), Replace: rnd.IntN(4) == 0, Deadline: time.Duration(rnd.IntN(400)) * time.Millisecond}))
			case 3:
				if len(layers) > 0 {
					_ = w.Unload(layers[rnd.IntN(len(layers))])
				}
			case 4:
				if len(layers) > 0 {
					_ = w.Show(layers[rnd.IntN(len(layers))])
				}
			case 5:
				n := names[rnd.IntN(len(names))]
				c.Hold(n)
				held[n] = true
			case 6:
				for n := range held {
					c.LetGo(n)
					delete(held, n)
					break
				}
			case 7:
				fam := []string{"own0-0", "shared0", "hall0", "fx", "mark", "puff", "fire"}[rnd.IntN(7)]
				r.Session.Reload(fam, assets.AllKinds)
			case 8:
				if rnd.IntN(3) == 0 {
					depart(t, w, scene.Request{Stem: "fx", Policy: gated})
				}
			}
			for range rnd.IntN(4) {
				r.Frame()
			}
		}
		for n := range held {
			c.LetGo(n)
		}
		for _, e := range layers {
			_ = w.Show(e)
		}
		r.Settle()
		for _, e := range layers {
			if l, ok := w.Layer(e); ok && l.State != components.LayerPresented && l.State != components.LayerReady && l.State != components.LayerRetiring {
				t.Errorf("seed %d: %v is %v", seed, e, l.State)
			}
		}
		depart(t, w)
		r.Settle()
		r.CheckEmpty()
		r.Close()
	}
}
