package assets_test

import (
	"flag"
	"fmt"
	"regexp"
	"runtime/debug"
	"testing"
	"time"
)

var (
	simSeed  = flag.Uint64("seed", 0, "seed of one game of the simulation; 0 plays many and prints the seed of one that fails")
	simSteps = flag.Int("steps", 0, "steps of the simulation, all games together; 0: some")
	simGames = flag.Uint64("games", 0, "seed of the first of many games; 0: of the day")
	simUntil = flag.Int("until", 0, "play on until this invariant is broken, whatever else is")
)

// simGameSteps is the length of one game.
const simGameSteps = 20000

// TestSimulation plays random games against a store: what to do next, when
// each decode goes on, what goes wrong with which file, all from one seed.
// Workers are coroutines that stop inside the source, so that anything can
// happen in the middle of a decode, and a seed plays the same game each time.
// After every step the invariants must hold.
func TestSimulation(t *testing.T) {
	steps := *simSteps
	if steps == 0 {
		steps = 60000
		if testing.Short() || raceOn { // one goroutine at a time: the detector finds little here
			steps = 6000
		}
	}
	seed := *simSeed
	if seed == 0 {
		seed = *simGames
	}
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	start, played, games := time.Now(), 0, 0
	for ; played < steps; games++ {
		g := playGame(seed, min(simGameSteps, steps-played))
		played += g.step
		report(t, g)
		if *simSeed != 0 || g.isOver() {
			break
		}
		seed = seed*6364136223846793005 + 1442695040888963407
	}
	t.Logf("%d steps in %d games, %.1f us a step", played, games, float64(time.Since(start).Microseconds())/float64(max(played, 1)))
}

func report(t *testing.T, g *sim) {
	t.Helper()
	for _, f := range g.failures {
		t.Error(f)
	}
	if len(g.failures) > 0 {
		t.Errorf("replay with: go test ./assets -run 'TestSimulation$' -seed %d", g.seed)
	}
}

// TestSimulation_SeedReplays plays one game twice, step by step the same.
func TestSimulation_SeedReplays(t *testing.T) {
	const steps = 2500
	one, two := playGame(7, steps), playGame(7, steps)
	report(t, one)
	if one.trace != two.trace || one.trace == playGame(8, steps).trace {
		t.Errorf("traces %#x and %#x", one.trace, two.trace)
	}
}

// TestSimulation_Reaches counts what a game has to reach to mean something.
func TestSimulation_Reaches(t *testing.T) {
	if raceOn {
		t.Skip("the same without the race detector")
	}
	g := playGame(3, 20000)
	report(t, g)
	for _, what := range []string{
		"paused", "adopted", "replaced", "fault", "pack closed", "pack opened", "reload pending", "stale handle", "stale ticket",
		"read full", "read done", "cancelled", "resurrected", "evicted", "context ended", "missing", "failed", "token moved",
		"ticket ready", "waived", "slot reused", "duplicate decode", "pinned", "mapped", "set ready",
	} {
		if g.reached[what] == 0 {
			t.Errorf("never reached: %s", what)
		}
	}
	t.Log(g.reached)
}

// playGame plays steps and, unless something failed, lets everything go.
func playGame(seed uint64, steps int) (g *sim) {
	g = newSim(seed)
	defer func() {
		if p := recover(); p != nil {
			g.failures = append(g.failures, fmt.Sprintf("panic in step %d (%s): %v\n%s", g.step, g.doing, p, debug.Stack()))
		}
	}()
	for range steps {
		g.step++
		g.act()
		g.check()
		if g.step%1000 == 0 {
			g.settle()
		}
		if g.isOver() {
			return g
		}
	}
	g.end()
	return g
}

// isOver tells whether a failure ends the game.
func (g *sim) isOver() bool {
	if *simUntil == 0 {
		return len(g.failures) > 0
	}
	return g.broken[fmt.Sprintf("invariant %02d", *simUntil)] > 0
}

var invariantNumber = regexp.MustCompile(`^invariant \d\d`)

// fail records a broken invariant, each once.
func (g *sim) fail(text string) {
	number := invariantNumber.FindString(text)
	if g.broken[number] > 0 && number != "" {
		g.broken[number]++
		return
	}
	g.broken[number]++
	g.failures = append(g.failures, fmt.Sprintf("%s\n\tin step %d: %s", text, g.step, g.doing))
}

func (g *sim) breaks(invariant int, format string, args ...any) {
	g.fail(fmt.Sprintf("invariant %02d: ", invariant) + fmt.Sprintf(format, args...))
}
