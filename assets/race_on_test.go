//go:build race

package assets_test

// raceOn tells whether the race detector slows everything down.
const raceOn = true
