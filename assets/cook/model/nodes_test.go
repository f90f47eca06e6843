package model

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"sojourn/assets"
)

func near(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-5 }

func TestHierarchy(t *testing.T) {
	s := math.Sqrt(0.5)
	f := triangle()
	f.doc["nodes"] = []any{
		object{"name": "leaf", "mesh": 0, "translation": []any{1, 0, 0}},
		object{"name": "root", "children": []any{2, 0}, "rotation": []any{0, 0, s, s}, "translation": []any{0, 0, 5}},
		object{"name": "scaled", "mesh": 0, "scale": []any{2, 2, 2}},
		object{"name": "elsewhere", "mesh": 0},
	}
	f.doc["scenes"] = []any{object{"nodes": []any{3}}, object{"nodes": []any{1}}}
	f.doc["scene"] = 1
	got := mustLoad(t, f)
	var names []string
	for i, n := range got.model.Nodes {
		names = append(names, fmt.Sprintf("%s<%d", n.Name, n.Parent))
		if int(n.Parent) >= i {
			t.Errorf("node %d has parent %d", i, n.Parent)
		}
	}
	if s := strings.Join(names, " "); s != "root<-1 scaled<0 leaf<0" {
		t.Errorf("nodes %s", s)
	}
	// A quarter turn about z takes x to y.
	leaf := got.model.Nodes[2].World
	for k, want := range []float32{0, 1, 5} {
		if !near(leaf[12+k], want) {
			t.Errorf("leaf is at %v", leaf[12:15])
			break
		}
	}
	if len(got.model.Parts) != 2 || got.model.Parts[0].Mesh != got.model.Parts[1].Mesh || len(got.meshes) != 1 {
		t.Errorf("parts %v of %d meshes", got.model.Parts, len(got.meshes))
	}
	b := got.model.Bounds
	for k, want := range [...][2]float32{{-2, 0}, {0, 2}, {5, 5}} {
		if !near(b.Min[k], want[0]) || !near(b.Max[k], want[1]) {
			t.Errorf("bounds %v..%v", b.Min, b.Max)
		}
	}
	if !near(b.Radius, float32(math.Sqrt2)) || !near(b.Center[0], -1) {
		t.Errorf("sphere %v %v", b.Center, b.Radius)
	}
}

func TestMatrixIsDecomposed(t *testing.T) {
	f := triangle()
	// Mirrored along x, a quarter turn about y, moved.
	f.doc["nodes"] = []any{object{"mesh": 0, "matrix": []any{0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 0, 7, 8, 9, 1}}}
	n := mustLoad(t, f).model.Nodes[0]
	if n.World != [16]float32{0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 0, 7, 8, 9, 1} {
		t.Errorf("world %v", n.World)
	}
	if n.Local.Pos != [3]float32{7, 8, 9} || n.Local.Scale[0] != -2 || n.Local.Scale[1] != 3 || n.Local.Scale[2] != 4 {
		t.Errorf("local %+v", n.Local)
	}
	// Put together again it must be the same placement.
	f.doc["nodes"] = []any{object{"mesh": 0, "translation": n.Local.Pos, "rotation": n.Local.Rot, "scale": n.Local.Scale}}
	again := mustLoad(t, f).model.Nodes[0].World
	for i := range again {
		if !near(again[i], n.World[i]) {
			t.Fatalf("world again %v", again)
		}
	}
}

func TestZeroScaleAndZeroRotation(t *testing.T) {
	f := triangle()
	f.doc["nodes"] = []any{object{"mesh": 0, "scale": []any{0, 0, 0}, "rotation": []any{0, 0, 0, 0}}}
	n := mustLoad(t, f).model.Nodes[0]
	if n.Local.Scale != [3]float32{} || n.Local.Rot != [4]float32{0, 0, 0, 1} || n.World[0] != 0 {
		t.Errorf("%+v", n)
	}
}

func TestWithoutScenesOrNodes(t *testing.T) {
	f := triangle()
	delete(f.doc, "scenes")
	f.doc["nodes"] = []any{object{"mesh": 0}, object{"children": []any{0}}, object{"mesh": 0}}
	if got := mustLoad(t, f); len(got.model.Nodes) != 3 || len(got.model.Parts) != 2 {
		t.Errorf("%+v", got.model)
	}
	delete(f.doc, "nodes")
	if got := mustLoad(t, f); len(got.model.Nodes) != 1 || len(got.model.Parts) != 1 {
		t.Errorf("%+v", got.model)
	}
}

func TestUnusedMeshesWarn(t *testing.T) {
	f := triangle()
	f.doc["nodes"] = []any{object{}}
	got := mustLoad(t, f)
	if len(got.meshes) != 0 || !strings.Contains(strings.Join(got.warnings, ""), `mesh 0 "m" is on no node`) {
		t.Errorf("warnings %q", got.warnings)
	}
}

func TestNamesArePortableAndUnique(t *testing.T) {
	f := triangle()
	names := []string{"Wheel", "wheel", "a/b\\c:d#e", "..", "日本", "", strings.Repeat("x", 500), "\u0001\ufffd"}
	var meshes, nodes, roots, materials []any
	for i, name := range names {
		meshes = append(meshes, object{"name": name, "primitives": []any{object{"attributes": object{"POSITION": 0}, "material": i}}})
		materials = append(materials, object{"name": name})
		nodes = append(nodes, object{"mesh": i, "name": name})
		roots = append(roots, i)
	}
	f.doc["meshes"], f.doc["nodes"], f.doc["materials"] = meshes, nodes, materials
	f.doc["scenes"] = []any{object{"nodes": roots}}
	text := f.text()
	got := load(t, text) // checks that stems are good and unique
	if got.err != nil || len(got.meshes) != len(names) || len(got.materials) != len(names) {
		t.Fatalf("%d meshes, %d materials, %v", len(got.meshes), len(got.materials), got.err)
	}
	for _, want := range []string{"dir/test#mesh-Wheel-0", "dir/test#mesh-wheel-0-2", "dir/test#mesh-a_b_c_d_e-0", "dir/test#mesh-3-0"} {
		if _, ok := got.meshes[want]; !ok {
			t.Errorf("no %s in %v", want, got.order)
		}
	}
	for range 5 {
		if again := load(t, text); fmt.Sprint(again.order) != fmt.Sprint(got.order) {
			t.Fatalf("order %v, then %v", got.order, again.order)
		}
	}
	if last := got.order[len(got.order)-1]; last != (assets.Key{Stem: "dir/test", Kind: assets.KindModel}) {
		t.Errorf("the last output is %v", last)
	}
}
