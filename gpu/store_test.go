package gpu_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/assets/kinds"
	"sojourn/assets/ktx2"
	"sojourn/assets/meshfile"
	"sojourn/gpu"
	"sojourn/gpu/headless"
	"sojourn/stages/work"
)

// stored is the tables on a real store, real decoders and a memory source.
type stored struct {
	t     *testing.T
	src   *assetstest.Source
	store *assets.Store
	dev   *headless.Device
	ret   *gpu.Retirement
	geo   *gpu.Geometry
	tex   *gpu.Textures
	up    *gpu.Uploads
	meter *work.Meter
}

func newStored(t *testing.T, mappable bool) *stored {
	t.Helper()
	s := &stored{t: t, src: assetstest.NewSource("memory"), dev: headless.New(headless.Options{Checksum: true})}
	s.src.SetMappable(mappable)
	s.src.Set("a.mesh", encodeMesh(t, 7))
	s.src.Set("a.ktx2", encodeTexture(t, 128))
	store, err := assets.Open(assets.Options{Kinds: kinds.Builtin(), Sources: []assets.Source{s.src}, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	s.store = store
	s.ret = gpu.NewRetirement(s.dev)
	s.geo = gpu.NewGeometry(s.dev, store, s.ret, gpu.GeometryOptions{})
	s.tex = gpu.NewTextures(s.dev, store, s.ret, gpu.TextureOptions{})
	s.up = gpu.NewUploads(s.geo, s.tex)
	s.meter = work.NewMeter(&handClock{}, work.High())
	return s
}

func encodeMesh(t *testing.T, n int) []byte {
	t.Helper()
	m := triangles(n)
	b, err := meshfile.Encode(m.Vertices, m.Indices)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func encodeTexture(t *testing.T, edge int) []byte {
	t.Helper()
	l := &ktx2.Levels{Width: edge, Height: edge}
	for n := edge; n > 0; n /= 2 {
		p := make([]byte, n*n*4)
		for i := range p {
			p[i] = byte(i*7 + n)
		}
		l.Pixels = append(l.Pixels, p)
	}
	b, err := ktx2.Encode(l)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (s *stored) retain(stem string, k assets.Kind) assets.Handle {
	s.t.Helper()
	h, err := s.store.Retain(context.Background(), assets.Key{Stem: stem, Kind: k})
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

func (s *stored) tick() {
	s.meter.NewFrame()
	s.meter.Begin()
	s.ret.Pump(s.meter)
	s.up.Pump(s.meter)
	s.meter.End()
	if err := s.dev.Present(nil, &gpu.Frame{Textures: s.tex.Table()}); err != nil {
		s.t.Fatal(err)
	}
	s.ret.Presented()
}

// until ticks while the workers do their part.
func (s *stored) until(what string, done func() bool) {
	s.t.Helper()
	for start := time.Now(); !done(); runtime.Gosched() {
		if s.tick(); time.Since(start) > time.Minute {
			s.t.Fatalf("never: %s", what)
		}
	}
}

func (s *stored) close() {
	s.t.Helper()
	s.geo.Close()
	s.tex.Close()
	s.ret.Flush()
	if st := s.dev.Stats(); st.Textures != 0 || st.Geometries != 0 || st.TextureBytes != 0 || st.GeometryBytes != 0 {
		s.t.Errorf("left on the device: %+v", st)
	}
	s.until("the workers let go", func() bool { return s.store.Stats().InFlightBytes == 0 })
	assetstest.CheckLeaks(s.t, s.store)
	if err := s.store.Close(); err != nil {
		s.t.Error(err)
	}
	assetstest.CheckSource(s.t, s.src)
}

func TestStoreToDeviceAndBack(t *testing.T) {
	for _, mappable := range []bool{false, true} {
		s := newStored(t, mappable)
		mesh, tex := s.retain("a", assets.KindMesh), s.retain("a", assets.KindTexture)
		ticket := s.store.OpenTicket(assets.TicketOptions{Owner: "test"})
		for _, h := range []assets.Handle{mesh, tex} {
			if err := s.store.Require(ticket, h, assets.PhaseOnDevice); err != nil {
				t.Fatal(err)
			}
		}
		s.store.Seal(ticket)
		g, err := s.geo.Join(mesh)
		if err != nil {
			t.Fatal(err)
		}
		x, err := s.tex.Join(tex)
		if err != nil {
			t.Fatal(err)
		}
		s.store.Release(mesh) // the table has its own until the upload
		var wakes []assets.Wake
		s.until("the ticket is ready", func() bool {
			wakes = s.store.Drain(wakes)
			return s.store.Poll(ticket).Ready
		})
		if p := s.store.Poll(ticket); p.Failed != 0 || s.geo.State(g) != gpu.GeometryResident || !s.tex.Resident(x) {
			t.Errorf("%+v: %v, %v", p, s.geo.State(g), s.tex.State(x))
		}
		s.store.CloseTicket(ticket)
		if again, err := s.geo.Join(mesh); err != nil || again != g {
			t.Errorf("joining without the payload: %v", err)
		}
		s.geo.Leave(g)
		if !s.store.OnDevice(mesh) || !s.store.OnDevice(tex) || s.store.Refs(mesh) != 0 {
			t.Errorf("%d retains on the mesh after its upload", s.store.Refs(mesh))
		}
		p := assets.Of[assets.Texture](s.store, assets.KindTexture).At(tex)
		id := s.tex.Table()[s.tex.Index(x)]
		if got, want := s.dev.Checksum(id), sum(t, p, encodeTexture(t, 128), 0); got != want {
			t.Error("the device has other pixels than the file")
		}
		s.geo.Leave(g)
		s.tex.Leave(x)
		if s.store.OnDevice(mesh) || s.store.OnDevice(tex) {
			t.Error("the store was not told that the copy is gone")
		}
		s.store.Release(tex)
		s.close()
	}
}

func TestLeaveWhileAWorkerReads(t *testing.T) {
	s := newStored(t, false)
	tex := s.retain("a", assets.KindTexture)
	s.src.Hold("a.ktx2")
	x, err := s.tex.Join(tex)
	if err != nil {
		t.Fatal(err)
	}
	s.tick()
	s.src.WaitHeld("a.ktx2")
	s.tex.Leave(x)
	s.store.Release(tex)
	if s.tex.Pending() != 0 || s.tex.Stats().WindowBytes != 0 {
		t.Errorf("%+v", s.tex.Stats())
	}
	s.src.LetGo("a.ktx2")
	s.tick()
	s.close()
}

func TestAChangedFileFailsTheReadNotTheProcess(t *testing.T) {
	s := newStored(t, false)
	tex := s.retain("a", assets.KindTexture)
	s.src.Set("a.ktx2", encodeTexture(t, 128)[:3000])
	x, err := s.tex.Join(tex)
	if err != nil {
		t.Fatal(err)
	}
	s.until("the texture failed", func() bool { return s.tex.State(x) == gpu.TextureFailed })
	if err := s.tex.Failure(x); !errors.Is(err, assets.ErrNotReady) && !errors.Is(err, assets.ErrCorrupt) {
		t.Error(err)
	}
	s.tex.Leave(x)
	s.store.Release(tex)
	s.close()
}
