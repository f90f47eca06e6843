package work

import "time"

// averages keeps a moving average of how long one operation of each stage
// takes. Stages are few and their names constant, so a short linear table
// beats a map.
type averages struct {
	rows []average
}

type average struct {
	stage string
	took  time.Duration
}

const (
	averageWeight = 8 // the newest counts one eighth

	// averageCap keeps one preempted operation from shutting its stage out of
	// every later frame.
	averageCap = 500 * time.Microsecond
)

func (a *averages) expect(stage string) time.Duration {
	for i := range a.rows {
		if a.rows[i].stage == stage {
			return a.rows[i].took
		}
	}
	return 0
}

func (a *averages) add(stage string, took time.Duration) {
	took = min(took, averageCap)
	for i := range a.rows {
		if r := &a.rows[i]; r.stage == stage {
			r.took += (took - r.took) / averageWeight
			return
		}
	}
	a.rows = append(a.rows, average{stage, took})
}
