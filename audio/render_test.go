package audio

import (
	"bytes"
	"math"
	"testing"
)

func TestMixGolden(t *testing.T) {
	r := newRig(t, memory{
		"mono":   {SampleRate, 1, []int16{16384, -16384, 8192, 0}},
		"stereo": {SampleRate, 2, []int16{3277, -3277, 0, 6554}},
	}, Options{})
	r.play("mono", VoiceOptions{Gain: 0.5, Flat: true})
	r.play("stereo", flat)
	r.play("stereo", VoiceOptions{Gain: 1, Radius: 10, Pos: [3]float32{5, 0, 0}}) // its mean, right, a quarter
	got := r.sink.Advance(4)
	want := []float32{
		0.25 + 0.1000, 0.25 - 0.1000,
		-0.25 + 0.0, -0.25 + 0.2 + 0.025,
		0.125, 0.125 + 0.9*(0.2+0.025),
		0.0, 0.81 * (0.2 + 0.025),
	}
	for i := range want {
		if !near(got[i], want[i], 1e-4) {
			t.Errorf("sample %d: %v, want %v", i, got[i], want[i])
		}
	}
}

func TestLoopHasNoSeam(t *testing.T) {
	for _, rate := range []int{SampleRate, 44100, 22050, 11127, 96000} {
		r := newRig(t, memory{"tone": sine(rate, rate/10, 30)}, Options{})
		r.play("tone", flatLoop)
		r.settle()
		turn := len(r.slots[0].samples)
		r.left(turn) // fades in
		var worst float64
		for i, v := range r.left(3 * turn) {
			ideal := 0.5 * math.Sin(2*math.Pi*30*float64(i%turn)/float64(turn))
			worst = max(worst, math.Abs(float64(v)-ideal))
		}
		if worst > 2e-3 {
			t.Errorf("rate %d: off by %v around the seam", rate, worst)
		}
	}
}

func TestStopMakesNoClick(t *testing.T) {
	r := newRig(t, memory{"level": level(SampleRate, 4800, 16384)}, Options{})
	v := r.play("level", flatLoop)
	if step := roughest(0, r.left(1000)); step > 0.51/rampFrames {
		t.Errorf("fading in steps by %v", step)
	}
	r.Stop(v)
	out := r.left(1000)
	if step := roughest(0.5, out); step > 0.51/rampFrames {
		t.Errorf("stopping steps by %v", step)
	}
	if at := rampFrames + 1; out[at] != 0 {
		t.Errorf("still %v after 5 ms", out[at])
	}
	r.Sweep()
	if r.Playing(v) || r.Voices() != 0 {
		t.Errorf("it still counts: %d voices", r.Voices())
	}
	r.checkEmpty()
	r.Stop(v) // ended: ignored
}

func TestMoveMakesNoClick(t *testing.T) {
	r := newRig(t, memory{"level": level(SampleRate, 4800, 16384)}, Options{})
	v := r.play("level", VoiceOptions{Gain: 1, Radius: 10, Loop: true})
	last := r.left(1000)[999]
	for _, pos := range [][3]float32{{9, 0, 0}, {-1, 0, 0}, {100, 0, 0}, {0, 0, 0}} {
		r.Move(v, pos)
		out := r.left(1000)
		if step := roughest(last, out); step > 0.51/rampFrames {
			t.Errorf("moving to %v steps by %v", pos, step)
		}
		last = out[999]
	}
	r.StopOwner(0)
}

// From the moment its owner is stopped nothing of a voice's PCM is read, and
// it holds nothing, whatever the sink does.
func TestInvariant23_StoppedOwnerIsSilentAtOnce(t *testing.T) {
	r := newRig(t, memory{
		"level": level(SampleRate, 4800, 16384),
		"other": level(8000, 800, 8192),
	}, Options{})
	o := flatLoop
	o.Owner = 7
	r.play("level", o)
	r.play("other", o)
	r.settle()
	r.left(1000)
	if n := r.StopOwner(8); n != 0 {
		t.Errorf("stopped %d voices of an owner without any", n)
	}
	if n := r.StopOwner(7); n != 2 {
		t.Errorf("stopped %d voices, want 2", n)
	}
	r.checkEmpty()
	out := r.left(1000)
	want := float32(0.75)
	for i, v := range out {
		if want *= residueDecay; i < 100 && !near(v, want, 1e-4) {
			t.Fatalf("frame %d: %v, want a residue of %v", i, v, want)
		}
	}
	if out[144] != 0 || roughest(0, out[144:]) != 0 {
		t.Errorf("still %v after 3 ms", out[144])
	}
}

func TestReadInAnyPieces(t *testing.T) {
	clips := memory{"tone": sine(SampleRate, 480, 3)}
	whole := newRig(t, clips, Options{})
	pieces := newRig(t, clips, Options{})
	whole.play("tone", flatLoop)
	pieces.play("tone", flatLoop)
	want := make([]byte, 8*2000)
	whole.Mixer.Read(want)
	var got []byte
	for size := 1; len(got) < len(want); size = size*7%1003 + 1 {
		p := make([]byte, min(size, len(want)-len(got)))
		n, err := pieces.Mixer.Read(p)
		if n != len(p) || err != nil {
			t.Fatalf("Read of %d bytes: %d, %v", len(p), n, err)
		}
		got = append(got, p...)
	}
	if !bytes.Equal(got, want) {
		t.Error("pieces differ from the whole")
	}
	whole.StopOwner(0)
	pieces.StopOwner(0)
}

func TestOutputNeverLeavesOne(t *testing.T) {
	r := newRig(t, memory{"level": level(SampleRate, 4800, 32767)}, Options{})
	for range VoicesMax {
		r.play("level", VoiceOptions{Gain: GainMax, Flat: true, Loop: true})
	}
	last := float32(0)
	for _, v := range r.left(2000) {
		if v > 1 || v < last {
			t.Fatalf("%v after %v", v, last)
		}
		last = v
	}
	for _, v := range []float32{0.76, 1, 3} {
		if got := softClip(-v); got != -softClip(v) || got < -1 {
			t.Errorf("softClip(-%v) = %v", v, got)
		}
	}
	r.StopOwner(0)
}

func TestFarVoiceStillAdvances(t *testing.T) {
	r := newRig(t, memory{"steps": {SampleRate, 1, []int16{0, 8192, 16384, 24576}}}, Options{})
	far := VoiceOptions{Gain: 1, Radius: 1, Pos: [3]float32{100, 0, 0}}
	v := r.play("steps", far)
	for _, s := range r.sink.Advance(3) {
		if s != 0 {
			t.Fatalf("heard %v from beyond the radius", s)
		}
	}
	if !r.Playing(v) {
		t.Fatal("ended early")
	}
	r.sink.Advance(1)
	r.Sweep()
	if r.Playing(v) {
		t.Fatal("a one-shot out of hearing did not end")
	}
}

func TestSteadyFrameAllocatesNothing(t *testing.T) {
	r := newRig(t, memory{"a": sine(SampleRate, 4800, 30), "b": sine(22050, 2205, 30)}, Options{})
	var voices []Voice
	for i := range VoicesMax {
		stem := [...]string{"a", "b"}[i&1]
		voices = append(voices, r.play(stem, VoiceOptions{Gain: 1, Radius: 20, Loop: true, Owner: uint64(i)}))
	}
	r.settle()
	p := make([]byte, 800*frameBytes)
	x := float32(0)
	frame := func() {
		x += 0.01
		r.SetListener([3]float32{x, 0, 0}, [3]float32{1, 0, 0})
		for _, v := range voices {
			r.Move(v, [3]float32{-x, 0, 0})
		}
		r.Mixer.Read(p)
		r.Stop(voices[0])
		r.StopOwner(1)
		r.Mixer.Read(p)
		r.Sweep()
		voices[0], _ = r.Play(r.handle["a"], flatLoop)
		voices[1], _ = r.Play(r.handle["b"], VoiceOptions{Gain: 1, Flat: true, Loop: true, Owner: 1})
	}
	frame()
	if n := testing.AllocsPerRun(100, frame); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
	for i := range VoicesMax {
		r.StopOwner(uint64(i))
	}
}

func BenchmarkRead64Voices(b *testing.B) {
	r := newRig(b, memory{"tone": sine(SampleRate, 4800, 30)}, Options{})
	for range VoicesMax {
		r.play("tone", flatLoop)
	}
	p := make([]byte, 800*frameBytes)
	for b.Loop() {
		r.Mixer.Read(p)
	}
	r.StopOwner(0)
}

func BenchmarkSweep64Voices(b *testing.B) {
	r := newRig(b, memory{"tone": sine(SampleRate, 4800, 30)}, Options{})
	for range VoicesMax {
		r.play("tone", VoiceOptions{Gain: 1, Radius: 10, Loop: true})
	}
	for b.Loop() {
		r.Sweep()
	}
	r.StopOwner(0)
}
