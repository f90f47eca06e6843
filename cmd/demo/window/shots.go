package window

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// shotQueue is the screenshots still to take, and those being written. Files
// are written by goroutines of their own, so that a picture costs one frame
// its read-back and none its compression; wait ends them.
type shotQueue struct {
	pending []Shot // by frame
	writing sync.WaitGroup
	mu      struct {
		sync.Mutex
		errs []error
	}
}

func newShotQueue(shots []Shot) *shotQueue {
	q := &shotQueue{pending: slices.Clone(shots)}
	slices.SortStableFunc(q.pending, func(a, b Shot) int { return cmp.Compare(a.Frame, b.Frame) })
	return q
}

// due tells whether a frame that was drawn after so many ticks is wanted.
func (q *shotQueue) due(tick int) bool { return len(q.pending) > 0 && q.pending[0].Frame <= tick }

// take writes the picture to every file that is due. The picture is the
// queue's from now on.
func (q *shotQueue) take(tick int, picture *image.RGBA) {
	opaque(picture)
	for q.due(tick) {
		path := q.pending[0].Path
		q.pending = q.pending[1:]
		q.writing.Go(func() { q.note(writePNG(path, picture)) })
	}
}

func (q *shotQueue) note(err error) {
	if err == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.errs = append(q.mu.errs, err)
}

// wait ends the writers and tells what went wrong: ticks is how long the run
// was.
func (q *shotQueue) wait(ticks int) error {
	q.writing.Wait()
	for _, s := range q.pending {
		q.note(fmt.Errorf("%w: %s: the run ended after %d frames, before frame %d", ErrShot, s.Path, ticks, s.Frame))
	}
	q.pending = nil
	q.mu.Lock()
	defer q.mu.Unlock()
	return errors.Join(q.mu.errs...)
}

// opaque makes a premultiplied picture what a window shows of it: over black.
func opaque(p *image.RGBA) {
	for i := 3; i < len(p.Pix); i += 4 {
		p.Pix[i] = 0xff
	}
}

// writePNG writes a picture, making the folders it needs.
func writePNG(path string, picture image.Image) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w: %s: %w", ErrShot, path, err)
		}
	}()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	return errors.Join(encoder.Encode(w, picture), w.Flush(), f.Close())
}
