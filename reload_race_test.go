package sojourn_test

import (
	"runtime"
	"testing"

	"sojourn/assets"
	"sojourn/sojourntest"
)

// What workers bring in between the holders' letting go and the store's reload
// is of the old version: its holders are asked once more, wherever the load
// stood, and the layer is shown.
func TestReload_LandsWhileItIsTakenUp(t *testing.T) {
	changes := assets.Changes{"crate": assets.AllKinds}
	for _, held := range crateFiles(t) {
		t.Run(held, func(t *testing.T) {
			c := sojourntest.NewContent()
			c.Crate("crate")
			c.Scene("hall", "crate", "crate")
			r := sojourntest.Open(t, c, sojourntest.Options{})
			w := r.World("main")
			c.Hold(held)
			load(t, w, sceneRequest("hall"))
			for c.Held(held) == 0 {
				r.Frame()
				runtime.Gosched() // a worker's turn
			}
			store := r.Session.Store()
			touched := r.Session.TakeUp(changes, func() {
				c.LetGo(held)
				r.Await()
			})
			r.Settle()
			if n := w.Counts().Presented; n != 1 {
				t.Errorf("%d layers shown", n)
			}
			if held == "hall.scene" && touched == 0 {
				t.Error("nothing landed meanwhile")
			}
			var snap assets.Snapshot
			store.Snapshot(&snap)
			for _, row := range snap.Rows {
				if row.State == assets.StateReloadPending {
					t.Errorf("%v is of the old version, held %d times", row.Key, row.Refs)
				}
			}
			r.Close()
		})
	}
}

// crateFiles are the entries that a hall of crates is loaded from.
func crateFiles(t *testing.T) (names []string) {
	t.Helper()
	c := sojourntest.NewContent()
	c.Crate("crate")
	c.Scene("hall", "crate")
	if err := c.List(func(name string, _ int64) bool { names = append(names, name); return true }); err != nil {
		t.Fatal(err)
	}
	return names
}
