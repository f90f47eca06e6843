package main

import (
	"errors"
	"path/filepath"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/gpu/headless"
	"sojourn/stages/work"
)

const (
	// survivorSpawned is how much the surviving world shows, and spawns and
	// removes while the other retires: a fiftieth of it in each frame.
	survivorSpawned = 1000
	survivorStep    = survivorSpawned / 50
)

// compareSurvivor closes the crowded world while another is drawn and goes on
// loading, under the default budget, and holds every frame until nothing of the
// crowd is left against it.
func compareSurvivor(r *run) error {
	path := filepath.Join(r.dir, "survivor.zip")
	if err := writePack(path, crowdPack); err != nil {
		return err
	}
	var x exceeded
	largest := 0.0
	for range repetitions {
		t, err := survive(path, &x)
		if err != nil {
			return err
		}
		largest = max(largest, t)
	}
	r.addExceeded("pass-retire-survivor", &x)
	r.note("pass-retire-survivor: %d repetitions; the longest frame of all took %.0f us", repetitions, largest)
	return nil
}

// survive is one repetition; it answers the longest frame, disturbed or not.
func survive(path string, x *exceeded) (largest float64, err error) {
	s, crowd, err := openCrowd(path)
	if err != nil {
		return 0, err
	}
	stays := s.Worlds()[1]
	live, err := populate(s, stays)
	if err == nil {
		s.SetActive(stays)
		err = tickUntil(s, func() bool { return s.Idle() })
	}
	if err == nil {
		err = errors.Join(s.Meter().SetBudget(work.High()), crowd.Close())
	}
	var f frames
	for n := 0; err == nil && len(s.Retiring(nil)) > 0; n++ {
		for i := range survivorStep { // what the game itself does is no streaming
			at := (n*survivorStep + i) % len(live)
			stays.ECS().RemoveEntity(live[at])
			if live[at], err = sojourn.Spawn(stays, crowdStem(at%retireModels), sojourn.At(float32(at%100), 0, -5)); err != nil {
				return 0, errors.Join(err, s.Close())
			}
		}
		f.measure(func() { s.Tick(tickTime) })
		x.look(s)
		err = s.Present(nil)
	}
	if err == nil && s.Device().(*headless.Device).Stats().DrawnItems == 0 {
		err = errors.New("the survivor shows nothing")
	}
	return quantile(f.took, 1), errors.Join(err, s.Close())
}

// populate spawns what the surviving world shows.
func populate(s *sojourn.Session, w *sojourn.World) (live []ecs.Entity, err error) {
	for i := range survivorSpawned {
		e, err := sojourn.Spawn(w, crowdStem(i%retireModels), sojourn.At(float32(i%100), 0, -5))
		if err != nil {
			return nil, err
		}
		live = append(live, e)
	}
	geometry := w.Set().Holds.Geometry
	return live, tickUntil(s, func() bool { return w.Set().Ledger.LiveIn(geometry) >= survivorSpawned && s.Idle() })
}
