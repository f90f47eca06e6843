package model

import (
	"path"
	"strings"
	"testing"
)

// runCase runs one reported case; each group of cases has a content root of
// its own.
func runCase(t *testing.T, e expectation) *imported {
	t.Helper()
	folder, file := path.Split(e.File)
	if group, inRoot, ok := strings.Cut(e.File, "/root/"); ok {
		folder, file = group+"/root", inRoot
	}
	return run(t, path.Join("testdata", folder), file)
}

func testCases(t *testing.T, item string) {
	for _, e := range expectations(t, item) {
		t.Run(path.Base(e.File), func(t *testing.T) { runCase(t, e).check(t, e) })
	}
}

func TestCaseA07_URIsStayInsideTheContentRoot(t *testing.T) {
	testCases(t, "A07")
	for _, e := range expectations(t, "A07") {
		if e.Expect != "error" || strings.Contains(e.File, "missing") || strings.Contains(e.File, "short") {
			continue
		}
		if reads := runCase(t, e).reads; len(reads) > 0 {
			t.Errorf("%s: %q was asked for", e.File, reads)
		}
	}
}

func TestCaseA08_SparseAccessors(t *testing.T) { testCases(t, "A08") }

// A model's values must never show up in the next one.
func TestCaseA08_NothingLeftOver(t *testing.T) {
	rows := map[string]expectation{}
	for _, e := range expectations(t, "A08") {
		rows[path.Base(e.File)] = e
	}
	for _, order := range [][2]string{
		{"sparse_over_base.gltf", "no_view_no_sparse.gltf"},
		{"sparse_over_base.gltf", "sparse_no_view.gltf"},
		{"sparse_over_base.gltf", "sparse_over_base.gltf"},
	} {
		for _, name := range order {
			runCase(t, rows[name]).check(t, rows[name])
		}
	}
}

func TestCaseA09_InterleavedAndShared(t *testing.T) { testCases(t, "A09") }

func TestCaseA10_EncodedURIs(t *testing.T) { testCases(t, "A10") }

func TestCaseA11_Extensions(t *testing.T) {
	testCases(t, "A11")
	for _, e := range expectations(t, "A11") {
		if got := runCase(t, e); e.Expect == "error" && len(got.order) > 0 {
			t.Errorf("%s: %v came out before the error", e.File, got.order)
		}
	}
}

// A part that is not in a model has no stem among its outputs, and a model that
// fails emits no model: whoever asks for either finds it missing.
func TestCaseA03_MissingPartsHaveNoEntry(t *testing.T) {
	good := run(t, "testdata/a09", "interleaved.gltf")
	if good.err != nil {
		t.Fatal(good.err)
	}
	if _, ok := good.meshes["interleaved#nope"]; ok || len(good.meshes) != 2 {
		t.Errorf("meshes %v", good.order)
	}
	broken := run(t, "testdata/a09", "last_element_cut.gltf")
	if broken.err == nil || len(broken.meshes) != 0 || broken.model.Nodes != nil {
		t.Errorf("error %v, outputs %v", broken.err, broken.order)
	}
}
