package cook_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sojourn/assets/cook"
	"sojourn/assets/pack"
	"sojourn/assets/watch"
)

// Each save gives a new pack, and the pack itself, which lies among the
// sources here, gives none.
func TestWatch_CooksWhatIsSaved(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.zip")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.txt", "first")
	write("bad.png", "")
	looks := make(chan time.Time)
	runs := make(chan cook.Report)
	ended := make(chan error)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		ended <- cook.Watch(ctx, cook.Options{Out: out, Dirs: []string{dir}, Jobs: 1}, cook.WatchOptions{
			Watch: func(string) watch.Options { return watch.Options{Looks: looks} },
			Done: func(rep cook.Report, _ error) {
				select {
				case runs <- rep:
				case <-ctx.Done():
				}
			},
		})
	}()
	deadline := time.After(20 * time.Second)
	next := func() cook.Report {
		t.Helper()
		for {
			select {
			case rep := <-runs:
				return rep
			case looks <- time.Time{}:
			case <-deadline:
				t.Fatal("it does not cook")
			}
		}
	}
	if rep := next(); rep.Entries != 1 || len(rep.Failed) != 1 {
		t.Fatalf("%+v", rep)
	}
	for i, text := range []string{"second, longer", "third, and longer still"} {
		write("a.txt", text)
		if rep := next(); rep.Files != 2 || rep.CookedBytes != int64(len(text)) {
			t.Errorf("run %d: %+v", i, rep)
		}
		p, err := pack.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		if info, _ := p.Stat("a.txt"); info.SizeBytes != int64(len(text)) {
			t.Errorf("run %d: %+v", i, info)
		}
		p.Close()
	}
	// Nothing more was saved: the packs just written cause no run.
	for range 10 {
		select {
		case rep := <-runs:
			t.Errorf("cooked again: %+v", rep)
		case looks <- time.Time{}:
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
