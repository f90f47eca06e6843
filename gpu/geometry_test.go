package gpu_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"sojourn/assets"
	"sojourn/gpu"
	"sojourn/gpu/headless"
	"sojourn/stages/work"
)

func TestInvariant31_OneUploadPerKey(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	mesh := r.store.mesh(10)
	first := r.joinMesh(mesh)
	for range 99 {
		if ref := r.joinMesh(mesh); ref != first {
			t.Fatal("a second ref for one key")
		}
	}
	if r.store.retains[mesh] != 1 || r.geo.Pending() != 1 || r.geo.State(first) != gpu.GeometryPending || r.geo.ID(first) != 0 {
		t.Fatalf("%d retains, %d pending", r.store.retains[mesh], r.geo.Pending())
	}
	r.tick()
	for range 100 {
		r.joinMesh(mesh)
	}
	r.tick()
	s := r.dev.Stats()
	if s.Geometries != 1 || s.UploadedBytes != r.store.meshes[mesh].PayloadBytes() || r.geo.Stats().Uploads != 1 {
		t.Errorf("%+v, %+v", s, r.geo.Stats())
	}
	if r.geo.State(first) != gpu.GeometryResident || r.geo.ID(first) == 0 || r.geo.Bounds(first).Radius != 10 {
		t.Error("not resident with its bounds")
	}
	if r.store.held() != 0 {
		t.Error("the upload-only retain outlived the upload")
	}
	if got := r.store.phases[mesh]; !slices.Equal(got, []assets.Phase{assets.PhaseOnDevice}) {
		t.Errorf("phases %v", got)
	}
	for range 199 {
		r.geo.Leave(first)
	}
	if r.geo.State(first) != gpu.GeometryResident {
		t.Fatal("left too early")
	}
	r.geo.Leave(first)
	if r.geo.State(first) != gpu.GeometryStale || r.ret.Pending() != 1 {
		t.Error("the last leave did not retire")
	}
	r.ticks(3)
	r.check()
	if r.dev.Stats().Geometries != 0 {
		t.Error("still on the device")
	}
}

func TestAbandonedUploadLeavesNothing(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	var refs []gpu.GeometryRef
	for range 5 {
		refs = append(refs, r.joinMesh(r.store.mesh(3)))
	}
	for _, i := range []int{0, 4, 2} { // head, tail and middle
		r.geo.Leave(refs[i])
		r.check()
	}
	if r.store.held() != 2 || r.geo.Pending() != 2 {
		t.Fatalf("%d retains, %d pending", r.store.held(), r.geo.Pending())
	}
	r.tick()
	if r.dev.Stats().Geometries != 2 || r.geo.Stats().Abandoned != 3 {
		t.Errorf("%+v", r.geo.Stats())
	}
}

func TestInvariant32_StaleRefsAreRefused(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	a := r.joinMesh(r.store.mesh(1))
	tex := r.joinTexture(r.store.texture(64, 64, 1))
	r.ticks(2)
	r.geo.Leave(a)
	r.tex.Leave(tex)
	b := r.joinMesh(r.store.mesh(2))
	tex2 := r.joinTexture(r.store.texture(64, 64, 2))
	if uint32(a) != uint32(b) || uint32(tex) != uint32(tex2) {
		t.Fatal("the slots were not reused; the test tests nothing")
	}
	r.ticks(4)
	for _, ref := range []gpu.GeometryRef{a, 0, 12345, gpu.GeometryRef(uint64(b) + 1<<32)} {
		if r.geo.State(ref) != gpu.GeometryStale || r.geo.ID(ref) != 0 || r.geo.Bounds(ref) != (assets.Bounds{}) || r.geo.Failure(ref) != nil {
			t.Errorf("geometry %#x answered", ref)
		}
		r.geo.Leave(ref)
		r.geo.SetClass(ref, work.Destination)
		if err := r.geo.Update(ref, triangles(1).Vertices, triangles(1).Indices); !errors.Is(err, gpu.ErrStale) {
			t.Errorf("update of %#x: %v", ref, err)
		}
	}
	for _, ref := range []gpu.TextureRef{tex, 0, 12345, gpu.TextureRef(uint64(tex2) + 1<<32)} {
		base, authored := r.tex.Levels(ref)
		if r.tex.State(ref) != gpu.TextureStale || r.tex.Index(ref) != gpu.NoMap || r.tex.Resident(ref) || base != 0 || authored != 0 {
			t.Errorf("texture %#x answered", ref)
		}
		r.tex.Leave(ref)
		r.tex.Refresh(ref)
		r.tex.SetClass(ref, work.Destination)
	}
	if r.geo.State(b) != gpu.GeometryResident || r.tex.State(tex2) != gpu.TextureResident {
		t.Error("a stale ref touched the slot's new user")
	}
	r.check()
}

func TestCapacityRefusesNewKeysOnly(t *testing.T) {
	one := triangles(10).PayloadBytes()
	r := newRig(t, rigOptions{geometry: gpu.GeometryOptions{BytesMax: 2 * one}})
	defer r.close()
	mesh := r.store.mesh(10)
	a := r.joinMesh(mesh)
	r.joinMesh(r.store.mesh(10)) // pending counts too
	third := r.store.mesh(10)
	if _, err := r.geo.Join(third); err != gpu.ErrCapacity {
		t.Fatalf("over the ceiling: %v", err)
	}
	if r.store.retains[third] != 0 {
		t.Error("a refusal kept a retain")
	}
	if _, err := r.geo.Join(mesh); err != nil {
		t.Errorf("joining a key that is there: %v", err)
	}
	if _, err := r.geo.Join(r.store.mesh(21)); !errors.Is(err, assets.ErrTooLarge) {
		t.Errorf("larger than the ceiling: %v", err)
	}
	if r.geo.Refused() != 2 || r.geo.Room() != 0 {
		t.Errorf("%d refused, room for %d", r.geo.Refused(), r.geo.Room())
	}
	r.tick()
	r.geo.Leave(a)
	r.geo.Leave(a)
	if _, err := r.geo.Join(third); err != gpu.ErrCapacity {
		t.Errorf("bytes that still age on the device were given out: %v", err)
	}
	r.ticks(3)
	if _, err := r.geo.Join(third); err != nil {
		t.Errorf("after the free: %v", err)
	}
	r.tick()
	r.check()
	if r.geo.LiveBytesMax() > 2*one {
		t.Errorf("%d bytes at once", r.geo.LiveBytesMax())
	}
}

func TestRefusalAllocatesNothing(t *testing.T) {
	r := newRig(t, rigOptions{geometry: gpu.GeometryOptions{BytesMax: triangles(10).PayloadBytes()}})
	defer r.close()
	r.joinMesh(r.store.mesh(10))
	waits := r.store.mesh(10)
	if n := testing.AllocsPerRun(100, func() { _, _ = r.geo.Join(waits) }); n != 0 {
		t.Errorf("%v allocations for each refused join", n)
	}
}

func TestInvariant25_WindowBoundsWhatWaits(t *testing.T) {
	one := triangles(10).PayloadBytes()
	r := newRig(t, rigOptions{geometry: gpu.GeometryOptions{Window: gpu.NewWindow(2 * one)}})
	defer r.close()
	big := r.joinMesh(r.store.mesh(30)) // one oversized entry may enter an empty window
	if _, err := r.geo.Join(r.store.mesh(1)); err != gpu.ErrCapacity {
		t.Fatalf("behind an oversized entry: %v", err)
	}
	r.tick()
	if r.geo.State(big) != gpu.GeometryResident {
		t.Fatal("the oversized entry did not come")
	}
	r.joinMesh(r.store.mesh(10))
	r.joinMesh(r.store.mesh(10))
	if _, err := r.geo.CreateGenerated(triangles(1).Vertices, triangles(1).Indices); err != gpu.ErrCapacity {
		t.Errorf("past the window: %v", err)
	}
	r.check()
}

func TestUploadsRunInOrderUnderTheMeter(t *testing.T) {
	b := work.High()
	one := triangles(10).PayloadBytes()
	b.Max[work.UploadBytes] = 2 * one
	r := newRig(t, rigOptions{budget: b})
	defer r.close()
	var refs []gpu.GeometryRef
	for range 5 {
		refs = append(refs, r.joinMesh(r.store.mesh(10)))
	}
	big := r.joinMesh(r.store.mesh(50)) // larger than a frame's bytes
	refs = append(refs, big, r.joinMesh(r.store.mesh(1)))
	for frame, want := range []int{2, 4, 5, 6, 7} {
		r.tick()
		n := 0
		for i, ref := range refs {
			if r.geo.State(ref) == gpu.GeometryResident {
				if n != i {
					t.Fatalf("frame %d: entry %d came before its turn", frame, i)
				}
				n++
			}
		}
		if n != want {
			t.Fatalf("frame %d: %d resident, want %d", frame, n, want)
		}
	}
	if over, n := r.meter.Overruns(nil); n != 1 || !over[0].Oversize || over[0].Stage != "geometry upload" {
		t.Errorf("overruns %+v", over)
	}
}

func TestDestinationUploadsGoFirst(t *testing.T) {
	b := work.High()
	b.Max[work.UploadBytes] = triangles(10).PayloadBytes()
	r := newRig(t, rigOptions{budget: b})
	defer r.close()
	r.joinMesh(r.store.mesh(10))
	near := r.joinMesh(r.store.mesh(10))
	r.geo.SetClass(near, work.Destination)
	r.tick()
	if r.geo.State(near) != gpu.GeometryResident || r.meter.Facts().DestUsed[work.UploadBytes] == 0 {
		t.Error("the destination waited")
	}
	r.check()
}

func TestInvariant08_FailedCreateLeavesTheTablesAsTheyWere(t *testing.T) {
	mesh := func(r *rig) assets.Handle { return r.store.mesh(4) }
	tests := []struct {
		name  string
		fault func(*rig)
		state gpu.GeometryState // after one tick
		then  gpu.GeometryState // after the fault is gone
	}{
		{"backpressure", func(r *rig) { r.dev.Stall(1) }, gpu.GeometryPending, gpu.GeometryResident},
		{"out of memory", func(r *rig) { r.dev.SetBytesMax(1) }, gpu.GeometryPending, gpu.GeometryResident},
		{"broken", func(r *rig) { r.dev.FailCreate(1) }, gpu.GeometryFailed, gpu.GeometryFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, rigOptions{})
			defer r.close()
			h := mesh(r)
			ref := r.joinMesh(h)
			tt.fault(r)
			r.tick()
			r.check()
			if got := r.geo.State(ref); got != tt.state || r.geo.ID(ref) != 0 || r.geo.LiveBytes() != 0 {
				t.Fatalf("state %v, %d bytes", got, r.geo.LiveBytes())
			}
			pending := tt.state == gpu.GeometryPending
			if (r.store.retains[h] == 1) != pending || (len(r.store.phases[h]) == 0) != pending || r.meter.Facts().Failures != 1 {
				t.Errorf("%d retains, phases %v", r.store.retains[h], r.store.phases[h])
			}
			r.dev.SetBytesMax(0)
			r.ticks(2)
			r.check()
			if got := r.geo.State(ref); got != tt.then {
				t.Errorf("state %v after the fault", got)
			}
			if (r.geo.Failure(ref) != nil) != (tt.then == gpu.GeometryFailed) {
				t.Errorf("failure %v", r.geo.Failure(ref))
			}
			// A failed key is tried again once nobody holds it.
			r.geo.Leave(ref)
			again := r.joinMesh(h)
			r.tick()
			if r.geo.State(again) != gpu.GeometryResident || r.geo.Failure(again) != nil {
				t.Errorf("a new join after all left: %v", r.geo.State(again))
			}
		})
	}
}

func TestOutOfMemoryLetsSmallerOnesPass(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	big, small := r.joinMesh(r.store.mesh(100)), r.joinMesh(r.store.mesh(1))
	r.dev.SetBytesMax(triangles(50).PayloadBytes())
	r.ticks(2)
	if r.geo.State(big) != gpu.GeometryPending || r.geo.State(small) != gpu.GeometryResident {
		t.Errorf("big %v, small %v", r.geo.State(big), r.geo.State(small))
	}
	r.check()
}

// losing loses geometry, which the headless device never does.
type losing struct {
	gpu.Device
	n int
}

func (d *losing) CreateGeometry(v []assets.Vertex, i []uint32, b assets.Bounds) (gpu.GeometryID, error) {
	if d.n > 0 {
		d.n--
		return 0, gpu.ErrLost
	}
	return d.Device.CreateGeometry(v, i, b)
}

func TestLostGeometryIsSentAgainABoundedNumberOfTimes(t *testing.T) {
	for lost, want := range map[int]gpu.GeometryState{
		gpu.LostRetriesMax:     gpu.GeometryResident,
		gpu.LostRetriesMax + 1: gpu.GeometryFailed,
	} {
		dev := &losing{Device: headless.New(headless.Options{}), n: lost}
		store := newFakeStore()
		ret := gpu.NewRetirement(dev)
		g := gpu.NewGeometryOn(dev, fakeMeshes{store}, store, ret, gpu.GeometryOptions{})
		mesh := store.mesh(2)
		ref, err := g.Join(mesh)
		if err != nil {
			t.Fatal(err)
		}
		m := newMeter(work.High())
		for range gpu.LostRetriesMax + 1 {
			m.NewFrame()
			g.Pump(m)
		}
		failed := want == gpu.GeometryFailed
		if got := g.State(ref); got != want || (g.Stats().LostUploads == 1) != failed || store.held() != 0 {
			t.Errorf("lost %d times: %v, %+v", lost, got, g.Stats())
		}
		if failed && !slices.Equal(store.phases[mesh], []assets.Phase{assets.PhaseFailed}) {
			t.Errorf("phases %v", store.phases[mesh])
		}
	}
}

func TestUnkeyedGeometryIsUploadedAfresh(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	mesh := r.store.mesh(3)
	old := r.joinMesh(mesh)
	r.tick()
	r.geo.Unkey(mesh)
	r.store.meshes[mesh] = triangles(5)
	fresh := r.joinMesh(mesh)
	r.tick()
	if fresh == old || r.geo.ID(fresh) == r.geo.ID(old) || r.geo.State(old) != gpu.GeometryResident {
		t.Error("the old copy answered for the new content")
	}
	r.geo.Leave(old) // must not take the new key's entry in the index with it
	if again := r.joinMesh(mesh); again != fresh {
		t.Error("the new key was lost")
	}
	r.check()
}

func TestJoinWithoutAPayloadIsAnError(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	if _, err := r.geo.Join(r.store.handle(assets.KindMesh)); !errors.Is(err, assets.ErrNotReady) {
		t.Errorf("mesh: %v", err)
	}
	if _, err := r.tex.Join(r.store.handle(assets.KindTexture)); !errors.Is(err, assets.ErrNotReady) {
		t.Errorf("texture: %v", err)
	}
	mesh := r.store.mesh(1)
	r.store.nameErr = assets.ErrFull
	if _, err := r.geo.Join(mesh); !errors.Is(err, assets.ErrFull) || r.store.held() != 0 || r.geo.Pending() != 0 {
		t.Errorf("without a name: %v", err)
	}
	r.store.nameErr = nil
	r.check()
	ref := r.joinMesh(mesh)
	delete(r.store.meshes, mesh) // its retain was not honoured
	r.tick()
	if r.geo.State(ref) != gpu.GeometryFailed || !errors.Is(r.geo.Failure(ref), assets.ErrNotReady) {
		t.Errorf("%v: %v", r.geo.State(ref), r.geo.Failure(ref))
	}
}

// slow takes a while for each create.
type slow struct {
	gpu.Device
	clock *handClock
}

func (d *slow) CreateGeometry(v []assets.Vertex, i []uint32, b assets.Bounds) (gpu.GeometryID, error) {
	d.clock.now += 900 * time.Microsecond
	return d.Device.CreateGeometry(v, i, b)
}

func TestUploadsStopWhereTheFramesTimeEnds(t *testing.T) {
	r := newRig(t, rigOptions{})
	r.rebuild(&slow{Device: r.dev, clock: r.clock}, gpu.TextureOptions{})
	defer r.close()
	for range 20 {
		r.joinMesh(r.store.mesh(1))
	}
	frames := 0
	for ; r.geo.Pending() > 0; frames++ {
		before := r.geo.Stats().Uploads
		r.tick()
		if n := r.geo.Stats().Uploads - before; n < 1 || n > 3 {
			t.Fatalf("%d uploads of 0.9 ms in a frame of 2 ms", n)
		}
	}
	if frames < 7 {
		t.Errorf("%d frames", frames)
	}
}

// What was parted from its key says nothing about the key any more.
func TestUnkeyedUploadsTellTheStoreNothing(t *testing.T) {
	for _, broken := range []bool{false, true} {
		r := newRig(t, rigOptions{})
		mesh, tex := r.store.mesh(3), r.store.texture(64, 64, 1)
		r.joinMesh(mesh)
		ref := r.joinTexture(tex)
		r.geo.Unkey(mesh)
		r.tex.Unkey(tex)
		if broken {
			r.dev.FailCreate(2)
		}
		r.ticks(3)
		if r.tex.Resident(ref) == broken || len(r.store.phases[mesh])+len(r.store.phases[tex]) != 0 {
			t.Errorf("broken %v: %v, phases %v and %v", broken, r.tex.State(ref), r.store.phases[mesh], r.store.phases[tex])
		}
		r.close()
	}
}
