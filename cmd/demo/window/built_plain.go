//go:build !tracing

package window

// tracingBuilt tells whether retains record where they were taken.
const tracingBuilt = false
