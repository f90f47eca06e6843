package gpu_test

import (
	"slices"
	"testing"

	"sojourn/assets"
	"sojourn/gpu"
	"sojourn/stages/work"
)

func TestBudgetAdmitsTheFinestThatFitsAndUpgradesLater(t *testing.T) {
	r := newRig(t, rigOptions{texture: gpu.TextureOptions{BytesMax: 1 << 20}})
	defer r.close()
	var refs []gpu.TextureRef
	var handles []assets.Handle
	for i := range 5 {
		handles = append(handles, r.store.texture(256, 256, uint32(i))) // 341 KiB each
		refs = append(refs, r.joinTexture(handles[i]))
	}
	r.ticks(4)
	var bases []int32
	for i, ref := range refs {
		base, _ := r.tex.Levels(ref)
		bases = append(bases, base)
		r.shows(handles[i], ref)
	}
	if !slices.Equal(bases, []int32{0, 0, 1, 1, 1}) {
		t.Errorf("bases %v", bases)
	}
	s := r.tex.Stats()
	if s.LimitedNow != 3 || s.Limited.Texture != handles[2] || s.Limited.Affordable != 1 || s.MissingBytes != 3*256*256*4 {
		t.Errorf("%+v", s)
	}
	r.ticks(10)
	r.check()
	if s := r.tex.Stats(); s.Upgrades != 0 || r.tex.Pending() != 0 {
		t.Errorf("upgrades without room: %+v", s)
	}
	r.tex.Leave(refs[0])
	r.tex.Leave(refs[1])
	for range 20 {
		r.tick()
		r.check()
	}
	for i, want := range []int32{0, 1, 1} { // oldest first, as far as room and slack go
		if base, _ := r.tex.Levels(refs[2+i]); i == 0 && base != want {
			t.Errorf("texture %d: base %d, want %d", 2+i, base, want)
		}
		r.shows(handles[2+i], refs[2+i])
	}
	settled := r.tex.Stats().Upgrades + r.tex.Stats().Demotions
	r.ticks(100)
	if now := r.tex.Stats(); now.Upgrades+now.Demotions != settled || r.tex.Pending() != 0 {
		t.Errorf("something moves back and forth: %+v", now)
	}
	r.check()
}

func TestInvariant30_TailsStayWhileHeld(t *testing.T) {
	b := work.High()
	r := newRig(t, rigOptions{budget: b, texture: gpu.TextureOptions{BytesMax: 64 << 10}})
	defer r.close()
	var refs []gpu.TextureRef
	resident := map[gpu.TextureRef]bool{}
	for i := range 300 { // 300 tails of 340 bytes are more than the budget
		refs = append(refs, r.joinTexture(r.store.texture(64, 64, uint32(i))))
		r.tick()
		r.check()
		for _, ref := range refs {
			if r.tex.Resident(ref) {
				resident[ref] = true
			} else if resident[ref] {
				t.Fatal("a tail was taken away from a held texture")
			}
		}
	}
	r.ticks(100)
	r.check()
	n := 0
	for _, ref := range refs {
		base, authored := r.tex.Levels(ref)
		if r.tex.Resident(ref) {
			n++
			if base > authored-assets.TextureTailLevels {
				t.Fatalf("less than the tail: level %d of %d", base, authored)
			}
		}
	}
	if s := r.tex.Stats(); s.Demotions == 0 || n < 180 || n == 300 || s.Waiting != 300-n {
		t.Errorf("%d resident, %+v", n, s)
	}
	// What waits comes when others leave.
	for _, ref := range refs[:150] {
		r.tex.Leave(ref)
	}
	r.ticks(100)
	r.check()
	for _, ref := range refs[150:] {
		if !r.tex.Resident(ref) {
			t.Fatal("a texture waits although there is room")
		}
	}
}

func TestTransitionsStayWithinTheFramesCount(t *testing.T) {
	b := work.High()
	r := newRig(t, rigOptions{budget: b, texture: gpu.TextureOptions{BytesMax: 4 << 20}})
	defer r.close()
	big := r.joinTexture(r.store.texture(900, 900, 1)) // 4.3 MB at full detail
	r.ticks(4)
	var small []gpu.TextureRef
	for i := range 100 {
		small = append(small, r.joinTexture(r.store.texture(128, 128, uint32(i))))
	}
	r.ticks(5)
	r.tex.Leave(big)
	for range 30 {
		r.tick()
		if used := r.meter.Facts().Used[work.Transitions]; used > b.Max[work.Transitions] {
			t.Fatalf("%d transitions in a frame", used)
		}
		r.check()
	}
	if s := r.tex.Stats(); s.Upgrades == 0 || r.tex.State(small[0]) != gpu.TextureResident {
		t.Errorf("%+v", s)
	}
}

func TestADemotedTextureIsNotUpgradedAtOnce(t *testing.T) {
	r := newRig(t, rigOptions{texture: gpu.TextureOptions{BytesMax: 64 << 10}})
	defer r.close()
	h := r.store.texture(100, 100, 1) // 53 KB
	big := r.joinTexture(h)
	r.ticks(2)
	var others []gpu.TextureRef
	for i := 0; r.tex.Stats().Demotions == 0; i++ {
		if i == 100 {
			t.Fatal("nothing was demoted")
		}
		others = append(others, r.joinTexture(r.store.texture(64, 64, uint32(i))))
		r.ticks(2)
	}
	low, _ := r.tex.Levels(big)
	if got := r.store.went[h]; len(got) != int(r.tex.Stats().Demotions) || got[0] != "demoted by the texture budget" {
		t.Errorf("the store was told %q", got)
	}
	for _, ref := range others {
		r.tex.Leave(ref)
	}
	frames := 0
	for base := low; base == low; base, _ = r.tex.Levels(big) {
		if r.tick(); frames == 100 {
			t.Fatal("never upgraded")
		}
		frames++
	}
	if frames < 28 {
		t.Errorf("upgraded %d frames after it was demoted", frames)
	}
	r.shows(h, big)
	r.check()
}
