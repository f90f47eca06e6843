package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/docfile"
	"sojourn/assets/pack"
	"sojourn/gpu/headless"
	"sojourn/stages/work"
)

// idleSizes are how many primitives are resident.
var idleSizes = [...]int{10_000, 100_000, 1_000_000}

const (
	idleParts  = 1000 // of the one model
	idleMeshes = 16
	idleBatch  = 20 // passes in one measured frame
	idleFrames = 60 // of one repetition
)

func passComparisons() []comparison {
	return []comparison{{[]string{"pass-idle-1m", "pass-idle-1m-owed", "pass-idle-1m-frame", "pass-idle-1m-allocs"}, comparePassIdle}}
}

// comparePassIdle runs the residency pass over worlds in which nothing is
// pending: as a quiet tick does, and with a look owed, which goes through
// every stage.
func comparePassIdle(r *run) error {
	path := filepath.Join(r.dir, "parts.zip")
	if err := writePack(path, partsPack); err != nil {
		return err
	}
	var worlds [len(idleSizes)]*sojourn.World
	defer func() {
		for _, w := range worlds {
			if w != nil {
				_ = w.Session().Close() // what it would say was said by open
			}
		}
	}()
	for i, n := range idleSizes {
		var err error
		if worlds[i], err = openIdle(path, n); err != nil {
			return err
		}
	}
	for _, v := range []struct {
		name string
		pass func(*sojourn.World)
	}{{"pass-idle-1m", quietPass}, {"pass-idle-1m-owed", owedPass}} {
		var took [len(idleSizes)]series
		for range repetitions {
			for i, w := range worlds {
				var f frames
				for range idleFrames {
					f.measure(func() {
						for range idleBatch {
							v.pass(w)
						}
					})
				}
				took[i].take(&f, 0.5)
			}
		}
		per := func(i int) float64 { return took[i].median() * 1e3 / idleBatch }
		last := len(idleSizes) - 1
		r.add(withinOf(v.name, "ns", fmt.Sprint(idleSizes[0]), &took[last], &took[0], 1e3/idleBatch, 1.5))
		if v.name == "pass-idle-1m" {
			r.add(atMost("pass-idle-1m-frame", "ns", per(last), float64(tickTime.Nanoseconds())/1000, repetitions))
		}
		r.note("%s: %.0f ns with %d, %.0f with %d, %.0f with %d primitives", v.name,
			per(0), idleSizes[0], per(1), idleSizes[1], per(2), idleSizes[2])
	}
	w := worlds[len(worlds)-1]
	allocs := testing.AllocsPerRun(1000, func() { quietPass(w); owedPass(w) })
	r.add(atMost("pass-idle-1m-allocs", "", allocs, 0, 1000))
	return nil
}

// sweepLook is how much of the ledger a session's tick looks at.
const sweepLook = 64

var idleWakes [0]assets.Wake

// quietPass is a tick's share of the residency pass.
func quietPass(w *sojourn.World) {
	m := w.Session().Meter()
	m.Begin()
	w.Pass().Run(m, w.Session().Store().Drain(idleWakes[:0]))
	w.Set().Ledger.Sweep(w.ECS(), sweepLook)
	m.End()
	m.NewFrame()
}

func owedPass(w *sojourn.World) {
	w.Pass().ArmDebt()
	quietPass(w)
}

// openIdle is a world with n primitives on the device and nothing under way.
func openIdle(path string, n int) (*sojourn.World, error) {
	source, err := pack.Open(path)
	if err != nil {
		return nil, err
	}
	s, err := sojourn.Open(sojourn.Options{
		Sources: []assets.Source{source}, Device: headless.New(headless.Options{}), Work: work.Unbounded(), Workers: 1,
	})
	if err != nil {
		return nil, err
	}
	w, err := s.NewWorld(sojourn.WorldOptions{Name: "idle", EntitiesExpected: n + n/idleParts + 100})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	for i := range n / idleParts {
		if _, err := sojourn.Spawn(w, "parts", sojourn.At(float32(i), 0, -5)); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	geometry := w.Set().Holds.Geometry
	if err := tickUntil(s, func() bool { return w.Set().Ledger.LiveIn(geometry) >= n && s.Idle() }); err != nil {
		return nil, errors.Join(fmt.Errorf("%d of %d primitives became resident: %w", w.Set().Ledger.LiveIn(geometry), n, err), s.Close())
	}
	return w, nil
}

// errNotResident is what waiting for content ends with.
var errNotResident = errors.New("not resident in time")

// tickUntil ticks until done, and for a minute at most.
func tickUntil(s *sojourn.Session, done func() bool) error {
	for end := time.Now().Add(time.Minute); !done(); {
		if time.Now().After(end) {
			return errNotResident
		}
		s.Tick(tickTime)
		if err := s.Present(nil); err != nil {
			return err
		}
		waitForWorkers(s)
	}
	return nil
}

const tickTime = time.Second / 60

// waitForWorkers lets decoding go on between ticks, as the rest of a frame
// would: until the workers are idle or 2 ms have passed.
func waitForWorkers(s *sojourn.Session) {
	for end := time.Now().Add(2 * time.Millisecond); time.Now().Before(end); {
		if !s.Store().Busy() {
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// partsPack is one model of many parts.
func partsPack(w *pack.Writer) error {
	model := assets.Model{Nodes: []assets.ModelNode{{
		Name: "root", Parent: -1, Local: assets.IdentityTransform(), World: sojourn.At(0, 0, 0),
	}}}
	for i := range idleParts {
		model.Parts = append(model.Parts, assets.ModelPart{
			Mesh: fmt.Sprintf("meshes/%02d", i%idleMeshes), Material: "plain",
		})
	}
	for i := range idleMeshes {
		mesh, err := gridMesh(2, uint64(i))
		if err != nil {
			return err
		}
		if err := w.Add(fmt.Sprintf("meshes/%02d.mesh", i), mesh, false); err != nil {
			return err
		}
	}
	b, err := docfile.EncodeModel(&model)
	if err != nil {
		return err
	}
	if err := w.Add("parts.model", b, false); err != nil {
		return err
	}
	m := docfile.DefaultMaterial()
	if b, err = docfile.EncodeMaterial(&m); err != nil {
		return err
	}
	return w.Add("plain.material", b, false)
}
