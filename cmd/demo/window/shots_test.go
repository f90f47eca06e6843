package window

import (
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func picture(c color.RGBA) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, 4, 3))
	for i := range p.Pix {
		p.Pix[i] = [4]uint8{c.R, c.G, c.B, c.A}[i%4]
	}
	return p
}

func readPNG(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestShotsAreTakenAtTheFirstFrameDrawn(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "new", "deeper", "b.png")
	q := newShotQueue([]Shot{{deep, 60}, {filepath.Join(dir, "a.png"), 3}, {filepath.Join(dir, "c.png"), 61}})
	if q.due(2) {
		t.Error("due before its frame")
	}
	// Two ticks shared a frame: tick 3 was never drawn, 4 was.
	if !q.due(4) {
		t.Fatal("not due after its frame")
	}
	q.take(4, picture(color.RGBA{200, 10, 20, 255}))
	if q.due(59) {
		t.Error("the next is due too early")
	}
	q.take(61, picture(color.RGBA{10, 90, 20, 100}))
	if err := q.wait(61); err != nil {
		t.Fatal(err)
	}
	if got := readPNG(t, filepath.Join(dir, "a.png")).At(1, 1); got != (color.RGBA{200, 10, 20, 255}) {
		t.Errorf("a.png: %v", got)
	}
	for _, path := range []string{deep, filepath.Join(dir, "c.png")} {
		// What is translucent is shown over black.
		if got := readPNG(t, path).At(1, 1); got != (color.RGBA{10, 90, 20, 255}) {
			t.Errorf("%s: %v", path, got)
		}
	}
}

func TestShotsThatWereNotTaken(t *testing.T) {
	q := newShotQueue([]Shot{{"late.png", 90}})
	err := q.wait(12)
	if !errors.Is(err, ErrShot) || !strings.Contains(err.Error(), "late.png") || !strings.Contains(err.Error(), "12 frames") {
		t.Errorf("%v", err)
	}
	if err := newShotQueue(nil).wait(12); err != nil {
		t.Error(err)
	}
}

func TestShotThatCannotBeWritten(t *testing.T) {
	blocker := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocker, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(blocker, "a.png")
	q := newShotQueue([]Shot{{path, 1}})
	q.take(1, picture(color.RGBA{}))
	if err := q.wait(1); !errors.Is(err, ErrShot) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}
