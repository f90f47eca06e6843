// Package hallway is the streaming stress demo: an endless corridor of cells
// that come and go around a camera that flies through it. Each cell is a scene
// layer with a wall of its own, shared props and a sound source.
package hallway
