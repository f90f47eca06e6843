package cook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"sojourn/assets"
)

// run is one call of [Run].
type run struct {
	opts            Options
	outDir, outBase string
	roots           []*root
	spools          []*spool
	lane            lane
	encoders        encoders

	mu struct {
		sync.Mutex
		done, total int // of the current phase
	}
	report Report // lists are guarded by mu while workers run
}

var errOtherVersion = errors.New("it was cooked by another version")

// Run cooks. It returns when every goroutine it started has ended.
//
// The error wraps [ErrFailed] when the pack was written but lacks files that
// could not be cooked; any other error means that the old pack, if any, is
// still in place: a folder or the output is not usable, or ctx was cancelled.
// Panics in importers are failures of their files.
func Run(ctx context.Context, o Options) (Report, error) {
	r := &run{opts: o, lane: make(lane, 1)}
	defer r.close()
	if err := r.open(); err != nil {
		return r.report, err
	}
	r.removeLeftovers()
	sources, err := r.find()
	if err != nil {
		return r.report, err
	}
	found := r.report
	old := r.openOld()
	err = r.make(ctx, sources, old)
	if old != nil && errors.Is(err, assets.ErrCorrupt) && ctx.Err() == nil {
		// Entries are checked as they are copied, late: start again without.
		r.report = found
		r.warn(nil, "", fmt.Sprintf("the old pack is not reused: %v", err))
		err = r.make(ctx, sources, nil)
	}
	r.sortReport()
	if err != nil {
		return r.report, err
	}
	if n := len(r.report.Failed); n > 0 && !o.Lenient {
		return r.report, fmt.Errorf("%w: %d of %d", ErrFailed, n, r.report.Files)
	}
	return r.report, nil
}

func (r *run) open() error {
	if r.opts.Out == "" {
		return errors.New("no output path")
	}
	if len(r.opts.Dirs) == 0 {
		return errors.New("no folder to cook")
	}
	out, err := filepath.Abs(r.opts.Out)
	if err != nil {
		return err
	}
	r.outDir, r.outBase = filepath.Split(out)
	if info, err := os.Stat(out); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is in the way: not a regular file", r.opts.Out)
	}
	for _, dir := range r.opts.Dirs {
		root, err := openRoot(dir)
		if err != nil {
			return err
		}
		r.roots = append(r.roots, root)
	}
	if r.opts.Jobs <= 0 {
		r.opts.Jobs = runtime.GOMAXPROCS(0)
	}
	return nil
}

func (r *run) close() {
	for _, root := range r.roots {
		root.fs.Close()
	}
	r.removeSpools()
}

func (r *run) removeSpools() {
	for _, s := range r.spools {
		s.remove()
	}
	r.spools = nil
}

// openOld gives the pack to reuse, or nil.
func (r *run) openOld() *oldPack {
	old, err := openOld(r.opts.Out)
	switch {
	case err == nil:
		return old
	case errors.Is(err, errOtherVersion):
		r.log("the old pack is not reused: %v", err)
	case !errors.Is(err, fs.ErrNotExist):
		r.warn(nil, "", fmt.Sprintf("the old pack is not reused: %v", err))
	}
	return nil
}

// make cooks and writes; old may be nil and is closed.
func (r *run) make(ctx context.Context, sources []*source, old *oldPack) error {
	if old != nil {
		defer old.Close()
	}
	defer r.removeSpools()
	list, err := r.cookAll(ctx, sources, old)
	if err != nil {
		return err
	}
	list = r.refuseDuplicates(list)
	for _, c := range list {
		for _, text := range c.record.Warnings {
			r.warn(c.source.root, c.source.path, text)
		}
		if c.reused {
			r.report.Reused++
			continue
		}
		for _, o := range c.record.Outputs {
			r.report.CookedBytes += o.Bytes
		}
	}
	return r.write(ctx, list, old)
}

// cookAll gives what became of each source that cooked, in their order.
func (r *run) cookAll(ctx context.Context, sources []*source, old *oldPack) ([]*cooked, error) {
	r.begin(len(sources))
	results := make([]*cooked, len(sources))
	next := make(chan int)
	workers, ctx := errgroup.WithContext(ctx)
	for range min(r.opts.Jobs, len(sources)) {
		s, err := newSpool(r.outDir, r.outBase, &r.encoders)
		if err != nil {
			return nil, errors.Join(err, drain(workers, next))
		}
		r.spools = append(r.spools, s)
		workers.Go(func() error {
			for i := range next {
				c, err := r.cookOne(ctx, sources[i], s, old)
				if err != nil {
					return err
				}
				results[i] = c
			}
			return nil
		})
	}
	workers.Go(func() error {
		defer close(next)
		for i := range sources {
			select {
			case next <- i:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(results, func(c *cooked) bool { return c == nil }), nil
}

// drain ends workers that were started before a later one could not be.
func drain(workers *errgroup.Group, next chan int) error {
	close(next)
	return workers.Wait()
}

// cookOne gives nil where the file failed; the error ends the run.
func (r *run) cookOne(ctx context.Context, s *source, sp *spool, old *oldPack) (*cooked, error) {
	j := &job{ctx: ctx, lane: &r.lane, spool: sp, source: s}
	err := j.run(old)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if errors.Is(err, errSpool) {
		return nil, err
	}
	step := Step{Phase: PhaseCook, Path: s.path, Err: err}
	switch {
	case err != nil:
		j.out = nil
		r.fail(s, err)
	case j.out.reused:
		step.Reused = true
		r.log("%s: reused", s.file())
	default:
		r.log("%s: cooked to %d entries", s.file(), len(j.out.record.Outputs))
	}
	r.step(step)
	return j.out, nil
}

func (r *run) fail(s *source, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Failed = append(r.report.Failed, Failure{Dir: s.root.dir, Path: s.path, Err: err})
}

// warn notes a warning; root is nil where it concerns the run.
func (r *run) warn(root *root, path, text string) {
	w := Warning{Path: path, Text: text}
	if root != nil {
		w.Dir = root.dir
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Warnings = append(r.report.Warnings, w)
}

func (r *run) log(format string, args ...any) {
	if r.opts.Log == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opts.Log(format, args...)
}

// begin starts the count of a phase.
func (r *run) begin(total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mu.done, r.mu.total = 0, total
}

// step counts one thing done and tells who listens.
func (r *run) step(s Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mu.done++
	s.Done, s.Total = r.mu.done, r.mu.total
	if r.opts.Progress != nil {
		r.opts.Progress(s)
	}
}

func (r *run) sortReport() {
	slices.SortStableFunc(r.report.Failed, func(a, b Failure) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Dir, b.Dir))
	})
	slices.SortStableFunc(r.report.Warnings, func(a, b Warning) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Dir, b.Dir))
	})
}
