package main

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/docfile"
	"sojourn/assets/pack"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/resources"
	"sojourn/stages/work"
)

// What another world loads meanwhile: rooms that come and go for ever. What they
// show stays in memory and on the device, as one of each stays in that world, so
// that they take the frame's time, and never wait for a decoder or an upload.
const (
	busyRooms  = 8
	busyAtOnce = 4
	busyPlaced = 2000 // in each room
	busyEdge   = 64
	// busyWorkers are enough for the decodes not to be what the reveal waits
	// for: they can't wait for a share of the frame.
	busyWorkers = 2
)

// reserved is the way to a destination with a share of the frame kept for it,
// or none, over the repetitions.
type reserved struct {
	share  float64
	reveal []float64 // ms
	frames []float64
	rooms  []float64 // that came meanwhile
}

// compareReserve travels to the cold scene while another world streams.
func compareReserve(r *run) error {
	path, err := r.coldPack()
	if err != nil {
		return err
	}
	on, off := &reserved{share: work.High().DestinationReserve}, &reserved{}
	for range repetitions {
		for _, v := range []*reserved{on, off} {
			if err := v.run(path); err != nil {
				return err
			}
		}
	}
	for _, v := range []*reserved{on, off} {
		r.note("pass-reserve %.2f: revealed in %.0f ms and %.0f frames, while %.0f rooms came elsewhere", v.share, median(v.reveal), median(v.frames), median(v.rooms))
	}
	r.add(within("pass-reserve", "ms", "no-reserve", median(on.reveal), median(off.reveal), 0.75, repetitions))
	return nil
}

// run waits until the other world streams, travels, and ticks until the reveal.
func (v *reserved) run(path string) error {
	budget := work.High()
	budget.DestinationReserve = v.share
	s, w, err := openCold(path, budget, busyWorkers)
	if err != nil {
		return err
	}
	busy, err := openBusy(s)
	if err == nil {
		err = busy.tickUntil(s, func() bool { return busy.came >= 2*busyRooms })
	}
	if err == nil {
		runtime.GC()
		_, err = w.Travel(sojourn.Destination{Cause: "portal", Layers: []scene.Request{{Stem: "cold", Policy: components.PresentGated}}})
	}
	if err == nil {
		err = v.await(s, w, busy)
	}
	if busy != nil {
		busy.assets.ReleaseAll()
	}
	return errors.Join(err, s.Close())
}

// await ticks until the reveal, at real pace.
func (v *reserved) await(s *sojourn.Session, w *sojourn.World, busy *busyWorld) error {
	came, n, took := busy.came, 0, time.Duration(0)
	for ; w.Reveal().Pending; n++ {
		if took > time.Minute {
			return errNotResident
		}
		began := time.Now()
		if err := busy.frame(s); err != nil {
			return err
		}
		tick := time.Since(began)
		restOfFrame(began, s.Store().Busy)
		if w.Reveal().Pending {
			took += max(portalsFrame, time.Since(began))
		} else {
			took += tick
		}
	}
	v.reveal = append(v.reveal, took.Seconds()*1e3)
	v.frames = append(v.frames, float64(n))
	v.rooms = append(v.rooms, float64(busy.came-came))
	if got := w.Counts().Presented; got != 1 {
		return fmt.Errorf("revealed with %d layers shown", got)
	}
	return nil
}

// busyWorld is a world that streams all the time, with low priority.
type busyWorld struct {
	world  *sojourn.World
	asked  int
	came   int
	events []resources.LayerEvent
	assets *assets.Scope // what all rooms need
}

func openBusy(s *sojourn.Session) (*busyWorld, error) {
	w, err := s.NewWorld(sojourn.WorldOptions{Name: "busy", EntitiesExpected: 2 * busyAtOnce * busyPlaced})
	if err != nil {
		return nil, err
	}
	b := &busyWorld{world: w, assets: assets.NewScope(s.Store())}
	if err := b.hold(s.Store()); err != nil {
		return nil, err
	}
	if _, err := w.Load(scene.Request{Stem: busyStem(busyRooms)}); err != nil {
		return nil, err
	}
	for range busyAtOnce {
		if err := b.ask(); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// hold loads what all rooms need and keeps it.
func (b *busyWorld) hold(store *assets.Store) error {
	batch := store.NewBatch(assets.BatchOptions{Owner: "busy", Closure: true})
	for i := range busyRooms + 1 {
		h, err := store.Name(assets.Key{Stem: busyStem(i), Kind: assets.KindScene})
		if err != nil {
			return err
		}
		batch.Add(h)
	}
	batch.Submit()
	for !batch.Done() {
		time.Sleep(50 * time.Microsecond)
	}
	batch.Adopt(b.assets)
	if failures := batch.Failures(); len(failures) > 0 {
		return failures[0].Err
	}
	return nil
}

func (b *busyWorld) ask() error {
	_, err := b.world.Load(scene.Request{Stem: busyStem(b.asked % busyRooms), Lane: components.LaneFar, Priority: int32(b.asked)})
	b.asked++
	return err
}

// step unloads each room that has come, and asks for the next.
func (b *busyWorld) step() error {
	b.events = b.world.TakeEvents(b.events[:0])
	for _, e := range b.events {
		if e.Kind != resources.LayerLoaded || e.Key.Stem == busyStem(busyRooms) {
			continue
		}
		b.came++
		if err := errors.Join(b.world.Unload(e.Layer), b.ask()); err != nil {
			return err
		}
	}
	return nil
}

// tickUntil is [tickUntil] for a session with a world that streams meanwhile.
func (b *busyWorld) tickUntil(s *sojourn.Session, done func() bool) error {
	for end := time.Now().Add(time.Minute); !done(); {
		if time.Now().After(end) {
			return errNotResident
		}
		if err := b.frame(s); err != nil {
			return err
		}
		waitForWorkers(s)
	}
	return nil
}

func (b *busyWorld) frame(s *sojourn.Session) error {
	if err := b.step(); err != nil {
		return err
	}
	s.Tick(tickTime)
	return s.Present(nil)
}

func busyStem(i int) string { return fmt.Sprintf("busy/%02d", i) }

// addBusyRooms writes rooms of a model each.
func addBusyRooms(w *pack.Writer, meshes *[coldUnique]encoded) error {
	texture, err := noiseTexture(busyEdge, 1)
	if err != nil {
		return err
	}
	var each assets.Scene
	for i := range busyRooms {
		stem := busyStem(i)
		each.Entities = append(each.Entities, placed(i, stem))
		var room assets.Scene
		for k := range busyPlaced {
			room.Entities = append(room.Entities, placed(k, stem))
		}
		model, err := docfile.EncodeModel(&assets.Model{
			Nodes: []assets.ModelNode{{Name: "root", Parent: -1, Local: assets.IdentityTransform(), World: sojourn.At(0, 0, 0)}},
			Parts: []assets.ModelPart{{Mesh: stem, Material: stem}},
		})
		if err != nil {
			return err
		}
		if err := errors.Join(addSurface(w, stem, &meshes[i%coldUnique], texture),
			w.Add(stem+".model", model, false), addDocument(w, stem, &room)); err != nil {
			return err
		}
	}
	return addDocument(w, busyStem(busyRooms), &each)
}
