// Package scene brings whole documents into a world and takes them out again:
// spawning, load slots, readiness, presentation, quiesce and retirement of
// layers. Its two rows, layers and retirement, stand in the built-in table of
// package systems.
package scene
