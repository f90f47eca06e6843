package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestShow(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "note.txt"), []byte("good morning"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := show(&out, dir, []string{"note.txt", "gone.txt"}); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitN(out.String(), "\n", 2)
	if lines[0] != "note.txt: 12 bytes" || !strings.Contains(lines[1], "gone.txt") {
		t.Errorf("it says\n%s", &out)
	}
}

// The store needs nothing of the engine above it.
func TestShow_NeedsNoEngine(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	for dep := range strings.FieldsSeq(string(out)) {
		for _, not := range []string{"sojourn/ecs", "sojourn/gpu", "sojourn/stages", "sojourn/audio", "arche", "ebiten"} {
			if strings.Contains(dep, not) {
				t.Errorf("it depends on %s", dep)
			}
		}
	}
}
