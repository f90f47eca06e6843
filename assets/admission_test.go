package assets_test

import (
	"testing"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

// While something runs, no number of looks lets anything in over the ceiling.
func TestAdmission_LookingDoesNotTire(t *testing.T) {
	b := open(t, assets.Options{Workers: 2, InFlightBytesMax: 100})
	for _, stem := range []string{"gate", "a"} {
		b.src.Set(stem+".txt", make([]byte, 90))
	}
	gate, a := b.name("gate"), b.name("a")
	b.src.Hold("gate.txt")
	first := b.batch(assets.BatchOptions{}, gate)
	b.src.WaitHeld("gate.txt")
	second := b.batch(assets.BatchOptions{}, a)
	for range 10_000 {
		b.Drain(nil)
		if second.Done() {
			t.Fatal("it is there")
		}
	}
	if st := b.Stats(); st.LetIn != 0 || st.InFlightBytesPeak > 100 {
		t.Errorf("%d let in, peak %d", st.LetIn, st.InFlightBytesPeak)
	}
	b.src.LetGo("gate.txt")
	waitBatch(t, first)
	waitBatch(t, second) // alone, though nobody adopted the first
	if st := b.Stats(); st.LetIn != 1 {
		t.Errorf("%d let in", st.LetIn)
	}
	first.Cancel()
	second.Cancel()
	b.Forget(gate)
	b.Forget(a)
}

// One load enters over the ceiling from rest: not at the first look after
// something landed, not when something was adopted in between, and one only.
func TestAdmission_OneEntersFromRest(t *testing.T) {
	src := assetstest.NewSource("memory")
	for _, stem := range []string{"a", "b", "c", "d"} {
		src.Set(stem+".txt", make([]byte, 90))
	}
	s, err := assets.OpenManual(assets.Options{
		Kinds: []assets.KindSpec{assetstest.TextKind(text, "text", ".txt")}, Sources: []assets.Source{src}, InFlightBytesMax: 100,
	})
	if err != nil {
		t.Fatal(err)
	}
	w, scope, batch := s.ManualWorker(), assets.NewScope(s), s.NewBatch(assets.BatchOptions{})
	for _, stem := range []string{"a", "b", "c", "d"} {
		h, err := s.Name(key(stem))
		if err != nil {
			t.Fatal(err)
		}
		batch.Add(h)
		s.Forget(h)
	}
	batch.Submit()
	landed := func(want int, when string) {
		t.Helper()
		for w.RunOne() {
		}
		if done, _ := batch.Progress(); done != want {
			t.Fatalf("%d landed %s, want %d", done, when, want)
		}
	}
	landed(1, "under the ceiling")
	s.Drain(nil)
	landed(1, "after one look")
	batch.AdoptOne(scope)
	landed(2, "once the first was adopted")
	s.Drain(nil)
	landed(2, "after one look since")
	s.Drain(nil)
	landed(3, "from rest")
	s.Drain(nil)
	landed(3, "after one look since")
	if st := s.Stats(); st.LetIn != 1 || st.InFlightBytesPeak != 180 {
		t.Errorf("%d let in, peak %d", st.LetIn, st.InFlightBytesPeak)
	}
	batch.Adopt(scope)
	landed(4, "once everything was adopted")
	batch.Cancel()
	scope.ReleaseAll()
	if err := s.Close(); err != nil || s.Stats().LetIn != 1 {
		t.Errorf("%v, %d let in", err, s.Stats().LetIn)
	}
}
