package stages

// Debt says whether some consumer that no wake named is still owed a look.
// [Pass] settles it after each pass; other code may only arm it.
type Debt struct {
	owed    bool
	rearmed bool // armed since the pass began: a stage made work for one that ran before it
}

// Arm records that something is owed a look: a spawn that could not bind, say.
func (d *Debt) Arm() { d.owed, d.rearmed = true, true }

// begin starts a pass: what is armed from here on outlives it.
func (d *Debt) begin() { d.rearmed = false }

// Owed tells whether a look is owed.
func (d *Debt) Owed() bool { return d.owed }

// settle is the pass's epilogue, the one place that can discharge a debt. Only
// a pass that covered every stage and finished each may, if nothing was armed
// meanwhile; reaching the end of a filtered one proves nothing about what the
// filter left out.
func (d *Debt) settle(coveredAll, finishedAll bool) {
	if !finishedAll || d.rearmed {
		d.owed = true
		return
	}
	if coveredAll {
		d.owed = false
	}
}
