package assets_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"testing"

	"sojourn/assets"
)

// A01: the last user lets go and another asks one tick later.
func TestCaseA01_AskAgainAfterTheLastRelease(t *testing.T) {
	for _, keep := range []int64{0, 512 << 20} {
		for _, ticks := range []int{0, 1} {
			t.Run(fmt.Sprintf("keep %d ticks %d", keep, ticks), func(t *testing.T) {
				b := open(t, assets.Options{KeepAliveBytesMax: keep})
				b.src.SetText("x.txt", "x")
				name := b.name("x")
				first := b.retain("x")
				b.Release(first)
				for range ticks {
					b.Drain(nil)
				}
				b.wantState(name, map[bool]assets.State{true: assets.StateResident, false: assets.StateUnloaded}[keep > 0])
				scope := assets.NewScope(b.Store)
				batch := b.batch(assets.BatchOptions{}, name)
				waitBatch(t, batch)
				batch.Adopt(scope)
				again := b.retain("x")
				b.wantText(again, "x")
				if again != name || b.Refs(again) != 2 {
					t.Errorf("%d refs", b.Refs(again))
				}
				scope.ReleaseAll()
				if b.Refs(again) != 1 || !b.Has(again) {
					t.Errorf("%d refs, state %v", b.Refs(again), b.State(again))
				}
				if st := b.Stats(); keep > 0 && st.Resurrected != 1 || keep == 0 && st.Decodes != 2 {
					t.Errorf("resurrected %d, decodes %d", st.Resurrected, st.Decodes)
				}
				b.Release(again)
				b.Forget(name)
			})
		}
	}
}

// A02: memory pressure between a decode and its requester's own retain.
func TestCaseA02_HandOverIsOneStep(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 8})
	stop, trimmed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(trimmed)
		for {
			select {
			case <-stop:
				return
			default:
				b.Trim()
			}
		}
	}()
	for i := range 20 {
		b.src.SetText(fmt.Sprintf("t%d.txt", i), fmt.Sprintf("payload %d", i))
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 100 {
				n := (i + g) % 20
				h, err := b.Retain(ctx, key(fmt.Sprintf("t%d", n)))
				if err != nil {
					t.Error(err)
					return
				}
				if p := b.texts.At(h); p == nil || p.String() != fmt.Sprintf("payload %d", n) {
					t.Errorf("retained and dead: %v", p)
				}
				b.Release(h)
			}
		})
	}
	for range 20 {
		batch := b.NewBatch(assets.BatchOptions{})
		for i := range 20 {
			h := b.name(fmt.Sprintf("t%d", i))
			batch.Add(h)
			b.Forget(h)
		}
		batch.Submit()
		waitBatch(t, batch)
		scope := assets.NewScope(b.Store)
		if n := batch.Adopt(scope); n != 20 {
			t.Errorf("adopted %d: %v", n, batch.Failures())
		}
		scope.ReleaseAll()
	}
	wg.Wait()
	close(stop)
	<-trimmed
}

// A03: a part that does not exist, a broken parent, the wrong kind.
func TestCaseA03_RequirementsEndFailed(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("box#side.txt", "fine")
	b.src.SetText("broken#side.txt", "!corrupt")
	b.src.SetText("panics#side.txt", "!panic")
	wrong, err := b.Name(assets.Key{Stem: "box#side", Kind: other})
	if err != nil {
		t.Fatal(err)
	}
	want := map[assets.Handle]error{
		b.name("box#nope"): assets.ErrMissing, b.name("broken#side"): assets.ErrCorrupt,
		b.name("panics#side"): assets.ErrDecoderPanic, wrong: assets.ErrMissing, b.name("box#side"): nil,
	}
	ticket := b.OpenTicket(assets.TicketOptions{Owner: "gate"})
	batch := b.NewBatch(assets.BatchOptions{})
	for h := range want {
		if err := b.Require(ticket, h, assets.PhaseDecoded); err != nil {
			t.Fatal(err)
		}
		batch.Add(h)
	}
	b.Seal(ticket)
	batch.Submit()
	until(t, "the gate", func() bool { b.Drain(nil); return b.Poll(ticket).Ready })
	if st := b.Poll(ticket); st.Required != 5 || st.Satisfied != 5 || st.Failed != 4 {
		t.Errorf("%+v", st)
	}
	waitBatch(t, batch)
	failures := batch.Failures()
	if len(failures) != 4 {
		t.Errorf("failures %v", failures)
	}
	for _, f := range failures {
		if !errors.Is(f.Err, want[f.Handle]) || b.Failure(f.Handle) != f.Err {
			t.Errorf("%v: %v", f.Key, f.Err)
		}
		for _, part := range []string{f.Key.String(), "memory.pack"} {
			if strings.Count(f.Err.Error(), part) != 1 {
				t.Errorf("%q does not name %q once", f.Err, part)
			}
		}
	}
	b.CloseTicket(ticket)
	batch.Cancel()
	for h := range want {
		b.Forget(h)
	}
	if n := b.Stats().Entries; n != 0 {
		t.Errorf("%d stray entries", n)
	}
	b.src.SetText("broken#side.txt", "mended")
	b.Release(b.retain("broken#side"))
}

// A04: dependencies on a pool of one and two, by two routes, and in a circle.
func TestCaseA04_DependenciesNeverWaitForAWorker(t *testing.T) {
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			b := open(t, assets.Options{Workers: workers})
			b.src.SetText("s2.txt", "> s1\n> script\n> s1")
			b.src.SetText("script.txt", "> s1\n")
			b.src.SetText("s1.txt", "leaf")
			s2 := b.name("s2")
			batch := b.batch(assets.BatchOptions{Closure: true}, s2)
			waitBatch(t, batch)
			if f := batch.Failures(); len(f) != 0 {
				t.Fatal(f)
			}
			scope := assets.NewScope(b.Store)
			if n := batch.Adopt(scope); n != 3 || b.Stats().Decodes != 3 {
				t.Errorf("adopted %d of 3, %d decodes", n, b.Stats().Decodes)
			}
			// All of it in memory: the closure is followed all the same.
			batch.Reset()
			batch.Add(s2)
			batch.Submit()
			waitBatch(t, batch)
			if n := batch.Adopt(scope); n != 3 || b.Stats().Decodes != 3 {
				t.Errorf("adopted %d of 3 again, %d decodes", n, b.Stats().Decodes)
			}
			scope.ReleaseAll()

			b.src.SetText("a.txt", "> b")
			b.src.SetText("b.txt", "> c")
			b.src.SetText("c.txt", "> a\n> nope\n> bad\\stem\n> 63:x")
			b.src.SetText("self.txt", "> self")
			ring := b.NewBatch(assets.BatchOptions{Closure: true})
			a, self := b.name("a"), b.name("self")
			ring.Add(a)
			ring.Add(self)
			ring.Submit()
			waitBatch(t, ring)
			var texts []string
			for _, f := range ring.Failures() {
				texts = append(texts, f.Err.Error())
			}
			all := strings.Join(texts, "\n")
			for _, part := range []string{
				"dependency cycle: blob:c -> blob:a -> blob:b -> blob:c", "dependency cycle: blob:self -> blob:self",
				"blob:nope: asset missing", "bad stem", "unknown kind",
			} {
				if !strings.Contains(all, part) {
					t.Errorf("no %q in\n%s", part, all)
				}
			}
			if n := ring.Adopt(scope); n != 4 || len(texts) != 5 {
				t.Errorf("adopted %d, failures\n%s", n, all)
			}
			scope.ReleaseAll()
			for _, h := range []assets.Handle{a, self, s2} {
				b.Forget(h)
			}
		})
	}
}

// A05: saves come faster than they are adopted, while holders come and go.
func TestCaseA05_RapidSaves(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 1 << 20})
	seed := rand.Int63()
	t.Log("seed", seed)
	rng := rand.New(rand.NewSource(seed))
	b.src.SetText("x.txt", "0")
	x := b.name("x")
	scope := assets.NewScope(b.Store)
	batch := b.NewBatch(assets.BatchOptions{})
	last := ""
	for i := range 400 {
		last = fmt.Sprint(i)
		b.src.SetText("x.txt", last)
		b.Reload("x", assets.AllKinds)
		if rng.Intn(2) == 0 {
			scope.ReleaseAll()
		}
		if rng.Intn(2) == 0 && batch.Done() {
			batch.Adopt(scope)
			batch.Reset()
			batch.Add(x)
			batch.Submit()
		}
		if rng.Intn(3) == 0 {
			waitBatch(t, batch)
			batch.Adopt(scope)
		}
	}
	scope.ReleaseAll()
	waitBatch(t, batch)
	batch.Reset()
	for _, want := range []string{last, "one more"} {
		b.src.SetText("x.txt", want)
		b.Reload("x", assets.AllKinds)
		h := b.retain("x")
		b.wantText(h, want)
		if b.Refs(h) != 1 {
			t.Errorf("%d refs", b.Refs(h))
		}
		b.Release(h)
	}
	b.Forget(x)
}

func TestRetain_ContextEndsTheLoad(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.Set("big.txt", make([]byte, 3*assets.ChunkBytesMax))
	b.src.Hold("big.txt")
	why := errors.New("the player left")
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan error)
	go func() {
		_, err := b.Retain(ctx, key("big"))
		done <- err
	}()
	b.src.WaitHeld("big.txt")
	cancel(why)
	b.src.LetGo("big.txt")
	if err := <-done; !errors.Is(err, why) {
		t.Error(err)
	}
	if n := len(b.src.Ranges("big.txt")); n != 1 {
		t.Errorf("%d reads after the end", n)
	}
	if n := b.Stats().Entries; n != 0 {
		t.Errorf("%d entries", n)
	}
	b.Release(b.retain("big"))
}
