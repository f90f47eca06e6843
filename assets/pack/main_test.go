package pack

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"sojourn/assets"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// content makes n bytes that compress well and fast, no two KiB of them alike.
func content(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	block := make([]byte, 1<<10)
	for i := range block {
		block[i] = byte(r.Uint32())
	}
	b := make([]byte, n)
	for at := 0; at < n; at += len(block) {
		block[r.IntN(len(block))]++
		copy(b[at:], block)
	}
	return b
}

// item is one entry that a test writes.
type item struct {
	name string
	data []byte
	raw  bool
}

// sampleItems covers sizes around the frame size, raw and not, in order.
func sampleItems() []item {
	var items []item
	for i, n := range []int{0, 1, 255, 4096, FrameBytesMax - 1, FrameBytesMax, FrameBytesMax + 1, 2 * FrameBytesMax, 700_001} {
		name := string(rune('a'+i)) + "/size"
		items = append(items, item{name + ".packed", content(uint64(i), n), false})
		items = append(items, item{name + ".raw", content(uint64(i)+100, n), true})
	}
	return append(items, item{"zä/noise.bin", noise(300_000), false})
}

// samplePack writes the pack of sampleItems, which is compressed only once.
func samplePack(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sample.pack")
	if err := os.WriteFile(path, sampleBytes(t), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

var sample struct {
	sync.Once
	file []byte
}

func sampleBytes(t testing.TB) []byte {
	t.Helper()
	sample.Do(func() { sample.file, _ = os.ReadFile(writePack(t, sampleItems())) })
	if len(sample.file) == 0 {
		t.Fatal("the sample pack could not be written")
	}
	return sample.file
}

func noise(n int) []byte {
	r := rand.New(rand.NewPCG(9, 9))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func writePack(t testing.TB, items []item) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.pack")
	w, err := Create(path, WriterOptions{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, it := range items {
		if err := w.Add(it.name, it.data, it.raw); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return path
}

func openPack(t testing.TB, path string) *Pack {
	t.Helper()
	p, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// readAll reads an entry as a store's worker does: a block of the declared
// size, filled in chunks.
func readAll(p *Pack, name string) ([]byte, error) {
	e, err := p.Open(name)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return readEntry(e)
}

func readEntry(e assets.Entry) ([]byte, error) {
	b := make([]byte, e.SizeBytes())
	for off := 0; off < len(b); off += assets.ChunkBytesMax {
		end := min(off+assets.ChunkBytesMax, len(b))
		if n, err := e.ReadAt(b[off:end], int64(off)); n < end-off {
			return nil, err
		}
	}
	return b, nil
}

func checkItems(t *testing.T, p *Pack, items []item) {
	t.Helper()
	for _, it := range items {
		got, err := readAll(p, it.name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, it.data) {
			t.Fatalf("%s: content differs", it.name)
		}
	}
}

func folderNames(t *testing.T, path string) []string {
	t.Helper()
	list, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return names
}
