package audio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"runtime"
	"testing"
	"unsafe"

	"go.uber.org/goleak"

	"sojourn/assets"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a source of sounds by stem, in a format of the test's own that
// checks nothing.
type memory map[string]*clip

type clip struct {
	rate, channels int
	samples        []int16
}

func (m memory) Name() string { return "memory" }
func (m memory) Close() error { return nil }

func (m memory) List(yield func(string, int64) bool) error {
	for stem, c := range m {
		if !yield(stem+".pcm", int64(8+2*len(c.samples))) {
			break
		}
	}
	return nil
}

func (m memory) Open(name string) (assets.Entry, error) {
	c := m[name[:max(0, len(name)-len(".pcm"))]]
	if c == nil {
		return nil, fmt.Errorf("memory: %s: %w", name, fs.ErrNotExist)
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(c.rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(c.channels))
	for _, v := range c.samples {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	return entry{bytes.NewReader(b)}, nil
}

type entry struct{ *bytes.Reader }

func (e entry) SizeBytes() int64                      { return e.Size() }
func (e entry) Ranged() bool                          { return true }
func (e entry) Close() error                          { return nil }
func (e entry) Map(int64, int64) (assets.Lease, bool) { return nil, false }

func soundKind() assets.KindSpec {
	return assets.NewKindSpec(assets.KindOptions[assets.Sound]{
		Kind: assets.KindSound, Name: "sound", Suffixes: []string{".pcm"},
		Decode: func(l *assets.Load, out *assets.Sound) error {
			b, err := l.ReadAll()
			if err != nil {
				return err
			}
			p := b.Slice()
			out.Rate = int32(binary.LittleEndian.Uint32(p))
			out.Channels = int32(binary.LittleEndian.Uint32(p[4:]))
			if n := (len(p) - 8) / 2; n > 0 {
				out.Samples = unsafe.Slice((*int16)(unsafe.Pointer(&p[8])), n)
			}
			out.Data = b
			return nil
		},
		Free: func(s *assets.Sound) { s.Data.Free() },
		Size: func(s *assets.Sound) assets.Footprint {
			return assets.Footprint{OwnedBytes: int64(s.Data.Len())}
		},
	})
}

// rig is a mixer on a manual sink over a store whose sounds are resident.
type rig struct {
	*Mixer
	t      testing.TB
	store  *assets.Store
	sink   *Manual
	clips  memory
	handle map[string]assets.Handle
}

func newRig(t testing.TB, clips memory, o Options) *rig {
	t.Helper()
	store, err := assets.Open(assets.Options{
		Kinds: []assets.KindSpec{soundKind()}, Sources: []assets.Source{clips}, Workers: 1,
	})
	if err != nil {
		t.Fatalf("opening the store: %v", err)
	}
	r := &rig{t: t, store: store, sink: NewManual(), clips: clips, handle: map[string]assets.Handle{}}
	for stem := range clips {
		h, err := store.Retain(t.Context(), assets.Key{Stem: stem, Kind: assets.KindSound})
		if err != nil {
			t.Fatalf("retaining %s: %v", stem, err)
		}
		r.handle[stem] = h
	}
	if r.Mixer, err = New(store, r.sink, o); err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(r.end)
	return r
}

// end checks that nothing is left of any sound.
func (r *rig) end() {
	for _, h := range r.handle {
		r.store.Release(h)
	}
	_ = r.Mixer.Close()
	r.checkEmpty()
	if err := r.store.Close(); err != nil {
		r.t.Errorf("closing the store: %v", err)
	}
}

func (r *rig) checkEmpty() {
	r.t.Helper()
	s := r.Stats()
	if s.Voices != 0 || s.Sounds != 0 || s.PCMBytes != 0 || r.pool.LiveBytes() != 0 {
		r.t.Errorf("left over: %+v, %d bytes of the pool", s, r.pool.LiveBytes())
	}
}

func (r *rig) play(stem string, o VoiceOptions) Voice {
	r.t.Helper()
	v, err := r.Play(r.handle[stem], o)
	if err != nil {
		r.t.Fatalf("Play %s: %v", stem, err)
	}
	return v
}

// settle sweeps until no voice waits for its PCM.
func (r *rig) settle() {
	for r.Sweep(); r.Stats().Waiting > 0; r.Sweep() {
		runtime.Gosched()
	}
}

// left is the left channel of the next frames.
func (r *rig) left(frames int) []float32 {
	both := r.sink.Advance(frames)
	out := make([]float32, 0, frames)
	for i := 0; i < len(both); i += 2 {
		out = append(out, both[i])
	}
	return out
}

func level(rate, frames int, v int16) *clip {
	c := &clip{rate: rate, channels: 1, samples: make([]int16, frames)}
	for i := range c.samples {
		c.samples[i] = v
	}
	return c
}

// sine is a mono tone with a whole number of turns, so that it loops.
func sine(rate, frames, turns int) *clip {
	c := &clip{rate: rate, channels: 1, samples: make([]int16, frames)}
	for i := range c.samples {
		c.samples[i] = int16(math.Round(16384 * math.Sin(2*math.Pi*float64(turns*i)/float64(frames))))
	}
	return c
}

// roughest is the largest step from sample to sample, starting from prev.
func roughest(prev float32, samples []float32) float32 {
	var step float32
	for _, v := range samples {
		step = max(step, v-prev, prev-v)
		prev = v
	}
	return step
}

func near(a, b, tolerance float32) bool { return a-b <= tolerance && b-a <= tolerance }

var flat = VoiceOptions{Gain: 1, Flat: true}
var flatLoop = VoiceOptions{Gain: 1, Flat: true, Loop: true}
