package hallway

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/pack"
	"sojourn/audio"
	"sojourn/demos/demo"
	"sojourn/demos/hallway/art"
	"sojourn/gpu/headless"
	"sojourn/sojourntest"
	"sojourn/stages/stagestest"
)

const (
	testArtCells = 6
	testSeed     = 3
	tickTime     = time.Second / 60
)

var testDir = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "hallway-") })

// testPack cooks a small hallway once and gives the pack's path.
var testPack = sync.OnceValues(func() (string, error) {
	dir, err := testDir()
	if err != nil {
		return "", err
	}
	p, err := ensureContent(context.Background(), dir, art.Options{Seed: testSeed, Cells: testArtCells}, io.Discard)
	if err != nil {
		return "", err
	}
	return p.Name(), p.Close()
})

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if dir, err := testDir(); err == nil {
			os.RemoveAll(dir)
		}
		os.Exit(code)
	}))
}

func packPath(t testing.TB) string {
	t.Helper()
	path, err := testPack()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// flightTest is the hallway on the small pack, with a clock that stands still
// during a tick: no step is ever too slow, unless the test says real.
type flightTest struct {
	*hallway
	t      testing.TB
	device *headless.Device
	sink   *audio.Manual
	clock  *stagestest.Clock
}

func fly(t testing.TB, change func(*demo.Env)) *flightTest {
	t.Helper()
	return flyOn(t, change, func() (assets.Source, error) { return pack.Open(packPath(t)) })
}

func flyOn(t testing.TB, change func(*demo.Env), openArt func() (assets.Source, error)) *flightTest {
	t.Helper()
	f := &flightTest{t: t, device: headless.New(headless.Options{}), sink: audio.NewManual(), clock: &stagestest.Clock{}}
	env := demo.Env{
		Device: f.device, Sink: f.sink, Config: sojourn.DefaultConfig(), Seed: testSeed, Frames: 1000, Workers: 1, WithClock: f.clock,
	}
	if change != nil {
		change(&env)
	}
	d, err := openOn(env, testArtCells, openArt)
	if err != nil {
		t.Fatal(err)
	}
	f.hallway = d.(*hallway)
	return f
}

func (f *flightTest) frames(n int) {
	f.t.Helper()
	for range n {
		f.Tick(demo.Input{}, tickTime)
		f.sink.Advance(240)
		if err := f.Present(nil); err != nil {
			f.t.Fatal(err)
		}
		f.clock.Advance(tickTime)
		await(f.session)
	}
}

// await waits until no worker has anything to do.
func await(s *sojourn.Session) {
	for s.Store().Busy() {
		runtime.Gosched()
	}
}

// clean fails the test where a report tells of anything that should not be,
// except what has one of the names.
func clean(t testing.TB, r *demo.Report, except ...string) {
	t.Helper()
	for name, bad := range map[string]bool{
		"leaks":          len(r.Leaks) > 0,
		"pending":        r.Pending != demo.Pending{},
		"decodesOnTick":  r.Assets.DecodesOnTick != 0,
		"exceeded":       len(r.Budget.Exceeded) > 0,
		"overruns":       r.Budget.OverrunCount != 0 || len(r.Budget.Overruns) != 0,
		"failed":         len(r.Assets.Failed) > 0,
		"retains":        r.Assets.Retains != r.Assets.Releases,
		"duplicate":      r.Assets.DuplicateDecodes > 0,
		"nothing loaded": r.Assets.Decodes == 0 || r.Cells.Entered == 0,
	} {
		if bad && !strings.Contains(strings.Join(except, " "), name) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// userPack writes content into a pack, as a user's.
func userPack(t testing.TB, c *sojourntest.Content) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "user.zip")
	w, err := pack.Create(path, pack.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = c.List(func(name string, size int64) bool {
		b, err := readEntry(c, name)
		if err == nil {
			err = w.Add(name, b, false)
		}
		if err != nil {
			t.Error(err)
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
