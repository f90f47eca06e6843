package pack

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"sojourn/assets"
)

// Closing a pack leaves mapped views as they are; the mapping goes with the
// last of them.
func TestInvariant07_ClosingAPackKeepsLeases(t *testing.T) {
	items := sampleItems()
	p := openPack(t, samplePack(t))
	var leases []assets.Lease
	var want [][]byte
	for _, it := range items {
		if !it.raw || len(it.data) == 0 {
			continue
		}
		e, err := p.Open(it.name)
		if err != nil {
			t.Fatal(err)
		}
		off := int64(len(it.data) / 3)
		l, ok := e.Map(off, e.SizeBytes()-off)
		if !ok {
			t.Skip("files cannot be mapped here")
		}
		leases, want = append(leases, l), append(want, it.data[off:])
		e.Close()
	}
	m := p.mapping()
	if m.Leases() != int64(len(leases)) {
		t.Errorf("%d leases, want %d", m.Leases(), len(leases))
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(p.Name()); err != nil {
		t.Fatal(err)
	}
	for i, l := range leases {
		if !bytes.Equal(l.Bytes(), want[i]) {
			t.Errorf("view %d changed", i)
		}
		l.Release()
	}
	if m.Leases() != 0 {
		t.Errorf("%d leases left", m.Leases())
	}
	if _, ok := m.Lease(0, 1); ok {
		t.Error("leased after the last release")
	}
}

func TestPack_MapsOnlyRanges(t *testing.T) {
	p := openPack(t, writePack(t, []item{{"packed", content(1, 5000), false}, {"raw", content(2, 5000), true}}))
	raw, err := p.Open("raw")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	packed, err := p.Open("packed")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	for _, c := range []struct {
		e      assets.Entry
		off, n int64
		ok     bool
	}{
		{packed, 0, 10, false}, {raw, 0, 5000, true}, {raw, 4999, 1, true}, {raw, 0, 0, false},
		{raw, 1, 5000, false}, {raw, -1, 10, false}, {raw, 0, -1, false}, {raw, 1 << 62, 1 << 62, false},
	} {
		l, ok := c.e.Map(c.off, c.n)
		if ok != c.ok {
			t.Errorf("%d bytes at %d: %v", c.n, c.off, ok)
		}
		if ok {
			l.Release()
		}
	}
}

// shrink changes a file underneath its readers, as other programs do.
func shrink(t *testing.T, how, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		switch how {
		case "truncate":
			err = os.Truncate(path, info.Size()/2)
		case "empty":
			err = os.Truncate(path, 0)
		case "delete":
			err = os.Remove(path)
		case "replace":
			var b []byte
			if b, err = os.ReadFile(path); err == nil {
				clear(b)
				if err = os.WriteFile(path+".new", b, 0o644); err == nil {
					err = os.Rename(path+".new", path)
				}
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestCaseA19_PackChangesUnderItsMapping(t *testing.T) {
	data := noise(1 << 20)
	for _, how := range []string{"truncate", "empty", "replace", "delete"} {
		t.Run(how, func(t *testing.T) {
			p := openPack(t, writePack(t, []item{{"big.tex", data, true}}))
			e, err := p.Open("big.tex")
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			l, ok := e.Map(0, e.SizeBytes())
			if !ok {
				t.Skip("files cannot be mapped here")
			}
			defer l.Release()
			shrink(t, how, p.Name())

			tail := l.Bytes()[len(data)-4096:]
			var same bool
			err = assets.Guard(func() { same = bytes.Equal(tail, data[len(data)-4096:]) })
			got := make([]byte, 4096)
			_, readErr := e.ReadAt(got, int64(len(data)-4096))
			_, again := e.Map(0, 10)
			if how == "replace" || how == "delete" {
				if err != nil || !same || readErr != nil || !again {
					t.Errorf("the old file went: %v, same %v, read %v, map %v", err, same, readErr, again)
				}
				return
			}
			if !errors.Is(err, assets.ErrCorrupt) {
				t.Errorf("touching lost pages: %v", err)
			}
			if !errors.Is(readErr, assets.ErrCorrupt) || !bytes.Contains([]byte(readErr.Error()), []byte(filepath.Base(p.Name()))) {
				t.Errorf("reading lost bytes: %v", readErr)
			}
			if again {
				t.Error("a shortened file was mapped")
			}
		})
	}
}
