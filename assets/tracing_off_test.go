//go:build !tracing

package assets_test

const tracingOn = false
