package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/docfile"
	"sojourn/assets/pack"
	"sojourn/gpu/headless"
	"sojourn/stages/work"
)

// The world that is closed: entities of models of one part each, whose model,
// mesh, material and texture are four assets.
const (
	retireEntities = 100_000 // roots and parts
	retireSpawned  = retireEntities / 2
	retireAssets   = 2_000
	retireModels   = retireAssets / 4
	retireFixed    = 256 // retirements a frame, of the variant that counts
)

func retireComparisons() []comparison {
	return []comparison{
		{[]string{"pass-retire", "pass-retire-frames", "pass-retire-work", "pass-retire-allocs"}, compareRetire},
		{[]string{"pass-retire-survivor"}, compareSurvivor},
	}
}

// retired is one way to retire the world, over the repetitions.
type retired struct {
	budget  work.Budget
	largest series // the longest frame of each repetition
	total   series // all frames of each repetition together
	frames  []float64
	allocs  uint64 // the most in one frame
}

// compareRetire closes the same world under the default budget, under none, and
// under one that counts, and ticks until nothing of it is left.
func compareRetire(r *run) error {
	path := filepath.Join(r.dir, "crowd.zip")
	if err := writePack(path, crowdPack); err != nil {
		return err
	}
	fixed := work.Unbounded()
	fixed.Name, fixed.Max[work.Retirements] = "fixed", retireFixed
	ours, once, counted := &retired{budget: work.High()}, &retired{budget: work.Unbounded()}, &retired{budget: fixed}
	for range repetitions {
		for _, v := range []*retired{ours, once, counted} {
			if err := v.run(path); err != nil {
				return err
			}
		}
	}
	r.add(withinOf("pass-retire", "us", "one-shot", &ours.largest, &once.largest, 1, 0.1))
	r.add(within("pass-retire-frames", "", fmt.Sprintf("%d-a-frame", retireFixed), median(ours.frames), median(counted.frames), 0.1, repetitions))
	r.add(withinOf("pass-retire-work", "us", "one-shot", &ours.total, &once.total, 1, 1.5))
	r.add(atMost("pass-retire-allocs", "", float64(ours.allocs), 0, repetitions))
	r.note("pass-retire: %d entities, %d assets: %.0f frames, at most %.0f us; at once: %.0f us in %.0f frames; %d a frame: at most %.0f us",
		retireEntities, retireAssets, median(ours.frames), ours.largest.median(), once.largest.median(), median(once.frames),
		retireFixed, counted.largest.median())
	return nil
}

func (v *retired) run(path string) error {
	s, w, err := openCrowd(path)
	if err != nil {
		return err
	}
	err = s.Meter().SetBudget(v.budget)
	if err == nil {
		runtime.GC()
		err = v.retire(s, w)
	}
	return errors.Join(err, s.Close())
}

// retire closes the world and ticks until nothing of it is left.
func (v *retired) retire(s *sojourn.Session, w *sojourn.World) error {
	var closing error
	room := 2 * retireEntities / retireFixed
	f := frames{took: make([]float64, 0, room), reference: make([]float64, 0, room)}
	var before, after runtime.MemStats
	total, releasing := 0.0, 0
	for n := 0; n == 0 || !s.Idle(); n++ {
		if n == room {
			return errNotResident
		}
		runtime.ReadMemStats(&before)
		f.measure(func() {
			if n == 0 {
				closing = w.Close()
			}
			s.Tick(tickTime)
		})
		runtime.ReadMemStats(&after)
		if closing != nil {
			return closing
		}
		if releasing == 0 && len(s.Retiring(nil)) == 0 {
			releasing = n + 1
		}
		total += f.took[len(f.took)-1]
		v.allocs = max(v.allocs, after.Mallocs-before.Mallocs)
		if err := s.Present(nil); err != nil {
			return err
		}
	}
	v.largest.take(&f, 1)
	v.total.figures = append(v.total.figures, total)
	v.frames = append(v.frames, float64(releasing))
	return nil
}

// openCrowd is a session with a crowded world at rest, and an empty one that
// stays.
func openCrowd(path string) (*sojourn.Session, *sojourn.World, error) {
	source, err := pack.Open(path)
	if err != nil {
		return nil, nil, err
	}
	config := sojourn.DefaultConfig()
	config.Residency.KeepAliveMB = 0
	s, err := sojourn.Open(sojourn.Options{
		Sources: []assets.Source{source}, Device: headless.New(headless.Options{}), Work: work.Unbounded(), Config: &config, Workers: 1,
	})
	if err != nil {
		return nil, nil, err
	}
	w, err := s.NewWorld(sojourn.WorldOptions{Name: "crowd", EntitiesExpected: retireEntities + 4*retireModels})
	if err == nil {
		_, err = s.NewWorld(sojourn.WorldOptions{Name: "stays", EntitiesExpected: 4 * survivorSpawned})
	}
	for i := 0; i < retireSpawned && err == nil; i++ {
		_, err = sojourn.Spawn(w, crowdStem(i%retireModels), sojourn.At(float32(i%100), 0, -5))
	}
	if err == nil {
		geometry := w.Set().Holds.Geometry
		err = tickUntil(s, func() bool { return w.Set().Ledger.LiveIn(geometry) >= retireSpawned && s.Idle() })
	}
	if err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	time.Sleep(10 * time.Millisecond) // what the kernel and the collector put off
	return s, w, nil
}

func crowdStem(i int) string { return fmt.Sprintf("crowd/%03d", i) }

func crowdPack(w *pack.Writer) error {
	mesh, err := gridMesh(4, 1)
	if err != nil {
		return err
	}
	texture, err := noiseTexture(8, 1)
	if err != nil {
		return err
	}
	for i := range retireModels {
		stem := crowdStem(i)
		m := docfile.DefaultMaterial()
		m.Maps[assets.MapBaseColor] = stem
		material, err := docfile.EncodeMaterial(&m)
		if err != nil {
			return err
		}
		model, err := docfile.EncodeModel(&assets.Model{
			Nodes: []assets.ModelNode{{Name: "root", Parent: -1, Local: assets.IdentityTransform(), World: sojourn.At(0, 0, 0)}},
			Parts: []assets.ModelPart{{Mesh: stem, Material: stem}},
		})
		if err != nil {
			return err
		}
		if err := errors.Join(w.Add(stem+".ktx2", texture, true), w.Add(stem+".material", material, false),
			w.Add(stem+".mesh", mesh, false), w.Add(stem+".model", model, false)); err != nil {
			return err
		}
	}
	return nil
}
