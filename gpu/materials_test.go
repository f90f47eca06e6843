package gpu_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"sojourn/assets"
	"sojourn/gpu"
)

func TestMaterialRowIsLaidOutAsStd140(t *testing.T) {
	var r gpu.MaterialRow
	if n := unsafe.Sizeof(r); n != gpu.MaterialRowBytes || gpu.MaterialRowBytes != 144 {
		t.Errorf("%d bytes", n)
	}
	for name, got := range map[string][2]uintptr{
		"BaseColor": {unsafe.Offsetof(r.BaseColor), 0},
		"Emissive":  {unsafe.Offsetof(r.Emissive), 16},
		"Specular":  {unsafe.Offsetof(r.Specular), 32},
		"Ambient":   {unsafe.Offsetof(r.Ambient), 48},
		"Roughness": {unsafe.Offsetof(r.Roughness), 64},
		"Factors":   {unsafe.Offsetof(r.Factors), 80},
		"Maps":      {unsafe.Offsetof(r.Maps), 96},
	} {
		if got[0] != got[1] {
			t.Errorf("%s at %d, want %d", name, got[0], got[1])
		}
	}
	if unsafe.Sizeof(r.Maps) != 36 || gpu.NoMap != 0xFFFFFFFF {
		t.Error("nine uint32 map indices, 0xFFFFFFFF where empty")
	}
}

func isStandIn(r gpu.MaterialRow) bool {
	for _, m := range r.Maps {
		if m != gpu.NoMap {
			return false
		}
	}
	return r.BaseColor == [4]float32{0.5, 0.5, 0.5, 1} && r.Emissive == [4]float32{0, 0, 0, 1} && r.Factors == [4]float32{}
}

func TestRowsAreStandInsUntilSet(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	ms := gpu.NewMaterials(r.tex)
	if lo, hi, any := ms.Dirty(); !any || lo != 0 || hi != 1 || ms.Live() != 0 || !isStandIn(ms.Rows()[ms.DefaultRow()]) {
		t.Errorf("a new table: dirty [%d, %d) %v, %d live", lo, hi, any, ms.Live())
	}
	ms.ClearDirty()
	a, b := ms.Alloc(), ms.Alloc()
	if a == b || a == ms.DefaultRow() || !isStandIn(ms.Rows()[a]) || ms.Live() != 2 {
		t.Fatal(a, b)
	}
	if lo, hi, any := ms.Dirty(); !any || lo != a || hi != b+1 {
		t.Errorf("dirty [%d, %d) %v", lo, hi, any)
	}
	ms.ClearDirty()
	mat := assets.Material{
		BaseColor: [4]float32{1, 2, 3, 4}, Emissive: [3]float32{5, 6, 7}, Metallic: 8, Roughness: 9,
		NormalScale: 10, Occlusion: 11, AlphaCutoff: 12, Blend: true, Unlit: true,
	}
	ms.Set(b, &mat)
	row := ms.Rows()[b]
	if row.BaseColor != mat.BaseColor || row.Emissive != [4]float32{5, 6, 7, 1} ||
		row.Roughness != [4]float32{9, 8, 10, 11} || row.Factors != [4]float32{12, 1, 0, 1} {
		t.Errorf("%+v", row)
	}
	if lo, hi, any := ms.Dirty(); !any || lo != b || hi != b+1 {
		t.Errorf("dirty [%d, %d) %v", lo, hi, any)
	}
	ms.ClearDirty()
	ms.Set(b, &mat)
	ms.SetMap(b, 0, 0)
	if _, _, any := ms.Dirty(); any {
		t.Error("setting the same again made the row dirty")
	}
	ms.Free(b)
	ms.Free(b)
	if ms.Live() != 1 || !isStandIn(ms.Rows()[b]) {
		t.Error("a freed row is not the stand-in")
	}
	if again := ms.Alloc(); again != b {
		t.Error("the freed row was not reused")
	}
	ms.Set(ms.DefaultRow(), &mat)
	ms.Free(ms.DefaultRow())
	ms.Set(9999, &mat)
	ms.SetMap(9999, 0, 1)
	ms.Free(9999)
	if !isStandIn(ms.Rows()[ms.DefaultRow()]) {
		t.Error("the default row changed")
	}
}

func TestARowFollowsItsTexture(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	ms := gpu.NewMaterials(r.tex)
	row := ms.Alloc()
	ref := r.joinTexture(r.store.texture(64, 64, 1))
	ms.SetMap(row, assets.MapNormal, ref)
	if ms.Rows()[row].Maps[assets.MapNormal] != gpu.NoMap {
		t.Error("an unpublished texture shows")
	}
	ms.ClearDirty()
	r.ticks(2)
	if got := ms.Rows()[row].Maps[assets.MapNormal]; got != r.tex.Index(ref) {
		t.Errorf("index %d, want %d", got, r.tex.Index(ref))
	}
	if _, _, any := ms.Dirty(); !any {
		t.Error("the row is not dirty")
	}
	ms.Set(row, &assets.Material{}) // figures do not touch maps
	if ms.Rows()[row].Maps[assets.MapNormal] != r.tex.Index(ref) {
		t.Error("Set took the map away")
	}
	r.tex.Leave(ref)
	if ms.Rows()[row].Maps[assets.MapNormal] != gpu.NoMap {
		t.Error("a texture that is gone shows")
	}
	// The slot's next texture is somebody else's.
	r.joinTexture(r.store.texture(64, 64, 2))
	r.ticks(2)
	if ms.Rows()[row].Maps[assets.MapNormal] != gpu.NoMap {
		t.Error("the slot's new texture shows")
	}
	ms.SetMap(row, assets.MapNormal, ref)
	if ms.Rows()[row].Maps[assets.MapNormal] != gpu.NoMap {
		t.Error("a stale ref shows")
	}
	r.frame.Materials = ms.Rows()
	r.tick() // the device refuses indices past the table
	ms.Close()
	ms.Close()
}

// The index and the exhaustive scan give the same rows after every step.
func TestInvariant09_IndexAndScanRebindTheSame(t *testing.T) {
	for seed := range uint64(8) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		r := newRig(t, rigOptions{})
		indexed := gpu.NewMaterials(r.tex)
		mixed := gpu.NewMaterialsIndexed(r.tex, 7)
		scanned := gpu.NewMaterialsIndexed(r.tex, 0)
		all := []*gpu.Materials{indexed, mixed, scanned}
		var rows []uint32
		var refs []gpu.TextureRef
		var handles []assets.Handle
		for i := range 12 {
			handles = append(handles, r.store.texture(16<<(i%3), 16, uint32(i)))
		}
		for step := range 400 {
			switch n := rnd.IntN(12); {
			case n < 2 && len(rows) < 40:
				row := uint32(0)
				for _, ms := range all {
					row = ms.Alloc()
				}
				rows = append(rows, row)
			case n == 2 && len(rows) > 0:
				i := rnd.IntN(len(rows))
				for _, ms := range all {
					ms.Free(rows[i])
				}
				rows = slices.Delete(rows, i, i+1)
			case n < 5:
				refs = append(refs, r.joinTexture(handles[rnd.IntN(len(handles))]))
			case n == 5 && len(refs) > 0:
				i := rnd.IntN(len(refs))
				r.tex.Leave(refs[i])
				refs = slices.Delete(refs, i, i+1)
			case n < 9 && len(rows) > 0:
				row, slot, ref := rows[rnd.IntN(len(rows))], assets.MapSlot(rnd.IntN(int(assets.MapSlots))), gpu.TextureRef(0)
				if len(refs) > 0 && rnd.IntN(5) > 0 {
					ref = refs[rnd.IntN(len(refs))]
				}
				for _, ms := range all {
					ms.SetMap(row, slot, ref)
				}
			default:
				if len(refs) > 0 {
					r.tex.Refresh(refs[rnd.IntN(len(refs))])
				}
				r.tick()
			}
			for name, ms := range map[string]*gpu.Materials{"overflow scan": scanned, "partly indexed": mixed} {
				if !slices.Equal(ms.Rows(), indexed.Rows()) {
					t.Fatalf("seed %d, step %d: %s shows other rows than the index", seed, step, name)
				}
			}
			for _, ms := range all[:1] {
				for row, m := range ms.Rows() {
					for slot, index := range m.Maps {
						if index != gpu.NoMap && (int(index) >= len(r.tex.Table()) || r.tex.Table()[index] == 0) {
							t.Fatalf("seed %d, step %d: row %d map %d shows nothing published", seed, step, row, slot)
						}
					}
				}
			}
		}
		if indexed.Unindexed() != 0 || scanned.Unindexed() == 0 {
			t.Fatalf("seed %d: %d and %d users outside the index", seed, indexed.Unindexed(), scanned.Unindexed())
		}
		for _, row := range rows {
			for _, ms := range all {
				ms.Free(row)
			}
		}
		if scanned.Unindexed() != 0 || mixed.Unindexed() != 0 || indexed.Live() != 0 {
			t.Fatalf("seed %d: users left", seed)
		}
		r.close()
	}
}

func TestSteadyFramesAllocateNothing(t *testing.T) {
	r := newRig(t, rigOptions{})
	defer r.close()
	ms := gpu.NewMaterials(r.tex)
	row := ms.Alloc()
	mesh := r.store.mesh(5)
	ref := r.joinMesh(mesh)
	tex := r.joinTexture(r.store.texture(64, 64, 1))
	limited := r.joinTexture(r.store.texture(64, 64, 2))
	ms.SetMap(row, 0, tex)
	mat := &assets.Material{}
	r.ticks(5)
	n := testing.AllocsPerRun(100, func() {
		r.meter.NewFrame()
		r.meter.Begin()
		r.ret.Pump(r.meter)
		r.up.Pump(r.meter)
		r.meter.End()
		again, _ := r.geo.Join(mesh)
		r.geo.Leave(again)
		_ = r.geo.ID(ref)
		_ = r.tex.Index(limited)
		_ = r.tex.Stats()
		ms.Set(row, mat)
		ms.SetMap(row, 1, limited)
		ms.ClearDirty()
		r.ret.Presented()
	})
	if n != 0 {
		t.Errorf("%v allocations in a frame with nothing new", n)
	}
}
