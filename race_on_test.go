//go:build race

package sojourn_test

const raceDetector = true
