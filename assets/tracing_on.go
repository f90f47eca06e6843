//go:build tracing

package assets

import (
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync"
)

// tracer records the call site of each live retain. Retains of one handle are
// alike, so a release takes the youngest site away: with several holders the
// sites that stay are a hint, their number is exact.
type tracer struct {
	mu struct {
		sync.Mutex
		live map[Handle][][traceDepth]uintptr
	}
}

const traceDepth = 8

func (t *tracer) retain(h Handle, n int) {
	var pcs [traceDepth]uintptr
	runtime.Callers(3, pcs[:])
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mu.live == nil {
		t.mu.live = make(map[Handle][][traceDepth]uintptr)
	}
	for range n {
		t.mu.live[h] = append(t.mu.live[h], pcs)
	}
}

func (t *tracer) release(h Handle) {
	t.mu.Lock()
	defer t.mu.Unlock()
	live := t.mu.live[h]
	if len(live) <= 1 {
		delete(t.mu.live, h)
		return
	}
	t.mu.live[h] = live[:len(live)-1]
}

// sites names where each live retain was taken: the first frame outside this
// package, and the store's own function that it called.
func (t *tracer) sites(h Handle) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var sites []string
	for _, pcs := range t.mu.live[h] {
		sites = append(sites, site(pcs[:]))
	}
	return sites
}

func site(pcs []uintptr) string {
	frames := runtime.CallersFrames(pcs)
	last := "unknown place"
	for {
		f, more := frames.Next()
		if f.File != "" {
			last = fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)
		}
		own := strings.Contains(f.Function, "sojourn/assets.") && !strings.HasSuffix(f.File, "_test.go")
		if !own || !more {
			return last
		}
	}
}
