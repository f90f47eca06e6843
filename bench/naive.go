package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/pack"
	"sojourn/ecs/systems/scene"
	"sojourn/gpu/headless"
	"sojourn/stages/work"
)

// The scene: props of one texture, mesh, material and model each.
const (
	naiveProps      = 200
	naiveRooms      = 10
	naiveRoomTicks  = 20 // between one room and the next
	naiveLevelTicks = 100
	naiveQuads      = 64 // along an edge of a mesh: 250 KB
	naiveEdge       = 256
	naiveUnique     = 20 // different meshes and textures; the rest are copies under names of their own
)

func naiveComparisons() []comparison {
	return []comparison{{[]string{"naive-vs-sojourn", "naive-vs-sojourn-level"}, compareNaive}}
}

// visit is one way through the scene: which rooms are entered, and when.
type visit struct {
	name  string
	rooms []string
	every int // ticks
	ticks int
}

func visits() []visit {
	rooms := visit{name: "naive-vs-sojourn", every: naiveRoomTicks, ticks: naiveRooms * naiveRoomTicks}
	for i := range naiveRooms {
		rooms.rooms = append(rooms.rooms, roomStem(i))
	}
	return []visit{rooms, {name: "naive-vs-sojourn-level", rooms: []string{"level"}, every: naiveLevelTicks, ticks: naiveLevelTicks}}
}

func roomStem(i int) string { return fmt.Sprintf("rooms/%02d", i) }

// compareNaive enters rooms, and a whole level at once. The naive way loads
// what a room refers to with a blocking retain in the tick that wants it, and
// spawns it all. Both run in the same engine; even the naive one has finer
// mips read by workers.
func compareNaive(r *run) error {
	path := filepath.Join(r.dir, "scene.zip")
	if err := writePack(path, scenePack); err != nil {
		return err
	}
	for _, v := range visits() {
		if !r.wants(v.name) {
			continue
		}
		var ours, naive series
		resident := 0
		for range repetitions {
			n, err := walk(path, &v, false, &ours)
			if err != nil {
				return err
			}
			resident = max(resident, n)
			if _, err := walk(path, &v, true, &naive); err != nil {
				return err
			}
		}
		r.add(fasterOf(v.name, "us", "inline", &ours, &naive, 1, 10))
		r.note("%s: ours had everything on the device within %d ticks of the first request", v.name, resident)
	}
	return nil
}

// walk goes through the scene once, from a cold store, and adds the p99 of its
// ticks. resident is the tick in which the last asset was on the device.
func walk(path string, v *visit, naive bool, took *series) (resident int, err error) {
	source, err := pack.Open(path)
	if err != nil {
		return 0, err
	}
	budget := work.High()
	if naive {
		budget = work.Unbounded()
	}
	s, err := sojourn.Open(sojourn.Options{
		Sources: []assets.Source{source}, Device: headless.New(headless.Options{}), Work: budget, Workers: 1,
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	w, err := s.NewWorld(sojourn.WorldOptions{Name: "walk"})
	if err != nil {
		return 0, err
	}
	// Before something was shown a session has no time limit.
	if err := enter(w, "lobby", false); err != nil {
		return 0, err
	}
	if err := tickUntil(s, func() bool { return w.Counts().Presented == 1 && s.Idle() }); err != nil {
		return 0, fmt.Errorf("lobby: %w", err)
	}
	want := 1 + len(v.rooms)
	done := func() bool { return w.Counts().Presented == want && s.Idle() }
	var f frames
	for tick := range v.ticks {
		var entering error
		f.measure(func() {
			if tick%v.every == 0 {
				entering = enter(w, v.rooms[tick/v.every], naive)
			}
			s.Tick(tickTime)
		})
		if entering != nil {
			return 0, entering
		}
		if err := s.Present(nil); err != nil {
			return 0, err
		}
		if resident == 0 && done() {
			resident = tick + 1
		}
		waitForWorkers(s)
	}
	if resident == 0 {
		resident = v.ticks
		if err := tickUntil(s, func() bool { resident++; return done() }); err != nil {
			return 0, err
		}
	}
	took.take(&f, 0.99)
	w.UnloadAll()
	return resident, tickUntil(s, func() bool { return w.Counts().Live == 0 && s.Idle() })
}

// enter asks for a room; naively, everything in it is loaded here and now.
func enter(w *sojourn.World, room string, naive bool) error {
	if naive {
		if err := loadInline(w.Session().Store(), room); err != nil {
			return err
		}
	}
	_, err := w.Load(scene.Request{Stem: room})
	return err
}

// loadInline retains a room and all it refers to on the calling goroutine. The
// retains go once the payloads are parked under the keep-alive budget, from
// which the room's entities take them.
func loadInline(store *assets.Store, room string) error {
	var held []assets.Handle
	defer func() {
		for _, h := range held {
			store.Release(h)
		}
	}()
	retain := func(stem string, k assets.Kind) (assets.Handle, error) {
		h, err := store.Retain(context.Background(), assets.Key{Stem: stem, Kind: k})
		if err == nil {
			held = append(held, h)
		}
		return h, err
	}
	h, err := retain(room, assets.KindScene)
	if err != nil {
		return err
	}
	for _, e := range assets.Of[assets.Scene](store, assets.KindScene).At(h).Entities {
		h, err := retain(e.Model, assets.KindModel)
		if err != nil {
			return err
		}
		for _, part := range assets.Of[assets.Model](store, assets.KindModel).At(h).Parts {
			if _, err := retain(part.Mesh, assets.KindMesh); err != nil {
				return err
			}
			h, err := retain(part.Material, assets.KindMaterial)
			if err != nil {
				return err
			}
			m := assets.Of[assets.Material](store, assets.KindMaterial).At(h)
			if _, err := retain(m.Maps[assets.MapBaseColor], assets.KindTexture); err != nil {
				return err
			}
		}
	}
	return nil
}
