package window

import (
	"strings"
	"testing"

	"sojourn/assets"
)

func kindName(k assets.Kind) string { return k.String() }

func stems(a *assetList, rows []assets.Row) string {
	var out []string
	for _, i := range a.rows {
		out = append(out, rows[i].Key.Stem)
	}
	return strings.Join(out, " ")
}

func TestListFiltersAndSorts(t *testing.T) {
	rows := []assets.Row{
		{Key: assets.Key{Stem: "walls/Brick", Kind: assets.KindTexture}, State: assets.StateResident, Bytes: 10, Refs: 1, Owner: "cells"},
		{Key: assets.Key{Stem: "walls/brick", Kind: assets.KindMaterial}, State: assets.StateFailed, Bytes: 30, Refs: 9},
		{Key: assets.Key{Stem: "crate", Kind: assets.KindTexture}, State: assets.StateResident, Bytes: 20, Refs: 4},
	}
	for name, c := range map[string]struct {
		list  assetList
		want  string
		total int
	}{
		"all":               {assetList{all: true}, "crate walls/Brick walls/brick", 3},
		"by memory":         {assetList{all: true, order: orderBytes}, "walls/brick crate walls/Brick", 3},
		"by retains":        {assetList{all: true, order: orderRetains}, "walls/brick crate walls/Brick", 3},
		"one kind":          {assetList{kind: assets.KindTexture}, "crate walls/Brick", 2},
		"a kind with none":  {assetList{kind: assets.KindSound}, "", 0},
		"a word, any case":  {assetList{all: true, filter: "BRICK"}, "walls/Brick walls/brick", 3},
		"two words":         {assetList{all: true, filter: " brick  wall "}, "walls/Brick walls/brick", 3},
		"a state":           {assetList{all: true, filter: "failed"}, "walls/brick", 3},
		"an owner":          {assetList{all: true, filter: "cells"}, "walls/Brick", 3},
		"a kind as a word":  {assetList{all: true, filter: "material"}, "walls/brick", 3},
		"no kind in a kind": {assetList{kind: assets.KindTexture, filter: "texture"}, "", 2},
		"nothing":           {assetList{all: true, filter: "zebra"}, "", 3},
	} {
		a := c.list
		a.collect(rows, kindName)
		if got := stems(&a, rows); got != c.want || a.total != c.total {
			t.Errorf("%s: %q of %d, want %q of %d", name, got, a.total, c.want, c.total)
		}
	}
}

func TestListHasNoEnd(t *testing.T) {
	rows := sample(20000).Store.Rows
	a := assetList{all: true}
	a.collect(rows, kindName)
	a.layOut(rows, testColumns, nil)
	if len(a.lines) != 20000 {
		t.Fatalf("%d lines", len(a.lines))
	}
	if got := a.sight(rows, 19990, 40, testColumns, kindName); len(got) != 10 || !strings.Contains(got[9].text, "cells/019999/Wall") {
		t.Errorf("the end: %v", got)
	}
	if got := a.sight(rows, -5, 3, testColumns, kindName); len(got) != 0 {
		t.Errorf("before the beginning: %v", got)
	}
}

func TestAnswersStandUnderTheirRows(t *testing.T) {
	rows := sample(4).Store.Rows
	a := assetList{all: true}
	a.collect(rows, kindName)
	explain := func(s *sheet, r *assets.Row) {
		s.note(toneGood, "because of ", r.Key.Stem)
		s.note(toneText, "and more")
	}
	a.layOut(rows, testColumns, explain)
	a.toggle(rows, 1)
	a.layOut(rows, testColumns, explain)
	got := a.sight(rows, 0, 99, testColumns, kindName)
	if len(got) != 6 || !strings.HasPrefix(got[1].text, "- ") || got[2].text != "    because of cells/000001/Wall" ||
		got[2].tone != toneGood || !strings.HasPrefix(got[4].text, "+ ") {
		t.Errorf("%v", got)
	}
	// Filtered away, an answer stays open; with its entry gone it goes.
	a.filter = "000003"
	a.collect(rows, kindName)
	a.layOut(rows, testColumns, explain)
	if len(a.lines) != 1 || len(a.open) != 1 {
		t.Errorf("filtered: %d lines, %d open", len(a.lines), len(a.open))
	}
	rows = rows[2:]
	a.collect(rows, kindName)
	a.layOut(rows, testColumns, explain)
	if len(a.open) != 0 {
		t.Error("the answer outlived its entry")
	}
	// A row that was closed since the lines were laid out leaves blanks.
	a = assetList{all: true}
	a.collect(rows, kindName)
	a.layOut(rows, testColumns, explain)
	a.toggle(rows, 0)
	a.layOut(rows, testColumns, explain)
	a.toggle(rows, 0)
	if got := a.sight(rows, 0, 99, testColumns, kindName); len(got) != 4 || got[1].text != "" {
		t.Errorf("closed since: %v", got)
	}
}

func TestKindTabs(t *testing.T) {
	rows := sample(3000).Store.Rows
	a := assetList{kind: assets.KindSound}
	a.collect(rows, kindName)
	var labels []string
	for _, k := range a.kinds {
		labels = append(labels, k.label)
	}
	// The chosen kind keeps its button though it has nothing now.
	if got := strings.Join(labels, ", "); got != "texture 1 000, mesh 1 000, model 1 000, sound 0" {
		t.Error(got)
	}
}
