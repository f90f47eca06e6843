package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"sojourn/assets/cook"
)

// watchAndTell cooks, and again whenever something was saved, until it is
// interrupted, which is how it is meant to end.
func watchAndTell(ctx context.Context, o cook.Options, verbose bool, stdout, stderr io.Writer) error {
	show := newDisplay(stderr, verbose)
	o.Progress, o.Log = show.step, show.log
	return cook.Watch(ctx, o, cook.WatchOptions{Done: func(rep cook.Report, err error) {
		show.end()
		tell(o, rep, err, stdout, stderr)
		if err != nil && !errors.Is(err, cook.ErrFailed) {
			fmt.Fprintln(stderr, "cook:", err)
		}
	}})
}
