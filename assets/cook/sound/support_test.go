package sound

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"strings"
	"testing"

	"sojourn/assets"
	"sojourn/assets/cook/unit"
	"sojourn/assets/soundfile"
)

// imported is what came out of one import, decoded again.
type imported struct {
	sound    assets.Sound
	warnings []string
	err      error // with the path in front, as the cook reports it
}

func importers() map[string]unit.Importer {
	return map[string]unit.Importer{".wav": ImportWAV, ".ogg": ImportOGG, ".mp3": ImportMP3}
}

func run(t testing.TB, file string) imported {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return runBytes(t, file, data)
}

// runBytes imports bytes by the suffix of a name.
func runBytes(t testing.TB, file string, data []byte) imported {
	t.Helper()
	var out imported
	suffix := path.Ext(file)
	in := &unit.Input{
		Path: file, Stem: strings.TrimSuffix(file, suffix), Data: data,
		Read: func(string) ([]byte, error) { t.Error("a sound needs no other file"); return nil, os.ErrNotExist },
		Warn: func(format string, args ...any) { out.warnings = append(out.warnings, fmt.Sprintf(format, args...)) },
	}
	emitted := 0
	err := importers()[suffix](in, func(o unit.Output) {
		emitted++
		if o.Key != (assets.Key{Stem: in.Stem, Kind: assets.KindSound}) || o.Suffix != ".pcm" || !o.Raw {
			t.Errorf("output %v %s raw %v", o.Key, o.Suffix, o.Raw)
		}
		var err error
		if out.sound, err = soundfile.Decode(assets.OwnBytes(o.Data)); err != nil {
			t.Error(err)
		}
	})
	if err == nil && emitted != 1 || err != nil && emitted != 0 {
		t.Errorf("%d outputs with error %v", emitted, err)
	}
	if err != nil {
		if !errors.Is(err, assets.ErrCorrupt) && !errors.Is(err, assets.ErrTooLarge) {
			t.Errorf("error wraps no sentinel: %v", err)
		}
		out.err = fmt.Errorf("%s: %w", file, err)
	}
	return out
}

// expectation is one row of testdata/expected.json.
type expectation struct {
	File, Item, Expect     string
	Mention                []string
	Rate, Channels, Frames int
	Samples                [][]float64
	Tolerance, Seconds     float64
	Peak                   []float64
}

func expectations(t testing.TB, item string) []expectation {
	t.Helper()
	data, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var all, out []expectation
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Item == item {
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		t.Fatalf("no expectations for %s", item)
	}
	return out
}

// mentions tells whether text has the wanted words; "a / b" means any of them.
func mentions(text, wanted string) bool {
	for w := range strings.SplitSeq(wanted, " / ") {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

func (i *imported) check(t *testing.T, e expectation) {
	t.Helper()
	if e.Expect == "error" || e.Expect == "load-or-error" && i.err != nil {
		if i.err == nil {
			t.Fatal("it loaded")
		}
		for _, m := range e.Mention {
			if !mentions(i.err.Error(), m) {
				t.Errorf("the error does not mention %q: %v", m, i.err)
			}
		}
		return
	}
	if i.err != nil {
		t.Fatal(i.err)
	}
	s := &i.sound
	if int(s.Rate) != e.Rate || int(s.Channels) != e.Channels || s.Frames() != e.Frames {
		t.Errorf("%d channels, %d frames at %d; want %d, %d at %d", s.Channels, s.Frames(), s.Rate, e.Channels, e.Frames, e.Rate)
	}
	for f, frame := range e.Samples {
		for c, want := range frame {
			got := float64(s.Samples[f*int(s.Channels)+c]) / 32768
			if math.Abs(got-want) > e.Tolerance {
				t.Errorf("frame %d channel %d is %v, want %v", f, c, got, want)
			}
		}
	}
	if got := float64(s.Frames()) / float64(s.Rate); e.Seconds != 0 && got != e.Seconds {
		t.Errorf("%v seconds, want %v", got, e.Seconds)
	}
	if peak := peakOf(s.Samples); e.Peak != nil && (peak < e.Peak[0] || peak > e.Peak[1]) {
		t.Errorf("peak %v, want %v", peak, e.Peak)
	}
}

func peakOf(samples []int16) float64 {
	peak := 0.0
	for _, s := range samples {
		peak = max(peak, math.Abs(float64(s))/32768)
	}
	return peak
}
