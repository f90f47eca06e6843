package catalog_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/assets/catalog"
	"sojourn/assets/pack"
	"sojourn/assets/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t *testing.T, path string, entries ...string) {
	t.Helper()
	w, err := pack.Create(path, pack.WriterOptions{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for i := 0; i < len(entries); i += 2 {
		if err := w.Add(entries[i], []byte(entries[i+1]), false); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

func TestFollow_Packs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zip")
	looks := make(chan time.Time)
	f, err := catalog.Follow([]string{path}, nil, catalog.Options{
		Watch: func(string) watch.Options { return watch.Options{Looks: looks} },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	deadline := time.After(20 * time.Second)
	next := func() catalog.Change {
		t.Helper()
		for {
			if c := f.Changes(nil); len(c) == 1 {
				return c[0]
			}
			select {
			case looks <- time.Time{}:
			case <-deadline:
				t.Fatal("no change was told")
			}
		}
	}
	write(t, path, "a", "1", "b", "2")
	first := next()
	if first.Err != nil || first.Old != nil || !slices.Equal(first.Entries, []string{"a", "b"}) {
		t.Fatalf("%+v", first)
	}
	defer first.Next.Close()
	write(t, path, "a", "1", "b", "2")
	for range 6 {
		looks <- time.Time{}
		if c := f.Changes(nil); len(c) != 0 {
			t.Fatalf("the same again is told as %+v", c)
		}
	}
	write(t, path, "a", "one", "b", "2", "c", "3")
	second := next()
	if second.Old != first.Next || !slices.Equal(second.Entries, []string{"a", "c"}) || !second.Same("b") || second.Same("a") || second.Same("c") {
		t.Errorf("%+v", second)
	}
	defer second.Next.Close()
	if err := os.WriteFile(path, []byte("not a pack at all, and longer than its end"), 0o644); err != nil {
		t.Fatal(err)
	}
	if c := next(); !errors.Is(c.Err, assets.ErrCorrupt) || c.Next != nil {
		t.Errorf("%+v", c)
	}
	write(t, path, "b", "2", "c", "3")
	if c := next(); !slices.Equal(c.Entries, []string{"a"}) {
		t.Errorf("%+v", c)
	} else {
		c.Next.Close()
	}
	if n := testing.AllocsPerRun(100, func() { f.Changes(nil) }); n != 0 {
		t.Errorf("a quiet look allocates %v times", n)
	}
}

func TestFollow_Refuses(t *testing.T) {
	src := assetstest.NewSource("memory")
	for _, path := range []string{t.TempDir(), "memory", filepath.Join(t.TempDir(), "no", "a.zip")} {
		if f, err := catalog.Follow([]string{path}, []assets.Source{src}, catalog.Options{}); err == nil {
			f.Close()
			t.Errorf("%s is followed", path)
		}
	}
}
