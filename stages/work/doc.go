// Package work is the arithmetic of a frame's streaming work: a [Budget] says
// what one frame may spend, a [Cost] what one operation takes, and a [Meter]
// admits operations one by one and keeps the account.
//
// It is pure: no goroutines, no IO, and the time comes from an injected
// [Clock]. One goroutine (the game's) owns a meter.
package work
