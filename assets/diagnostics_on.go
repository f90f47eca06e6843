//go:build !diagnostics_off && !diagnostics_gpu

package assets

// Diagnostics tells whether snapshots of the store are compiled in. Build tags
// leave them out: diagnostics_off all, diagnostics_cpu those of the device,
// diagnostics_gpu those of the store. Ownership, counts, budgets and reload
// are the same either way.
const Diagnostics = true
