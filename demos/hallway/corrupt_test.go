package hallway

import (
	"errors"
	"flag"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/pack"
	"sojourn/audio"
	"sojourn/demos/demo"
	"sojourn/gpu/headless"
)

var seed = flag.Int64("seed", -1, "seed of one corrupted pack; -1: the usual ones")

// TestCorruptedPacks flies through packs that were cut or damaged at random: a
// pack that opens gives a degraded corridor, any other a clear error. Nothing
// panics, hangs or leaks.
func TestCorruptedPacks(t *testing.T) {
	good, err := os.ReadFile(packPath(t))
	if err != nil {
		t.Fatal(err)
	}
	seeds := int64(1000)
	if testing.Short() {
		seeds = 60
	}
	from := int64(0)
	if *seed >= 0 {
		from, seeds = *seed, *seed+1
	}
	path := filepath.Join(t.TempDir(), "damaged.zip")
	opened, degraded := 0, 0
	for s := from; s < seeds; s++ {
		b := damage(rand.New(rand.NewSource(s)), good)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		flew, bad := flyDamaged(t, s, path)
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

func flyDamaged(t *testing.T, seed int64, path string) (flew, degraded bool) {
	env := demo.Env{
		Device: headless.New(headless.Options{}), Sink: audio.NewManual(), Config: sojourn.DefaultConfig(),
		Cells: 12, Frames: 30, Workers: 1, FlySpeed: 200,
	}
	d, err := openOn(env, testArtCells, func() (assets.Source, error) { return pack.Open(path) })
	if err != nil {
		if !errors.Is(err, assets.ErrCorrupt) && !errors.Is(err, assets.ErrTooLarge) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("seed %d: an error of no kind: %v", seed, err)
		}
		return false, false
	}
	for range 30 {
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
