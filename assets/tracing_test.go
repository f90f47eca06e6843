//go:build tracing

package assets_test

import (
	"strings"
	"testing"

	"sojourn/assets"
)

const tracingOn = true

func TestTracing_NamesTheCallSite(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "a")
	h := b.retain("a")
	b.TryRetain(h)
	why, _ := b.Why(key("a"))
	if len(why.Sites) != 2 || !strings.HasPrefix(why.Sites[0], "helpers_test.go:") || !strings.HasPrefix(why.Sites[1], "tracing_test.go:") {
		t.Errorf("sites %q", why.Sites)
	}
	b.Release(h)
	b.Release(h)
	if why, _ := b.Why(key("a")); len(why.Sites) != 0 {
		t.Errorf("sites %q", why.Sites)
	}
}
