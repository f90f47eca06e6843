//go:build unix

package gpu_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"sojourn/assets"
	"sojourn/gpu"
)

// mapping is a lease on a whole file that the test shortens underneath.
type mapping struct {
	t    *testing.T
	path string
	b    []byte
}

func mapFile(t *testing.T, content []byte) *mapping {
	t.Helper()
	m := &mapping{t: t, path: filepath.Join(t.TempDir(), "mapped")}
	if err := os.WriteFile(m.path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(m.path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if m.b, err = syscall.Mmap(int(f.Fd()), 0, len(content), syscall.PROT_READ, syscall.MAP_SHARED); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *mapping) Bytes() []byte { return m.b }

func (m *mapping) Release() {
	if m.b == nil {
		m.t.Error("released twice")
		return
	}
	if err := syscall.Munmap(m.b); err != nil {
		m.t.Error(err)
	}
	m.b = nil
}

func (m *mapping) truncate() {
	if err := os.Truncate(m.path, 0); err != nil {
		m.t.Fatal(err)
	}
}

func TestCaseA19_TruncatedMappingFailsTheTexture(t *testing.T) {
	for _, truncated := range []bool{false, true} {
		r := newRig(t, rigOptions{})
		h := r.store.texture(128, 128, 1)
		p := r.store.textures[h]
		off, n := p.SuffixSpan(0)
		m := mapFile(t, r.store.files[h][off:off+n])
		p.TailLevel, p.Tail = 0, assets.LeaseBytes(m)
		ref := r.joinTexture(h)
		if truncated {
			m.truncate()
		}
		r.ticks(2)
		r.check()
		switch {
		case !truncated:
			r.shows(h, ref)
		case r.tex.State(ref) != gpu.TextureFailed || !errors.Is(r.tex.Failure(ref), assets.ErrCorrupt):
			t.Errorf("%v: %v", r.tex.State(ref), r.tex.Failure(ref))
		}
		r.close()
		p.Tail.Free()
	}
}

func TestCaseA19_TruncatedMappingFailsTheMesh(t *testing.T) {
	for _, truncated := range []bool{false, true} {
		r := newRig(t, rigOptions{})
		from := triangles(500)
		n := len(from.Vertices) * assets.VertexBytes
		content := append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(&from.Vertices[0])), n)...)
		content = append(content, unsafe.Slice((*byte)(unsafe.Pointer(&from.Indices[0])), len(from.Indices)*4)...)
		m := mapFile(t, content)
		h := r.store.handle(assets.KindMesh)
		mesh := &assets.Mesh{
			Vertices: unsafe.Slice((*assets.Vertex)(unsafe.Pointer(&m.b[0])), len(from.Vertices)),
			Indices:  unsafe.Slice((*uint32)(unsafe.Pointer(&m.b[n])), len(from.Indices)),
			Data:     assets.LeaseBytes(m),
		}
		r.store.meshes[h] = mesh
		ref := r.joinMesh(h)
		if truncated {
			m.truncate()
		}
		r.tick()
		r.check()
		switch {
		case !truncated:
			if r.geo.State(ref) != gpu.GeometryResident {
				t.Error(r.geo.Failure(ref))
			}
		case r.geo.State(ref) != gpu.GeometryFailed || !errors.Is(r.geo.Failure(ref), assets.ErrCorrupt):
			t.Errorf("%v: %v", r.geo.State(ref), r.geo.Failure(ref))
		}
		r.close()
		mesh.Data.Free()
	}
}
