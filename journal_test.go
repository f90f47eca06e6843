package sojourn_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sojourn"
	"sojourn/ecs/systems/scene"
	"sojourn/journal"
	"sojourn/resources"
	"sojourn/sojourntest"
	"sojourn/stages/work"
)

type journalLine struct {
	MS                      float64
	Event, World, Key, Kind string
	Reason                  string
	Layer                   uint32
	Bytes                   int64
}

// told runs a session with a lifecycle log and gives its lines.
func told(t *testing.T, c *sojourntest.Content, o sojourntest.Options, run func(*sojourntest.Rig)) []journalLine {
	t.Helper()
	var b bytes.Buffer
	o.Journal = journal.New(&b, journal.Options{Clock: work.NewSystemClock()})
	r := sojourntest.Open(t, c, o)
	run(r)
	r.Close()
	if err := o.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	var lines []journalLine
	for d := json.NewDecoder(&b); d.More(); {
		var l journalLine
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		if n := len(lines); n > 0 && l.MS < lines[n-1].MS {
			t.Errorf("%+v after %+v", l, lines[n-1])
		}
		lines = append(lines, l)
	}
	return lines
}

// story is what the log tells of one key, without the assets' kinds.
func story(lines []journalLine, key string) string {
	var out []string
	for _, l := range lines {
		if l.Key != key {
			continue
		}
		if l.Reason != "" {
			l.Event += " (" + l.Reason + ")"
		}
		out = append(out, l.Event)
	}
	return strings.Join(out, ", ")
}

func TestJournalTellsALayersStory(t *testing.T) {
	for name, tt := range map[string]struct {
		run  func(*sojourntest.Rig)
		want string
	}{
		"shown and unloaded": {func(r *sojourntest.Rig) {
			w := r.World("w")
			e := load(t, w, scene.Request{Stem: "a", Policy: gated})
			r.Settle()
			unload(t, w, e)
			r.Settle()
		}, "layer requested, asset decoded, layer ready, layer presented, asset freed (released), layer unloaded (presented), layer retired"},
		"cancelled in line": {func(r *sojourntest.Rig) {
			w := r.World("w")
			unload(t, w, load(t, w, scene.Request{Stem: "a", Policy: gated}))
			r.Settle()
		}, "layer requested, layer unloaded (queued), layer retired"},
		"left to the world": {func(r *sojourntest.Rig) {
			load(t, r.World("w"), scene.Request{Stem: "a"})
			r.Settle()
		}, "layer requested, asset decoded, layer ready, layer presented, asset freed (released)"},
	} {
		t.Run(name, func(t *testing.T) {
			lines := told(t, shared(), sojourntest.Options{}, tt.run)
			got := story(lines, "a")
			if got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
			if first, last := lines[0], lines[len(lines)-1]; first.Event != "world opened" || first.World != "w" || last.MS < first.MS {
				t.Errorf("from %+v to %+v", first, last)
			}
		})
	}
}

// TestJournalKnowsEveryKind: one session in which everything happens that the
// log has a word for.
func TestJournalKnowsEveryKind(t *testing.T) {
	c := shared()
	c.SetText("broken.material", "no material")
	c.Mesh("odd", 1)
	c.Model("odd", sojourntest.Part{Mesh: "odd", Material: "broken"})
	c.Scene("odd", "odd")
	lines := told(t, c, sojourntest.Options{KeepAliveMB: 1}, func(r *sojourntest.Rig) {
		w := r.World("w")
		kept := load(t, w, scene.Request{Stem: "odd", Policy: gated})
		load(t, w, scene.Request{Stem: "nowhere"})
		r.Settle()
		unload(t, w, kept)
		r.Settle()
		r.Session.Store().SetKeepAlive(1) // what is parked is over it
		r.Settle()
		r.Session.Store().SetKeepAlive(0)
		unload(t, w, load(t, w, scene.Request{Stem: "b", Policy: gated}))
		load(t, w, scene.Request{Stem: "b", Policy: gated})
		r.Settle()
		for range 2 { // the second cancels the first
			if _, err := w.Travel(sojourn.Destination{Cause: "portal"}); err != nil {
				t.Fatal(err)
			}
		}
		r.Clock.Advance(resources.NoticeEvery)
		r.Settle()
	})
	seen := map[string]journalLine{}
	for _, l := range lines {
		seen[l.Event] = l
	}
	for k := range journal.NumKinds {
		if _, ok := seen[k.String()]; !ok {
			t.Errorf("nothing tells of %q", k)
		}
	}
	for event, says := range map[string]string{
		"layer failed": "nowhere.scene", "asset failed": "broken", "asset evicted": "evicted", "asset freed": "released",
	} {
		if !slices.ContainsFunc(lines, func(l journalLine) bool {
			return l.Event == event && strings.Contains(l.Reason+l.Key, says)
		}) {
			t.Errorf("%s: none says %s", event, says)
		}
	}
	if l := seen["layer presented"]; l.World != "w" || l.Layer == 0 || l.Kind != "scene" {
		t.Errorf("%+v", l)
	}
	if l := seen["asset decoded"]; l.Bytes == 0 || l.Kind == "" {
		t.Errorf("%+v", l)
	}
	if t.Failed() {
		t.Log(fmt.Sprint(lines))
	}
}
