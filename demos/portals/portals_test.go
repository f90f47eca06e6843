package portals

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"sojourn"
	"sojourn/demos/demo"
	"sojourn/stages/work"
)

// literal is a budget that no stop of the small pack fits into.
func literal() work.Budget {
	b := work.Literal()
	b.Max[work.AdoptedBytes], b.Max[work.UploadBytes] = 64<<10, 64<<10
	return b
}

// TestModesConverge: the same route in every mode ends, at each stop, with the
// same keys held and the same things drawn, and leaves nothing behind.
func TestModesConverge(t *testing.T) {
	var first *Details
	for _, name := range Modes() {
		t.Run(name, func(t *testing.T) {
			tr := open(t, func(e *demo.Env) { e.Mode, e.Work = name, literal() })
			r, d := tr.run(nil)
			if len(r.Leaks) != 0 || r.Pending != (demo.Pending{}) || len(r.Assets.Failed) != 0 {
				t.Errorf("leaks %v, pending %+v, failed %v", r.Leaks, r.Pending, r.Assets.Failed)
			}
			if len(d.OverBudget) != 0 || len(d.Failures) != 0 || d.Stuck != "" {
				t.Errorf("over budget %v, failures %v, %s", d.OverBudget, d.Failures, d.Stuck)
			}
			if d.Mode != name || d.Rounds != 1 || d.Total.Legs != stopCount || len(d.Stops) != stopCount || d.Total.Frames < 2*stopCount {
				t.Errorf("%+v", d.Total)
			}
			onTick := r.Assets.DecodesOnTick
			if wants := name == "naive"; onTick > 0 != wants && name != "goroutines" {
				t.Errorf("%d decodes on the tick of %d", onTick, r.Assets.Decodes)
			}
			if first == nil {
				first = d
			}
			for i, s := range d.Stops {
				if s.RequiredMissing != 0 || !s.Same || s.Items == 0 || s.Figures.Legs != 1 || s.RevealFrames.Max < 1 || s.RevealFrames.Max > s.FramesOfLeg.Max {
					t.Errorf("stop %s: %+v", s.Stop, s)
				}
				if w := first.Stops[i]; s.Resident != w.Resident || s.Drawn != w.Drawn || s.Items != w.Items {
					t.Errorf("stop %s: %s, %s, %d items; in mode %s %s, %s, %d items",
						s.Stop, s.Resident, s.Drawn, s.Items, first.Mode, w.Resident, w.Drawn, w.Items)
				}
			}
		})
	}
}

// Hashes that did not tell stops apart would agree in all modes.
func TestStopsDiffer(t *testing.T) {
	tr := open(t, nil)
	_, d := tr.run(nil)
	resident, drawn := map[string]string{}, map[string]string{}
	for _, s := range d.Stops {
		if other, ok := resident[s.Resident]; ok {
			t.Errorf("%s and %s hold the same", s.Stop, other)
		}
		if other, ok := drawn[s.Drawn]; ok {
			t.Errorf("%s and %s draw the same", s.Stop, other)
		}
		resident[s.Resident], drawn[s.Drawn] = s.Stop, s.Stop
	}
}

// TestNothingShowsOnTheWay: from the edge to the reveal, in every mode that
// goes on ticking, nothing is drawn.
func TestNothingShowsOnTheWay(t *testing.T) {
	for _, name := range []string{"sojourn", "count", "goroutines"} {
		tr := open(t, func(e *demo.Env) { e.Mode, e.Work = name, literal() })
		hidden := 0
		tr.run(func() {
			if !tr.hidden() {
				return
			}
			hidden++
			if n := tr.device.Stats().DrawnItems; n != 0 {
				t.Fatalf("%s: %d items are drawn on the way to %s", name, n, tr.route.to.name)
			}
			if !strings.Contains(tr.Status(), "please wait") {
				t.Fatal(tr.Status())
			}
		})
		if hidden < stopCount {
			t.Errorf("%s: %d frames on the way", name, hidden)
		}
	}
}

// A frame of ours stays within every count and every byte of its profile, and
// the time of nothing but a named step goes past it.
func TestSojournKeepsItsBudget(t *testing.T) {
	tr := open(t, func(e *demo.Env) { e.Work = literal() })
	var largest work.Cost
	var history []work.Facts
	r, d := tr.run(func() {
		history = tr.session.History(history[:0])
		for dim, used := range history[len(history)-1].Used {
			largest[dim] = max(largest[dim], used)
		}
		for tr.session.Store().Busy() { // all that was asked for waits for the next frame
			runtime.Gosched()
		}
	})
	budget := literal()
	for dim, part := range map[work.Dimension]int64{
		work.Admissions: 8, // workers may bring what was asked for in several frames
		work.EntityOps:  2, work.Retirements: 2, work.UploadBytes: 2,
	} {
		if largest[dim] < budget.Max[dim]/part {
			t.Errorf("at most %d %v of %d: the route does not try the budget", largest[dim], dim, budget.Max[dim])
		}
	}
	if len(d.OverBudget) != 0 || r.Budget.Profile != "literal" {
		t.Errorf("%v, profile %s", d.OverBudget, r.Budget.Profile)
	}
	for _, o := range d.Overruns {
		if o.Stage == "" || o.Overruns > 0 {
			t.Errorf("%+v", o)
		}
	}
}

// The check can fail: a budget that shrinks behind a frame's back is told of.
func TestOverBudgetIsTold(t *testing.T) {
	tr := open(t, func(e *demo.Env) { e.Work = work.High() })
	small := work.High()
	small.Max[work.EntityOps] = 1
	tr.world.AddSystem(func(*sojourn.World, time.Duration) { _ = tr.session.Meter().SetBudget(small) })
	for range 60 {
		if err := tr.session.Meter().SetBudget(work.High()); err != nil {
			t.Fatal(err)
		}
		tr.frame()
	}
	r := tr.Finish()
	d := r.Details.(*Details)
	if len(d.OverBudget) == 0 || len(d.OverBudget) > unnamedMax || !strings.Contains(d.OverBudget[0], "entity operations of 1") {
		t.Errorf("%v", d.OverBudget)
	}
}

// A key that is not there at the reveal is counted.
func TestMissingIsTold(t *testing.T) {
	tr := open(t, nil)
	for tr.route.to == nil || tr.hidden() {
		tr.frame()
	}
	if n := tr.missing(tr.route.to); n != 0 {
		t.Errorf("%d keys are missing where the demo is", n)
	}
	other := &tr.plan.stops[0]
	if n := tr.missing(other); n < 3*other.props || n >= len(tr.required[0]) {
		t.Errorf("%d of %d keys of another stop are missing", n, len(tr.required[0]))
	}
	tr.Finish()
}

// The pack's own documents name exactly what the plan requires.
func TestPlanNamesWhatDocumentsNeed(t *testing.T) {
	tr := open(t, func(e *demo.Env) { e.Mode = "naive" })
	planned := map[string]bool{}
	for _, k := range tr.keys {
		planned[k.String()] = true
	}
	for !tr.Over() {
		tr.frame()
		for i := range tr.plan.stops {
			if s := &tr.plan.stops[i]; tr.route.to == s && tr.route.phase == phaseStaying {
				if n := tr.missing(s); n != 0 {
					t.Errorf("stop %s: the plan has %d keys that no document names", s.name, n)
				}
			}
		}
		if e := tr.route.errand; e != nil {
			for k := range e.mu.asked {
				switch k.Kind.String() {
				case "mesh", "texture", "sound":
					if !planned[k.String()] {
						t.Errorf("%s is named by a document and not in the plan", k)
					}
				}
			}
		}
	}
	tr.Finish()
}

// A run that is cut off on the way lets everything go, too.
func TestCutOff(t *testing.T) {
	for _, name := range Modes() {
		for _, frames := range []int{1, 3, 8, 40} {
			tr := open(t, func(e *demo.Env) { e.Mode, e.Work = name, literal() })
			for range frames {
				tr.frame()
			}
			r := tr.Finish()
			if len(r.Leaks) != 0 || r.Pending != (demo.Pending{}) {
				t.Errorf("%s, %d frames: leaks %v, pending %+v", name, frames, r.Leaks, r.Pending)
			}
		}
	}
}

func TestPacedRouteStays(t *testing.T) {
	tr := open(t, func(e *demo.Env) { e.Paced = true })
	stayed := 0
	tr.run(func() {
		if tr.route.phase == phaseStaying {
			stayed++
		}
	})
	if stayed < stopCount*stayTicks {
		t.Errorf("stayed for %d ticks", stayed)
	}
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		change func(*demo.Env)
		want   error
	}{
		{func(e *demo.Env) { e.Mode = "best" }, ErrMode},
		{func(e *demo.Env) { e.Cells = CellsMin - 1 }, ErrCells},
		{func(e *demo.Env) { e.Cells = CellsMax + 1 }, ErrCells},
		{func(e *demo.Env) { e.CacheDir = filepath.Join(dir, "file", "under") }, ErrContent},
	} {
		if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		env := demo.Env{Seed: 5, CacheDir: dir}
		c.change(&env)
		if _, err := openScaled(env, smallScale()); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}

// A damaged pack is made again, and the same seed gives the same bytes.
func TestContentIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	p, err := newPlan(9, smallScale(), CellsDefault)
	if err != nil {
		t.Fatal(err)
	}
	var made [2][]byte
	for i := range made {
		opened, err := ensureContent(dir, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		path := opened.Name()
		if err := opened.Close(); err != nil {
			t.Fatal(err)
		}
		if made[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("damaged"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(made[0]) == 0 || string(made[0]) != string(made[1]) {
		t.Errorf("%d and %d bytes", len(made[0]), len(made[1]))
	}
}

// The report's names are for others to read.
func TestReportNames(t *testing.T) {
	tr := open(t, nil)
	r, _ := tr.run(nil)
	b, err := json.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		`"details":{"mode":"sojourn"`, `"total":{"legs":10`, `"frames_of_leg":`, `"alloc_bytes_settled":`, `"reveal_ms":`, `"reveal_frames":`,
		`"notices":0`, `"required_missing":0`, `"stops":[{"stop":"1"`, `"resident_hash":"`, `"draw_hash":"`, `"overruns_by_stage":[`,
		`"over_budget":[]`, `"failures":[]`,
	} {
		if !strings.Contains(string(b), name) {
			t.Errorf("the report has no %s", name)
		}
	}
}

// Every cell of the world has a document, and only the stops' have their own.
func TestNamer(t *testing.T) {
	p, err := newPlan(1, smallScale(), CellsDefault)
	if err != nil {
		t.Fatal(err)
	}
	own := 0
	for i := range p.cells {
		stem, origin := p.namer(i)
		if origin[2] != float32(i)*CellMetres {
			t.Fatalf("cell %d is at %v", i, origin)
		}
		if stem != wilderness {
			own++
		}
	}
	if own != stopCount*stopCells {
		t.Errorf("%d cells of stops", own)
	}
}
