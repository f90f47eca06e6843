package mips_test

import (
	"math/rand/v2"
	"testing"

	"sojourn/assets"
	"sojourn/gpu/mips"
)

func chainOf(w, h int32) *assets.Texture {
	t := &assets.Texture{Width: w, Height: h}
	for {
		t.Mips[t.Levels] = assets.MipSpan{Width: w, Height: h, SizeBytes: int64(w) * int64(h) * 4}
		t.Levels++
		if w == 1 && h == 1 {
			return t
		}
		w, h = max(1, w/2), max(1, h/2)
	}
}

func TestBytesAreThoseOfTheLevels(t *testing.T) {
	c := chainOf(8, 4)
	for base, want := range []int64{(32 + 8 + 2 + 1) * 4, (8 + 2 + 1) * 4, (2 + 1) * 4, 4} {
		if got := mips.Bytes(c, int32(base)); got != want {
			t.Errorf("from level %d: %d bytes, want %d", base, got, want)
		}
	}
	if mips.TailBytes(c) != mips.Bytes(c, 0) {
		t.Error("a chain of four levels is all tail")
	}
	if big := chainOf(1024, 1024); mips.TailBytes(big) != (64+16+4+1)*4 {
		t.Errorf("tail of %d bytes", mips.TailBytes(big))
	}
}

func TestAdmitTakesTheFinestThatFitsAndKeepsRoomForTails(t *testing.T) {
	c := chainOf(256, 256) // 262,144 bytes in level 0
	l := mips.Limit{BytesMax: 1 << 20}
	tests := []struct {
		name string
		used int64
		base int32
		ok   bool
	}{
		{"empty", 0, 0, true},
		{"exactly full detail", l.BytesMax - l.TailsBytes() - mips.Bytes(c, 0), 0, true},
		{"one byte short of it", l.BytesMax - l.TailsBytes() - mips.Bytes(c, 0) + 1, 1, true},
		{"room for tails only", l.BytesMax - l.TailsBytes(), c.TailStart(), true},
		{"exactly one tail", l.BytesMax - l.DemoteRoomBytes() - mips.TailBytes(c), c.TailStart(), true},
		{"no tail", l.BytesMax - l.DemoteRoomBytes() - mips.TailBytes(c) + 1, c.TailStart(), false},
		{"over", l.BytesMax + 1, c.TailStart(), false},
	}
	for _, tt := range tests {
		if base, ok := l.Admit(c, tt.used); ok != tt.ok || base != tt.base {
			t.Errorf("%s: level %d %v, want %d %v", tt.name, base, ok, tt.base, tt.ok)
		}
	}
}

func TestUpgradeLeavesSlack(t *testing.T) {
	c := chainOf(256, 256)
	l := mips.Limit{BytesMax: 1 << 20}
	edge := l.BytesMax - l.TailsBytes() - l.SlackBytes() - mips.Bytes(c, 0)
	if base, ok := l.Upgrade(c, edge, 3); !ok || base != 0 {
		t.Errorf("at the edge: %d %v", base, ok)
	}
	if base, ok := l.Upgrade(c, edge+1, 3); !ok || base != 1 {
		t.Errorf("past the edge: %d %v, want a partial upgrade", base, ok)
	}
	if _, ok := l.Upgrade(c, edge+1, 1); ok {
		t.Error("an upgrade that gains nothing")
	}
	if _, ok := l.Upgrade(c, 0, 0); ok {
		t.Error("an upgrade past full detail")
	}
}

func TestDemoteFitsAndGains(t *testing.T) {
	c := chainOf(256, 256)
	l := mips.Limit{BytesMax: 1 << 20}
	full := l.BytesMax - mips.Bytes(c, 3)
	if base, ok := l.Demote(c, full, 0, 1); !ok || base != 3 {
		t.Errorf("demoted to %d %v, want the finest that fits", base, ok)
	}
	if base, ok := l.Demote(c, 0, 0, 1<<30); !ok || base != c.TailStart() {
		t.Errorf("demoted to %d %v, want the tail", base, ok)
	}
	if _, ok := l.Demote(c, 0, c.TailStart(), 1); ok {
		t.Error("the tail was demoted")
	}
	if _, ok := l.Demote(c, l.BytesMax, 0, 1); ok {
		t.Error("a demotion without room for its image")
	}
}

// Whatever is asked in whatever state, an answer never exceeds the budget, is
// never finer than asked for and never coarser than the tail.
func TestAnswersStayWithinTheBudget(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, 0))
	for n := range 20000 {
		c := chainOf(1+r.Int32N(600), 1+r.Int32N(600))
		l := mips.Limit{BytesMax: 1 + r.Int64N(1<<22)}
		used := r.Int64N(l.BytesMax + 1000)
		now := r.Int32N(c.TailStart() + 1)
		check := func(what string, base int32, ok bool, lo, hi int32) {
			if ok && (base < lo || base > hi || used+mips.Bytes(c, base) > l.BytesMax) {
				t.Fatalf("seed %d, step %d: %s: level %d in [%d, %d], %d used of %d, %dx%d", seed, n, what, base, lo, hi, used, l.BytesMax, c.Width, c.Height)
			}
		}
		base, ok := l.Admit(c, used)
		check("admit", base, ok, 0, c.TailStart())
		base, ok = l.Upgrade(c, used, now)
		check("upgrade", base, ok, 0, now-1)
		base, ok = l.Refresh(c, used, now)
		check("refresh", base, ok, now, c.TailStart())
		base, ok = l.Demote(c, used, now, r.Int64N(1<<20))
		check("demote", base, ok, now+1, c.TailStart())
		if l.Fits(c) {
			if _, ok := l.Admit(c, 0); !ok {
				t.Fatalf("seed %d, step %d: fits, but an empty budget refuses it", seed, n)
			}
		}
	}
}
