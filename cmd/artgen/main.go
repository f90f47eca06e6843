// Command artgen generates the hallway's source art into a folder, ready for
// the cook.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"sojourn/demos/hallway/art"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "artgen:", err)
		os.Exit(1)
	}
}

func run() error {
	out := flag.String("out", filepath.Join("out", "hallway", "art"), "folder to write to")
	cells := flag.Int("cells", art.CellsDefault, "number of cells")
	seed := flag.Uint64("seed", 1, "seed; the same seed gives the same art")
	quiet := flag.Bool("quiet", false, "no progress")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	start := time.Now()
	o := art.Options{Cells: *cells, Seed: *seed}
	if !*quiet {
		o.Progress = func(done, total int) {
			if done%50 == 0 || done == total {
				fmt.Fprintf(os.Stderr, "\rartgen: %d of %d", done, total)
			}
		}
	}
	err := art.Generate(*out, o)
	if !*quiet {
		fmt.Fprintln(os.Stderr)
	}
	if err != nil {
		return err
	}
	fmt.Printf("%d cells in %s, %.1f s\n", *cells, *out, time.Since(start).Seconds())
	return nil
}
