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
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/gpu/headless"
	"sojourn/stages/work"
)

// The cold scene: some 86 MiB decoded, in 200 assets, and 20,000 primitives.
const (
	coldModels   = 20
	coldOfModel  = 3 // meshes, and materials with a texture each, of one model
	coldParts    = 20
	coldPlaced   = 1000 // times a model
	coldEntities = coldPlaced * coldParts
	coldQuads    = 135 // along an edge of a mesh: 1.1 MB
	coldEdge     = 256
	coldUnique   = 10 // different meshes and textures; the rest are copies under names of their own
	coldAdmitted = 64 // completions a frame, of the variant that counts
)

func coldComparisons() []comparison {
	return []comparison{
		{[]string{"pass-cold-count", "pass-cold-naive", "pass-cold-resident"}, compareCold},
		{[]string{"pass-reserve"}, compareReserve},
		{[]string{"pass-exceeded"}, compareExceeded},
	}
}

// coldWay is one way to load the cold scene, over the repetitions.
type coldWay struct {
	name     string
	budget   work.Budget
	inline   bool
	largest  series    // the longest frame of each repetition
	resident []float64 // ms until all of it is bound and nothing is under way
	frames   []float64 // until then
	over     exceeded
}

func coldWays() (ours, count, naive *coldWay) {
	counted := work.Unbounded()
	counted.Name, counted.Max[work.Admissions] = "count", coldAdmitted
	return &coldWay{name: "sojourn", budget: work.High()}, &coldWay{name: "count", budget: counted},
		&coldWay{name: "naive", budget: work.Unbounded(), inline: true}
}

// compareCold enters the cold scene in each way in turn.
func compareCold(r *run) error {
	path, err := r.coldPack()
	if err != nil {
		return err
	}
	ours, count, naive := coldWays()
	ways := []*coldWay{ours, count, naive}
	for range repetitions {
		for _, w := range ways {
			if err := w.run(path); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
		}
	}
	for _, w := range ways {
		r.note("pass-cold %s: largest frame %.0f us, resident in %.0f ms and %.0f frames", w.name, w.largest.median(), median(w.resident), median(w.frames))
	}
	r.add(withinOf("pass-cold-count", "us", "count", &ours.largest, &count.largest, 1, 0.45))
	r.add(withinOf("pass-cold-naive", "us", "naive", &ours.largest, &naive.largest, 1, 0.05))
	r.add(within("pass-cold-resident", "ms", "count", median(ours.resident), median(count.resident), 1.2, repetitions))
	return nil
}

// run enters the scene once, from a cold store. A frame is followed by the next
// as soon as the workers are idle, or after 2 ms: what takes more frames is not
// charged with a display's pace.
func (c *coldWay) run(path string) error {
	s, w, err := openCold(path, c.budget, 1)
	if err != nil {
		return err
	}
	runtime.GC()
	geometry := w.Set().Holds.Geometry
	had := w.Set().Ledger.LiveIn(geometry)
	done := func() bool {
		return w.Set().Ledger.LiveIn(geometry) >= had+coldEntities && s.Idle() && !s.Store().Busy()
	}
	var f frames
	took, n := time.Duration(0), 0
	for err == nil && (n == 0 || !done()) {
		if n++; took > time.Minute {
			err = errNotResident
			break
		}
		before, began := kernel(), time.Now()
		if n == 1 {
			err = enter(w, "cold", c.inline)
		}
		s.Tick(tickTime)
		tick := time.Since(began)
		c.over.look(s)
		if e := s.Present(nil); err == nil {
			err = e
		}
		waitForWorkers(s)
		took += time.Since(began)
		f.add(tick, before, kernel())
	}
	c.largest.take(&f, 1)
	c.resident = append(c.resident, took.Seconds()*1e3)
	c.frames = append(c.frames, float64(n))
	return errors.Join(err, s.Close())
}

// openCold is a session whose one world shows a lobby: before something was
// shown a session has no time limit.
func openCold(path string, budget work.Budget, workers int) (*sojourn.Session, *sojourn.World, error) {
	source, err := pack.Open(path)
	if err != nil {
		return nil, nil, err
	}
	s, err := sojourn.Open(sojourn.Options{
		Sources: []assets.Source{source}, Device: headless.New(headless.Options{}), Work: budget, Workers: workers,
	})
	if err != nil {
		return nil, nil, err
	}
	w, err := s.NewWorld(sojourn.WorldOptions{Name: "cold", EntitiesExpected: coldEntities + 2*coldPlaced + 1024})
	if err == nil {
		_, err = w.Load(scene.Request{Stem: "lobby", Policy: components.PresentGated})
	}
	if err == nil {
		err = tickUntil(s, func() bool { return w.Counts().Presented == 1 && s.Idle() })
	}
	if err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	return s, w, nil
}

// coldPack writes the cold scene, a lobby, and what other worlds load
// meanwhile, once a run.
func (r *run) coldPack() (path string, err error) {
	path = filepath.Join(r.dir, "cold.zip")
	if r.coldWritten {
		return path, nil
	}
	r.coldWritten = true
	return path, writePack(path, fillColdPack)
}

func fillColdPack(w *pack.Writer) error {
	var meshes [coldUnique]encoded
	var textures [coldUnique][]byte
	for i := range coldUnique {
		b, err := gridMesh(coldQuads, uint64(i))
		if err == nil {
			meshes[i], err = encode(b)
		}
		if err == nil {
			textures[i], err = noiseTexture(coldEdge, uint64(i))
		}
		if err != nil {
			return err
		}
	}
	if err := addBusyRooms(w, &meshes); err != nil {
		return err
	}
	var level assets.Scene
	for i := range coldPlaced {
		level.Entities = append(level.Entities, placed(i, coldStem(i%coldModels)))
	}
	if err := addDocument(w, "cold", &level); err != nil {
		return err
	}
	for i := range coldModels + 1 { // the last is the lobby's
		if err := addColdModel(w, i, &meshes, &textures); err != nil {
			return err
		}
	}
	return addDocument(w, "lobby", &assets.Scene{Entities: []assets.SceneEntity{placed(0, coldStem(coldModels))}})
}

func coldStem(i int) string { return fmt.Sprintf("cold/%02d", i) }

func placed(i int, model string) assets.SceneEntity {
	at := assets.IdentityTransform()
	at.Pos = [3]float32{float32(i%40) - 20, 0, -5 - float32(i/40)}
	return assets.SceneEntity{ID: fmt.Sprint(i), Model: model, At: at}
}

func addDocument(w *pack.Writer, stem string, s *assets.Scene) error {
	b, err := docfile.EncodeScene(s)
	if err != nil {
		return err
	}
	return w.Add(stem+".scene", b, false)
}

// addColdModel writes a model of many parts, and the few meshes and materials
// that these have.
func addColdModel(w *pack.Writer, i int, meshes *[coldUnique]encoded, textures *[coldUnique][]byte) error {
	model := assets.Model{Nodes: []assets.ModelNode{{Name: "root", Parent: -1, Local: assets.IdentityTransform(), World: sojourn.At(0, 0, 0)}}}
	for k := range coldOfModel {
		n := i*coldOfModel + k
		if err := addSurface(w, coldPart(i, k), &meshes[n%coldUnique], textures[n%coldUnique]); err != nil {
			return err
		}
	}
	for k := range coldParts {
		stem := coldPart(i, k%coldOfModel)
		model.Parts = append(model.Parts, assets.ModelPart{Mesh: stem, Material: stem})
	}
	b, err := docfile.EncodeModel(&model)
	if err != nil {
		return err
	}
	return w.Add(coldStem(i)+".model", b, false)
}

func coldPart(i, k int) string { return fmt.Sprintf("cold/%02d-%d", i, k) }

// addSurface writes a mesh, and a material with a texture, of one stem.
func addSurface(w *pack.Writer, stem string, mesh *encoded, texture []byte) error {
	m := docfile.DefaultMaterial()
	m.Maps[assets.MapBaseColor] = stem
	b, err := docfile.EncodeMaterial(&m)
	if err != nil {
		return err
	}
	return errors.Join(w.Add(stem+".ktx2", texture, true), w.Add(stem+".material", b, false), mesh.addTo(w, stem+".mesh"))
}
