package mapped

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func openFile(t *testing.T, content []byte) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := Open(f, int64(len(content)))
	if errors.Is(err, ErrUnsupported) {
		t.Skip("files cannot be mapped here")
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// watchUnmap counts unmappings.
func watchUnmap(m *File) *int {
	n := 0
	unmap := m.unmap
	m.unmap = func(b []byte) error { n++; return unmap(b) }
	return &n
}

func TestFile_GoesWithItsLastLease(t *testing.T) {
	content := bytes.Repeat([]byte("mapped "), 5000)
	m := openFile(t, content)
	unmapped := watchUnmap(m)
	a, ok := m.Lease(3, 10)
	b, ok2 := m.Lease(0, int64(len(content)))
	if !ok || !ok2 || m.Leases() != 2 {
		t.Fatalf("%v %v, %d leases", ok, ok2, m.Leases())
	}
	m.Close()
	m.Close()
	if !bytes.Equal(a.Bytes(), content[3:13]) || cap(a.Bytes()) != 10 {
		t.Errorf("%q", a.Bytes())
	}
	a.Release()
	if *unmapped != 0 || !bytes.Equal(b.Bytes(), content) {
		t.Error("unmapped under a lease")
	}
	b.Release()
	if *unmapped != 1 || m.Leases() != 0 {
		t.Errorf("unmapped %d times, %d leases", *unmapped, m.Leases())
	}
	if _, ok := m.Lease(0, 1); ok {
		t.Error("leased after the end")
	}
}

func TestInvariant10_SecondReleaseReleasesNothing(t *testing.T) {
	m := openFile(t, []byte("content"))
	unmapped := watchUnmap(m)
	a, _ := m.Lease(0, 2)
	b, _ := m.Lease(2, 2)
	a.Release()
	func() {
		defer func() {
			if r := recover(); (r != nil) != checkReleases {
				t.Errorf("second release: %v", r)
			}
		}()
		a.Release()
	}()
	m.Close()
	if *unmapped != 0 || string(b.Bytes()) != "nt" {
		t.Error("the second release took another's share")
	}
	b.Release()
	if *unmapped != 1 {
		t.Errorf("unmapped %d times", *unmapped)
	}
}

func TestFile_Refuses(t *testing.T) {
	m := openFile(t, []byte("content"))
	defer m.Close()
	for _, r := range [][2]int64{{-1, 2}, {0, -1}, {0, 8}, {8, 0}, {7, 1}, {1 << 62, 1 << 62}} {
		if _, ok := m.Lease(r[0], r[1]); ok {
			t.Errorf("leased %d bytes at %d", r[1], r[0])
		}
	}
	f, err := os.Open(filepath.Join("file.go"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, n := range []int64{0, -1} {
		if _, err := Open(f, n); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestFile_LeasesAndCloseAtOnce(t *testing.T) {
	content := bytes.Repeat([]byte{7}, 1<<16)
	for round := range 20 {
		m := openFile(t, content)
		unmapped := watchUnmap(m)
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(round), uint64(g)))
				for range 200 {
					off := r.Int64N(int64(len(content)) - 1)
					if l, ok := m.Lease(off, 1); ok {
						if l.Bytes()[0] != 7 {
							t.Error("wrong byte")
						}
						l.Release()
					}
				}
			})
		}
		m.Close()
		wg.Wait()
		if *unmapped != 1 {
			t.Fatalf("unmapped %d times", *unmapped)
		}
	}
}
