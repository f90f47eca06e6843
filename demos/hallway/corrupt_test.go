package hallway

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"math/rand"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/ktx2"
	"sojourn/assets/pack"
	"sojourn/assets/soundfile"
	"sojourn/audio"
	"sojourn/demos/demo"
	"sojourn/gpu/headless"
)

var seed = flag.Int64("seed", -1, "seed of one corrupted pack; -1: the usual ones")

// TestCorruptedPacks flies through packs that were cut or damaged at random: a
// pack that opens gives a degraded corridor, any other a clear error. Nothing
// panics, hangs or leaks.
func TestCorruptedPacks(t *testing.T) {
	good, err := os.ReadFile(shrunk(t))
	if err != nil {
		t.Fatal(err)
	}
	seeds := int64(1000)
	switch {
	case testing.Short():
		seeds = 60
	case raceDetector:
		seeds = 40
	}
	from := int64(0)
	if *seed >= 0 {
		from, seeds = *seed, *seed+1
	}
	t.Logf("the pack has %d bytes", len(good))
	damaged := filepath.Join(t.TempDir(), "damaged.zip")
	opened, degraded := 0, 0
	for s := from; s < seeds; s++ {
		b := damage(rand.New(rand.NewSource(s)), good)
		if err := os.WriteFile(damaged, b, 0o644); err != nil {
			t.Fatal(err)
		}
		flew, bad := flyDamaged(t, s, damaged)
		if t.Failed() {
			t.Fatalf("seed %d: go test -run TestCorruptedPacks -seed %d", s, s)
		}
		if flew {
			opened++
		}
		if bad {
			degraded++
		}
	}
	t.Logf("of %d damaged packs %d opened, and %d of these had assets that failed", seeds-from, opened, degraded)
	if *seed < 0 && (opened == 0 || degraded == 0 || opened == int(seeds)) {
		t.Error("the damage is too one-sided to show anything")
	}
}

// shrunk is the small hallway with pictures of 64 texels and sounds of a tenth
// of a second, so that damage hits structure more often than pixels.
func shrunk(t *testing.T) string {
	t.Helper()
	p, err := pack.Open(packPath(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	path := filepath.Join(t.TempDir(), "shrunk.zip")
	w, err := pack.Create(path, pack.WriterOptions{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	err = p.List(func(name string, _ int64) bool {
		b, err := readEntry(p, name)
		if err == nil {
			b, err = shrink(name, b)
		}
		if err == nil {
			// As the cook stores them: what is mapped or read in ranges raw.
			info, _ := p.Stat(name)
			err = w.Add(name, b, info.Raw)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return true
	})
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func shrink(name string, b []byte) ([]byte, error) {
	const edge = 64
	switch path.Ext(name) {
	case ".ktx2":
		tex, err := ktx2.Parse(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return nil, err
		}
		l := ktx2.Levels{SRGB: tex.SRGB, HasAlpha: tex.HasAlpha}
		for _, m := range tex.Mips[:tex.Levels] {
			if m.Width > edge || m.Height > edge {
				continue
			}
			if l.Pixels == nil {
				l.Width, l.Height = int(m.Width), int(m.Height)
			}
			l.Pixels = append(l.Pixels, b[m.OffsetBytes:m.OffsetBytes+m.SizeBytes])
		}
		return ktx2.Encode(&l)
	case ".pcm":
		data := assets.OwnBytes(b)
		snd, err := soundfile.Decode(data)
		if err != nil {
			return nil, err
		}
		frames := min(snd.Frames(), int(snd.Rate)/10)
		return soundfile.Encode(int(snd.Rate), int(snd.Channels), snd.Samples[:frames*int(snd.Channels)])
	}
	return b, nil
}

// damage cuts the pack, flips bits or wipes a stretch.
func damage(rng *rand.Rand, good []byte) []byte {
	at := func() int { return rng.Intn(len(good)) }
	switch rng.Intn(8) {
	case 0:
		return good[:at()]
	case 1: // in the directory at the end
		b := slices.Clone(good)
		for range 1 + rng.Intn(4) {
			b[len(b)-1-rng.Intn(min(len(b), 8<<10))] ^= 1 << rng.Intn(8)
		}
		return b
	case 2:
		b := slices.Clone(good)
		from := at()
		clear(b[from:min(len(b), from+rng.Intn(64<<10))])
		return b
	case 3: // a part moved over another
		b := slices.Clone(good)
		copy(b[at():], good[at():])
		return b
	default:
		b := slices.Clone(good)
		for range 1 + rng.Intn(60) {
			b[at()] ^= byte(1 + rng.Intn(255))
		}
		return b
	}
}

// damagedFrames is long enough to load the whole window and to leave some of it.
const damagedFrames = 15

func flyDamaged(t *testing.T, seed int64, path string) (flew, degraded bool) {
	env := demo.Env{
		Device: headless.New(headless.Options{}), Sink: audio.NewManual(), Config: sojourn.DefaultConfig(),
		Cells: 12, Frames: damagedFrames, Workers: 1, FlySpeed: 200,
	}
	d, err := openOn(env, testArtCells, func() (assets.Source, error) { return pack.Open(path) })
	if err != nil {
		if !errors.Is(err, assets.ErrCorrupt) && !errors.Is(err, assets.ErrTooLarge) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("seed %d: an error of no kind: %v", seed, err)
		}
		return false, false
	}
	for range damagedFrames {
		d.Tick(demo.Input{}, tickTime)
		if err := d.Present(nil); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		await(d.Session())
	}
	r := d.Finish()
	if len(r.Leaks) > 0 || r.Pending != (demo.Pending{}) || r.Assets.Retains != r.Assets.Releases {
		t.Errorf("seed %d: %+v", seed, r)
	}
	return true, len(r.Assets.Failed) > 0
}
