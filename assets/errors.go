package assets

import "errors"

// Naming an asset.
var (
	// ErrBadStem is wrapped when a stem is not a clean relative path.
	ErrBadStem = errors.New("bad stem")
	// ErrUnknownKind is wrapped when no decoder is registered for a kind.
	ErrUnknownKind = errors.New("unknown kind")
	// ErrKindTaken is wrapped when two specs claim one kind, name or suffix.
	ErrKindTaken = errors.New("kind taken")
	// ErrFull is wrapped when a bounded table or queue has no room.
	ErrFull = errors.New("full")
	// ErrStale is wrapped when a handle's entry is gone.
	ErrStale = errors.New("stale handle")
)

// Loading an asset.
var (
	// ErrMissing is wrapped when no open source has the asset.
	ErrMissing = errors.New("asset missing")
	// ErrNotReady is wrapped when an asset was reloaded while it was decoded;
	// asking again gives the new version.
	ErrNotReady = errors.New("asset not ready")
	// ErrCorrupt is wrapped when the bytes are damaged, cut short or hostile.
	ErrCorrupt = errors.New("asset corrupt")
	// ErrTooLarge is wrapped when a declared size is over its documented limit.
	ErrTooLarge = errors.New("asset too large")
	// ErrCycle is wrapped when an asset needs itself; the text names the chain.
	ErrCycle = errors.New("dependency cycle")
	// ErrDecoderPanic is wrapped when a decoder panicked.
	ErrDecoderPanic = errors.New("decoder panicked")
)

// Ending.
var (
	// ErrClosed is wrapped when the store or source is closed.
	ErrClosed = errors.New("closed")
	// ErrHeld is wrapped by [Store.Close] when something is still held; the
	// text lists what, and by how many retains.
	ErrHeld = errors.New("still held")
)
