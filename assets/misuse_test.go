package assets_test

import (
	"fmt"
	"strings"
	"testing"

	"sojourn/assets"
)

// One release, forget or tick too many is refused and counted; with build tag
// invariants it panics, and the store can still be used.
func TestMisuse_IsRefusedOrPanics(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 1 << 20})
	b.src.SetText("a.txt", "a")
	h := b.name("a")
	b.Release(b.retain("a"))
	for what, misuse := range map[string]func(){
		"release": func() { b.Release(h) },
		"stale":   func() { b.Release(h + 1<<32) },
		"tick":    func() { b.LeaveTick() },
	} {
		func() {
			defer func() {
				p := recover()
				if panicked := p != nil; panicked != assets.InvariantsOn || panicked && !strings.HasPrefix(p.(string), "assets: ") {
					t.Errorf("%s: panic %v", what, p)
				}
			}()
			misuse()
		}()
	}
	if n := b.Stats().OverReleases; n != 2 {
		t.Errorf("%d refused", n)
	}
	held := b.retain("a")
	b.wantText(held, "a")
	if b.Refs(held) != 1 {
		t.Errorf("%d refs", b.Refs(held))
	}
	b.Release(held)
	b.Forget(h)
}

func TestTryRetainOne(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 1 << 20})
	b.src.SetText("a.txt", "a")
	h := b.name("a")
	if _, ok := assets.TryRetainOne(b.texts, h); ok {
		t.Error("it loaded")
	}
	b.Release(b.retain("a"))
	one, ok := assets.TryRetainOne(b.texts, h)
	if !ok || one.Handle() != h || one.Get().String() != "a" {
		t.Error("it is in memory")
	}
	one.Release()
	if one.Handle() != 0 || one.Reset(ctx, "a") == nil {
		t.Error("an empty token knows a store")
	}
	b.Forget(h)
}

// A tool that names assets and never drains must not fill the memory.
func TestMailbox_IsBounded(t *testing.T) {
	b := open(t, assets.Options{})
	for i := range 10000 {
		stem := fmt.Sprintf("f%d", i)
		h := b.name(stem)
		if _, err := b.Retain(ctx, key(stem)); err == nil {
			t.Fatal("there is no such file")
		}
		b.Forget(h)
	}
	if n := b.MailLen(); n > 4096 {
		t.Errorf("%d letters about entries that are gone", n)
	}
	if w := b.Drain(nil); len(w) != 0 {
		t.Errorf("%d wakes about entries that are gone", len(w))
	}
}
