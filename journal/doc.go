// Package journal writes the lifecycle log: one JSON line for each thing that
// came or went, with the time, the world, the key and the reason.
//
// A [Log] takes events from any goroutine into a bounded queue, and a
// goroutine of its own encodes and writes them, so that nobody who tells of
// something waits for a disk. A nil Log hears nothing.
//
// A new sort of event is one constant and one name in kinds.go, and a
// [Log.Note] where it happens.
package journal
