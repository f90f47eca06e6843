package gpu_test

import (
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"sojourn/assets"
	"sojourn/gpu"
	"sojourn/stages/work"
)

var simulations = flag.Int("simulations", 30, "seeds of the simulation test")

// simulation is one seeded run over joins, leaves, reads that end in any
// order, pumps and faults.
type simulation struct {
	*rig
	rnd      *rand.Rand
	mats     *gpu.Materials
	meshes   []assets.Handle
	textures []assets.Handle
	geos     []gpu.GeometryRef // one for each use
	made     []gpu.GeometryRef // generated
	texs     []gpu.TextureRef  // one for each use
	rows     []uint32
	reached  map[gpu.TextureRef]bool // published at some time
}

func TestSimulation(t *testing.T) {
	for seed := range uint64(*simulations) {
		if !t.Run("", func(t *testing.T) { runSimulation(t, seed) }) {
			t.Fatalf("seed %d", seed)
		}
	}
}

func runSimulation(t *testing.T, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 28))
	b := work.High()
	b.Max[work.UploadBytes] = int64(4<<10 + rnd.IntN(400<<10))
	b.Max[work.DeviceCreates] = int64(1 + rnd.IntN(6))
	b.Max[work.DeviceTouches] = int64(1 + rnd.IntN(20))
	b.Max[work.DeviceFrees] = int64(1 + rnd.IntN(10))
	b.Max[work.Transitions] = int64(1 + rnd.IntN(6))
	texBytes := int64(8<<10 + rnd.IntN(600<<10))
	s := &simulation{rnd: rnd, reached: map[gpu.TextureRef]bool{}, rig: newRig(t, rigOptions{
		budget:   b,
		geometry: gpu.GeometryOptions{BytesMax: int64(4<<10 + rnd.IntN(60<<10)), Window: gpu.NewWindow(int64(2<<10 + rnd.IntN(40<<10)))},
		texture:  gpu.TextureOptions{BytesMax: texBytes, WindowBytesMax: int64(1<<10 + rnd.IntN(300<<10))},
	})}
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	s.mats = gpu.NewMaterials(s.tex)
	s.reads.auto, s.reads.max = false, 1+rnd.IntN(8)
	for i := range 14 {
		s.meshes = append(s.meshes, s.store.mesh(1+rnd.IntN(40)))
		s.textures = append(s.textures, s.store.texture(1+rnd.IntN(220), 1+rnd.IntN(220), uint32(i)))
	}
	for range 600 {
		s.step()
		s.invariants()
	}
	s.settle()
	s.mats.Close()
	s.close()
}

func (s *simulation) step() {
	switch n := s.rnd.IntN(100); {
	case n < 12:
		if ref, err := s.geo.Join(s.meshes[s.rnd.IntN(len(s.meshes))]); err == nil {
			s.geos = append(s.geos, ref)
		} else if err != gpu.ErrCapacity && !errors.Is(err, assets.ErrTooLarge) {
			s.t.Fatal(err)
		}
	case n < 20:
		if len(s.geos) > 0 {
			i := s.rnd.IntN(len(s.geos))
			s.geo.Leave(s.geos[i])
			s.geos = slices.Delete(s.geos, i, i+1)
		}
	case n < 35:
		if ref, err := s.tex.Join(s.textures[s.rnd.IntN(len(s.textures))]); err == nil {
			s.texs = append(s.texs, ref)
		} else if !errors.Is(err, assets.ErrTooLarge) {
			s.t.Fatal(err)
		}
	case n < 45:
		if len(s.texs) > 0 {
			i := s.rnd.IntN(len(s.texs))
			ref := s.texs[i]
			s.tex.Leave(ref)
			s.texs = slices.Delete(s.texs, i, i+1)
			if !slices.Contains(s.texs, ref) {
				delete(s.reached, ref)
			}
		}
	case n < 49:
		s.generated()
	case n < 55:
		s.materials()
	case n < 65:
		if len(s.reads.queue) > 0 {
			s.reads.finish(s.rnd.IntN(len(s.reads.queue)))
		}
	case n < 72:
		s.change()
	case n < 78:
		s.fault()
	case n < 80:
		s.present() // a draw without a tick
	default:
		s.clock.now += time.Duration(s.rnd.IntN(3000)) * time.Microsecond
		s.tick()
	}
}

func (s *simulation) generated() {
	m := triangles(1 + s.rnd.IntN(30))
	switch {
	case len(s.made) < 3:
		if ref, err := s.geo.CreateGenerated(m.Vertices, m.Indices); err == nil {
			s.made = append(s.made, ref)
		}
	case s.rnd.IntN(3) == 0:
		s.geo.Leave(s.made[0])
		s.made = s.made[1:]
	default:
		if err := s.geo.Update(s.made[s.rnd.IntN(len(s.made))], m.Vertices, m.Indices); err != nil && err != gpu.ErrCapacity {
			s.t.Fatal(err)
		}
	}
}

func (s *simulation) materials() {
	switch {
	case len(s.rows) < 5:
		s.rows = append(s.rows, s.mats.Alloc())
	case s.rnd.IntN(5) == 0:
		s.mats.Free(s.rows[0])
		s.rows = s.rows[1:]
	case len(s.texs) > 0:
		s.mats.SetMap(s.rows[s.rnd.IntN(len(s.rows))], assets.MapSlot(s.rnd.IntN(9)), s.texs[s.rnd.IntN(len(s.texs))])
	}
}

func (s *simulation) change() {
	class := work.Class(s.rnd.IntN(2))
	switch s.rnd.IntN(5) {
	case 0:
		if len(s.texs) > 0 {
			s.tex.Refresh(s.texs[s.rnd.IntN(len(s.texs))])
		}
	case 1:
		if len(s.texs) > 0 {
			s.tex.SetClass(s.texs[s.rnd.IntN(len(s.texs))], class)
		}
	case 2:
		if len(s.geos) > 0 {
			s.geo.SetClass(s.geos[s.rnd.IntN(len(s.geos))], class)
		}
	case 3:
		s.geo.Unkey(s.meshes[s.rnd.IntN(len(s.meshes))])
	case 4:
		s.tex.Unkey(s.textures[s.rnd.IntN(len(s.textures))])
	}
}

func (s *simulation) fault() {
	switch s.rnd.IntN(9) {
	case 0:
		s.dev.FailCreate(1)
	case 1:
		s.dev.FailUploadAfter(s.rnd.IntN(20))
	case 2:
		s.dev.Stall(1 + s.rnd.IntN(4))
	case 3:
		s.dev.LoseUploads(1 + s.rnd.IntN(6))
	case 4:
		st := s.dev.Stats()
		s.dev.SetBytesMax(st.TextureBytes + st.GeometryBytes + int64(s.rnd.IntN(50<<10)))
	case 5:
		s.dev.SetBytesMax(0)
	case 6:
		s.reads.fail = errors.New("read failed")
	case 7:
		s.reads.fail, s.reads.short, s.reads.submitErr = nil, false, nil
	case 8:
		s.reads.short = true
	}
}

func (s *simulation) invariants() {
	s.t.Helper()
	s.check() // 28, 29, and every sum
	for _, ref := range s.texs {
		base, authored := s.tex.Levels(ref)
		switch {
		case s.tex.State(ref) == gpu.TextureStale:
			s.t.Fatal("a held ref is stale")
		case s.tex.Resident(ref):
			s.reached[ref] = true
			if base > max(0, authored-assets.TextureTailLevels) {
				s.t.Fatalf("less than the tail: level %d of %d", base, authored)
			}
		case s.reached[ref]:
			s.t.Fatal("a published texture was taken away while held") // 30
		}
	}
	for _, ref := range s.geos {
		if s.geo.State(ref) == gpu.GeometryStale {
			s.t.Fatal("a held ref is stale")
		}
	}
	for row, m := range s.mats.Rows() {
		for _, index := range m.Maps {
			if index != gpu.NoMap && s.tex.Table()[index] == 0 {
				s.t.Fatalf("row %d shows nothing published", row)
			}
		}
	}
	if st := s.geo.Stats(); s.store.held() != s.geo.Pending()-s.pendingMade() || st.Live < 0 { // 31: one retain for each pending key
		s.t.Fatalf("%d retains, %d uploads pending", s.store.held(), s.geo.Pending())
	}
}

// pendingMade is how many generated meshes wait; they hold no retain. One with
// an update pending is resident and cannot be told apart from outside, so the
// table's own check covers those.
func (s *simulation) pendingMade() int {
	return s.geo.PendingGenerated()
}

// settle ends all faults: everything that did not fail must come, or wait for
// room that only a leave gives.
func (s *simulation) settle() {
	s.t.Helper()
	s.dev.SetBytesMax(0)
	s.dev.Stall(0)
	s.dev.LoseUploads(0)
	s.dev.FailCreate(0)
	s.dev.FailUpload(0)
	s.reads.fail, s.reads.short, s.reads.submitErr, s.reads.auto = nil, false, nil, true
	for range 800 {
		s.tick()
		s.invariants()
	}
	if n := s.geo.Pending(); n != 0 {
		s.t.Fatalf("%d meshes never came", n)
	}
	st := s.tex.Stats()
	if s.tex.Pending() != st.Waiting {
		s.t.Fatalf("something besides waiting is pending: %+v", st)
	}
	if st.Waiting > 0 && s.ret.Pending() == 0 && st.LimitedNow > 0 && s.tex.BytesMax()-s.tex.LiveBytes() > 4<<10 {
		s.t.Fatalf("textures wait although others could be demoted: %+v, %d of %d", st, s.tex.LiveBytes(), s.tex.BytesMax())
	}
	moves := st.Upgrades + st.Demotions
	for range 100 {
		s.tick()
	}
	if st := s.tex.Stats(); st.Upgrades+st.Demotions != moves {
		s.t.Fatalf("levels move back and forth: %+v", st)
	}
	for i, h := range s.textures {
		if ref, err := s.tex.Join(h); err == nil {
			if s.tex.Resident(ref) {
				s.shows(h, ref)
			}
			s.tex.Leave(ref)
		} else if !errors.Is(err, assets.ErrTooLarge) {
			s.t.Fatalf("texture %d: %v", i, err)
		}
	}
}
