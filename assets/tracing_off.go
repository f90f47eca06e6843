//go:build !tracing

package assets

// tracer records who retains what, with build tag tracing.
type tracer struct{}

func (tracer) retain(Handle, int)    {}
func (tracer) release(Handle)        {}
func (tracer) sites(Handle) []string { return nil }
