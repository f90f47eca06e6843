//go:build invariants

package mapped

const checkReleases = true
