package journal

// Kind is what happened.
type Kind uint8

// The kinds of events.
const (
	WorldOpened    Kind = iota
	WorldClosed         // with the reason where something was wrong
	LayerRequested      // in line to be loaded
	LayerReady          // everything in it is on the device
	LayerPresented      // shown
	LayerUnloaded       // gone for the player; the reason is the state it was in
	LayerRetired        // all it held is given back
	LayerFailed         // its document could not be loaded
	RevealBegun         // a journey; the reason is its cause
	RevealNotice        // the player waits
	RevealShown
	RevealCancelled
	AssetDecoded
	AssetFailed
	AssetFreed   // with the reason
	AssetEvicted // freed for the keep-alive budget

	// NumKinds is the number of kinds.
	NumKinds
)

var kindNames = [NumKinds]string{
	WorldOpened: "world opened", WorldClosed: "world closed",
	LayerRequested: "layer requested", LayerReady: "layer ready", LayerPresented: "layer presented",
	LayerUnloaded: "layer unloaded", LayerRetired: "layer retired", LayerFailed: "layer failed",
	RevealBegun: "reveal begun", RevealNotice: "reveal notice", RevealShown: "revealed", RevealCancelled: "reveal cancelled",
	AssetDecoded: "asset decoded", AssetFailed: "asset failed", AssetFreed: "asset freed", AssetEvicted: "asset evicted",
}

// String is the word that lines use.
func (k Kind) String() string {
	if k < NumKinds {
		return kindNames[k]
	}
	return "event-?"
}
