package sojourn

import "errors"

// Errors of opening.
var (
	// ErrNoDevice is returned when a session is opened without a device.
	ErrNoDevice = errors.New("sojourn: no device: set Options.Device to ebitengine.New(...) or headless.New(...)")
	// ErrBadConfig is wrapped by [ParseConfig]; the text has file, line and column.
	ErrBadConfig = errors.New("bad configuration")
	// ErrClosed is returned when a closed session or world is used.
	ErrClosed = errors.New("sojourn: closed")
)
