package assets_test

import (
	"testing"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

func TestBusyWhileAJobRunsOrWaits(t *testing.T) {
	src := assetstest.NewSource("memory")
	src.SetText("a.text", "one")
	src.SetText("b.text", "two")
	s, err := assets.Open(assets.Options{
		Kinds:   []assets.KindSpec{assetstest.TextKind(assets.KindBlob, "text", ".text")},
		Sources: []assets.Source{src}, Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.Busy() {
		t.Error("a new store is busy")
	}
	src.Hold("a.text")
	b := s.NewBatch(assets.BatchOptions{Owner: "test"})
	for _, stem := range []string{"a", "b"} {
		h, err := s.Name(assets.Key{Stem: stem, Kind: assets.KindBlob})
		if err != nil {
			t.Fatal(err)
		}
		b.Add(h)
		s.Forget(h)
	}
	b.Submit()
	src.WaitHeld("a.text") // one runs, one waits
	if !s.Busy() {
		t.Error("not busy with a decode held and another in the queue")
	}
	src.LetGo("a.text")
	for s.Busy() {
	}
	if !b.Done() {
		t.Error("no longer busy, and the batch is not done")
	}
	b.Cancel()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestSettledStates(t *testing.T) {
	for st, want := range map[assets.State]bool{
		assets.StateStale: true, assets.StateUnloaded: false, assets.StateQueued: false, assets.StateDecoding: false,
		assets.StateResident: true, assets.StateFailed: true, assets.StateMissing: true,
		assets.StateReloadPending: false, assets.StatePending: false,
	} {
		if st.Settled() != want {
			t.Errorf("%v: settled %v", st, !want)
		}
	}
}

// A worker that follows the needs of what has landed is at work: it holds a
// retain, and has jobs to add.
func TestBusyWhileNeedsAreFollowed(t *testing.T) {
	src := assetstest.NewSource("memory")
	src.SetText("a.text", "one")
	asked, goOn := make(chan struct{}), make(chan struct{})
	spec := assets.NewKindSpec(assets.KindOptions[string]{
		Kind: assets.KindBlob, Name: "text", Suffixes: []string{".text"},
		Decode: func(l *assets.Load, out *string) error {
			b, err := l.ReadAll()
			if err == nil {
				*out = string(b.Slice())
				b.Free()
			}
			return err
		},
		Size: func(*string) assets.Footprint { return assets.Footprint{OwnedBytes: 1} },
		Needs: func(*string, func(assets.Key)) {
			close(asked)
			<-goOn
		},
	})
	s, err := assets.Open(assets.Options{Kinds: []assets.KindSpec{spec}, Sources: []assets.Source{src}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	h, err := s.Name(assets.Key{Stem: "a", Kind: assets.KindBlob})
	if err != nil {
		t.Fatal(err)
	}
	b := s.NewBatch(assets.BatchOptions{Owner: "test", Closure: true})
	b.Add(h)
	b.Submit()
	<-asked
	if !s.Busy() || b.Done() {
		t.Errorf("busy %v, done %v while a worker looks for needs", s.Busy(), b.Done())
	}
	close(goOn)
	for s.Busy() {
	}
	if !b.Done() {
		t.Error("no longer busy, and the batch is not done")
	}
	b.Cancel()
	s.Forget(h)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
