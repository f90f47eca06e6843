package assets_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	text  = assets.KindBlob
	other = assets.KindMesh
)

var ctx = context.Background()

// bench is one store over one memory source.
type bench struct {
	*assets.Store
	t     testing.TB
	src   *assetstest.Source
	texts *assets.Residency[assetstest.Text]
}

// open makes a store that is checked and closed when the test ends.
func open(t testing.TB, o assets.Options) *bench {
	t.Helper()
	src := assetstest.NewSource("memory.pack")
	o.Kinds = append(o.Kinds, assetstest.TextKind(text, "text", ".txt"), assetstest.TextKind(other, "other", ".other"))
	o.Sources = append(o.Sources, src)
	if o.Workers == 0 {
		o.Workers = 2
	}
	s, err := assets.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Store: s, t: t, src: src, texts: assets.Of[assetstest.Text](s, text)}
	t.Cleanup(func() {
		if !t.Failed() {
			assetstest.CheckLeaks(t, s)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		assetstest.CheckSource(t, src)
	})
	return b
}

func key(stem string) assets.Key { return assets.Key{Stem: stem, Kind: text} }

func (b *bench) name(stem string) assets.Handle {
	b.t.Helper()
	h, err := b.Name(key(stem))
	if err != nil {
		b.t.Fatal(err)
	}
	return h
}

func (b *bench) retain(stem string) assets.Handle {
	b.t.Helper()
	h, err := b.Retain(ctx, key(stem))
	if err != nil {
		b.t.Fatal(err)
	}
	return h
}

func (b *bench) wantText(h assets.Handle, want string) {
	b.t.Helper()
	p := b.texts.At(h)
	if p == nil {
		b.t.Fatalf("nothing at %#x, state %v", uint64(h), b.State(h))
	}
	if p.String() != want {
		b.t.Errorf("payload %q, want %q", p, want)
	}
}

func (b *bench) wantState(h assets.Handle, want assets.State) {
	b.t.Helper()
	if got := b.State(h); got != want {
		b.t.Errorf("state %v, want %v", got, want)
	}
}

// batch submits a batch of one or more handles.
func (b *bench) batch(o assets.BatchOptions, handles ...assets.Handle) *assets.Batch {
	batch := b.NewBatch(o)
	for _, h := range handles {
		batch.Add(h)
	}
	batch.Submit()
	return batch
}

// until polls as a game loop would. It gives up where a test would hang.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s does not happen", what)
		}
		time.Sleep(20 * time.Microsecond)
	}
}

func waitBatch(t testing.TB, b *assets.Batch) {
	t.Helper()
	until(t, "the batch's end", b.Done)
}
