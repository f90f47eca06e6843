package pack

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"sojourn/assets"
)

// rawZip writes entries as given, checked by nobody.
func rawZip(t testing.TB, headers []zip.FileHeader, stored [][]byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for i := range headers {
		h := headers[i]
		h.CompressedSize64 = uint64(len(stored[i]))
		f, err := w.CreateRaw(&h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(stored[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func writeFile(t testing.TB, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// allocatedBytes is about what f allocates in all.
func allocatedBytes(f func()) uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	before := s[0].Value.Uint64()
	f()
	metrics.Read(s)
	return s[0].Value.Uint64() - before
}

func TestCaseA16_ZstdFrames(t *testing.T) {
	const text = "hello residency\n"
	cases := []struct {
		file string
		want string // "" loads
	}{
		{"control", ""}, {"window_8m", ""}, {"good_checksum", ""},
		{"window_512m", "window"}, {"window_2g", "window"},
		{"one_gib_of_zeros", "larger than declared"},
		{"truncated_block", "unexpected end"}, {"no_last_block", "unexpected end"},
		{"bad_checksum", "checksum"}, {"not_zstd", "not zstd"},
	}
	var headers []zip.FileHeader
	var stored [][]byte
	for _, c := range cases {
		b, err := os.ReadFile(filepath.Join("testdata", "a16", c.file+".zst"))
		if err != nil {
			t.Fatal(err)
		}
		headers = append(headers, zip.FileHeader{
			Name: c.file + ".zst", Method: methodZstd, UncompressedSize64: uint64(len(text)), CRC32: crc32.ChecksumIEEE([]byte(text)),
		})
		stored = append(stored, b)
	}
	p := openPack(t, writeFile(t, "a16.pack", rawZip(t, headers, stored)))
	for _, c := range cases {
		var got []byte
		var err error
		spent := allocatedBytes(func() { got, err = readAll(p, c.file+".zst") })
		if spent > 64<<20 {
			t.Errorf("%s: %d MiB allocated", c.file, spent>>20)
		}
		if c.want == "" {
			if err != nil || string(got) != text {
				t.Errorf("%s: %q, %v", c.file, got, err)
			}
			continue
		}
		if !errors.Is(err, assets.ErrCorrupt) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.file+".zst") {
			t.Errorf("%s: %v", c.file, err)
		}
	}
	goroutines := runtime.NumGoroutine()
	for i := range 1000 {
		c := cases[3+i%(len(cases)-3)]
		if _, err := readAll(p, c.file+".zst"); err == nil {
			t.Fatalf("%s loaded", c.file)
		}
	}
	if n := runtime.NumGoroutine(); n != goroutines {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
}

// Large frames of other tools stream within their window.
func TestPack_ForeignZstd(t *testing.T) {
	data := content(5, 3<<20)
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	one := enc.EncodeAll(data, nil)
	var streamed bytes.Buffer
	enc.Reset(&streamed)
	enc.Write(data)
	enc.Close()
	mixed := append(enc.EncodeAll(data[:1000], nil), enc.EncodeAll(data[1000:], nil)...)
	names := []string{"mixed", "one", "streamed"}
	var headers []zip.FileHeader
	for _, name := range names {
		headers = append(headers, zip.FileHeader{Name: name, Method: methodZstd, UncompressedSize64: uint64(len(data)), CRC32: crc32.ChecksumIEEE(data)})
	}
	p := openPack(t, writeFile(t, "foreign.zip", rawZip(t, headers, [][]byte{mixed, one, streamed.Bytes()})))
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range names {
		checkItems(t, p, []item{{name, data, false}})
		e, err := p.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for range 12 {
			off := r.IntN(len(data) - 5000)
			b := make([]byte, r.IntN(5000))
			if _, err := e.ReadAt(b, int64(off)); err != nil || !bytes.Equal(b, data[off:off+len(b)]) {
				t.Errorf("%s: %d bytes at %d: %v", name, len(b), off, err)
			}
		}
		e.Close()
	}
}

// Content that is not what the directory says, entry by entry.
func TestPack_WrongDeclarations(t *testing.T) {
	enc, err := NewEncoder()
	if err != nil {
		t.Fatal(err)
	}
	data := content(6, FrameBytesMax+100)
	encoded := EncodeFrames(nil, data, enc)
	sum := crc32.ChecksumIEEE(data)
	flated := func() []byte {
		var buf bytes.Buffer
		w := zip.NewWriter(&buf)
		f, _ := w.Create("x")
		f.Write(data)
		w.Close()
		r, _ := zip.NewReader(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
		off, _ := r.File[0].DataOffset()
		return buf.Bytes()[off : off+int64(r.File[0].CompressedSize64)]
	}()
	for _, c := range []struct {
		name   string
		method uint16
		flags  uint16
		size   int64
		sum    uint32
		stored []byte
		want   string
	}{
		{"fewer-declared", methodZstd, 0, int64(len(data)) - 1, sum, encoded, "larger than declared"},
		{"frame-too-many", methodZstd, 0, FrameBytesMax, crc32.ChecksumIEEE(data[:FrameBytesMax]), encoded, "larger than declared"},
		{"more-declared", methodZstd, 0, int64(len(data)) + 1, sum, encoded, "unexpected end"},
		{"wrong-sum", methodZstd, 0, int64(len(data)), sum + 1, encoded, "checksum"},
		{"raw-wrong-sum", methodStore, 0, int64(len(data)), sum + 1, data, "checksum"},
		{"garbage-behind", methodZstd, 0, int64(len(data)), sum, append(encoded[:len(encoded):len(encoded)], "garbage"...), "not zstd"},
		{"huge-declared", methodZstd, 0, 1 << 30, sum, EncodeFrames(nil, noise(len(data)), enc), "unexpected end"},
		{"absurd-declared", methodZstd, 0, 1 << 50, sum, encoded, "cannot become"},
		{"deflate-fewer", methodDeflate, 0, int64(len(data)) - 1, sum, flated, "larger than declared"},
		{"deflate-more", methodDeflate, 0, int64(len(data)) + 1, sum, flated, "unexpected end"},
		{"deflate-wrong-sum", methodDeflate, 0, int64(len(data)), sum + 1, flated, "checksum"},
		{"deflate-garbage", methodDeflate, 0, int64(len(data)), sum, noise(5000), "deflate"},
		{"encrypted", methodZstd, 1, int64(len(data)), sum, encoded, "encrypted"},
		{"lzma", 14, 0, int64(len(data)), sum, encoded, "method 14"},
		{"stored-size", methodStore, 0, int64(len(data)) + 1, sum, data, "declared"},
	} {
		h := zip.FileHeader{Name: c.name, Method: c.method, Flags: c.flags, CRC32: c.sum, UncompressedSize64: uint64(c.size)}
		var err error
		spent := allocatedBytes(func() {
			var p *Pack
			if p, err = Open(writeFile(t, "wrong.zip", rawZip(t, []zip.FileHeader{h}, [][]byte{c.stored}))); err != nil {
				return
			}
			_, err = readAll(p, c.name)
			p.Close()
		})
		if !errors.Is(err, assets.ErrCorrupt) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s: %v", c.name, err)
		}
		if spent > 32<<20 {
			t.Errorf("%s: %d MiB allocated", c.name, spent>>20)
		}
	}
}

func TestPack_HostileDirectories(t *testing.T) {
	plain := func(names ...string) []byte {
		var headers []zip.FileHeader
		var stored [][]byte
		for _, n := range names {
			headers = append(headers, zip.FileHeader{Name: n, CRC32: crc32.ChecksumIEEE([]byte("data")), UncompressedSize64: 4})
			stored = append(stored, []byte("data"))
		}
		return rawZip(t, headers, stored)
	}
	patched := func(b []byte, sig string, at int, v any) []byte {
		i := bytes.LastIndex(b, []byte(sig))
		binary.Encode(b[i+at:], binary.LittleEndian, v)
		return b
	}
	long := strings.Repeat("n", nameBytesMax+1)
	for _, c := range []struct {
		what string
		file []byte
		want string
	}{
		{"empty file", nil, "0 bytes"},
		{"text", []byte(strings.Repeat("not a zip file ", 20)), "not a zip"},
		{"end cut", plain("a")[:70], "not a zip"},
		{"climbs", plain("a/../b"), "dot segment"},
		{"climbs at once", plain("../b"), `"../b"`},
		{"climbing folder", bytes.ReplaceAll(plain(".._"), []byte(".._"), []byte("../")), "dot segment"},
		{"absolute", plain("/b"), "absolute"},
		{"backslash", plain(`a\b`), "backslash"},
		{"drive", plain("C:b"), "colon"},
		{"control", plain("a\x00b"), "control"},
		{"not UTF-8", plain("a\xffb"), "UTF-8"},
		{"empty segment", plain("a//b"), "empty segment"},
		{"too long", plain(long), "too long"},
		{"twice", plain("a", "b", "a"), `"a" is there twice`},
		{"overlap", patched(plain("a", "b"), "PK\x01\x02", 42, uint32(0)), "overlaps"},
		{"offset outside", patched(plain("a", "b"), "PK\x01\x02", 42, uint32(1<<30)), "outside the file"},
		{"size outside", patched(patched(plain("a"), "PK\x01\x02", 20, uint32(1<<30)), "PK\x01\x02", 24, uint32(1<<30)), "outside the file"},
		{"many entries", patched(plain("a"), "PK\x05\x06", 10, uint16(60000)), "parts"},
		{"too many entries", patched(patched(plain("a"), "PK\x05\x06", 10, uint16(60000)), "PK\x05\x06", 8, uint16(60000)), "cannot hold"},
		{"fewer entries", patched(patched(plain("a", "b"), "PK\x05\x06", 10, uint16(1)), "PK\x05\x06", 8, uint16(1)), "more entries"},
		{"directory outside", patched(plain("a"), "PK\x05\x06", 16, uint32(1<<31)), "outside the file"},
		{"directory huge", patched(plain("a"), "PK\x05\x06", 12, uint32(1<<31)), "outside the file"},
		{"zip64 promised", patched(plain("a"), "PK\x01\x02", 24, uint32(unset32)), "declared"},
	} {
		path := writeFile(t, "hostile.zip", c.file)
		var err error
		spent := allocatedBytes(func() {
			var p *Pack
			if p, err = Open(path); err == nil {
				p.Close()
			}
		})
		if !errors.Is(err, assets.ErrCorrupt) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", c.what, err)
		}
		if spent > 8<<20 {
			t.Errorf("%s: %d bytes allocated", c.what, spent)
		}
	}
}

// The local header is compared with the directory before a size is trusted.
func TestPack_HeadersDisagree(t *testing.T) {
	for at, want := range map[int]string{0: "disagrees", 8: "disagrees", 14: "disagrees", 18: "disagrees", 22: "disagrees", 26: "disagrees", 29: "reaches into", 30: "disagrees"} {
		b := bytes.Clone(rawZip(t, []zip.FileHeader{{Name: "a", CRC32: 7, UncompressedSize64: 4}}, [][]byte{[]byte("data")}))
		b[at] ^= 0x41
		p := openPack(t, writeFile(t, "headers.zip", b))
		if _, err := p.Open("a"); !errors.Is(err, assets.ErrCorrupt) || !strings.Contains(err.Error(), want) {
			t.Errorf("byte %d: %v", at, err)
		}
	}
}

func smallPack(t testing.TB) ([]byte, []item) {
	items := []item{
		{"a.raw", content(1, 3000), true}, {"b.packed", content(2, 3000), false}, {"c.empty", nil, false},
		{"d/e.two-frames", make([]byte, FrameBytesMax+500), false}, {"f.raw", content(3, 100), true},
	}
	b, err := os.ReadFile(writePack(t, items))
	if err != nil {
		t.Fatal(err)
	}
	return b, items
}

// Damage of any kind gives right bytes or a clear error, never anything else.
func TestPack_RandomDamage(t *testing.T) {
	good, items := smallPack(t)
	path := filepath.Join(t.TempDir(), "damaged.pack")
	opened, loaded, refused := 0, 0, 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 5))
		b := bytes.Clone(good)
		damage(r, b)
		if r.IntN(5) == 0 {
			b = b[:r.IntN(len(b))]
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		spent := allocatedBytes(func() {
			p, err := Open(path)
			if err != nil {
				if !strings.Contains(err.Error(), path) {
					t.Errorf("seed %d: %v", seed, err)
				}
				return
			}
			defer p.Close()
			opened++
			for _, it := range items {
				got, err := readAll(p, it.name)
				switch {
				case err == nil && bytes.Equal(got, it.data):
					loaded++
				case err == nil:
					t.Errorf("seed %d: %s: wrong bytes without an error", seed, it.name)
				case !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), it.name):
					t.Errorf("seed %d: unclear error: %v", seed, err)
				default:
					refused++
				}
			}
		})
		if spent > 96<<20 {
			t.Errorf("seed %d: %d MiB allocated", seed, spent>>20)
		}
	}
	if opened < 100 || loaded < 100 || refused < 100 {
		t.Errorf("%d opened, %d entries loaded, %d refused: the damage tests too little", opened, loaded, refused)
	}
}

// damage changes a few bits, bytes or runs.
func damage(r *rand.Rand, b []byte) {
	for range 1 + r.IntN(4) {
		at := r.IntN(len(b))
		if r.IntN(2) == 0 { // Headers are few, and where it matters.
			at = max(0, len(b)-1-r.IntN(500))
		}
		switch r.IntN(3) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		default:
			for i := at; i < min(at+r.IntN(16), len(b)); i++ {
				b[i] = byte(r.Uint32())
			}
		}
	}
}

func FuzzOpen(f *testing.F) {
	good, err := os.ReadFile(writePack(f, []item{{"a.raw", content(1, 100), true}, {"b", content(2, 3000), false}, {"c", nil, false}}))
	if err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(f.TempDir(), "fuzz.pack")
	f.Add(good)
	f.Add(good[:len(good)-3])
	f.Add(rawZip(f, []zip.FileHeader{{Name: "a", Method: methodDeflate, UncompressedSize64: 9}}, [][]byte{[]byte("stored")}))
	for _, name := range []string{"control", "one_gib_of_zeros", "window_512m", "bad_checksum"} {
		b, err := os.ReadFile(filepath.Join("testdata", "a16", name+".zst"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(rawZip(f, []zip.FileHeader{{Name: name, Method: methodZstd, UncompressedSize64: 16}}, [][]byte{b}))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := Open(path)
		if err != nil {
			return
		}
		defer p.Close()
		err = p.List(func(name string, sizeBytes int64) bool {
			if sizeBytes > 64<<20 {
				return true // Real, or refused when opened; too slow here.
			}
			got, err := readAll(p, name)
			if err == nil && int64(len(got)) != sizeBytes {
				panic(fmt.Sprintf("%q: %d bytes of %d", name, len(got), sizeBytes))
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
