package window

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/ecs/components"
	"sojourn/gpu/headless"
	"sojourn/resources"
	"sojourn/stages"
	"sojourn/stages/work"
)

const testColumns = 112

// sample is a snapshot with something on every page.
func sample(rows int) *sojourn.Snapshot {
	s := &sojourn.Snapshot{CPU: sojourn.Bound, GPU: sojourn.Bound, Name: "headless", Config: sojourn.DefaultConfig(), Budget: work.High(), Stages: []string{"models", "materials", "sounds"}}
	for i := range rows {
		kind := assets.Kind(i % 3)
		s.Store.Rows = append(s.Store.Rows, assets.Row{
			Key:   assets.Key{Stem: fmt.Sprintf("cells/%06d/Wall", i), Kind: kind},
			State: assets.StateResident, Refs: i % 7, Names: 1, Bytes: int64(i) << 10,
		})
		s.Store.Stats.ByKind[kind].Resident++
	}
	s.Store.Stats.KeepAliveBytesMax = 512 << 20
	s.Store.Stats.ColdBytes = 500 << 20
	s.Store.Freed = []assets.FreedRow{
		{Key: assets.Key{Stem: "old", Kind: assets.KindMesh}, Bytes: 4096, Reason: assets.FreeEvicted, Serial: 7},
		{Key: assets.Key{Stem: "newer", Kind: assets.KindMesh}, Bytes: 4096, Reason: assets.FreeReleased, Serial: 8},
	}
	s.Store.Failed = []assets.FailedRow{{Key: assets.Key{Stem: "broken", Kind: assets.KindTexture}, Reason: "broken.ktx2: corrupt: the directory lies past the end"}}
	s.Store.Thrash = []assets.ThrashRow{{Key: assets.Key{Stem: "cells/000007", Kind: assets.KindScene}, Cause: "window of grid 3 around source 9", Times: 8}}
	s.Store.Stats.ThrashCount = 1
	s.Store.Tickets = []assets.TicketView{{Owner: "gate of cells/000003", Sealed: true, Required: 9, Satisfied: 7, Failed: 1}}
	s.Store.Batches = []assets.BatchView{{Owner: "hallway warm-up", Priority: -2, Total: 12, Pending: 3, Held: 9}}
	s.Worlds = []sojourn.WorldView{{
		Name: "hallway", Active: true, Pass: stages.PassReport{Parked: 1, Owed: true, Ran: 2}, Stalls: 1,
		Counts: resources.LayerCounts{Live: 2, LiveMax: 5, Presented: 1},
		Reveal: resources.RevealView{Pending: true, Cause: "portal", Required: 5, Missing: 2, Waited: 1500 * time.Millisecond},
		Cells:  resources.CellCounts{Asked: 17, Left: 4, Live: 13, Grace: 3, Loading: 2, Waiting: 1},
		Layers: []sojourn.LayerView{
			{Key: assets.Key{Stem: "cells/000002", Kind: assets.KindScene}, State: components.LayerBinding, Members: 40, Pending: 6},
			{Key: assets.Key{Stem: "cells/000001", Kind: assets.KindScene}, State: components.LayerPresented, Members: 44},
		},
	}}
	s.History = []work.Facts{{Elapsed: 3 * time.Millisecond, Used: work.Of(work.UploadBytes, 8<<20)}, {Elapsed: time.Millisecond}}
	s.Overruns = []work.Overrun{{Stage: "models", Over: 400 * time.Microsecond, Frame: 12}, {Stage: "sounds", Oversize: true, Frame: 15}, {Stage: "texture upload", Over: time.Millisecond, Frame: 16}}
	s.OverrunN = 3
	s.ByStage = []work.StageOverruns{{Stage: "models", Times: 1, Worst: 400 * time.Microsecond}, {Stage: "sounds", Oversizes: 1}, {Stage: "texture upload", Times: 1, Worst: time.Millisecond}}
	s.Backlog[sojourn.LineTextureUpload] = sojourn.Queued{Waiting: 12, Bytes: 3 << 20, Oldest: 250 * time.Millisecond}
	s.Sources = []assets.SourceView{{Name: "game.pack", Entries: 758, Leases: 12, Resident: 40}, {Name: "bare", Entries: -1, Leases: -1}}
	for i := range 14 {
		s.Store.Owners = append(s.Store.Owners, assets.OwnerStats{Owner: fmt.Sprintf("cells/%06d", i), Resident: i, Bytes: int64(i) << 20})
	}
	s.Store.Owners[3].Cold, s.Store.Owners[3].InFlightBytes = 2, 64<<20
	s.Reloads = sojourn.ReloadView{Batches: 2, Families: 3, Failed: 1, LastErr: errors.New("game.pack: cut short")}
	return s
}

func viewOf(s *sojourn.Snapshot) *view {
	v := &view{columns: testColumns, bound: s != nil}
	v.assets.all = true
	if s != nil {
		v.snap = *s
	}
	return v
}

// shown is a page as text.
func shown(v *view, p page) string {
	v.page = p
	v.build()
	var b strings.Builder
	for _, g := range v.gauges.All() {
		fmt.Fprintf(&b, "%s | %.2f | %s\n", g.label, g.share, g.figure)
	}
	b.WriteString(textOf(&v.sheet))
	if p == pageAssets {
		for _, l := range v.assets.sight(v.snap.Store.Rows, 0, len(v.assets.lines), v.columns, v.kindName) {
			b.WriteString(l.text + "\n")
		}
	}
	return b.String()
}

func wantAll(t *testing.T, got string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(got, w) {
			t.Errorf("%q is missing in\n%s", w, got)
		}
	}
}

func TestPagesShowWhatThereIs(t *testing.T) {
	v := viewOf(sample(6))
	overview := shown(v, pageOverview)
	wantAll(t, overview, "cells/000003", "64.0 MiB", "12 of 14", "frame work | 0.50 | 1.00 of 2.00 ms, worst 3.00 ms", "upload bytes | 0.00",
		"keep-alive, cold | 0.98 | 500.0 MiB of 512.0 MiB", "texture             2        2", "hallway: 2 layers live", "travels by portal: 2 of 5 layers are not ready after",
		"758 entries, 40 resident, 12 mapped", "3 families in 2 batches", "game.pack: cut short")
	if strings.Index(overview, "cells/000003") > strings.Index(overview, "cells/000013") || strings.Contains(overview, "cells/000001") {
		t.Errorf("the largest owner is not first, or the smallest are there:\n%s", overview)
	}
	wantAll(t, shown(v, pageFrame), "upload bytes | 1.00", "> materials", "cursor", "debt: a stage is still owed a look", "stalls: 1",
		"models                                     1    0.40 ms", "overruns: 3 so far", "texture upload                             1    1.00 ms", "0.40 ms past the limit", "one exception",
		"waiting: the oldest in texture upload for 250.00 ms", "texture upload                   12      3.0 MiB    250.00 ms", "device free                       -            -            -",
		"last frame: 0 units, 0 refused, 0 failed, 0 past the limit, 0 oversize")
	wantAll(t, shown(v, pageWaiting), "gate of cells/000003", "complete", "hallway warm-up")
	layers := shown(v, pageLayers)
	wantAll(t, layers, "world hallway (drawn): 2 live of at most 5", "stream cells: 13 asked for, 2 of them loading, 3 in grace, 1 to come; 4 left", "binding", "presented")
	if strings.Index(layers, "cells/000001") > strings.Index(layers, "cells/000002") {
		t.Errorf("layers are not in order:\n%s", layers)
	}
	losses := shown(v, pageLosses)
	wantAll(t, losses, "the directory lies past the end", "evicted", "released", "8 times", "cells/000007", "window of grid 3 around source 9")
	if strings.Index(losses, "newer") > strings.Index(losses, "old") {
		t.Errorf("the newest free is not first:\n%s", losses)
	}
	wantAll(t, shown(v, pageAssets), "6 of 6 assets", "cells/000005/Wall")
}

func TestPagesFitTheirWidth(t *testing.T) {
	s := sample(40)
	s.Store.Rows[3].Owner = strings.Repeat("owner ", 20)
	s.Store.Rows[4].Key.Stem = strings.Repeat("deep/", 60) + "stem"
	s.Store.Failed[0].Reason = strings.Repeat("word ", 90)
	s.Store.Freed[0].Key.Stem = strings.Repeat("deep/", 60) + "stem"
	v := viewOf(s)
	for p := range pageCount {
		for _, l := range strings.Split(shown(v, p), "\n") {
			if !strings.Contains(l, " | ") && len(strings.TrimRight(l, " ")) > testColumns {
				t.Errorf("%s: %d letters: %q", pageNames[p], len(l), l)
			}
		}
	}
}

func TestNotCompiledIsNotNotBound(t *testing.T) {
	unbound := viewOf(nil)
	for p := range pageCount {
		// The copy of no session is empty, and says nothing of what was built.
		if got := shown(unbound, p); !strings.Contains(got, notBound+"the demo has no session yet") || strings.Contains(got, notCompiled) {
			t.Errorf("%s without a session: %s", pageNames[p], got)
		}
	}
	empty := viewOf(&sojourn.Snapshot{CPU: sojourn.Bound, GPU: sojourn.Bound, Name: "headless", Config: sojourn.DefaultConfig(), Budget: work.High(), Stages: []string{"models"}})
	for _, p := range []page{pageOverview, pageFrame, pageLayers} {
		wantAll(t, shown(empty, p), notBound+"no world is open")
	}
	overview := shown(empty, pageOverview)
	wantAll(t, overview, "ray tracing, geometry stream   "+notCompiled, notBound+"nothing has asked for an asset")
	if got := strings.Contains(overview, "sites of retains               "+notCompiled); got == tracingBuilt {
		t.Errorf("sites of retains are said to be left out: %v, built in: %v", got, tracingBuilt)
	}
	wantAll(t, shown(empty, pageOverview), "keep-alive, cold | -1.00 | off", notBound+"the store has no source")
}

// A build may leave out the diagnostics of the store, of the device or both.
// Its pages say so, and show the rest.
func TestPartsLeftOutAreNamed(t *testing.T) {
	s := sample(3)
	s.CPU, s.Store = sojourn.NotCompiled, assets.Snapshot{}
	v := viewOf(s)
	for _, p := range []page{pageOverview, pageWaiting, pageLosses, pageAssets} {
		if got := shown(v, p); !strings.Contains(got, notCompiled+"this build keeps no diagnostics of the store") || strings.Contains(got, "keep-alive") {
			t.Errorf("%s without the store's: %s", pageNames[p], got)
		}
	}
	wantAll(t, shown(v, pageOverview), "textures | ", "device    headless", "world     hallway")
	wantAll(t, shown(v, pageLayers), "cells/000001")
	s = sample(3)
	s.GPU = sojourn.NotCompiled
	got := shown(viewOf(s), pageOverview)
	wantAll(t, got, notCompiled+"this build keeps no diagnostics of the device", "keep-alive, cold", "texture ")
	if strings.Contains(got, "geometry | ") {
		t.Errorf("a gauge of what was left out:\n%s", got)
	}
	s = sample(3)
	s.CPU, s.GPU = sojourn.NotBound, sojourn.NotBound
	wantAll(t, shown(viewOf(s), pageWaiting), notBound+"the session is closed")
}

func TestUnchangedPagesCostNoMemory(t *testing.T) {
	v := viewOf(sample(500))
	for p := range pageCount {
		v.page = p
		build := func() {
			v.build()
			v.assets.sight(v.snap.Store.Rows, 10, 40, v.columns, v.kindName)
		}
		build()
		if n := testing.AllocsPerRun(20, build); n != 0 {
			t.Errorf("%s: %v allocations", pageNames[p], n)
		}
	}
}

// openSession is a session with one text, held by a scope and once more.
func openSession(t *testing.T) (*sojourn.Session, assets.Key) {
	t.Helper()
	source := assetstest.NewSource("memory")
	source.SetText("words/one.text", "one")
	source.SetText("words/two.text", "two")
	s, err := sojourn.Open(sojourn.Options{
		Sources: []assets.Source{source}, Device: headless.New(headless.Options{}), Workers: 1,
		Kinds: []assets.KindSpec{assetstest.TextKind(assets.NumBuiltinKinds, "text", ".text")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, assets.Key{Stem: "words/one", Kind: assets.NumBuiltinKinds}
}

func TestOpenedRowTellsWhy(t *testing.T) {
	if !assets.Diagnostics {
		t.Skip("this build lists no assets")
	}
	s, key := openSession(t)
	h, err := s.Store().Retain(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store().Retain(context.Background(), assets.Key{Stem: "words/none", Kind: assets.NumBuiltinKinds}); err == nil {
		t.Fatal("what is not there was retained")
	}
	two, err := s.Store().Name(assets.Key{Stem: "words/two", Kind: assets.NumBuiltinKinds})
	if err != nil {
		t.Fatal(err)
	}
	v := &view{columns: testColumns, want: pageAssets}
	v.assets.all = true
	v.refresh(s, time.Now())
	if n := len(v.assets.lines); n < 2 {
		t.Fatalf("%d lines", n)
	}
	wantAll(t, shown(v, pageAssets), "text", "words/one", "words/two", "held")
	if !v.assets.toggle(v.snap.Store.Rows, 0) || v.assets.toggle(v.snap.Store.Rows, 1000) || v.assets.toggle(v.snap.Store.Rows, -1) {
		t.Fatal("a row did not open, or one that is none did")
	}
	v.soon()
	v.refresh(s, time.Now())
	got := shown(v, pageAssets)
	wantAll(t, got, "- text", "resident because it is retained", "words/one.text in memory", "1 retains, 0 pins",
		notBound+"no world is open", "1 by the game itself")

	// A click on a line of the answer closes it, and an entry that goes takes
	// its answer along.
	v.assets.toggle(v.snap.Store.Rows, 1)
	v.build()
	if len(v.assets.open) != 0 {
		t.Error("still open")
	}
	v.assets.toggle(v.snap.Store.Rows, len(v.assets.lines)-1)
	s.Store().Release(h)
	s.Store().Forget(two)
	s.Store().Trim()
	s.Store().SetKeepAlive(0)
	v.soon()
	v.refresh(s, time.Now())
	if len(v.assets.open) != 0 && len(v.assets.lines) == 0 {
		t.Error("the answer outlived its entry")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestRefreshIsSparse(t *testing.T) {
	s, _ := openSession(t)
	defer s.Close()
	v := &view{columns: testColumns}
	now, refreshed := time.Now(), 0
	for i := range 61 {
		before := v.next
		v.refresh(s, now.Add(time.Duration(i)*time.Second/60))
		if v.next != before {
			refreshed++
		}
	}
	if refreshed < 1 || refreshed > 6 {
		t.Errorf("%d refreshes in a second", refreshed)
	}
	v.want = pageLayers
	v.soon()
	v.refresh(s, now)
	if v.page != pageLayers {
		t.Error("the page did not change at once")
	}
}

func TestExplain(t *testing.T) {
	freed := &assets.FreedRow{Reason: assets.FreeEvicted, Bytes: 2048, Serial: 41}
	row := func(state assets.State, refs int) assets.Row {
		return assets.Row{State: state, Refs: refs, Names: 1, Bytes: 1 << 20}
	}
	cold := row(assets.StateResident, 0)
	cold.Cold = true
	pinned := row(assets.StateResident, 0)
	pinned.Pins, pinned.OnDevice = 2, true
	loading := row(assets.StateDecoding, 0)
	loading.InFlight = true
	why := func(w assets.Why) sojourn.Why { return sojourn.Why{Why: w} }
	held := why(assets.Why{Row: row(assets.StateResident, 3), Entry: "a.mesh", Source: "game.pack"})
	named := why(assets.Why{Row: row(assets.StateResident, 4), Tickets: []string{"gate"}, Holdings: []assets.Holding{
		{Kind: assets.HolderScope, Owner: "level", N: 2}, {Kind: assets.HolderBatch, N: 1}}})
	named.Uploads, named.Mixer = 1, 2
	nobody := why(assets.Why{Row: assets.Row{State: assets.StateResident, Refs: 2, Owner: "loader"}, Sites: []string{"a.go:12"}})
	nobody.Others = 2
	for name, c := range map[string]struct {
		why     sojourn.Why
		known   bool
		worlds  []holding
		tracing bool
		want    []string
	}{
		"held by entities": {held, true, []holding{{"one", []uint32{7, 9, 11}}, {"two", nil}}, false,
			[]string{"resident because it is retained", "a.mesh in game.pack", "3 of world one: 7 9 11", "none of world two", notCompiled}},
		"held by names": {named, true, []holding{{"one", []uint32{3}}}, true, []string{"2 by scope level", "1 by batch (no name)",
			"1 by an upload that waits", "2 by the mixer", "awaited by   gate"}},
		"held by the game": {nobody, true, nil, true, []string{"2 by the game itself, or on the move; the last retain was loader's",
			"sites        a.go:12", notBound}},
		"cold":    {why(assets.Why{Row: cold, ColdAt: 3, ColdOf: 20}), true, nil, false, []string{"held by nobody: it is cold", "number 3 of 20 to go"}},
		"pinned":  {why(assets.Why{Row: pinned}), true, nil, false, []string{"pinned", "on the device"}},
		"loading": {why(assets.Why{Row: loading, Batches: []string{"cells"}}), true, nil, false, []string{"on its way", "asked for    cells"}},
		"failed": {why(assets.Why{Row: row(assets.StateFailed, 0), Err: errors.New("a.mesh: truncated"), LastFreed: freed}), true, nil, false,
			[]string{"its last load failed", "error        a.mesh: truncated", "last freed   evicted, 2.0 KiB, free number 42"}},
		"missing":  {why(assets.Why{Row: row(assets.StateMissing, 0)}), true, nil, false, []string{"no source has it"}},
		"reloaded": {why(assets.Why{Row: row(assets.StateReloadPending, 1)}), true, nil, false, []string{"an old version"}},
		"named":    {why(assets.Why{Row: row(assets.StateUnloaded, 0)}), true, nil, false, []string{"only its name is held"}},
		"queued":   {why(assets.Why{Row: row(assets.StateQueued, 0)}), true, nil, false, []string{"waits for a worker"}},
		"gone":     {why(assets.Why{LastFreed: freed}), false, nil, false, []string{"no longer knows it", "evicted"}},
	} {
		var sh sheet
		sh.begin(testColumns)
		explain(&sh, &c.why, c.known, c.worlds, c.tracing)
		got := textOf(&sh)
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q is missing in\n%s", name, w, got)
			}
		}
	}
}
