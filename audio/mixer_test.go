package audio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"sojourn/assets"
)

func TestPlayRefuses(t *testing.T) {
	r := newRig(t, memory{"ok": level(SampleRate, 10, 1)}, Options{})
	missing, err := r.store.Name(assets.Key{Stem: "missing", Kind: assets.KindSound})
	if err != nil {
		t.Fatal(err)
	}
	defer r.store.Forget(missing)
	if _, err := r.Play(missing, flat); !errors.Is(err, ErrNotReady) {
		t.Errorf("a sound that is not resident: %v", err)
	}
	if _, err := r.Play(0, flat); err == nil {
		t.Error("the zero handle plays")
	}
	for _, v := range []Voice{0, 1, 1 << 32, 1<<32 | slotsMax, ^Voice(0)} {
		r.Stop(v)
		r.Move(v, [3]float32{})
		if r.Playing(v) {
			t.Errorf("voice %#x plays", uint64(v))
		}
	}
	if err := r.Mixer.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if _, err := r.Play(r.handle["ok"], flat); !errors.Is(err, assets.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// The caller's retain may go as soon as Play returned.
func TestMixerHoldsItsSounds(t *testing.T) {
	r := newRig(t, memory{"level": level(SampleRate, 100, 100)}, Options{})
	h := r.handle["level"]
	r.play("level", flatLoop)
	r.play("level", flat)
	if n := r.store.Refs(h); n != 2 {
		t.Errorf("%d retains, want ours and one for both voices", n)
	}
	r.store.Release(h)
	delete(r.handle, "level")
	r.left(200)
	r.Sweep()
	if n := r.store.Refs(h); n != 1 {
		t.Errorf("%d retains while a loop plays, want 1", n)
	}
	r.StopOwner(0)
	if r.store.Has(h) {
		t.Error("the sound outlives its last voice")
	}
}

// Whatever its voices are at, stopping an owner leaves none, and no PCM.
func TestInvariant27_NoVoiceOutlivesItsOwner(t *testing.T) {
	r := newRig(t, memory{"level": level(SampleRate, 100, 100), "slow": level(8000, 8000, 100)}, Options{})
	r.play("level", flat)
	r.left(100) // done, not swept
	r.Stop(r.play("level", flatLoop))
	r.play("level", flatLoop)
	r.play("slow", flatLoop) // waits for its PCM
	if n := r.StopOwner(0); n != 4 || r.Voices() != 0 {
		t.Errorf("stopped %d voices, want 4; %d are left", n, r.Voices())
	}
	for r.Stats().Sounds > 0 { // the worker lets go
		r.Sweep()
	}
	r.checkEmpty()
}

func TestStopSoundLetsItGo(t *testing.T) {
	r := newRig(t, memory{"a": level(SampleRate, 100, 100), "b": level(SampleRate, 100, 100)}, Options{})
	r.play("a", flatLoop)
	r.play("a", flat)
	kept := r.play("b", flatLoop)
	if n := r.StopSound(r.handle["a"]); n != 2 {
		t.Errorf("stopped %d voices, want 2", n)
	}
	if n := r.store.Refs(r.handle["a"]); n != 1 || !r.Playing(kept) {
		t.Errorf("%d retains, want ours alone; the other sound plays: %v", n, r.Playing(kept))
	}
	r.StopOwner(0)
}

func TestVoiceIsRefusedAfterItsSlotIsReused(t *testing.T) {
	r := newRig(t, memory{"level": level(SampleRate, 100, 16384)}, Options{})
	old := r.play("level", flat)
	r.left(100)
	r.Sweep()
	next := r.play("level", flatLoop)
	if old.index() != next.index() || old == next {
		t.Fatalf("voices %#x and %#x: want one slot, two generations", uint64(old), uint64(next))
	}
	r.left(500)
	r.Stop(old)
	r.Move(old, [3]float32{100, 0, 0})
	if out := r.left(500); out[499] != 0.5 || r.Playing(old) || !r.Playing(next) {
		t.Errorf("the old voice reached the new one: level %v", out[499])
	}
	r.StopOwner(0)
}

func TestPCMReturnsToZero(t *testing.T) {
	r := newRig(t, memory{
		"as_is":  level(SampleRate, 480, 1),
		"slow":   level(24000, 240, 1),
		"wide":   {SampleRate, 6, make([]int16, 6*480)},
		"stereo": {24000, 2, make([]int16, 2*240)},
	}, Options{})
	for stem, want := range map[string]int64{"as_is": 0, "slow": 960, "wide": 1920, "stereo": 1920} {
		before := r.PCMBytes()
		r.play(stem, flatLoop)
		r.play(stem, flat) // shares
		if got := r.PCMBytes() - before; got != want {
			t.Errorf("%s: %d bytes, want %d", stem, got, want)
		}
	}
	r.settle()
	var sum int64
	for _, row := range r.Snapshot(nil) {
		if row.Voices != 2 || !row.Ready {
			t.Errorf("%+v", row)
		}
		sum += row.PCMBytes
	}
	if sum != r.PCMBytes() || sum != r.Stats().PCMPeakBytes {
		t.Errorf("rows sum to %d, total %d, peak %d", sum, r.PCMBytes(), r.Stats().PCMPeakBytes)
	}
	r.left(480)
	r.Sweep()
	if r.Voices() != 4 || r.PCMBytes() != sum {
		t.Errorf("after the one-shots: %d voices, %d bytes", r.Voices(), r.PCMBytes())
	}
	r.StopOwner(0)
	r.checkEmpty()
}

func TestPCMLimit(t *testing.T) {
	r := newRig(t, memory{"a": level(24000, 240, 1), "b": level(24000, 240, 1)}, Options{PCMBytesMax: 1000})
	v := r.play("a", flatLoop)
	if _, err := r.Play(r.handle["b"], flat); !errors.Is(err, ErrFull) {
		t.Errorf("over the limit: %v", err)
	}
	if r.PCMBytes() > r.PCMBytesMax() {
		t.Errorf("%d bytes, at most %d", r.PCMBytes(), r.PCMBytesMax())
	}
	r.settle()
	r.Stop(v)
	r.left(1000)
	r.Sweep()
	r.play("b", flat)
}

func TestFullMixer(t *testing.T) {
	r := newRig(t, memory{"level": level(SampleRate, 4800, 1)}, Options{})
	quiet := VoiceOptions{Gain: 0.25, Flat: true}
	for range VoicesMax - 1 {
		r.play("level", flatLoop)
	}
	victim := r.play("level", quiet)
	if _, err := r.Play(r.handle["level"], quiet); err != ErrFull {
		t.Errorf("no louder than the quietest: %v, want ErrFull", err)
	}
	r.play("level", flatLoop)
	if r.Playing(victim) || r.Voices() != VoicesMax {
		t.Errorf("the quietest one-shot did not give way: %d voices", r.Voices())
	}
	if _, err := r.Play(r.handle["level"], VoiceOptions{Gain: 4, Flat: true}); err != ErrFull {
		t.Errorf("a loop gave way: %v", err)
	}
	r.StopOwner(0)
}

// A stopped voice goes although the sink never reads.
func TestStopWithAStalledSink(t *testing.T) {
	r := newRig(t, memory{"level": level(SampleRate, 4800, 1)}, Options{})
	r.Stop(r.play("level", flatLoop))
	for range stopSweepsMax + 1 {
		r.Sweep()
	}
	r.checkEmpty()
}

// While a read is under way a cut voice keeps its PCM until that read ended.
func TestCutDuringARead(t *testing.T) {
	r := newRig(t, memory{"level": level(SampleRate, 4800, 1)}, Options{})
	r.play("level", flatLoop)
	r.reads.Add(1) // as if inside Read
	r.StopOwner(0)
	r.Sweep()
	if r.Voices() != 0 || r.Stats().Sounds != 1 {
		t.Errorf("during the read: %+v", r.Stats())
	}
	r.reads.Add(1)
	r.Sweep()
	r.checkEmpty()
}

func TestUnwantedPreparation(t *testing.T) {
	long := level(8000, 8000*2, 1000)
	r := newRig(t, memory{"long": long}, Options{})
	for range 3 { // wanted, unwanted and wanted again while the worker is at it
		r.play("long", flatLoop)
		if n := r.StopOwner(0); n != 1 {
			t.Fatalf("stopped %d", n)
		}
		if r.Voices() != 0 {
			t.Errorf("%d voices", r.Voices())
		}
	}
	v := r.play("long", flatLoop)
	r.settle()
	if !r.Playing(v) || r.left(1000)[999] == 0 {
		t.Error("wanted again, but silent")
	}
	r.StopOwner(0)
	for r.Stats().Sounds > 0 {
		r.Sweep()
	}
	r.play("long", flatLoop) // and closed in the middle
	if err := r.Mixer.Close(); !errors.Is(err, assets.ErrHeld) || !strings.Contains(err.Error(), "long played for owner 0") {
		t.Errorf("Close with a loop: %v", err)
	}
	r.checkEmpty()
}

// rate_11127.wav of the cases: 1.000 s, stereo.
func TestCaseA14_UnusualRateKeepsItsLength(t *testing.T) {
	for _, tt := range []struct{ rate, parts int }{
		{11127, 1}, {8000, 10}, {11025, 15}, {22050, 10}, {44100, 10}, {96000, 10}, {1000, 10}, {384000, 50},
	} {
		rate := tt.rate
		r := newRig(t, memory{"sound": {rate, 2, make([]int16, 2*rate/tt.parts)}}, Options{})
		v := r.play("sound", flat)
		r.settle()
		r.left(SampleRate/tt.parts - 2)
		r.Sweep()
		if !r.Playing(v) {
			t.Errorf("rate %d plays fast", rate)
		}
		r.left(4)
		r.Sweep()
		if r.Playing(v) {
			t.Errorf("rate %d plays slow", rate)
		}
	}
}

// Two sessions in one process, one after the other and side by side.
func TestCaseA20_AudioTwoSessions(t *testing.T) {
	clips := memory{"level": level(44100, 4410, 16384)}
	for range 2 {
		a, b := newRig(t, clips, Options{}), newRig(t, clips, Options{})
		a.play("level", flatLoop)
		a.settle()
		if v := a.left(1000)[999]; !near(v, 0.5, 1e-3) {
			t.Errorf("level %v", v)
		}
		if b.Voices() != 0 || b.left(10)[9] != 0 {
			t.Error("one session hears the other")
		}
		a.StopOwner(0)
		for _, m := range []*rig{a, b} {
			if err := m.Mixer.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			if err := m.Mixer.Close(); err != nil {
				t.Errorf("Close again: %v", err)
			}
		}
	}
}

func TestCaseA20_BadRate(t *testing.T) {
	clips := memory{}
	for _, rate := range []int{0, -1, 999, 384001, 1 << 30} {
		clips[fmt.Sprint("rate", rate)] = level(rate, 10, 1)
	}
	clips["no_channels"] = &clip{SampleRate, 0, nil}
	clips["nine_channels"] = &clip{SampleRate, 9, make([]int16, 9)}
	r := newRig(t, clips, Options{})
	for stem, c := range clips {
		_, err := r.Play(r.handle[stem], flat)
		if !errors.Is(err, ErrBadSound) || !strings.Contains(err.Error(), stem) {
			t.Errorf("%s: %v", stem, err)
		}
		if c.rate != SampleRate && !strings.Contains(err.Error(), fmt.Sprintf("sample rate %d ", c.rate)) {
			t.Errorf("%s does not give the reason: %v", stem, err)
		}
		if n := r.store.Refs(r.handle[stem]); n != 1 {
			t.Errorf("%s: %d retains after the refusal", stem, n)
		}
	}
}

func TestEmptySoundEnds(t *testing.T) {
	r := newRig(t, memory{"empty": {SampleRate, 1, nil}, "empty_slow": {8000, 1, nil}}, Options{})
	for _, stem := range []string{"empty", "empty_slow"} {
		v := r.play(stem, flatLoop)
		r.settle()
		r.left(1)
		r.Sweep()
		if r.Playing(v) {
			t.Errorf("%s plays on", stem)
		}
	}
}

// Three goroutines as in a game: the game's, the sink's and the worker's.
func TestPlayStopMoveWhileReading(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	clips := memory{}
	for i := range 6 {
		clips[fmt.Sprint("tone", i)] = sine([]int{SampleRate, 22050, 11127}[i%3], 300*(i+1), i+1)
	}
	r := newRig(t, clips, Options{PCMBytesMax: 8000})
	ctx, cancel := context.WithCancel(t.Context())
	var reader sync.WaitGroup
	reader.Go(func() {
		p := make([]byte, 5000)
		for n := 1; ctx.Err() == nil; n = (n*7 + 1) % len(p) {
			r.Mixer.Read(p[:n])
		}
	})
	var voices [40]Voice
	for range 4000 {
		v := &voices[random.IntN(len(voices))]
		switch random.IntN(6) {
		case 0, 1:
			o := VoiceOptions{
				Owner: random.Uint64N(4), Gain: random.Float32(), Radius: 10,
				Loop: random.IntN(2) == 0, Flat: random.IntN(3) == 0,
			}
			h := r.handle[fmt.Sprint("tone", random.IntN(len(clips)))]
			got, err := r.Play(h, o)
			if err != nil && err != ErrFull {
				t.Fatalf("Play: %v", err)
			}
			if err == nil {
				*v = got
			}
		case 2:
			r.Stop(*v)
		case 3:
			r.Move(*v, [3]float32{random.Float32() * 20})
		case 4:
			r.Sweep()
		case 5:
			r.SetListener([3]float32{random.Float32() * 5}, [3]float32{1})
			if random.IntN(8) == 0 {
				r.StopOwner(random.Uint64N(4))
			}
		}
	}
	for owner := range uint64(4) {
		r.StopOwner(owner)
	}
	if r.Voices() != 0 {
		t.Errorf("%d voices after every owner stopped", r.Voices())
	}
	cancel()
	reader.Wait()
	for r.Stats().Sounds > 0 {
		r.Sweep()
	}
	r.checkEmpty()
}

// broken is a sink whose device goes away.
type broken struct {
	Manual
	err      error
	startErr error
	closed   int
}

func (b *broken) Name() string          { return "broken" }
func (b *broken) Err() error            { return b.err }
func (b *broken) Start(io.Reader) error { return b.startErr }
func (b *broken) Close() error          { b.closed++; return nil }

func TestFailedSinkIsReplacedBySilence(t *testing.T) {
	r := newRig(t, memory{}, Options{})
	gone := errors.New("unplugged")
	sink := &broken{}
	m, err := New(r.store, sink, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.Sweep()
	sink.err = gone
	m.Sweep()
	m.Sweep()
	if s := m.Stats(); s.Sink != "silent" || !errors.Is(s.SinkFailure, gone) || sink.closed != 1 {
		t.Errorf("%+v, closed %d times", s, sink.closed)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	sink = &broken{startErr: gone}
	if _, err := New(r.store, sink, Options{}); !errors.Is(err, gone) || sink.closed != 1 {
		t.Errorf("New: %v, closed %d times", err, sink.closed)
	}
}
