package sojourn_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"sojourn"
	"sojourn/assets"
	"sojourn/sojourntest"
	"sojourn/stages/work"
)

// crowd opens a world of so many crates of five sorts, and one hum.
func crowd(t *testing.T, r *sojourntest.Rig, name string, crates int) *sojourn.World {
	t.Helper()
	w := r.World(name)
	for i := range crates {
		if _, err := sojourn.Spawn(w, fmt.Sprintf("crate%d", i%5), sojourn.At(float32(i%50), 0, -4)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := sojourn.SpawnSound(w, "hum", sojourn.At(0, 0, 0), 1, 10); err != nil {
		t.Fatal(err)
	}
	r.Settle()
	return w
}

func crowdContent() *sojourntest.Content {
	c := sojourntest.NewContent()
	for i := range 5 {
		c.Crate(fmt.Sprintf("crate%d", i))
	}
	c.Sound("hum", 4800)
	return c
}

// A closed world is gone for the player at once. What it held is let go of
// within every frame's budget, from where the last frame stopped, and the
// other world's retains are its own.
func TestInvariant34_ClosedWorldRetiresInSlices(t *testing.T) {
	const crates = 700
	r := sojourntest.Open(t, crowdContent(), sojourntest.Options{})
	w, other := crowd(t, r, "left", crates), crowd(t, r, "stays", 5)
	r.Session.SetActive(w)
	r.Frame()
	if n := r.Device.Stats().DrawnItems; n == 0 {
		t.Fatal("nothing is drawn")
	}
	budget := work.Literal()
	if err := r.Session.Meter().SetBudget(budget); err != nil {
		t.Fatal(err)
	}
	held := func(w *sojourn.World) int { return w.Set().Ledger.Live() }
	before, others := held(w), held(other)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if held(w) < before-2 {
		t.Errorf("closing let go of %d holds at once", before-held(w))
	}
	if n := w.Set().Ledger.LiveIn(w.Set().Holds.Voice); n != 0 {
		t.Errorf("%d voices go on", n)
	}
	frames, retired := 0, int64(0)
	for len(r.Session.Retiring(nil)) > 0 {
		was := held(w)
		r.Session.Tick(0)
		f := r.Session.Meter().Facts()
		if err := r.Session.Present(nil); err != nil {
			t.Fatal(err)
		}
		if n := f.Used[work.Retirements]; n > budget.Max[work.Retirements] {
			t.Errorf("frame %d retires %d of %d", frames, n, budget.Max[work.Retirements])
		}
		retired += f.Used[work.Retirements]
		if held(w) >= was && held(w) > 0 {
			t.Fatalf("frame %d let go of nothing", frames)
		}
		if held(other) != others {
			t.Errorf("frame %d: the other world holds %d, not %d", frames, held(other), others)
		}
		if frames == 0 && r.Device.Stats().DrawnItems > 5 {
			t.Errorf("%d items are drawn after the world closed", r.Device.Stats().DrawnItems)
		}
		if frames++; frames > 2000 {
			t.Fatal("it does not end")
		}
	}
	if want := crates / int(budget.Max[work.Retirements]); frames < want {
		t.Errorf("%d frames for %d crates, at least %d expected", frames, crates, want)
	}
	if retired < crates {
		t.Errorf("%d retirements were charged for %d crates", retired, crates)
	}
	if n := held(w); n != 0 {
		t.Errorf("%d holds are left", n)
	}
	for i := range 5 {
		key := assets.Key{Stem: fmt.Sprintf("crate%d#mesh", i), Kind: assets.KindMesh}
		if why, _ := r.Session.Why(key); len(why.Entities) != 1 || why.Others != 0 {
			t.Errorf("%s: %d holders, %d retains of nobody", key, len(why.Entities), why.Others)
		}
	}
}

// A session that ends lets go of everything, also of worlds that were on
// their way.
func TestSessionCloseEndsRetirement(t *testing.T) {
	r := sojourntest.Open(t, crowdContent(), sojourntest.Options{})
	w := crowd(t, r, "w", 300)
	if err := r.Session.Meter().SetBudget(work.Literal()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r.Frame()
	if n := len(r.Session.Retiring(nil)); n != 1 {
		t.Fatalf("%d worlds are retiring", n)
	}
	if r.Session.Idle() {
		t.Error("idle while a world retires")
	}
	if err := r.Session.Close(); err != nil {
		t.Error(err)
	}
	if n := w.Set().Ledger.Live(); n != 0 {
		t.Errorf("%d holds are left", n)
	}
}

// Retiring allocates nothing.
func TestRetiringAllocatesNothing(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	r := sojourntest.Open(t, crowdContent(), sojourntest.Options{})
	w := crowd(t, r, "w", 2000)
	r.World("other")
	if err := r.Session.Meter().SetBudget(work.Literal()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r.Frame()
	n := testing.AllocsPerRun(10, func() {
		r.Session.Tick(0)
		_ = r.Session.Present(nil)
	})
	if n != 0 || len(r.Session.Retiring(nil)) == 0 {
		t.Errorf("%v allocations a frame, %d worlds are retiring", n, len(r.Session.Retiring(nil)))
	}
}

// Retiring a world of many different assets allocates nothing, from the frame
// that closes it to the last free: what its end needs room for was made room
// for as it grew.
func TestRetiringManyAssetsAllocatesNothing(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	const crates, hums = 500, 20
	c := sojourntest.NewContent()
	for i := range crates {
		c.Crate(fmt.Sprintf("crate%d", i))
	}
	c.Sound("hum", 4800)
	r := sojourntest.Open(t, c, sojourntest.Options{})
	w := r.World("w")
	for i := range 4 * crates {
		if _, err := sojourn.Spawn(w, fmt.Sprintf("crate%d", i%crates), sojourn.At(0, 0, -4)); err != nil {
			t.Fatal(err)
		}
	}
	for range hums {
		if _, err := sojourn.SpawnSound(w, "hum", sojourn.At(0, 0, 0), 1, 10); err != nil {
			t.Fatal(err)
		}
	}
	r.Session.SetActive(r.World("stays")) // what it draws for the first time is not the matter here
	r.Settle()
	if n := r.Session.Residency().Voices; n != hums {
		t.Fatalf("%d sounds are heard, not %d", n, hums)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // nothing else allocates meanwhile
	var before, after runtime.MemStats
	for frame := 0; frame == 0 || !r.Session.Idle(); frame++ {
		var err error
		runtime.ReadMemStats(&before)
		if frame == 0 {
			err = w.Close()
		}
		r.Session.Tick(0)
		_ = r.Session.Present(nil)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if n := after.Mallocs - before.Mallocs; n != 0 {
			t.Errorf("frame %d allocates %d times, %d bytes", frame, n, after.TotalAlloc-before.TotalAlloc)
		}
		if frame > 500 {
			t.Fatal("it does not end")
		}
	}
}

// The list of worlds that somebody goes through stays as it was while the
// worlds on it close and others open.
func TestWorldsCloseInsideALoopOverThem(t *testing.T) {
	r := sojourntest.Open(t, sojourntest.NewContent(), sojourntest.Options{})
	var want, got []*sojourn.World
	for i := range 5 {
		want = append(want, r.World(fmt.Sprint(i)))
	}
	for i, w := range r.Session.Worlds() {
		got = append(got, w)
		if i == 2 {
			continue
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r.World(fmt.Sprint("new", i))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the loop went over %d worlds that were not those at its beginning", len(got))
	}
	names := ""
	for _, w := range r.Session.Worlds() {
		names += w.Name() + " "
	}
	if names != "2 new0 new1 new3 new4 " {
		t.Errorf("open are %s", names)
	}
}
