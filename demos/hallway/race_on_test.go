//go:build race

package hallway

const raceDetector = true
