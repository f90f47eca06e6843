//go:build !invariants

package mapped

const checkReleases = false
