package pack

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// tool skips the test where a program that reads packs is not installed.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed: the check that it reads packs is left out", name)
	}
	return path
}

func checkExtracted(t *testing.T, dir string, items []item) {
	t.Helper()
	for _, it := range items {
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(it.name)))
		if err != nil || !bytes.Equal(got, it.data) {
			t.Errorf("%s: %v, %d bytes, want %d", it.name, err, len(got), len(it.data))
		}
	}
}

func TestTools_BsdtarListsAndExtracts(t *testing.T) {
	bsdtar := tool(t, "bsdtar")
	items := sampleItems()
	path := samplePack(t)
	if out, err := exec.Command(bsdtar, "-tf", path).CombinedOutput(); err != nil {
		t.Fatalf("list: %v\n%s", err, out)
	}
	dir := t.TempDir()
	if out, err := exec.Command(bsdtar, "-xf", path, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("extract: %v\n%s", err, out)
	}
	checkExtracted(t, dir, items)
}

func TestTools_SevenZipTestsAndExtracts(t *testing.T) {
	sevenZip := tool(t, "7z")
	items := sampleItems()
	path := samplePack(t)
	plain := writePack(t, []item{{"a", []byte("plain"), false}})
	if out, err := exec.Command(sevenZip, "t", plain).CombinedOutput(); bytes.Contains(out, []byte("Unsupported Method")) {
		t.Skipf("this 7z lacks zstd: the check that it reads packs is left out (%v)", err)
	}
	if out, err := exec.Command(sevenZip, "t", path).CombinedOutput(); err != nil {
		t.Fatalf("test: %v\n%s", err, out)
	}
	dir := t.TempDir()
	if out, err := exec.Command(sevenZip, "x", "-y", "-o"+dir, path).CombinedOutput(); err != nil {
		t.Fatalf("extract: %v\n%s", err, out)
	}
	checkExtracted(t, dir, items)
}
