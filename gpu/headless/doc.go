// Package headless is a device that draws nothing. It counts what a real
// device would hold, checks every handle, ages frames, and can be told to
// fail, stall, lose uploads or run out: the device for servers, tests and
// measurements.
//
// It goes two ways about handles: a stale one is refused with
// [gpu.ErrStale] everywhere, and a destroy that comes while a frame in flight
// may still use the object is counted in [Device.EarlyFrees].
package headless
