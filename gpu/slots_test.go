package gpu_test

import (
	"math/rand"
	"testing"

	"sojourn/gpu"
)

func TestSlotsRefuseWhatIsGone(t *testing.T) {
	var s gpu.Slots[gpu.TextureID, int]
	rng := rand.New(rand.NewSource(9))
	live, gone := map[gpu.TextureID]int{}, []gpu.TextureID{0, 1, 1 << 32, 1<<32 | 0xFFFFFFFF}
	for step := range 5000 {
		if rng.Intn(2) == 0 {
			id := s.Add(step)
			if _, taken := live[id]; taken || id == 0 {
				t.Fatalf("seed 9, step %d: id %#x is in use", step, uint64(id))
			}
			live[id] = step
		} else {
			for id, want := range live {
				if got, ok := s.Remove(id); !ok || got != want {
					t.Fatalf("seed 9, step %d: removed %d, want %d", step, got, want)
				}
				delete(live, id)
				gone = append(gone, id)
				break
			}
		}
		if id := gone[rng.Intn(len(gone))]; live[id] == 0 && s.At(id) != nil {
			if _, ok := live[id]; !ok {
				t.Fatalf("seed 9, step %d: %#x is gone but answers", step, uint64(id))
			}
		}
		if s.Len() != len(live) {
			t.Fatalf("seed 9, step %d: %d live, want %d", step, s.Len(), len(live))
		}
	}
	seen := 0
	s.Each(func(id gpu.TextureID, v *int) {
		if live[id] != *v {
			t.Errorf("%#x holds %d, want %d", uint64(id), *v, live[id])
		}
		seen++
	})
	if seen != len(live) {
		t.Errorf("saw %d of %d", seen, len(live))
	}
}
