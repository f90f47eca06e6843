package sojourn_test

import (
	"fmt"
	"testing"

	"sojourn"
	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems/scene"
	"sojourn/sojourntest"
	"sojourn/stages/work"
)

// halls is content of several scenes, each with so many crates of its own, all
// with the same shared ones.
func halls(scenes, own, shared int) *sojourntest.Content {
	c := sojourntest.NewContent()
	for i := range shared {
		c.Crate(fmt.Sprintf("shared%d", i))
	}
	for i := range scenes {
		doc := assets.Scene{}
		for k := range own {
			stem := fmt.Sprintf("own%d-%d", i, k)
			c.Crate(stem)
			doc.Entities = append(doc.Entities, sojourntest.Placed(fmt.Sprint(k), stem, float32(k), 0, -4))
		}
		for k := range shared {
			doc.Entities = append(doc.Entities, sojourntest.Placed(fmt.Sprint("s", k), fmt.Sprintf("shared%d", k), float32(k), 1, -4))
		}
		c.SceneOf(fmt.Sprintf("hall%d", i), doc)
	}
	return c
}

func hallLayers(n int) (layers []scene.Request) {
	for i := range n {
		layers = append(layers, scene.Request{Stem: fmt.Sprintf("hall%d", i), Policy: gated})
	}
	return layers
}

// depart begins a journey to layers.
func depart(t *testing.T, w *sojourn.World, layers ...scene.Request) {
	t.Helper()
	if _, err := w.Travel(sojourn.Destination{Cause: "portal", Layers: layers}); err != nil {
		t.Fatal(err)
	}
}

// revealed runs frames until the reveal and tells how many it took; each is
// called after each frame.
func revealed(t *testing.T, r *sojourntest.Rig, w *sojourn.World, each func(work.Facts)) (frames int) {
	t.Helper()
	var history []work.Facts
	for w.Reveal().Pending {
		if frames++; frames > 2000 {
			t.Fatalf("no reveal: %+v", w.Reveal())
		}
		r.Frames(1)
		history = r.Session.History(history[:0])
		if each != nil {
			each(history[len(history)-1])
		}
	}
	return frames
}

// What landed for one layer is taken over while another spawns: the admissions
// of a frame do not lie idle until it has.
func TestLoadsAdoptWhileOthersSpawn(t *testing.T) {
	const scenes, own, step = 3, 12, 6
	budget := work.High()
	budget.Max[work.Admissions], budget.Max[work.EntityOps] = step, step
	r := sojourntest.Open(t, halls(scenes, own, 0), sojourntest.Options{Work: budget})
	w := r.World("halls")
	depart(t, w, hallLayers(scenes)...)
	admitted, frame, last := int64(0), 0, 0
	revealed(t, r, w, func(f work.Facts) {
		if frame++; f.Used[work.Admissions] > 0 {
			admitted, last = admitted+f.Used[work.Admissions], frame
		}
	})
	if enough := int(admitted)/step + scenes; last > enough {
		t.Errorf("%d admissions of %d a frame took until frame %d, want %d", admitted, step, last, enough)
	}
	r.Settle()
}

// What several layers share is one result of a worker, and admitted once.
func TestSharedAssetsAreAdmittedOnce(t *testing.T) {
	r := sojourntest.Open(t, halls(3, 2, 20), sojourntest.Options{Work: work.High()})
	w := r.World("halls")
	before := decodes(r)
	depart(t, w, hallLayers(3)...)
	admitted, adopted := int64(0), int64(0)
	revealed(t, r, w, func(f work.Facts) {
		admitted += f.Used[work.Admissions]
		adopted += f.Used[work.AdoptedBytes]
	})
	if n := int64(decodes(r) - before); admitted != n || adopted == 0 {
		t.Errorf("%d admissions of %d decodes, %d bytes", admitted, n, adopted)
	}
	r.Settle()
}

// Stand-ins that are seen give way in eights; those of a destination, which
// nobody sees yet, as fast as the frame allows.
func TestDestinationUpgradesAllItsMaterials(t *testing.T) {
	const own = 30
	most := func(travel bool) (largest, waited int) {
		r := sojourntest.Open(t, halls(1, own, 0), sojourntest.Options{Work: work.High()})
		w := r.World("halls")
		if travel {
			depart(t, w, hallLayers(1)...)
		} else {
			load(t, w, scene.Request{Stem: "hall0"})
		}
		was, before := 0, 0
		for frames := 0; w.Counts().Presented == 0 && frames < 200; frames++ {
			r.Frames(1)
			now, made := entities[components.PendingMaterial](w), entities[components.Material](w)
			largest = max(largest, was+made-before-now)
			if now > 0 {
				waited++
			}
			was, before = now, made
		}
		r.Settle()
		if n := entities[components.PendingMaterial](w); n != 0 || entities[components.Material](w) != own {
			t.Errorf("%d of %d materials are stand-ins", n, entities[components.Material](w))
		}
		return largest, waited
	}
	if n, waited := most(false); n == 0 || n > 2*8 || waited == 0 { // a pass by a wake that goes on to all looks twice
		t.Errorf("%d stand-ins that are seen gave way in one frame, some waited %d frames", n, waited)
	}
	// What is decoded while it is made gives way in the frame after.
	if n, waited := most(true); n <= 8 || waited > 1 {
		t.Errorf("%d of %d stand-ins of a destination gave way in one frame, some waited %d frames", n, own, waited)
	}
}

// Another load that has used up its share of each frame does not keep the
// destination from its own, though it has an earlier slot.
func TestInvariant26_DestinationLoadsPastOthers(t *testing.T) {
	budget := work.High()
	budget.Max[work.EntityOps], budget.Max[work.Retirements] = 16, 1
	c := halls(1, 6, 0)
	crowd := assets.Scene{}
	for i := range 1500 {
		crowd.Entities = append(crowd.Entities, sojourntest.Placed(fmt.Sprint(i), "own0-0", float32(i), 0, -4))
	}
	c.SceneOf("crowd", crowd)
	r := sojourntest.Open(t, c, sojourntest.Options{Work: budget})
	w := r.World("halls")
	load(t, w, scene.Request{Stem: "hall0"})
	r.Settle()
	// Back to where it is: the document has to be retired first, and the crowd
	// gets the first slot meanwhile.
	depart(t, w, hallLayers(1)...)
	other := load(t, w, scene.Request{Stem: "crowd", Lane: components.LaneFar})
	began := false
	revealed(t, r, w, func(work.Facts) {
		l, _ := w.Layer(other)
		began = began || l.State != components.LayerQueued
	})
	if l, ok := w.Layer(other); !began || !ok || l.State != components.LayerSpawning {
		t.Errorf("the other load began: %v; at the reveal it is %v", began, l.State)
	}
	r.Settle()
}
