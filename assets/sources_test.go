package assets_test

import (
	"errors"
	"slices"
	"testing"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

func TestEntryKeys(t *testing.T) {
	b := open(t, assets.Options{Kinds: []assets.KindSpec{assetstest.TextKind(assets.KindScript, "any", "")}})
	for name, want := range map[string][]assets.Key{
		"a/b.txt":       {{Stem: "a/b", Kind: text}, {Stem: "a/b.txt", Kind: assets.KindScript}},
		"car#wheel.txt": {{Stem: "car#wheel", Kind: text}, {Stem: "car#wheel.txt", Kind: assets.KindScript}},
		".txt":          {{Stem: ".txt", Kind: assets.KindScript}},
		"../x.txt":      nil,
		"":              nil,
	} {
		var got []assets.Key
		b.EntryKeys(name, func(k assets.Key) { got = append(got, k) })
		if !slices.Equal(got, want) {
			t.Errorf("%q serves %v, want %v", name, got, want)
		}
	}
	c := assets.Changes{}
	c.AddEntry(b.Store, "car#wheel.txt")
	if !c.Has(key("car#door")) || c.Has(key("cart")) || c.Has(assets.Key{Stem: "car", Kind: other}) {
		t.Errorf("%v", c)
	}
}

func TestReloadChanges_ManyFamiliesInOneStep(t *testing.T) {
	b := open(t, assets.Options{KeepAliveBytesMax: 1 << 20})
	c := assets.Changes{}
	var hs []assets.Handle
	for _, stem := range []string{"a", "b#x", "b#y", "c"} {
		b.src.SetText(stem+".txt", "old")
		h, err := b.Retain(ctx, key(stem))
		if err != nil {
			t.Fatal(err)
		}
		hs = append(hs, h)
		b.name(stem)
	}
	for _, h := range hs[:3] {
		b.Release(h)
	}
	c.AddEntry(b.Store, "a.txt")
	c.AddEntry(b.Store, "b#x.txt")
	if got := b.Touched(c, nil); len(got) != 3 {
		t.Errorf("touches %d entries", len(got))
	}
	if n := b.ReloadChanges(c); n != 3 {
		t.Errorf("reloaded %d entries", n)
	}
	for i, want := range []assets.State{assets.StateUnloaded, assets.StateUnloaded, assets.StateUnloaded, assets.StateResident} {
		if got := b.State(hs[i]); got != want {
			t.Errorf("entry %d is %v, want %v", i, got, want)
		}
	}
	b.Release(hs[3])
	for _, h := range hs {
		b.Forget(h)
	}
}

func TestReplaceSource(t *testing.T) {
	old, next := assetstest.NewSource("old.pack"), assetstest.NewSource("new.pack")
	for _, src := range []*assetstest.Source{old, next} {
		src.SetText("same.txt", "the same in both")
	}
	old.SetText("changed.txt", "before")
	next.SetText("changed.txt", "after")
	next.SetText("came.txt", "new")
	b := open(t, assets.Options{Sources: []assets.Source{old}, KeepAliveBytesMax: 1 << 20})
	same, changed, came := b.name("same"), b.name("changed"), b.name("came")
	for _, stem := range []string{"same", "changed", "came"} {
		h, err := b.Retain(ctx, key(stem))
		if stem == "came" {
			if !errors.Is(err, assets.ErrMissing) {
				t.Errorf("%v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer b.Release(h)
	}
	epoch := b.Epoch()
	if n := b.SourceUses(old); n != 2 {
		t.Errorf("the old source has %d uses", n)
	}
	if err := b.ReplaceSource(next, old, func(string) bool { return true }); !errors.Is(err, assets.ErrMissing) {
		t.Errorf("a source that is not there was replaced: %v", err)
	}
	if err := b.ReplaceSource(old, next, func(name string) bool { return name == "same.txt" }); err != nil {
		t.Fatal(err)
	}
	if b.Epoch() != epoch+1 || b.State(came) != assets.StateUnloaded || b.State(same) != assets.StateResident {
		t.Errorf("epoch %d, %v, %v", b.Epoch()-epoch, b.State(came), b.State(same))
	}
	if n := b.SourceUses(old); n != 1 {
		t.Errorf("the old source has %d uses", n)
	}
	views := b.Sources(nil) // last added first: the bench's own, then the replacement
	if len(views) != 2 || views[1].Name != "new.pack" || views[1].Resident != 1 || views[1].Leases != -1 {
		t.Errorf("%+v", views)
	}
	b.ReloadChanges(assets.Changes{"changed": assets.Kinds(text)})
	b.Release(changed)
	if n := b.SourceUses(old); n != 0 {
		t.Errorf("the old source has %d uses", n)
	}
	h, err := b.Retain(ctx, key("changed"))
	if err != nil || b.texts.At(h).String() != "after" {
		t.Errorf("%v", err)
	}
	for _, h := range []assets.Handle{same, changed, came} {
		b.Forget(h)
	}
}

// While a cook runs beside, what is missing is pending: a ticket waits, and
// nobody is told of a failure before the cook is over.
func TestSetCooking(t *testing.T) {
	b := open(t, assets.Options{})
	b.SetCooking(true)
	h := b.name("late")
	defer b.Forget(h)
	ticket := b.OpenTicket(assets.TicketOptions{})
	defer b.CloseTicket(ticket)
	load := func() {
		if got, err := b.Retain(ctx, key("late")); err == nil {
			b.Release(got)
		}
	}
	load()
	if err := b.Require(ticket, h, assets.PhaseDecoded); err != nil {
		t.Fatal(err)
	}
	b.Seal(ticket)
	wakes := b.Drain(nil)
	opens := b.src.Counts().Opens
	load()
	if st := b.Poll(ticket); b.State(h) != assets.StatePending || st.Ready || len(wakes) != 0 || b.src.Counts().Opens != opens {
		t.Errorf("%v, %+v, wakes %v, %d opens", b.State(h), st, wakes, b.src.Counts().Opens-opens)
	}
	b.SetCooking(false)
	wakes = b.Drain(wakes[:0])
	if st := b.Poll(ticket); b.State(h) != assets.StateMissing || !st.Ready || st.Failed != 1 || len(wakes) != 1 {
		t.Errorf("%v, %+v, wakes %v", b.State(h), st, wakes)
	}
	b.SetCooking(true)
	b.src.SetText("late.txt", "here")
	b.Reload("late", assets.AllKinds)
	wakes = b.Drain(wakes[:0])
	if len(wakes) != 1 || wakes[0].Phase != assets.PhaseUnloaded || b.Poll(ticket).Ready {
		t.Errorf("wakes %v, %+v", wakes, b.Poll(ticket))
	}
	got, err := b.Retain(ctx, key("late"))
	if err != nil {
		t.Fatal(err)
	}
	b.Drain(nil)
	if st := b.Poll(ticket); !st.Ready || st.Failed != 0 {
		t.Errorf("%+v", st)
	}
	b.Release(got)
}

func TestScope_Drop(t *testing.T) {
	b := open(t, assets.Options{})
	b.src.SetText("a.txt", "a")
	b.src.SetText("b.txt", "b")
	scope := assets.NewScopeOwned(b.Store, "cell")
	var hs []assets.Handle
	for _, stem := range []string{"a", "b", "a"} {
		h, err := b.Retain(ctx, key(stem))
		if err != nil {
			t.Fatal(err)
		}
		scope.TryRetain(h)
		b.Release(h)
		hs = append(hs, h)
	}
	if n := scope.Drop(func(h assets.Handle) bool { return h == hs[0] }); n != 2 || scope.Len() != 1 {
		t.Errorf("dropped %d, %d left", n, scope.Len())
	}
	if b.Has(hs[0]) || !b.Has(hs[1]) {
		t.Error("the wrong one went")
	}
	scope.ReleaseAll()
	if n := scope.Drop(func(assets.Handle) bool { return true }); n != 0 {
		t.Errorf("dropped %d of none", n)
	}
}

// A range read asks its source for exactly that range, whether it is read or
// mapped.
func TestReads_AskExactlyTheRange(t *testing.T) {
	for _, mappable := range []bool{false, true} {
		b := open(t, assets.Options{})
		b.src.SetMappable(mappable)
		b.src.SetText("a.txt", "0123456789")
		h, err := b.Retain(ctx, key("a"))
		if err != nil {
			t.Fatal(err)
		}
		before := len(b.src.Ranges("a.txt"))
		reads := b.NewReads("test", 1)
		if err := reads.Submit(h, 3, 4, 0, 1); err != nil {
			t.Fatal(err)
		}
		got := ""
		for got == "" {
			reads.Drain(func(d assets.ReadDone) {
				got = string(d.Bytes.Slice())
				if d.Bytes.Mapped() != mappable {
					t.Errorf("mapped: %v, want %v", d.Bytes.Mapped(), mappable)
				}
				d.Bytes.Free()
			})
		}
		asked := b.src.Ranges("a.txt")[before:]
		if got != "3456" || len(asked) != 1 || asked[0] != (assetstest.Range{Off: 3, N: 4}) {
			t.Errorf("%q by %v", got, asked)
		}
		reads.Close()
		b.Release(h)
	}
}
