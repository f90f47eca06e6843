package assets_test

import (
	"errors"
	"testing"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

// FuzzHandle hands made-up handles to every method that takes one: each that
// the store did not give out is refused, and nothing that is there changes.
func FuzzHandle(f *testing.F) {
	s, err := assets.OpenManual(assets.Options{Kinds: []assets.KindSpec{
		assetstest.TextKind(text, "text", ".txt"), assetstest.TextKind(other, "other", ".other"),
	}, KeepAliveBytesMax: 1 << 20})
	if err != nil {
		f.Fatal(err)
	}
	src := assetstest.NewSource("memory.pack")
	if err := s.AddSource(src); err != nil {
		f.Fatal(err)
	}
	given := map[assets.Handle]bool{}
	for _, k := range []assets.Key{{Stem: "a", Kind: text}, {Stem: "b", Kind: text}, {Stem: "a", Kind: other}} {
		src.SetText("a.txt", "held")
		src.SetText("b.txt", "cold")
		src.SetText("a.other", "held too")
		h, err := s.Retain(ctx, k)
		if err != nil {
			f.Fatal(err)
		}
		given[h] = true
		if k.Stem == "b" {
			s.Release(h)
		}
		f.Add(uint64(h))
		f.Add(uint64(h) ^ 1<<58) // another kind
		f.Add(uint64(h) ^ 1)
		f.Add(uint64(h) + 1<<32)
	}
	for _, h := range []uint64{0, 1, 1 << 32, 1<<64 - 1, 1<<32 | (1<<26 - 1), 1<<32 | 5119, 1<<32 | 5120, 63<<58 | 1<<32, 1<<32 | 1<<26, 1<<32 | 1<<31} {
		f.Add(h)
	}
	var before assets.Snapshot
	s.Snapshot(&before)
	reads, batch, scope := s.NewReads("fuzz", 1), s.NewBatch(assets.BatchOptions{Closure: true}), assets.NewScope(s)
	ticket := s.OpenTicket(assets.TicketOptions{})
	texts, others := assets.Of[assetstest.Text](s, text), assets.Of[assetstest.Text](s, other)
	f.Fuzz(func(t *testing.T, bits uint64) {
		h := assets.Handle(bits)
		if given[h] {
			return
		}
		_, known := s.KeyOf(h)
		_, one := assets.TryRetainOne(texts, h)
		if known || one || s.Has(h) || s.TryRetain(h) || s.Pin(h) || scope.TryRetain(h) || s.OnDevice(h) ||
			s.State(h) != assets.StateStale || s.Refs(h) != 0 || s.Failure(h) != nil || texts.At(h) != nil || others.At(h) != nil {
			t.Errorf("handle %#x was answered", bits)
		}
		s.Unpin(h)
		s.Forget(h)
		texts.Remeasure(h)
		for p := range assets.Phase(5) {
			s.NotePhase(h, p)
		}
		if !assets.InvariantsOn {
			s.Release(h)
		}
		if err := s.Require(ticket, h, assets.PhaseDecoded); !errors.Is(err, assets.ErrStale) {
			t.Errorf("ticket: %v", err)
		}
		if err := s.Require(assets.Ticket(bits|1<<63), h, assets.PhaseDecoded); !errors.Is(err, assets.ErrStale) {
			t.Errorf("a made-up ticket: %v", err)
		}
		if err := reads.Submit(h, 0, 1, 0, 0); !errors.Is(err, assets.ErrStale) {
			t.Errorf("read: %v", err)
		}
		batch.Reset()
		batch.Add(h)
		batch.Submit()
		if fails := batch.Failures(); !batch.Done() || len(fails) != 1 || !errors.Is(fails[0].Err, assets.ErrStale) {
			t.Errorf("batch: %v", fails)
		}
		var after assets.Snapshot
		s.Snapshot(&after)
		if len(after.Rows) != len(before.Rows) {
			t.Fatalf("%d rows, were %d", len(after.Rows), len(before.Rows))
		}
		for i, row := range after.Rows {
			if row != before.Rows[i] {
				t.Errorf("handle %#x changed %v to %v", bits, before.Rows[i], row)
			}
		}
	})
}
