//go:build ignore

// Command mutants shows that the simulations bite: it breaks a copy of the
// store, or of the engine, in one place at a time, and each time a simulation
// or the invariant's own test must fail and name the invariant that the mutant
// breaks. The copy as it is must pass. Run it as "make mutants"; with arguments
// it plays only the mutants of those invariants.
//
// The lists are scripts/mutants/*.txt. A mutant is
//
//	invariant 13, skip: closing forgets the requirements
//	file assets/ticket.go
//	- one or more lines as they are
//	+ one or more lines instead
//
// where the old lines must occur exactly once in the file. Lines starting with
// '#' say more. A line "in PACKAGES" before the old lines says where its tests
// are; without it they are those of the store, with its own simulation.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	simSteps   = "150000"
	simSeed    = "20250101"
	runTimeout = 90 * time.Second
)

type mutant struct {
	invariant, kind, what, file string
	in                          []string // packages with its tests; none: the store
	old, new                    []string
}

// headless is how the engine's tests are built: nothing here draws.
const headless = "-tags=headless"

// engineRun is what plays for an invariant of the engine.
func engineRun(invariant string) string {
	return "-run=^(TestInvariant" + invariant + "_.*|TestSimulation)$"
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(only []string) error {
	mutants, err := readAll("scripts/mutants")
	if err != nil {
		return err
	}
	slices.SortStableFunc(mutants, func(a, b mutant) int { return strings.Compare(a.invariant, b.invariant) })
	if len(only) > 0 {
		mutants = slices.DeleteFunc(mutants, func(m mutant) bool { return !slices.Contains(only, m.invariant) })
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, part := range []string{
		"go.mod", "go.sum", "assets", "chunked", "stages", "gpu", "audio", "resources", "ecs", "sojourntest", "journal", "trace",
	} {
		if err := copyTree(part, filepath.Join(dir, part)); err != nil {
			return err
		}
	}
	if err := copyRoot(dir); err != nil {
		return err
	}
	start := time.Now()
	if err := baseline(dir, mutants); err != nil {
		return err
	}
	fmt.Println("the copy as it is passes")
	survived, perInvariant := 0, map[string]int{}
	for _, m := range mutants {
		verdict, killed := m.try(dir)
		if !killed {
			survived++
		}
		perInvariant[m.invariant]++
		fmt.Printf("%s  %-12s %-45s %s\n", m.invariant, m.kind, verdict, m.what)
	}
	for n, count := range perInvariant {
		if count < 3 {
			survived++
			fmt.Printf("%s  has only %d mutants\n", n, count)
		}
	}
	fmt.Printf("%d mutants, %d survived, %.0f s\n", len(mutants), survived, time.Since(start).Seconds())
	if survived > 0 {
		return errors.New("not every mutant was killed")
	}
	return nil
}

func baseline(dir string, mutants []mutant) error {
	packages := map[string]bool{}
	for _, m := range mutants {
		for _, p := range m.in {
			packages[p] = true
		}
	}
	for p := range packages {
		if out, err := command(dir, "go", "test", headless, "-short", "-count=1", engineRun("[0-9]+"), p); err != nil {
			return fmt.Errorf("the copy as it is fails: %w\n%s", err, tail(out))
		}
	}
	if out, err := build(dir); err != nil {
		return fmt.Errorf("the copy as it is: %w\n%s", err, out)
	}
	for _, args := range [][]string{simulation("99"), {"-test.run=^TestInvariant"}} {
		if out, err := command(dir, filepath.Join(dir, "assets.test"), args...); err != nil {
			return fmt.Errorf("the copy as it is fails: %w\n%s", err, tail(out))
		}
	}
	return nil
}

func simulation(until string) []string {
	return []string{"-test.run=^TestSimulation$", "-games", simSeed, "-steps", simSteps, "-until", until}
}

// try plays one mutant in the copy, and takes it out again.
func (m mutant) try(dir string) (verdict string, killed bool) {
	path := filepath.Join(dir, m.file)
	was, err := os.ReadFile(path)
	if err != nil {
		return err.Error(), false
	}
	old := []byte(strings.Join(m.old, "\n") + "\n")
	if n := bytes.Count(was, old); n != 1 {
		return fmt.Sprintf("BROKEN: its lines occur %d times", n), false
	}
	defer os.WriteFile(path, was, 0o600)
	changed := bytes.Replace(was, old, []byte(strings.Join(m.new, "\n")+"\n"), 1)
	if err := os.WriteFile(path, changed, 0o600); err != nil {
		return err.Error(), false
	}
	if len(m.in) > 0 {
		return m.tryEngine(dir)
	}
	if out, err := build(dir); err != nil {
		fmt.Println(tail(out))
		return "BROKEN: it must compile and vet", false
	}
	bin := filepath.Join(dir, "assets.test")
	begin := time.Now()
	out, err := command(dir, bin, simulation(m.invariant)...)
	if err != nil && strings.Contains(out, "invariant "+m.invariant+":") {
		return fmt.Sprintf("killed by the simulation, %.1f s", time.Since(begin).Seconds()), true
	}
	name := "TestInvariant" + m.invariant + "_"
	tests, terr := command(dir, bin, "-test.run=^"+name)
	if terr != nil && strings.Contains(tests, "--- FAIL: "+name) {
		return "killed by " + name, true
	}
	if err != nil {
		fmt.Println(tail(out))
		return "SURVIVED: it failed for something else", false
	}
	return "SURVIVED", false
}

// tryEngine plays a mutant of the engine.
func (m mutant) tryEngine(dir string) (verdict string, killed bool) {
	vetted := "./" + filepath.Dir(m.file)
	if out, err := command(dir, "go", "vet", headless, vetted); err != nil {
		fmt.Println(tail(out))
		return "BROKEN: it must compile and vet", false
	}
	out, err := command(dir, "go", append([]string{"test", headless, "-short", "-count=1", engineRun(m.invariant)}, m.in...)...)
	name := "TestInvariant" + m.invariant + "_"
	switch {
	case err == nil:
		return "SURVIVED", false
	case strings.Contains(out, "--- FAIL: "+name):
		return "killed by " + name, true
	case strings.Contains(out, "invariant "+m.invariant+":"):
		return "killed by the simulation", true
	}
	fmt.Println(tail(out))
	return "SURVIVED: it failed for something else", false
}

// copyRoot copies the files of the root package.
func copyRoot(dir string) error {
	names, err := filepath.Glob("*.go")
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := copyTree(name, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// build vets the store with its tests and makes the test program.
func build(dir string) (string, error) {
	if out, err := command(dir, "go", "vet", "./assets"); err != nil {
		return out, err
	}
	return command(dir, "go", "test", "-c", "-ldflags=-s -w", "-o", "assets.test", "./assets")
}

func command(dir, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), runTimeout)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err
}

func tail(out string) string {
	const most = 2000
	return out[max(0, len(out)-most):]
}

func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rest), 0o700)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rest), b, 0o600)
	})
}

func readAll(dir string) ([]mutant, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no lists in %s: %v", dir, err)
	}
	var all []mutant
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(string(b), "\n") {
			if err := parse(&all, line); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
			}
		}
	}
	return all, nil
}

func parse(all *[]mutant, line string) error {
	if head, ok := strings.CutPrefix(line, "invariant "); ok {
		number, rest, _ := strings.Cut(head, ", ")
		kind, what, ok := strings.Cut(rest, ": ")
		if !ok {
			return fmt.Errorf("want \"invariant NN, kind: what\", have %q", line)
		}
		*all = append(*all, mutant{invariant: number, kind: kind, what: what})
		return nil
	}
	if line == "" || line[0] == '#' {
		return nil
	}
	if len(*all) == 0 {
		return errors.New("a line before the first mutant")
	}
	m := &(*all)[len(*all)-1]
	switch {
	case strings.HasPrefix(line, "in "):
		m.in = strings.Fields(line[len("in "):])
	case strings.HasPrefix(line, "file "):
		m.file = line[len("file "):]
	case line[0] == '-':
		m.old = append(m.old, strings.TrimPrefix(line[1:], " "))
	case line[0] == '+':
		m.new = append(m.new, strings.TrimPrefix(line[1:], " "))
	default:
		return fmt.Errorf("what is %q?", line)
	}
	return nil
}
