package gpu_test

import (
	"errors"
	"testing"

	"sojourn/gpu"
)

func TestGeneratedGeometryUpdatesInPlace(t *testing.T) {
	max := triangles(10).PayloadBytes()
	r := newRig(t, rigOptions{geometry: gpu.GeometryOptions{BytesMax: max}})
	defer r.close()
	m := triangles(10)
	ref, err := r.geo.CreateGenerated(m.Vertices, m.Indices)
	if err != nil {
		t.Fatal(err)
	}
	want := r.geo.Bounds(ref)
	if want.Min != [3]float32{0, -29, 1} || want.Max != [3]float32{29, 0, 1} || want.Radius < 20 || want.Radius > 21 {
		t.Errorf("bounds %+v", want)
	}
	m.Indices[0] = 99 // the table has its own copy
	r.tick()
	if r.geo.State(ref) != gpu.GeometryResident {
		t.Fatal(r.geo.Failure(ref))
	}
	if _, err := r.geo.CreateGenerated(triangles(1).Vertices, triangles(1).Indices); err != gpu.ErrCapacity {
		t.Errorf("over the ceiling: %v", err)
	}
	old := r.geo.ID(ref)
	grown := triangles(25)
	for range 3 { // the last one counts, in one upload
		if err := r.geo.Update(ref, grown.Vertices, grown.Indices); err != nil {
			t.Fatalf("growing what lives: %v", err)
		}
		r.check()
	}
	if r.geo.ID(ref) != old || r.geo.State(ref) != gpu.GeometryResident || r.geo.Bounds(ref) != want {
		t.Error("the old copy went before the new one was there")
	}
	r.tick()
	if r.geo.ID(ref) == old || r.geo.Stats().Uploads != 2 || r.geo.Bounds(ref) == want {
		t.Error("the update did not come")
	}
	r.ticks(3)
	r.check()
	if r.geo.LiveBytes() != grown.PayloadBytes() {
		t.Errorf("%d bytes live", r.geo.LiveBytes())
	}
	r.dev.FailCreate(1)
	now := r.geo.ID(ref)
	if err := r.geo.Update(ref, grown.Vertices, grown.Indices); err != nil {
		t.Fatal(err)
	}
	r.tick()
	if r.geo.ID(ref) != now || r.geo.Failure(ref) == nil {
		t.Error("a failed update took the old copy away")
	}
	r.check()
}

func TestMalformedGeneratedGeometryIsRefused(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	v := triangles(1).Vertices
	for _, idx := range [][]uint32{nil, {0, 1}, {0, 1, 3}} {
		if _, err := r.geo.CreateGenerated(v, idx); !errors.Is(err, gpu.ErrMalformed) {
			t.Errorf("%v: %v", idx, err)
		}
	}
	if r.geo.Stats().Live != 0 {
		t.Error("a refusal left an entry")
	}
}
