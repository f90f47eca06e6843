package gpu_test

import (
	"errors"
	"slices"
	"testing"

	"sojourn/assets"
	"sojourn/gpu"
	"sojourn/stages/work"
)

func TestFailedReadFailsTheTexture(t *testing.T) {
	broken := errors.New("disk on fire")
	tests := []struct {
		name   string
		break_ func(*rig)
		want   error
	}{
		{"error", func(r *rig) { r.reads.fail = broken }, broken},
		{"short", func(r *rig) { r.reads.short = true }, assets.ErrCorrupt},
		{"refused", func(r *rig) { r.reads.submitErr = assets.ErrClosed }, assets.ErrClosed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, rigOptions{})
			defer r.close()
			h := r.store.texture(256, 256, 1)
			ref := r.joinTexture(h)
			tt.break_(r)
			r.ticks(2)
			r.check()
			if r.tex.State(ref) != gpu.TextureFailed || !errors.Is(r.tex.Failure(ref), tt.want) || r.tex.Stats().FailedReads != 1 {
				t.Fatalf("%v: %v", r.tex.State(ref), r.tex.Failure(ref))
			}
			if got := r.store.phases[h]; !slices.Equal(got, []assets.Phase{assets.PhaseFailed}) {
				t.Errorf("phases %v", got)
			}
			r.reads.fail, r.reads.short, r.reads.submitErr = nil, false, nil
			r.tex.Refresh(ref)
			r.ticks(2)
			if r.tex.State(ref) != gpu.TextureResident || r.tex.Failure(ref) != nil {
				t.Errorf("a second try: %v", r.tex.State(ref))
			}
			r.shows(h, ref)
		})
	}
}

func TestFailedUpgradeKeepsWhatIsPublished(t *testing.T) {
	r := newRig(t, rigOptions{texture: gpu.TextureOptions{BytesMax: 1 << 20}})
	defer r.close()
	full := r.joinTexture(r.store.texture(400, 400, 1))
	h := r.store.texture(256, 256, 2)
	ref := r.joinTexture(h)
	r.ticks(3)
	r.reads.fail = errors.New("gone")
	r.tex.Leave(full)
	r.ticks(20)
	if r.tex.State(ref) != gpu.TextureResident || r.tex.Failure(ref) == nil || r.tex.Stats().FailedReads != 1 {
		t.Errorf("%v, %v, %+v", r.tex.State(ref), r.tex.Failure(ref), r.tex.Stats())
	}
	r.shows(h, ref)
	r.check()
}

func TestInvariant08_FailedTextureStepLeavesTheTableAsItWas(t *testing.T) {
	b := work.High()
	b.Max[work.UploadBytes] = 100 << 10
	for name, fault := range map[string]func(*rig){
		"create":        func(r *rig) { r.dev.FailCreate(1) },
		"first write":   func(r *rig) { r.dev.FailUpload(1) },
		"later write":   func(r *rig) { r.dev.FailUploadAfter(11) },
		"last write":    func(r *rig) { r.dev.FailUploadAfter(15) },
		"stall":         func(r *rig) { r.dev.Stall(3) },
		"lost":          func(r *rig) { r.dev.LoseUploads(gpu.LostRetriesMax) },
		"lost for good": func(r *rig) { r.dev.LoseUploads(100) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rigOptions{budget: b})
			defer r.close()
			h := r.store.texture(256, 256, 1)
			ref := r.joinTexture(h)
			fault(r)
			for range 20 {
				r.tick()
				r.check()
			}
			comes := name == "stall" || name == "lost"
			if got := r.tex.State(ref); (got == gpu.TextureResident) != comes || (got == gpu.TextureFailed) == comes {
				t.Fatalf("%v: %v", got, r.tex.Failure(ref))
			}
			if s := r.tex.Stats(); (s.LostUploads == 1) != (name == "lost for good") || s.WindowBytes != 0 || s.Reserved != 0 {
				t.Errorf("%+v", s)
			}
			if !comes && (r.tex.LiveBytes() != 0 || r.tex.Table()[r.tex.Index(ref)] != 0) {
				t.Errorf("%d bytes left", r.tex.LiveBytes())
			}
			r.dev.LoseUploads(0)
			r.tex.Refresh(ref)
			r.ticks(30)
			r.check()
			r.shows(h, ref)
		})
	}
}

func TestOutOfMemoryTakesACoarserSuffix(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	h := r.store.texture(256, 256, 1)
	p := r.store.textures[h]
	r.dev.SetBytesMax(chainBytes(p, 2))
	ref := r.joinTexture(h)
	r.ticks(5)
	if base, _ := r.tex.Levels(ref); !r.tex.Resident(ref) || base != 2 {
		t.Fatalf("%v from level %d", r.tex.State(ref), base)
	}
	if r.reads.submitted != 1 {
		t.Errorf("%d reads; the coarser levels were in the first", r.reads.submitted)
	}
	r.shows(h, ref)
	r.ticks(50)
	r.check()
	if n := r.tex.Stats().OutOfMemory; n > 8 {
		t.Errorf("%d creates that could not fit", n)
	}
	r.dev.SetBytesMax(0)
	r.ticks(200)
	if base, _ := r.tex.Levels(ref); base != 0 {
		t.Errorf("no upgrade after the device had room: level %d", base)
	}
	r.shows(h, ref)
}

func TestOutOfMemoryForTheTailWaits(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	r.dev.SetBytesMax(1)
	ref := r.joinTexture(r.store.texture(64, 64, 1))
	for range 20 {
		r.tick()
		r.check()
	}
	if r.tex.State(ref) != gpu.TexturePending {
		t.Fatal(r.tex.State(ref))
	}
	r.dev.SetBytesMax(0)
	r.ticks(10)
	if !r.tex.Resident(ref) {
		t.Error("did not come when there was room")
	}
}

// denying answers writes and creates as told.
type denying struct {
	gpu.Device
	write, create error
}

func (d *denying) WriteTexture(id gpu.TextureID, s gpu.Strip) error {
	if d.write != nil {
		return d.write
	}
	return d.Device.WriteTexture(id, s)
}

func (d *denying) CreateTexture(desc gpu.TextureDesc) (gpu.TextureID, error) {
	if d.create != nil {
		return 0, d.create
	}
	return d.Device.CreateTexture(desc)
}

// A device that runs out in the middle of an image gives that image back
// before a coarser one is made.
func TestOutOfMemoryWhileWriting(t *testing.T) {
	r := newRig(t, rigOptions{})
	dev := &denying{Device: r.dev}
	r.rebuild(dev, gpu.TextureOptions{BytesMax: 400 << 10})
	defer r.close()
	h := r.store.texture(256, 256, 1)
	ref := r.joinTexture(h)
	r.tick()
	dev.write = gpu.ErrOutOfMemory
	for range 6 {
		r.tick()
		r.check()
	}
	dev.write = nil
	for range 10 {
		r.tick()
		r.check()
	}
	if !r.tex.Resident(ref) {
		t.Fatal(r.tex.State(ref), r.tex.Failure(ref))
	}
	r.shows(h, ref)
}

func TestOutOfMemoryForAReplacementKeepsTheOldImage(t *testing.T) {
	r := newRig(t, rigOptions{})
	dev := &denying{Device: r.dev}
	r.rebuild(dev, gpu.TextureOptions{BytesMax: 1 << 20})
	defer r.close()
	other := r.joinTexture(r.store.texture(400, 400, 1))
	h := r.store.texture(256, 256, 2)
	ref := r.joinTexture(h) // lacks detail beside the other
	r.ticks(4)
	before, _ := r.tex.Levels(ref)
	dev.create = gpu.ErrOutOfMemory
	r.tex.Refresh(ref)
	r.tex.Leave(other) // lets it upgrade as well
	for range 30 {
		r.tick()
		r.check()
	}
	if base, _ := r.tex.Levels(ref); base != before || before == 0 {
		t.Fatalf("level %d, before %d", base, before)
	}
	dev.create = nil
	r.ticks(400)
	if base, _ := r.tex.Levels(ref); base != 0 || r.tex.Stats().Refreshes != 1 {
		t.Errorf("level %d, %+v", base, r.tex.Stats())
	}
	r.shows(h, ref)
}

// A payload that goes although its ref is held is the caller's fault; it
// fails that texture and nothing else.
func TestLostPayloadFailsTheTexture(t *testing.T) {
	b := work.High()
	b.Max[work.UploadBytes] = 50 << 10
	for name, until := range map[string]func(*rig, gpu.TextureRef){
		"waiting":    func(*rig, gpu.TextureRef) {},
		"reading":    func(r *rig, _ gpu.TextureRef) { r.tick() },
		"uploading":  func(r *rig, _ gpu.TextureRef) { r.ticks(3) },
		"refreshing": func(r *rig, ref gpu.TextureRef) { r.ticks(20); r.tex.Refresh(ref) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rigOptions{budget: b})
			defer r.close()
			h := r.store.texture(256, 256, 1)
			ref := r.joinTexture(h)
			until(r, ref)
			was := r.tex.Resident(ref)
			if was != (name == "refreshing") {
				t.Fatal("not where the test means it to be")
			}
			delete(r.store.textures, h)
			r.ticks(3)
			r.check()
			if !errors.Is(r.tex.Failure(ref), assets.ErrNotReady) || r.tex.Resident(ref) != was || r.tex.Pending() != 0 {
				t.Errorf("%v: %v", r.tex.State(ref), r.tex.Failure(ref))
			}
		})
	}
}

func TestClosedTablesRefuse(t *testing.T) {
	r := newRig(t, rigOptions{})
	mesh, tex := r.store.mesh(1), r.store.texture(8, 8, 1)
	ref := r.joinTexture(tex)
	r.close()
	r.tex.Close()
	if _, err := r.geo.Join(mesh); !errors.Is(err, assets.ErrClosed) {
		t.Error(err)
	}
	if _, err := r.geo.CreateGenerated(triangles(1).Vertices, triangles(1).Indices); !errors.Is(err, assets.ErrClosed) {
		t.Error(err)
	}
	if _, err := r.tex.Join(tex); !errors.Is(err, assets.ErrClosed) {
		t.Error(err)
	}
	if r.tex.State(ref) != gpu.TextureStale {
		t.Error("a ref outlived its table")
	}
	r.ticks(2)
}
