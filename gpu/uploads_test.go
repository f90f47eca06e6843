package gpu_test

import (
	"testing"

	"sojourn/assets"
	"sojourn/gpu"
	"sojourn/stages/work"
)

func TestCaseA17_ATextureOfEveryFrameStarvesNobody(t *testing.T) {
	b := work.High()
	b.Max[work.UploadBytes] = 1 << 20
	r := newRig(t, rigOptions{budget: b})
	defer r.close()
	h := r.store.texture(512, 384, 1) // 1 MiB with its levels
	if n := chainBytes(r.store.textures[h], 0); n < 1<<20-16 || n > 1<<20 {
		t.Fatalf("%d bytes", n)
	}
	p := r.store.textures[h] // without a read in between, it is uploaded in every frame
	off, n := p.SuffixSpan(0)
	p.TailLevel, p.Tail = 0, assets.OwnBytes(r.store.files[h][off:off+n])
	dirty := r.joinTexture(h)
	r.ticks(4)
	var meshes []gpu.GeometryRef
	for range 10 {
		meshes = append(meshes, r.joinMesh(r.store.mesh(20)))
	}
	var textures []gpu.TextureRef
	for i := range 5 {
		textures = append(textures, r.joinTexture(r.store.texture(128, 128, uint32(10+i))))
	}
	oversized := r.joinMesh(r.store.mesh(12000)) // 1.4 MB alone
	const framesMax = 20
	refreshes := r.tex.Stats().Refreshes
	for range framesMax {
		r.tex.Refresh(dirty)
		r.tick()
		r.check()
	}
	for i, ref := range meshes {
		if r.geo.State(ref) != gpu.GeometryResident {
			t.Errorf("mesh %d is not resident after %d frames", i, framesMax)
		}
	}
	for i, ref := range textures {
		if !r.tex.Resident(ref) {
			t.Errorf("texture %d is not resident after %d frames", i, framesMax)
		}
	}
	if r.geo.State(oversized) != gpu.GeometryResident {
		t.Error("the oversized mesh never came")
	}
	if n := r.tex.Stats().Refreshes - refreshes; n < framesMax/5 {
		t.Errorf("the dirty texture itself came %d times in %d frames", n, framesMax)
	}
}
