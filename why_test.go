package sojourn_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/loose"
	"sojourn/gpu"
)

// Every retain has a holder with a name, at every moment of loading, and what
// a game holds itself is what is left.
func TestWhy_NamesEveryHolder(t *testing.T) {
	l := folderLive(t, box(t, 3))
	l.spawnBox()
	for _, stem := range []string{"sounds/hum", "skin"} {
		if _, err := sojourn.SpawnSound(l.w, stem, sojourn.At(0, 0, 0), 1, 10); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := sojourn.SpawnSkybox(l.w, "sky/day"); err != nil {
		t.Fatal(err)
	}
	var snap sojourn.Snapshot
	check := func() (resident int) {
		t.Helper()
		l.s.Snapshot(&snap)
		for _, row := range snap.Store.Rows {
			w, ok := l.s.Why(row.Key)
			if !ok {
				continue // it went in between
			}
			if w.Others != 0 {
				t.Errorf("%s: %d retains of nobody: %v, %+v", row.Key, w.Others, w.Why, w)
			}
			if w.Refs > 0 {
				resident++
			}
		}
		return resident
	}
	for range 40 {
		l.frame()
		check()
	}
	l.await("all is there", func() bool { return l.drawn(3)() && l.s.Mixer().Voices() == 2 && l.s.Idle() })
	if n := check(); n < 6 {
		t.Errorf("only %d assets are held", n)
	}
	h := l.handle(assets.KindMesh, "box#side")
	l.s.Store().TryRetain(h)
	if w, _ := l.s.Why(assets.Key{Stem: "box#side", Kind: assets.KindMesh}); w.Others != 1 || len(w.Entities) != 1 {
		t.Errorf("%+v", w)
	}
	l.s.Store().Release(h)
}

func TestWhy_ColdPositionAndLastFree(t *testing.T) {
	l := folderLive(t, box(t, 3))
	store := l.s.Store()
	for _, stem := range []string{"skin", "sky/day"} {
		h, err := store.Retain(t.Context(), assets.Key{Stem: stem, Kind: assets.KindTexture})
		if err != nil {
			t.Fatal(err)
		}
		store.Release(h)
	}
	for i, stem := range []string{"skin", "sky/day"} {
		w, _ := l.s.Why(assets.Key{Stem: stem, Kind: assets.KindTexture})
		if w.ColdAt != i+1 || w.ColdOf != 2 || !strings.Contains(w.String(), "cold, number") {
			t.Errorf("%+v", w)
		}
	}
	store.SetKeepAlive(0)
	w, ok := l.s.Why(assets.Key{Stem: "skin", Kind: assets.KindTexture})
	if ok || w.LastFreed == nil || w.LastFreed.Reason != assets.FreeFlushed {
		t.Errorf("%v, %+v", ok, w.LastFreed)
	}
}

// Polling as a panel does allocates nothing once the buffers have grown.
func TestSnapshot_PollingAllocatesNothing(t *testing.T) {
	l := folderLive(t, box(t, 3))
	l.spawnBox()
	l.await("the box is drawn", func() bool { return l.drawn(3)() && l.s.Idle() })
	var snap sojourn.Snapshot
	l.s.Snapshot(&snap)
	if n := testing.AllocsPerRun(50, func() { l.s.Snapshot(&snap) }); n != 0 {
		t.Errorf("a snapshot allocates %v times", n)
	}
	if assets.Diagnostics && len(snap.Store.Rows) < 4 {
		t.Errorf("%d rows", len(snap.Store.Rows))
	}
	if len(snap.Sources) != 1 || snap.Sources[0].Name != l.dir {
		t.Errorf("%+v", snap.Sources)
	}
}

// A page tells not compiled from not bound, and leaving it out changes nothing
// else. Run with each of the tags diagnostics_off, _cpu and _gpu.
func TestDiagnostics_Availability(t *testing.T) {
	want := func(compiled bool, otherwise sojourn.Availability) sojourn.Availability {
		if compiled {
			return otherwise
		}
		return sojourn.NotCompiled
	}
	var none *sojourn.Session
	var snap sojourn.Snapshot
	none.Snapshot(&snap)
	if snap.CPU != want(assets.Diagnostics, sojourn.NotBound) || snap.GPU != want(gpu.Diagnostics, sojourn.NotBound) {
		t.Errorf("without a session: %v, %v", snap.CPU, snap.GPU)
	}
	l := folderLive(t, box(t, 3))
	l.spawnBox()
	l.await("the box is drawn", l.drawn(3))
	l.s.Snapshot(&snap)
	if snap.CPU != want(assets.Diagnostics, sojourn.Bound) || snap.GPU != want(gpu.Diagnostics, sojourn.Bound) {
		t.Errorf("bound: %v, %v", snap.CPU, snap.GPU)
	}
	if (len(snap.Store.Rows) > 0) != assets.Diagnostics || (snap.Device.Geometries > 0) != gpu.Diagnostics {
		t.Errorf("%d rows, %d geometries", len(snap.Store.Rows), snap.Device.Geometries)
	}
	// Ownership and reload are as ever.
	l.save("box#side.mesh", meshOf(t, 5))
	l.await("reloaded", l.drawn(5))
	l.await("what loaded it let go", func() bool {
		return l.s.Store().Refs(l.handle(assets.KindMesh, "box#side")) == 1
	})
}

func TestClose_ReportsWhatIsHeld(t *testing.T) {
	dir := t.TempDir()
	for name, data := range box(t, 3) {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), data)
	}
	src, err := loose.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := sojourn.Open(sojourn.Options{Sources: []assets.Source{src}, Device: newSpy()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store().Retain(t.Context(), assets.Key{Stem: "skin", Kind: assets.KindTexture}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); !errors.Is(err, assets.ErrHeld) || !strings.Contains(err.Error(), "texture:skin x1") {
		t.Errorf("%v", err)
	}
}
