package portals

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sojourn"
	"sojourn/audio"
	"sojourn/demos/demo"
	"sojourn/gpu/headless"
	"sojourn/stages/stagestest"
)

const tickTime = time.Second / 60

// smallScale is a route whose pack is written in an instant, and whose stops
// are still larger than what the frames of a small budget take.
func smallScale() scale {
	return scale{props: 4, propsMore: 1, fields: 2, fieldsMore: 1, denseProps: 16, denseFields: 16, sharedProps: 5, edge: 32, quads: 8}
}

var testDir = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "portals-") })

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if dir, err := testDir(); err == nil {
			os.RemoveAll(dir)
		}
		os.Exit(code)
	}))
}

// trip is the demo on a small pack, with a clock that stands still during a
// tick: no step is ever too slow.
type trip struct {
	*Portals
	t      *testing.T
	device *headless.Device
	sink   *audio.Manual
	clock  *stagestest.Clock
}

func open(t *testing.T, change func(*demo.Env)) *trip {
	t.Helper()
	dir, err := testDir()
	if err != nil {
		t.Fatal(err)
	}
	tr := &trip{t: t, device: headless.New(headless.Options{}), sink: audio.NewManual(), clock: &stagestest.Clock{}}
	env := demo.Env{
		Device: tr.device, Sink: tr.sink, Config: sojourn.DefaultConfig(), Seed: 5, CacheDir: dir, Rounds: 1, Workers: 2,
		WithClock: tr.clock,
	}
	if change != nil {
		change(&env)
	}
	if tr.Portals, err = openScaled(env, smallScale()); err != nil {
		t.Fatal(err)
	}
	return tr
}

// frame runs one tick and its present, with the workers at rest before.
func (tr *trip) frame() {
	tr.t.Helper()
	for tr.session.Store().Busy() {
		runtime.Gosched()
	}
	tr.Tick(demo.Input{}, tickTime)
	tr.sink.Advance(audio.SampleRate * 5 / 1000)
	if err := tr.Present(nil); err != nil {
		tr.t.Fatal(err)
	}
	tr.clock.Advance(tickTime)
}

// run goes the whole route and finishes; after each frame it calls each.
func (tr *trip) run(each func()) (demo.Report, *Details) {
	tr.t.Helper()
	for range 20_000 {
		if tr.Over() {
			break
		}
		tr.frame()
		if each != nil {
			each()
		}
	}
	if !tr.Over() {
		tr.t.Fatalf("the route does not end: %s", tr.Status())
	}
	r := tr.Finish()
	return r, r.Details.(*Details)
}
