package stagestest

import "testing"

// Check is one property that every consumer's row has.
type Check struct {
	Name string
	Run  func(testing.TB, Consumer)
}

// Checks are all of them, for a test that wants some only.
func Checks() []Check {
	return []Check{
		{"binds", checkBinds},
		{"makes progress each frame", checkProgress},
		{"resumes where it stopped", checkResume},
		{"serves late arrivals", checkLateArrivals},
		{"decodes on workers only", checkWorkers},
		{"decodes once", checkDecodesOnce},
		{"closes every query", checkQueries},
		{"allocates nothing when idle", checkIdle},
		{"degrades where an asset is missing", checkMissing},
		{"degrades where an asset is broken", checkBroken},
		{"shares an asset", checkShared},
		{"retires to zero", checkRetires},
		{"lets go with the entity", checkEntityRemoval},
		{"lets go with the component", checkComponentRemoval},
		{"takes a component back", checkReattach},
		{"closes with its world", checkClose},
		{"survives any order", checkAnyOrder},
	}
}

// Conform runs a consumer's row through every check, each a subtest with rigs
// of its own.
func Conform(t *testing.T, c Consumer) {
	for _, check := range Checks() {
		t.Run(check.Name, func(t *testing.T) { check.Run(t, c) })
	}
}
