package audio

import (
	"bytes"
	"testing"

	"sojourn/assets"
)

// One worker's sounds share its buffers: each comes out as if it were the first,
// and none after the first allocates.
func TestPreparerServesSoundAfterSound(t *testing.T) {
	sound := func(rate int32, frames, step int) *assets.Sound {
		samples := make([]int16, frames)
		for i := range samples {
			samples[i] = int16(i*step%9000 - 4500)
		}
		return &assets.Sound{Rate: rate, Channels: 1, Samples: samples}
	}
	all := []*assets.Sound{sound(22050, 3000, 97), sound(44100, 1500, 31), sound(8000, 700, 1013), sound(22050, 3000, 97)}
	pool, wanted := assets.NewPool(1<<20), func() bool { return false }
	var p preparer
	prepare := func(p *preparer, s *assets.Sound) []byte {
		b, err := p.prepare(s, pool, wanted)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Free()
		return bytes.Clone(b.Slice())
	}
	for i, s := range all {
		if got, want := prepare(&p, s), prepare(new(preparer), s); !bytes.Equal(got, want) {
			t.Errorf("sound %d is not what it is alone", i)
		}
	}
	if n := testing.AllocsPerRun(20, func() {
		for _, s := range all {
			b, err := p.prepare(s, pool, wanted)
			if err != nil {
				t.Fatal(err)
			}
			b.Free()
		}
	}); n != 0 {
		t.Errorf("%v allocations for sounds after the first", n)
	}
}
