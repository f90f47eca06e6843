package sojourn_test

import (
	"fmt"
	"maps"
	"runtime"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/sojourntest"
	"sojourn/stages/work"
)

const (
	roomEntities = 20_000
	roomCrates   = 100
	// roomFrameBytesMax is what a frame may allocate once its world has room.
	roomFrameBytesMax = 16 << 10
)

// openRoom is a session with a document of many entities, and a world that was
// made for a few.
func openRoom(t *testing.T) (*sojourntest.Rig, *sojourn.World) {
	t.Helper()
	c := sojourntest.NewContent()
	for i := range roomCrates {
		c.Crate(fmt.Sprintf("crate%d", i))
	}
	c.Sound("hum", 4800)
	var s assets.Scene
	for i := range roomEntities {
		s.Entities = append(s.Entities, sojourntest.Placed(fmt.Sprint("e", i), fmt.Sprintf("crate%d", i%roomCrates), float32(i%100), 0, -5))
	}
	s.Entities = append(s.Entities, sojourntest.Sounding("hum", "hum"))
	c.SceneOf("large", s)
	r := sojourntest.Open(t, c, sojourntest.Options{})
	w := r.World("w")
	r.Session.Meter().SetUnlimitedTime(false)
	return r, w
}

// places is what every structure of a world has room for: its own, and Arche's
// tables by their components.
func places(w *sojourn.World) map[string]int {
	m := map[string]int{}
	room := w.Set().Room
	for i := range room.Len() {
		m[fmt.Sprint("structure ", i)] = room.Places(i)
	}
	st := w.ECS().Stats()
	for i := range st.Nodes {
		if n := &st.Nodes[i]; n.IsActive {
			m[fmt.Sprint("table of ", n.ComponentTypes)] = n.Capacity
		}
	}
	m["entities"] = st.Entities.Capacity
	return m
}

// grown tells what is larger than it was.
func grown(was, is map[string]int) []string {
	var out []string
	for name, n := range is {
		if n > was[name] {
			out = append(out, fmt.Sprintf("%s: %d, was %d", name, n, was[name]))
		}
	}
	return out
}

// frameBytes runs a frame and tells what it allocated. The workers rest.
func frameBytes(r *sojourntest.Rig) uint64 {
	var before, after runtime.MemStats
	r.Await()
	runtime.ReadMemStats(&before)
	r.Session.Tick(sojourntest.FrameTime)
	runtime.ReadMemStats(&after)
	_ = r.Session.Present(nil)
	return after.TotalAlloc - before.TotalAlloc
}

// A document of 20,000 entities comes into a world that was made for 128. What
// has to grow for it does before its first entity is made, each in a step of its
// own that is within the budget or named; from then on nothing grows. The second
// time there is room for it already.
func TestLayersFindRoomBeforeTheyAreSpawned(t *testing.T) {
	for _, policy := range []components.PresentPolicy{components.PresentGated, components.PresentImmediate} {
		t.Run(fmt.Sprint(policy), func(t *testing.T) {
			if policy == components.PresentImmediate && (raceDetector || testing.Short()) {
				t.Skip("slow")
			}
			r, w := openRoom(t)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			for round := range 2 {
				before := places(w)
				at := roomRound(t, r, w, policy)
				if round > 0 && !maps.Equal(at, before) {
					t.Errorf("the second time it grew all the same: %v", grown(before, at))
				}
			}
			named := false
			for _, o := range r.Session.Meter().OverrunsByStage(nil) {
				named = named || o.Stage == "layer room" && o.Oversizes > 0
			}
			if !named {
				t.Error("no step of growth was larger than the budget, or it was not named")
			}
		})
	}
}

// roomRound loads the document, unloads it, and answers what there was room for
// when the first entity was made.
func roomRound(t *testing.T, r *sojourntest.Rig, w *sojourn.World, policy components.PresentPolicy) (at map[string]int) {
	t.Helper()
	e := load(t, w, scene.Request{Stem: "large", Policy: policy})
	largest, frames := uint64(0), 0
	for l, _ := w.Layer(e); l.Pending > 0 || l.State != components.LayerPresented; l, _ = w.Layer(e) {
		n := frameBytes(r)
		if l, _ := w.Layer(e); at == nil && l.State == components.LayerSpawning {
			at = places(w)
		} else if at != nil {
			largest = max(largest, n)
		}
		if frames++; frames > 2000 {
			t.Fatalf("it is not there after %d frames: %+v", frames, l)
		}
	}
	if is := places(w); !maps.Equal(is, at) {
		t.Errorf("after its room was made, this grew: %v", grown(at, is))
	}
	if err := w.Unload(e); err != nil {
		t.Fatal(err)
	}
	for !r.Session.Idle() {
		largest = max(largest, frameBytes(r))
	}
	if is := places(w); !maps.Equal(is, at) {
		t.Errorf("as it left, this grew: %v", grown(at, is))
	}
	if largest > roomFrameBytesMax && !raceDetector {
		t.Errorf("a frame allocated %d bytes, at most %d may be", largest, roomFrameBytesMax)
	}
	t.Logf("%d frames, the largest allocated %d bytes", frames, largest)
	return at
}

// Whoever listens to a world hears nothing of the entities that fill a table for
// a moment, and no query sees one.
func TestRoomIsMadeUnheard(t *testing.T) {
	r, w := openRoom(t)
	heard := &tally{}
	w.Listen(heard)
	w.AddSystem(func(w *sojourn.World, _ time.Duration) {
		q := w.ECS().Query(ecs.All(ecs.ComponentID[components.Primitive](w.ECS())))
		for q.Next() {
			if p := (*components.Primitive)(q.Get(ecs.ComponentID[components.Primitive](w.ECS()))); !p.Mesh().Valid() {
				t.Error("a game's query saw an entity that is none")
			}
		}
	})
	load(t, w, scene.Request{Stem: "large", Policy: components.PresentGated})
	r.Settle()
	if want := int64(roomEntities + roomCrates + 2); heard.created != want || heard.removed != 0 {
		t.Errorf("%d entities were heard of as made, %d as removed, want %d and none", heard.created, heard.removed, want)
	}
}

// Under the literal profile, whose 256 entity operations no growth fits into, a
// layer comes all the same, and each frame keeps its budget or names the step.
func TestRoomComesUnderASmallBudget(t *testing.T) {
	r, w := openRoom(t)
	if err := r.Session.Meter().SetBudget(work.Literal()); err != nil {
		t.Fatal(err)
	}
	load(t, w, scene.Request{Stem: "large", Policy: components.PresentGated})
	r.Settle() // the rig holds each frame to its budget
	if n := w.Counts().Presented; n != 1 {
		t.Errorf("%d layers are shown", n)
	}
}
