package hallway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"sojourn/assets/cook"
	"sojourn/assets/pack"
	"sojourn/demos/hallway/art"
)

// ErrContent is wrapped when the hallway's own pack could not be made.
var ErrContent = errors.New("hallway content")

// contentVersion changes when the generated art does: an older pack is remade.
const contentVersion = 4

// EnsureContent opens the hallway's pack under dir, after generating its art
// and cooking it if it is not there yet. Lines about progress go to out, which
// may be nil. The caller closes the pack.
func EnsureContent(ctx context.Context, dir string, seed uint64, out io.Writer) (*pack.Pack, error) {
	return ensureContent(ctx, dir, art.Options{Seed: seed, Cells: art.CellsDefault}, out)
}

func ensureContent(ctx context.Context, dir string, o art.Options, out io.Writer) (*pack.Pack, error) {
	if out == nil {
		out = io.Discard
	}
	name := fmt.Sprintf("hallway-v%d-%d", contentVersion, o.Seed)
	if o.Cells != art.CellsDefault {
		name = fmt.Sprintf("%s-%dcells", name, o.Cells)
	}
	path := filepath.Join(dir, name+".zip")
	if _, err := os.Stat(path); err == nil {
		p, err := pack.Open(path)
		if err == nil {
			return p, nil
		}
		fmt.Fprintf(out, "%s cannot be used and is made again: %v\n", path, err)
	}
	source := filepath.Join(dir, name)
	if err := generate(source, o, out); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrContent, err)
	}
	fmt.Fprintf(out, "cooking %s\n", path)
	report, err := cook.Run(ctx, cook.Options{Out: path, Dirs: []string{source}})
	for _, f := range report.Failed {
		fmt.Fprintf(out, "  %s: %v\n", f.Path, f.Err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrContent, err)
	}
	p, err := pack.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrContent, err)
	}
	return p, nil
}

func generate(dir string, o art.Options, out io.Writer) error {
	fmt.Fprintf(out, "generating the hallway's art in %s\n", dir)
	o.Progress = func(done, total int) {
		if done%200 == 0 || done == total {
			fmt.Fprintf(out, "  %d of %d files\n", done, total)
		}
	}
	return art.Generate(dir, o)
}
