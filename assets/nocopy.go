package assets

// noCopy makes go vet refuse copies of the value it is embedded in.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
