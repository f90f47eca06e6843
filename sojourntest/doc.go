// Package sojourntest helps to test a game, or the engine, as a whole: cooked
// content in memory a few bytes large, and a session on a device that draws
// nothing, stepped frame by frame under a clock that moves by hand.
//
//	c := sojourntest.NewContent()
//	c.Crate("crate")
//	c.Scene("yard", "crate", "crate")
//	r := sojourntest.Open(t, c, sojourntest.Options{})
//	w := r.World("main")
//	layer, err := w.Load(scene.Request{Stem: "yard"})
//	r.Settle()
//
// Each frame is checked for what must always hold: exact device bytes, no
// dimension of the budget exceeded without a name, nothing freed too early.
// When the test ends, the rig closes every world and fails the test where
// something is still held. Nothing here sleeps.
package sojourntest
