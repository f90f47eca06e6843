package gpu_test

import (
	"errors"
	"slices"
	"testing"

	"sojourn/assets"
	"sojourn/gpu"
	"sojourn/stages/work"
)

// shows holds that what is published for a texture is exactly its file's
// levels from its base on.
func (r *rig) shows(h assets.Handle, ref gpu.TextureRef) {
	r.t.Helper()
	base, _ := r.tex.Levels(ref)
	id := r.tex.Table()[r.tex.Index(ref)]
	if got, want := r.dev.Checksum(id), sum(r.t, r.store.textures[h], r.store.files[h], base); got != want {
		r.t.Fatalf("texture %d shows other pixels than its file's from level %d on", h.Slot(), base)
	}
}

func TestTextureComesInFullWhereTheBudgetHasRoom(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	for i, size := range [][2]int{{1, 1}, {8, 8}, {5, 3}, {256, 256}, {1000, 300}, {2048, 1024}} {
		h := r.store.texture(size[0], size[1], uint32(i))
		ref := r.joinTexture(h)
		if again := r.joinTexture(h); again != ref {
			t.Fatal("a second ref for one texture")
		}
		index := r.tex.Index(ref)
		if r.tex.State(ref) != gpu.TexturePending || r.tex.Resident(ref) || r.tex.Table()[index] != 0 {
			t.Fatal("published before its upload")
		}
		r.ticks(4)
		base, authored := r.tex.Levels(ref)
		if r.tex.State(ref) != gpu.TextureResident || base != 0 || authored != r.store.textures[h].Levels || r.tex.Index(ref) != index {
			t.Fatalf("%v: %v from level %d of %d", size, r.tex.State(ref), base, authored)
		}
		r.shows(h, ref)
		if got := r.store.phases[h]; !slices.Equal(got, []assets.Phase{assets.PhaseOnDevice}) {
			t.Errorf("phases %v", got)
		}
		r.check()
	}
	if r.reads.submitted != 3 {
		t.Errorf("%d reads; a chain that is all tail needs none", r.reads.submitted)
	}
}

func TestStripsAreWholeRowsWithinTheFramesBytes(t *testing.T) {
	b := work.High()
	b.Max[work.UploadBytes] = 300 << 10
	r := newRig(t, rigOptions{budget: b})
	defer r.close()
	h := r.store.texture(512, 512, 3) // 1.33 MiB
	ref := r.joinTexture(h)
	r.tick() // submits the read
	frames := 0
	for ; !r.tex.Resident(ref) && frames < 20; frames++ {
		r.tick()
		if f := r.meter.Facts(); f.Used[work.UploadBytes] > 300<<10 || f.Oversizes != 0 {
			t.Fatalf("frame %d: %+v", frames, f)
		}
	}
	if frames != 5 {
		t.Errorf("%d frames for 1,366 KiB at 300 KiB a frame", frames)
	}
	r.shows(h, ref)
}

func TestARowLargerThanTheFramesBytesStillPasses(t *testing.T) {
	b := work.High()
	b.Max[work.UploadBytes] = 1000
	r := newRig(t, rigOptions{budget: b})
	defer r.close()
	h := r.store.texture(512, 4, 3)
	ref := r.joinTexture(h)
	r.ticks(20)
	if !r.tex.Resident(ref) {
		t.Fatal("a row of 2,048 bytes never passed a budget of 1,000")
	}
	r.shows(h, ref)
}

func TestInvariant29_ReplacementIsSwappedWhenComplete(t *testing.T) {
	b := work.High()
	b.Max[work.UploadBytes] = 64 << 10
	r := newRig(t, rigOptions{budget: b})
	defer r.close()
	h := r.store.texture(256, 256, 1)
	ref := r.joinTexture(h)
	for !r.tex.Resident(ref) {
		r.tick()
		r.check()
	}
	old := r.tex.Table()[r.tex.Index(ref)]
	r.tex.Refresh(ref)
	r.tick()
	swapped := false
	for range 12 {
		now := r.tex.Table()[r.tex.Index(ref)]
		if now != old && !swapped {
			swapped = true
			if r.dev.Checksum(old) == 0 {
				t.Fatal("the old image was destroyed at the swap")
			}
		}
		r.check() // every published image is complete, no free is early
		r.tick()
	}
	if !swapped || r.dev.Checksum(old) != 0 || r.dev.Stats().Textures != 1 {
		t.Errorf("swapped %v, %d images", swapped, r.dev.Stats().Textures)
	}
	if r.tex.Stats().Refreshes != 1 {
		t.Errorf("%+v", r.tex.Stats())
	}
	r.shows(h, ref)
}

func TestInvariant28_BytesCountForEachLiveHandle(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	h := r.store.texture(256, 256, 1)
	one := chainBytes(r.store.textures[h], 0)
	ref := r.joinTexture(h)
	r.ticks(2)
	if r.tex.LiveBytes() != one {
		t.Fatalf("%d bytes", r.tex.LiveBytes())
	}
	r.tex.Refresh(ref)
	r.ticks(2)
	for _, want := range []int64{2 * one, 2 * one, one} {
		if r.tex.LiveBytes() != want || r.dev.Stats().TextureBytes != want {
			t.Fatalf("%d bytes live, device %d, want %d", r.tex.LiveBytes(), r.dev.Stats().TextureBytes, want)
		}
		r.tick()
	}
	r.tex.Leave(ref)
	if r.tex.LiveBytes() != one || r.ret.PendingBytes() != one {
		t.Errorf("%d live, %d to be freed: a left image is live until it is destroyed", r.tex.LiveBytes(), r.ret.PendingBytes())
	}
	r.ticks(3)
	if r.tex.LiveBytes() != 0 || r.tex.LiveBytesMax() != 2*one {
		t.Errorf("%d bytes, at most %d", r.tex.LiveBytes(), r.tex.LiveBytesMax())
	}
}

func TestLeaveCancelsAtEveryStep(t *testing.T) {
	b := work.High()
	b.Max[work.UploadBytes] = 100 << 10
	for name, until := range map[string]func(*rig){
		"waiting": func(r *rig) {},
		"reading": func(r *rig) { r.tick() },
		"read":    func(r *rig) { r.tick(); r.reads.finish(0) },
		"uploading": func(r *rig) {
			r.tick()
			r.reads.finish(0)
			r.tick()
			r.tick()
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rigOptions{budget: b})
			defer r.close()
			r.reads.auto = false
			ref := r.joinTexture(r.store.texture(512, 512, 1))
			until(r)
			r.check()
			if r.tex.Resident(ref) || r.tex.Pending() != 1 {
				t.Fatal("not where the test means it to be")
			}
			r.tex.Leave(ref)
			r.check()
			s := r.tex.Stats()
			if s.WindowBytes != 0 || s.Reserved != 0 || r.tex.Pending() != 0 || len(r.reads.queue) != 0 {
				t.Errorf("%+v, %d reads", s, len(r.reads.queue))
			}
			r.ticks(4)
			r.check()
			if r.tex.LiveBytes() != 0 || r.reads.pool.LiveBytes() != 0 {
				t.Errorf("%d device bytes, %d suffix bytes", r.tex.LiveBytes(), r.reads.pool.LiveBytes())
			}
		})
	}
}

func TestReadOfAReusedSlotIsNotTakenForTheNewTexture(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	r.reads.auto = false
	old := r.joinTexture(r.store.texture(256, 256, 1))
	r.tick()
	late := r.reads.queue[0] // delivered although it was cancelled
	r.reads.queue = nil
	r.tex.Leave(old)
	h := r.store.texture(256, 256, 2)
	ref := r.joinTexture(h)
	r.tick()
	r.reads.queue = append([]fakeRead{late}, r.reads.queue...)
	r.reads.finish(0)
	r.tick()
	r.check()
	if uint32(old) != uint32(ref) || r.tex.Resident(ref) {
		t.Fatal("the old read was taken")
	}
	r.reads.finish(0)
	r.tick()
	r.shows(h, ref)
	r.check()
}

func TestRefreshWhileBusyIsDoneOnceMore(t *testing.T) {
	b := work.High()
	b.Max[work.UploadBytes] = 100 << 10
	for _, frames := range []int{0, 1, 3} { // waiting, reading, uploading
		r := newRig(t, rigOptions{budget: b})
		h := r.store.texture(256, 256, 1)
		ref := r.joinTexture(h)
		r.ticks(frames)
		r.tex.Refresh(ref)
		r.tex.Refresh(ref)
		r.ticks(30)
		want := int64(1)
		if frames == 0 {
			want = 0 // nothing was read yet
		}
		if s := r.tex.Stats(); s.Refreshes != want || s.Published != 1 || r.tex.Pending() != 0 {
			t.Errorf("after %d frames: %+v", frames, s)
		}
		r.shows(h, ref)
		r.check()
		r.close()
	}
}

func TestTextureWindowBoundsWhatIsRead(t *testing.T) {
	one := int64(256*256*4+128*128*4+64*64*4+32*32*4+16*16*4) + 340
	r := newRig(t, rigOptions{texture: gpu.TextureOptions{WindowBytesMax: 2 * one}})
	defer r.close()
	r.reads.auto = false
	for i := range 5 {
		r.joinTexture(r.store.texture(256, 256, uint32(i)))
	}
	r.tick()
	if len(r.reads.queue) != 2 || r.tex.Stats().WindowBytes != 2*one {
		t.Fatalf("%d reads, %d bytes", len(r.reads.queue), r.tex.Stats().WindowBytes)
	}
	r.reads.auto = true
	r.ticks(5)
	if r.tex.Stats().Published != 5 {
		t.Errorf("%+v", r.tex.Stats())
	}
	over := r.joinTexture(r.store.texture(1024, 1024, 9)) // larger than the window, alone
	r.ticks(5)
	if !r.tex.Resident(over) {
		t.Error("an oversized entry never entered the empty window")
	}
}

func TestReadQueueFullWaits(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	r.reads.max, r.reads.auto = 1, false
	a, b := r.joinTexture(r.store.texture(64, 64, 1)), r.joinTexture(r.store.texture(64, 64, 2))
	r.tick()
	r.check()
	r.reads.auto = true
	r.ticks(3)
	if !r.tex.Resident(a) || !r.tex.Resident(b) {
		t.Error("did not come")
	}
}

func TestContradictoryDirectoriesAreRefused(t *testing.T) {
	r := newRig(t, rigOptions{texture: gpu.TextureOptions{BytesMax: 1 << 20}})
	defer r.close()
	for name, spoil := range map[string]func(*assets.Texture){
		"no levels":       func(p *assets.Texture) { p.Levels = 0 },
		"too many levels": func(p *assets.Texture) { p.Levels = assets.MipsMax + 1 },
		"huge":            func(p *assets.Texture) { p.Width = 1 << 20 },
		"negative":        func(p *assets.Texture) { p.Height = -1 },
		"level size":      func(p *assets.Texture) { p.Mips[1].Width++ },
		"level bytes":     func(p *assets.Texture) { p.Mips[2].SizeBytes-- },
		"order":           func(p *assets.Texture) { p.Mips[0].OffsetBytes = 0 },
		"tail level":      func(p *assets.Texture) { p.TailLevel = p.Levels },
		"tail bytes":      func(p *assets.Texture) { p.Tail = assets.OwnBytes(p.Tail.Slice()[1:]) },
	} {
		h := r.store.texture(64, 64, 1)
		spoil(r.store.textures[h])
		if _, err := r.tex.Join(h); !errors.Is(err, assets.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	single := r.store.texture(1024, 1024, 1)
	p := r.store.textures[single]
	p.Levels, p.TailLevel = 1, 0 // no smaller levels: all of it is tail
	p.Tail = assets.OwnBytes(make([]byte, p.Mips[0].SizeBytes))
	if _, err := r.tex.Join(single); !errors.Is(err, assets.ErrTooLarge) {
		t.Errorf("a tail larger than the budget: %v", err)
	}
	if r.tex.Stats().Live != 0 {
		t.Error("a refusal left an entry")
	}
}

func TestUnkeyedTextureIsReadAfresh(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	h := r.store.texture(64, 64, 1)
	old := r.joinTexture(h)
	r.ticks(2)
	r.tex.Unkey(h)
	r.store.textures[h], r.store.files[h] = textureFile(128, 32, 2)
	fresh := r.joinTexture(h)
	r.ticks(2)
	if fresh == old || !r.tex.Resident(old) {
		t.Error("the old image answered for the new content")
	}
	r.shows(h, fresh)
	r.tex.Leave(old)
	if again := r.joinTexture(h); again != fresh {
		t.Error("the new key was lost")
	}
	r.check()
}

func TestDestinationTexturesGoFirst(t *testing.T) {
	b := work.High()
	b.Max[work.UploadBytes] = 64 << 10
	r := newRig(t, rigOptions{budget: b})
	defer r.close()
	far := r.joinTexture(r.store.texture(256, 256, 1))
	r.ticks(2) // under way
	near := r.joinTexture(r.store.texture(64, 64, 2))
	r.tex.SetClass(near, work.Destination)
	r.ticks(2)
	if !r.tex.Resident(near) || r.tex.Resident(far) {
		t.Errorf("near %v, far %v", r.tex.State(near), r.tex.State(far))
	}
	r.check()
	r.ticks(10)
	if !r.tex.Resident(far) {
		t.Error("far never came")
	}
}
