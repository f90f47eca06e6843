package cook

import (
	"context"
	"errors"
	"path/filepath"

	"sojourn/assets/watch"
)

// WatchOptions says how [Watch] goes on after its first run.
type WatchOptions struct {
	// Done, when set, is told of every run. It is called between runs, on the
	// goroutine of Watch.
	Done func(Report, error)
	// Watch tunes the watcher of one content root; nil: the defaults.
	Watch func(dir string) watch.Options
}

// Watch cooks, and cooks again whenever source files were saved, until ctx
// ends; it then returns nil. Programs that follow the pack take each new one
// up as it comes. Files saved during a run are cooked by the next one. A file
// that was removed goes with the next run that something else causes.
//
// A run that fails is told to Done and does not end the watch; only what makes
// watching impossible is returned.
func Watch(ctx context.Context, o Options, w WatchOptions) (err error) {
	out, err := filepath.Abs(o.Out)
	if err != nil {
		return err
	}
	wake := make(chan struct{}, 1)
	var watchers []*watch.Watcher
	defer func() {
		for _, watcher := range watchers {
			err = errors.Join(err, watcher.Close())
		}
	}()
	for _, dir := range o.Dirs {
		var wo watch.Options
		if w.Watch != nil {
			wo = w.Watch(dir)
		}
		wo.Wake = wake
		watcher, err := watch.New(dir, wo)
		if err != nil {
			return err
		}
		watchers = append(watchers, watcher)
	}
	for again := true; ; {
		if again {
			rep, err := Run(ctx, o)
			if ctx.Err() != nil {
				return nil
			}
			if w.Done != nil {
				w.Done(rep, err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-wake:
		}
		again = false
		for i, watcher := range watchers {
			for _, name := range watcher.Changes(nil) {
				again = again || !isPath(o.Dirs[i], name, out)
			}
		}
	}
}

// isPath tells whether a name below a root is the pack itself, which a run
// replaces.
func isPath(dir, name, out string) bool {
	path, err := filepath.Abs(filepath.Join(dir, filepath.FromSlash(name)))
	return err == nil && path == out
}
