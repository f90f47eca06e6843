package assets_test

import (
	"fmt"
	"testing"
	"time"

	"sojourn/assets"
)

// comeAndGo loads an asset and lets it go.
func (b *bench) comeAndGo(k assets.Key) {
	b.t.Helper()
	h, err := b.Retain(ctx, k)
	if err != nil {
		b.t.Fatal(err)
	}
	b.Release(h)
}

func (b *bench) thrash() []assets.ThrashRow {
	var snap assets.Snapshot
	b.Snapshot(&snap)
	if len(snap.Thrash) > snap.Stats.ThrashCount {
		b.t.Errorf("%d rows of %d", len(snap.Thrash), snap.Stats.ThrashCount)
	}
	return snap.Thrash
}

func needsDiagnostics(t *testing.T) {
	t.Helper()
	if !assets.Diagnostics {
		t.Skip("diagnostics are not compiled in")
	}
}

func TestThrashIsSixTimesInFiveSeconds(t *testing.T) {
	needsDiagnostics(t)
	for name, tt := range map[string]struct {
		every time.Duration
		times int
		want  int // Times of the row; 0: none
	}{
		"five times":               {time.Millisecond, 5, 0},
		"six times":                {time.Millisecond, 6, 6},
		"six times in exactly 5 s": {time.Second, 6, 6},
		"too slow":                 {time.Second + time.Millisecond, 40, 0},
		"goes on":                  {500 * time.Millisecond, 20, 20},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, assets.Options{})
			b.src.SetText("a.txt", "a")
			for i := range tt.times {
				b.NoteTime(time.Duration(i) * tt.every)
				b.comeAndGo(key("a"))
			}
			got := b.thrash()
			if tt.want == 0 && len(got) == 0 {
				return
			}
			if len(got) != 1 || got[0] != (assets.ThrashRow{Key: key("a"), Cause: "released, and nothing is kept alive", Times: tt.want}) {
				t.Errorf("%+v, want %d times", got, tt.want)
			}
		})
	}
}

func TestThrashNamesItsCause(t *testing.T) {
	needsDiagnostics(t)
	b := open(t, assets.Options{KeepAliveBytesMax: 10})
	b.src.SetText("a.txt", "eight by")
	b.src.SetText("b.txt", "eight by")
	b.src.SetText("large.txt", "more than ten bytes")
	b.src.SetText("file.txt", "x")
	made := b.name("made")
	defer b.Forget(made)
	for i := range assets.ThrashTimes + 1 { // the last eviction needs one more to come
		b.NoteTime(time.Duration(i) * 100 * time.Millisecond)
		b.comeAndGo(key("a"))
		b.comeAndGo(key("b"))
		if i == assets.ThrashTimes {
			break
		}
		b.comeAndGo(key("large"))
		b.comeAndGo(key("file"))
		b.Reload("file", assets.Kinds(text))
		b.NoteWent(made, "a window")
		b.NoteWent(0, "of nothing")
	}
	causes := map[string]string{}
	for _, row := range b.thrash() {
		causes[row.Key.Stem] = row.Cause
	}
	for stem, want := range map[string]string{
		"a": "evicted by the keep-alive budget", "b": "evicted by the keep-alive budget",
		"large": "larger than the keep-alive budget", "made": "a window",
	} {
		if causes[stem] != want {
			t.Errorf("%s by %q, want %q", stem, causes[stem], want)
		}
	}
	if len(causes) < 4 {
		t.Errorf("%v", causes)
	}
}

func TestThrashByReload(t *testing.T) {
	needsDiagnostics(t)
	b := open(t, assets.Options{KeepAliveBytesMax: 100})
	b.src.SetText("a.txt", "a")
	for i := range assets.ThrashTimes {
		b.NoteTime(time.Duration(i) * time.Millisecond)
		b.comeAndGo(key("a"))
		b.Reload("a", assets.Kinds(text))
	}
	if got := b.thrash(); len(got) != 1 || got[0].Cause != "reload" {
		t.Errorf("%+v", got)
	}
}

// TestThrashWithoutAClock: a store that is never told the time counts none.
func TestThrashWithoutAClock(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "a")
	for range 4 * assets.ThrashTimes {
		b.comeAndGo(key("a"))
	}
	if got := b.thrash(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestThrashIsBounded: whatever goes by, the memory is the same, nothing is
// allocated, and what goes most is still found.
func TestThrashIsBounded(t *testing.T) {
	needsDiagnostics(t)
	b := open(t, assets.Options{})
	var many []assets.Handle
	for i := range 6000 {
		many = append(many, b.name(fmt.Sprintf("passing/%d", i)))
	}
	often := b.name("often")
	now := time.Duration(0)
	round := func() {
		now += time.Millisecond
		b.NoteTime(now)
		for i, h := range many {
			b.NoteWent(h, "passes")
			if i%100 == 0 {
				b.NoteWent(often, "a window")
			}
		}
	}
	round()
	found := false
	for _, row := range b.thrash() {
		found = found || row.Key == key("often")
	}
	if !found {
		t.Error("what went sixty times among others is not found")
	}
	if n := testing.AllocsPerRun(5, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if got := b.thrash(); len(got) > 32 {
		t.Errorf("%d rows", len(got))
	}
	for _, h := range append(many, often) {
		b.Forget(h)
	}
}
