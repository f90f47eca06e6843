package sojourn_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// seed replays one run of the simulation; 0 runs the usual ones.
var seed = flag.Int64("seed", 0, "seed of the simulation; 0: a fixed set")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
