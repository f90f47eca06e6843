package assets_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

func TestOpen_SixtyFourKindsAndNoMore(t *testing.T) {
	var specs []assets.KindSpec
	for k := range assets.Kind(assets.KindsMax) {
		specs = append(specs, assetstest.TextKind(k, fmt.Sprint("kind ", k), fmt.Sprintf(".k%d", k)))
	}
	src := assetstest.NewSource("memory.pack")
	src.SetText("a.k63", "the last")
	s, err := assets.Open(assets.Options{Kinds: specs, Sources: []assets.Source{src}})
	if err != nil {
		t.Fatal(err)
	}
	h, err := s.Retain(ctx, assets.Key{Stem: "a", Kind: assets.KindsMax - 1})
	if err != nil || assets.Of[assetstest.Text](s, assets.KindsMax-1).At(h).String() != "the last" {
		t.Error(err)
	}
	s.Release(h)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	one := assetstest.TextKind(assets.KindsMax, "one more", ".more")
	if _, err := assets.Open(assets.Options{Kinds: append(specs, one)}); !errors.Is(err, assets.ErrUnknownKind) {
		t.Errorf("one more: %v", err)
	}
	again := assetstest.TextKind(assets.KindsMax-1, "again", ".again")
	if _, err := assets.Open(assets.Options{Kinds: append(specs, again)}); !errors.Is(err, assets.ErrKindTaken) {
		t.Errorf("one again: %v", err)
	}
}

// Blocking retains open only so many entries at once; one more waits, and its
// context ends its wait.
func TestOpenEntries_AreLimited(t *testing.T) {
	b := open(t, assets.Options{Workers: 1})
	const limit = assets.OpenEntriesMax - 64 // the workers have the rest
	var wg sync.WaitGroup
	retain := func(ctx context.Context, stem string, want error) {
		h, err := b.Retain(ctx, key(stem))
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", stem, err, want)
		}
		if err == nil {
			b.Release(h)
		}
	}
	for i := range limit + 2 {
		b.src.SetText(fmt.Sprintf("f%d.txt", i), "f")
		b.src.Hold(fmt.Sprintf("f%d.txt", i))
	}
	for i := range limit {
		wg.Go(func() { retain(ctx, fmt.Sprintf("f%d", i), nil) })
	}
	until(t, "every turn taken", func() bool { return b.src.Counts().Entries == limit })
	why := errors.New("no patience")
	left, leave := context.WithCancelCause(ctx)
	wg.Go(func() { retain(left, fmt.Sprintf("f%d", limit), why) })
	wg.Go(func() { retain(ctx, fmt.Sprintf("f%d", limit+1), nil) })
	leave(why)
	h := b.name("f0")
	worker := b.batch(assets.BatchOptions{}, h) // a worker has a turn of its own
	until(t, "the worker", func() bool { return b.src.Held("f0.txt") == 2 })
	if n := b.src.Counts().Entries; n != limit+1 {
		t.Errorf("%d entries are open, at most %d", n, limit+1)
	}
	for i := range limit + 2 {
		b.src.LetGo(fmt.Sprintf("f%d.txt", i))
	}
	wg.Wait()
	waitBatch(t, worker)
	worker.Reset()
	b.Forget(h)
	if c := b.src.Counts(); c.Opens != limit+2 || c.Entries != 0 {
		t.Errorf("%d opens, %d left open", c.Opens, c.Entries)
	}
}

// stored is a source whose entries say that they are stored compressed.
type stored struct{ *assetstest.Source }

type storedEntry struct{ assets.Entry }

func (s stored) Open(name string) (assets.Entry, error) {
	e, err := s.Source.Open(name)
	if err != nil {
		return nil, err
	}
	return storedEntry{e}, nil
}

func (storedEntry) StoredBytes() int64 { return 7 }

// A load reserves its content, its stored bytes and what its kind builds.
func TestAdmission_ReservesAllOfIt(t *testing.T) {
	src := stored{assetstest.NewSource("memory.pack")}
	src.SetText("a.txt", "0123456789")
	spec := assets.NewKindSpec(assets.KindOptions[int]{
		Kind: text, Name: "text", Suffixes: []string{".txt"},
		Decode:       func(*assets.Load, *int) error { return nil },
		Size:         func(*int) assets.Footprint { return assets.Footprint{} },
		StagingBytes: func(sizeBytes int64) int64 { return 100 * sizeBytes },
	})
	s, err := assets.Open(assets.Options{Kinds: []assets.KindSpec{spec}, Sources: []assets.Source{src}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	const want = 10 + 7 + 1000
	h, err := s.Retain(ctx, key("a"))
	if err != nil || s.Stats().InFlightBytesPeak != want {
		t.Errorf("%v, %d bytes reserved, want %d", err, s.Stats().InFlightBytesPeak, want)
	}
	s.Release(h)
	set, err := s.RequestSet("test", 0, key("a"))
	if err != nil {
		t.Fatal(err)
	}
	waitSet(t, set)
	set.Release()
	if st := s.Stats(); st.InFlightBytesPeak != want || st.InFlightBytes+st.UnadoptedBytes != 0 {
		t.Errorf("%d bytes reserved on a worker, want %d; %d left", st.InFlightBytesPeak, want, st.InFlightBytes)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	assetstest.CheckSource(t, src.Source)
}

// Nobody drains: the mailbox stays bounded by the entries that are named, and
// loses nothing somebody waits for.
func TestMailbox_KeepsWhatIsWaitedFor(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 1 << 20})
	b.src.SetText("x.txt", "x")
	b.src.SetText("y.txt", "y")
	x, y := b.name("x"), b.name("y")
	ticket := b.OpenTicket(assets.TicketOptions{})
	for _, h := range []assets.Handle{x, y} {
		if err := b.Require(ticket, h, assets.PhaseDecoded); err != nil {
			t.Fatal(err)
		}
	}
	b.Seal(ticket)
	b.Release(b.retain("y"))
	for range 10000 {
		b.Release(b.retain("x"))
		b.Reload("x", assets.AllKinds)
	}
	b.Release(b.retain("x"))
	if n := b.MailLen(); n > 4096 {
		t.Errorf("%d letters about two entries", n)
	}
	if w := b.Drain(nil); len(w) > 4 || !b.Poll(ticket).Ready {
		t.Errorf("%d wakes, %+v", len(w), b.Poll(ticket))
	}
	b.CloseTicket(ticket)
	b.Forget(x)
	b.Forget(y)
}

// TestInvariant01_CountsAreExactWhenManyCount holds the part of the first
// invariant that one goroutine cannot reach.
func TestInvariant01_CountsAreExactWhenManyCount(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "a")
	h := b.retain("a")
	const goroutines, each, rounds = 4, 20000, 8
	kept := 1
	for range rounds {
		var wg sync.WaitGroup
		start := make(chan struct{})
		for range goroutines {
			wg.Go(func() {
				<-start
				for range each {
					if !b.TryRetain(h) {
						t.Error("invariant 01: a held asset was not retained")
						return
					}
					b.Release(h)
				}
				for range each {
					b.TryRetain(h)
				}
			})
		}
		close(start)
		wg.Wait()
		kept += goroutines * each
		if n := b.Refs(h); n != kept {
			t.Fatalf("invariant 01: %d retains, want %d", n, kept)
		}
	}
	for b.Refs(h) > 0 {
		b.Release(h)
	}
}
