//go:build diagnostics_off || diagnostics_cpu

package gpu

// Diagnostics tells whether snapshots of the device's tables are compiled in;
// see assets.Diagnostics for the build tags.
const Diagnostics = false
