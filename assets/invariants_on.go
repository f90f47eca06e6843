//go:build invariants

package assets

// invariantsOn tells whether misuse panics.
const invariantsOn = true

// misuse reports a programmer error.
func misuse(what string) { panic("assets: " + what) }

// poisonFreed overwrites freed bytes, so that a read after free shows.
func poisonFreed(b []byte) {
	for i := range b {
		b[i] = 0xDD
	}
}
