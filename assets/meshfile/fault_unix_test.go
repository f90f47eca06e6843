//go:build unix

package meshfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sojourn/assets"
)

// Another program shortens the file while it is mapped: an error, not the end
// of the process.
func TestCaseA19_FileShortenedUnderItsMapping(t *testing.T) {
	file, err := Encode(make([]assets.Vertex, 3*verticesPerChunk), make([]uint32, 3*indicesPerChunk))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.mesh")
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mapped, err := syscall.Mmap(int(f.Fd()), 0, len(file), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(mapped)
	for _, left := range []int64{int64(len(file)) * 3 / 4, int64(len(file)) / 4, 0} {
		if err := os.Truncate(path, left); err != nil {
			t.Fatal(err)
		}
		_, err := Decode(assets.OwnBytes(mapped))
		if !errors.Is(err, assets.ErrCorrupt) || !strings.Contains(err.Error(), "truncated") {
			t.Errorf("%d bytes left: %v", left, err)
		}
	}
}
