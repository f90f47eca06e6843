//go:build !invariants

package assets

// invariantsOn tells whether misuse panics.
const invariantsOn = false

// misuse reports a programmer error: refused here, a panic with build tag
// invariants.
func misuse(string) {}

func poisonFreed([]byte) {}
