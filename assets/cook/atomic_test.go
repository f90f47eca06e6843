package cook

import (
	"bufio"
	"context"
	"errors"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// few is a small folder: what is tested here takes many runs.
func few() tree {
	return tree{
		"text/a.txt":     "a",
		"textures/t.png": pngFile(7, 5, color.NRGBA{200, 200, 255, 90}),
	}
}

// TestCancelledAtEveryStep holds that a run which ends early leaves the old
// pack as it was, and nothing beside it.
func TestCancelledAtEveryStep(t *testing.T) {
	dir := folder(t, few())
	out := filepath.Join(t.TempDir(), "x.zip")
	mustRun(t, Options{Out: out, Dirs: []string{dir}})
	before := fileBytes(t, out)
	tree{"text/a.txt": "changed", "text/z.txt": "new"}.write(t, dir)
	reason := errors.New("enough")
	for stop := 1; ; stop++ {
		ctx, cancel := context.WithCancelCause(context.Background())
		steps := 0
		_, err := Run(ctx, Options{Out: out, Dirs: []string{dir}, Jobs: 2, Progress: func(Step) {
			if steps++; steps == stop {
				cancel(reason)
			}
		}})
		cancel(nil)
		onlyFile(t, out)
		if steps < stop {
			if err != nil {
				t.Fatal(err)
			}
			if stop < 8 {
				t.Errorf("only %d steps", steps)
			}
			break
		}
		if !errors.Is(err, reason) {
			t.Fatalf("stopped at step %d: %v", stop, err)
		}
		if fileBytes(t, out) != before {
			t.Fatalf("stopped at step %d: the pack changed", stop)
		}
	}
	if fileBytes(t, out) == before {
		t.Error("the last run changed nothing")
	}
}

// TestKilledAtAnyStep kills a cook after each of its steps. Whatever was
// reached, the pack is the old or the new one, and the next run cleans up.
func TestKilledAtAnyStep(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	dir := folder(t, few())
	out := filepath.Join(t.TempDir(), "x.zip")
	mustRun(t, Options{Out: out, Dirs: []string{dir}})
	before := fileBytes(t, out)
	tree{"text/a.txt": "changed"}.write(t, dir)
	after := cold(t, dir)
	for stop := 1; ; stop++ {
		if err := os.WriteFile(out, []byte(before), 0o644); err != nil {
			t.Fatal(err)
		}
		steps := killAfter(t, self, out+"\n"+dir, stop)
		switch got := fileBytes(t, out); {
		case got != before && got != after:
			t.Fatalf("killed after step %d: the pack is neither the old nor the new one", stop)
		case steps < stop:
			if got != after {
				t.Errorf("not killed, yet the pack is the old one")
			}
			mustRun(t, Options{Out: out, Dirs: []string{dir}})
			onlyFile(t, out)
			return
		}
	}
}

// killAfter runs the child and kills it when it has said stop steps; it gives
// the number of steps seen.
func killAfter(t *testing.T, self, args string, stop int) int {
	t.Helper()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+args)
	cmd.Stderr = os.Stderr
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	steps := 0
	for lines := bufio.NewScanner(said); steps < stop && lines.Scan(); {
		steps++
	}
	if steps == stop {
		cmd.Process.Kill()
		cmd.Wait()
		return steps
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("after %d steps: %v", steps, err)
	}
	return steps
}
