package window

import "sojourn"

// notCompiled says that this build or this device lacks something for good, as
// against something that is merely not there yet.
const notCompiled = "not compiled in: "

// notBound says that something exists, but nothing has taken it up yet.
const notBound = "not bound: "

// What a page says in place of what a build left out.
const (
	storeAbsent  = "this build keeps no diagnostics of the store: build without -tags diagnostics_off or diagnostics_gpu"
	deviceAbsent = "this build keeps no diagnostics of the device: build without -tags diagnostics_off or diagnostics_cpu"
)

// absent writes why a part of the page cannot be filled, and tells whether it
// cannot. leftOut is for a build without it.
func (v *view) absent(a sojourn.Availability, leftOut string) bool {
	switch a {
	case sojourn.Bound:
		return false
	case sojourn.NotCompiled:
		v.sheet.wrap(toneDim, 4, notCompiled+leftOut)
	default:
		v.sheet.note(toneWarn, notBound, "the session is closed")
	}
	return true
}
