package work

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

type handClock struct{ now time.Duration }

func (c *handClock) Now() time.Duration { return c.now }

func newTestMeter() (*Meter, *handClock) {
	c := &handClock{}
	m := NewMeter(c, High())
	m.NewFrame()
	m.Begin()
	return m, c
}

func TestProfilesAreValid(t *testing.T) {
	for _, b := range []Budget{Low(), Medium(), High(), Ultra(), Literal(), Unbounded()} {
		if err := b.Validate(); err != nil {
			t.Errorf("%s: %v", b.Name, err)
		}
	}
	if b := High(); b.UpdateTimeMax != 2*time.Millisecond || b.Max[Admissions] != 64 || b.Max[UploadBytes] != 8<<20 ||
		b.Max[EntityOps] != 8192 || b.Max[DeviceFrees] != 64 || b.Max[DeviceCreates] != 64 || b.Max[DeviceTouches] != 256 || b.DestinationReserve != 0.75 {
		t.Errorf("High is %+v", b)
	}
	if b := Literal(); b.Max[EntityOps] != 256 || b.Max[Retirements] != 64 {
		t.Errorf("Literal is %+v", b)
	}
}

// A profile is High times a factor in every dimension, so that none is left out.
func TestProfilesScaleInEveryDimension(t *testing.T) {
	for _, p := range []struct {
		b      Budget
		factor float64
	}{{Low(), 0.5}, {Medium(), 0.75}, {Ultra(), 2}} {
		for d := range Dimensions {
			if want := int64(float64(High().Max[d]) * p.factor); p.b.Max[d] != want {
				t.Errorf("%s: %d %v, want %d", p.b.Name, p.b.Max[d], d, want)
			}
		}
	}
}

func TestValidateNamesWhatIsWrong(t *testing.T) {
	for d := range Dimensions {
		b := High()
		b.Max[d] = 0
		if err := b.Validate(); !errors.Is(err, ErrBadBudget) {
			t.Errorf("%v 0: %v", d, err)
		}
	}
	b := High()
	b.UpdateTimeMax = 0
	if b.Validate() == nil {
		t.Error("zero time passed")
	}
	b = High()
	b.DestinationReserve = 1
	if b.Validate() == nil {
		t.Error("a reserve of everything passed")
	}
}

func TestInvariant20_ExhaustedDimensionAdmitsNothing(t *testing.T) {
	for d := range Dimensions {
		m, _ := newTestMeter()
		limit := m.Budget().Max[d]
		if !m.Reserve("fill", Ordinary, Of(d, limit)) {
			t.Fatalf("%v: exactly the limit was refused", d)
		}
		if m.Reserve("more", Ordinary, Of(d, 1)) {
			t.Errorf("%v: admitted past the limit", d)
		}
		if f := m.Facts(); f.Oversizes != 0 || f.Yields != 1 {
			t.Errorf("%v: facts %+v", d, f)
		}
		m.NewFrame()
		if !m.Reserve("more", Ordinary, Of(d, 1)) {
			t.Errorf("%v: the next frame refused", d)
		}
	}
}

func TestInvariant20_FirstIndivisibleOnceAndNamed(t *testing.T) {
	m, _ := newTestMeter()
	huge := Of(UploadBytes, m.Budget().Max[UploadBytes]+1)
	if !m.Reserve("huge", Ordinary, huge) {
		t.Fatal("the first oversize operation was refused")
	}
	if m.Reserve("huge", Ordinary, huge) {
		t.Error("a second oversize operation ran in the same frame")
	}
	if m.Reserve("other", Ordinary, Of(AdoptedBytes, m.Budget().Max[AdoptedBytes]+1)) {
		t.Error("the exception was granted twice, in another dimension")
	}
	got, n := m.Overruns(nil)
	if n != 1 || got[0].Stage != "huge" || !got[0].Oversize {
		t.Errorf("overruns %+v (%d)", got, n)
	}
	m.NewFrame()
	if !m.Reserve("small", Ordinary, Of(UploadBytes, 1)) || m.Reserve("huge", Ordinary, huge) {
		t.Error("an oversize operation ran after others had used its dimension")
	}
}

// Whatever the budget and the order of what comes, a frame stays within every
// cap, but for one operation, whose stage is named.
func TestInvariant20_CapsHoldUnderRandomBudgets(t *testing.T) {
	stages := []string{"decode", "create", "touch", "free"}
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 20))
		b := High()
		for d := range b.Max {
			b.Max[d] = 1 + rnd.Int64N(30)
		}
		m := NewMeter(&handClock{}, b)
		for range 20 {
			m.NewFrame()
			m.Begin()
			m.SetRevealPending(rnd.IntN(2) == 0)
			var done Cost // by what was let through, beside the meter's own account
			oversize := ""
			for range 60 {
				stage, cost := stages[rnd.IntN(len(stages))], Cost{}
				for range 1 + rnd.IntN(3) {
					cost[rnd.IntN(int(Dimensions))] = rnd.Int64N(40)
				}
				was := m.Facts().Oversizes
				if !m.Reserve(stage, Class(rnd.IntN(2)), cost) {
					continue
				}
				if m.Facts().Oversizes > was {
					oversize = stage
				}
				for d, n := range cost {
					done[d] += n
				}
			}
			f := m.Facts()
			if done != f.Used {
				t.Fatalf("seed %d: let through %v, accounted %v", seed, done, f.Used)
			}
			over, _ := m.Overruns(nil)
			for d, n := range done {
				if n <= b.Max[d] {
					continue
				}
				if f.Oversizes != 1 || over[len(over)-1] != (Overrun{Stage: oversize, Oversize: true, Frame: f.Frame}) {
					t.Fatalf("seed %d: %d %v of %d, %d oversize uses, %+v is named, not %s", seed, n, Dimension(d), b.Max[d], f.Oversizes, over[len(over)-1], oversize)
				}
			}
		}
	}
}

func TestTimeStopsAdmissionAndNamesTheStage(t *testing.T) {
	m, c := newTestMeter()
	if !m.Reserve("slow", Ordinary, Of(EntityOps, 1)) {
		t.Fatal("refused in an empty frame")
	}
	c.now += 3 * time.Millisecond
	m.Complete("slow", 3*time.Millisecond)
	if m.Reserve("late", Ordinary, Of(EntityOps, 1)) {
		t.Error("admitted after the deadline")
	}
	got, _ := m.Overruns(nil)
	if len(got) != 1 || got[0].Stage != "slow" || got[0].Over != time.Millisecond {
		t.Errorf("overruns %+v", got)
	}
}

func TestLateTurnIsNamedWithoutALateOperation(t *testing.T) {
	m, c := newTestMeter()
	m.Passed("early")
	m.Reserve("quick", Ordinary, Of(EntityOps, 1))
	m.Complete("quick", 0)
	c.now += 2*time.Millisecond + 7*time.Microsecond
	m.Passed("looks around")
	m.Passed("after it")
	got, n := m.Overruns(nil)
	if n != 1 || got[0].Stage != "looks around" || got[0].Over != 7*time.Microsecond || m.Facts().Overruns != 1 {
		t.Errorf("overruns %+v (%d), %d in the frame", got, n, m.Facts().Overruns)
	}
	m.NewFrame()
	m.SetUnlimitedTime(true)
	m.Begin()
	c.now += time.Second
	m.Passed("unlimited")
	if m.Facts().Overruns != 0 {
		t.Error("named without a time limit")
	}
}

func TestTimeBetweenSpansIsTheGames(t *testing.T) {
	m, c := newTestMeter()
	c.now += time.Millisecond
	m.End()
	c.now += time.Second
	m.Begin()
	if m.Elapsed() != time.Millisecond {
		t.Errorf("elapsed %v", m.Elapsed())
	}
}

func TestExpectedDurationIsCheckedBefore(t *testing.T) {
	m, c := newTestMeter()
	for range 100 {
		m.averages.add("step", 400*time.Microsecond)
	}
	c.now += 1700 * time.Microsecond
	m.Reserve("other", Ordinary, Of(EntityOps, 1))
	if m.Reserve("step", Ordinary, Of(EntityOps, 1)) {
		t.Error("a 0.4 ms step was admitted with 0.3 ms left")
	}
}

func TestInvariant26_ReserveHoldsOnlyWhileARevealWaits(t *testing.T) {
	m, _ := newTestMeter()
	m.SetRevealPending(true)
	quarter := m.Budget().Max[EntityOps] / 4
	if !m.Reserve("far", Ordinary, Of(EntityOps, quarter)) {
		t.Fatal("ordinary work was refused its share")
	}
	if m.Reserve("far", Ordinary, Of(EntityOps, 1)) {
		t.Error("ordinary work took the reserved share")
	}
	if !m.Reserve("near", Destination, Of(EntityOps, 3*quarter)) {
		t.Error("destination work was refused the reserved share")
	}
	m.NewFrame()
	m.SetRevealPending(false)
	if !m.Reserve("far", Ordinary, Of(EntityOps, 4*quarter)) || m.Facts().Oversizes > 0 {
		t.Error("without a reveal ordinary work may take everything")
	}
}

func TestSteadyMeterAllocatesNothing(t *testing.T) {
	m, _ := newTestMeter()
	m.Complete("a", 0)
	if n := testing.AllocsPerRun(100, func() {
		m.NewFrame()
		m.Begin()
		m.Reserve("a", Ordinary, Of(EntityOps, 1))
		m.Complete("a", time.Microsecond)
		m.End()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestOverrunsByStageOutliveTheRing(t *testing.T) {
	m, c := newTestMeter()
	for i := range 2 * overrunsKept {
		m.NewFrame()
		m.Begin()
		m.Reserve("slow", Ordinary, Of(EntityOps, 1))
		c.now += 2*time.Millisecond + time.Duration(i+1)*time.Microsecond
		m.Complete("slow", 0)
	}
	m.NewFrame()
	m.Begin()
	m.Reserve("huge", Ordinary, Of(UploadBytes, m.Budget().Max[UploadBytes]+1))
	got := m.OverrunsByStage(nil)
	want := []StageOverruns{
		{Stage: "slow", Times: 2 * overrunsKept, Worst: 2 * overrunsKept * time.Microsecond}, {Stage: "huge", Oversizes: 1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
