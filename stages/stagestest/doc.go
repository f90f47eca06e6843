// Package stagestest helps to test a consumer of assets: a component with its
// row of the stage table.
//
// A [Rig] is the part of a session that a row meets: a store over a source in
// memory, a device that draws nothing, a mixer, a world with its ledger and
// listener, and the pass, stepped frame by frame under a clock that moves by
// hand. [Conform] runs a whole suite against a [Consumer]:
//
//	func TestBannersConform(t *testing.T) {
//		stagestest.Conform(t, banners())
//	}
//
// Nothing here sleeps. What workers do is waited for, not timed.
package stagestest
