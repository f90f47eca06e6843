// Package audio plays sounds whose PCM the store holds: a worker that owns
// prepared PCM, voices with distance gain and pan, and a mixer that a [Sink]
// reads from a goroutine of its own.
package audio
