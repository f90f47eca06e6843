package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(99 - i)
	}
	for _, c := range []struct {
		series []float64
		q      float64
		want   float64
	}{
		{nil, 0.5, 0},
		{[]float64{7}, 0.99, 7},
		{[]float64{3, 1, 2}, 0.5, 2},
		{hundred, 0, 0},
		{hundred, 0.99, 99},
		{hundred, 1, 99},
	} {
		if got := quantile(c.series, c.q); got != c.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", c.series, c.q, got, c.want)
		}
	}
	if hundred[0] != 99 {
		t.Error("quantile sorted its argument")
	}
}

func TestFramesDropTheDisturbed(t *testing.T) {
	var f frames
	for range 8 {
		f.add(100*time.Microsecond, 20*time.Microsecond, 21*time.Microsecond)
	}
	f.add(900*time.Microsecond, 20*time.Microsecond, 60*time.Microsecond)
	f.add(800*time.Microsecond, 50*time.Microsecond, 20*time.Microsecond)
	took, dropped := f.quiet()
	if len(took) != 8 || quantile(took, 1) != 100 {
		t.Errorf("kept %v", took)
	}
	if dropped < 0.19 || dropped > 0.21 {
		t.Errorf("dropped %v, want a fifth", dropped)
	}
}

func TestLines(t *testing.T) {
	// The machine was twice as slow in the second and third repetition, and in
	// the middle of the third it was not any more.
	ours, peer := &series{figures: []float64{10, 20, 20}}, &series{figures: []float64{45, 90, 45}}
	for _, c := range []struct {
		line line
		want string
	}{
		{faster("a", "ns", "mutex", 10, 45, 4, 7), "ours=10ns  other=mutex:45ns  ratio=4.5  goal=>=4  ok"},
		{faster("a", "ns", "mutex", 10, 39, 4, 7), "ours=10ns  other=mutex:39ns  ratio=3.9  goal=>=4  short"},
		{within("a", "ms", "loop", 1.2, 1, 1.3, 7), "ours=1.2ms  other=loop:1ms  ratio=1.2  goal=<=1.3  ok"},
		{within("a", "ms", "loop", 1.4, 1, 1.3, 7), "ours=1.4ms  other=loop:1ms  ratio=1.4  goal=<=1.3  short"},
		{fasterOf("a", "ns", "mutex", ours, peer, 1, 4), "ours=20ns  other=mutex:45ns  ratio=4.5  goal=>=4  ok"},
		{fasterOf("a", "ns", "mutex", ours, peer, 0.5, 5), "ours=10ns  other=mutex:22.5ns  ratio=4.5  goal=>=5  short"},
		{withinOf("a", "ns", "mutex", peer, ours, 1, 4.5), "ours=45ns  other=mutex:20ns  ratio=4.5  goal=<=4.5  ok"},
		{withinOf("a", "ns", "mutex", peer, ours, 1, 4), "ours=45ns  other=mutex:20ns  ratio=4.5  goal=<=4  short"},
		{atMost("a", "", 0, 0, 1), "ours=0  other=limit:0  ratio=1  goal=<=1  ok"},
		{atMost("a", "", 2, 0, 1), "ours=2  other=limit:0  ratio=3  goal=<=1  short"},
		{atMost("a", "B", 20480, 16384, 1), "ours=20480B  other=limit:16384B  ratio=1.25  goal=<=1  short"},
	} {
		name, rest, _ := strings.Cut(c.line.String(), " ")
		if name != "a" || strings.TrimSpace(rest) != c.want {
			t.Errorf("line %q, want %q", strings.TrimSpace(rest), c.want)
		}
	}
}

func TestWriteLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bench.json")
	if err := writeLines(path, []line{faster("a", "ns", "mutex", 10, 45, 4, 7)}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"name": "a", "ours": 10.0, "other": "mutex:45", "ratio": 4.5, "goal": ">=4", "result": "ok", "unit": "ns", "runs": 7.0,
	} {
		if got[0][key] != want {
			t.Errorf("%s is %v, want %v", key, got[0][key], want)
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range comparisons() {
		for _, name := range c.names {
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
		}
	}
}
