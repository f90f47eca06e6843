// Package trace records what a session did and when, and writes it in the
// trace event format that ui.perfetto.dev and chrome://tracing open.
//
// A [Recorder] is a ring of fixed size: appending copies one event under a
// short lock and allocates nothing; once the ring is full the oldest event is
// dropped and counted. A [Track] is one goroutine's line in the viewer. Its
// zero value records nothing, so that code may hold one whether or not anybody
// traces:
//
//	began := track.Now()
//	work()
//	track.Span("decode", "rock", began, trace.Args{Bytes: n})
//
// A span is recorded as a whole when it ends. One that began before the ring
// was full is therefore in it whole, or not at all.
package trace
