package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
)

// line is one comparison's outcome. JSON is the form of the file.
type line struct {
	Name    string  `json:"name"`
	Ours    float64 `json:"ours"`
	Other   string  `json:"other"` // label:value, in the same unit
	Ratio   float64 `json:"ratio"`
	Goal    string  `json:"goal"`
	Result  string  `json:"result"` // ok or short
	Unit    string  `json:"unit"`
	Runs    int     `json:"runs"`
	Dropped float64 `json:"dropped"` // share of frames left out because the machine was disturbed
}

const (
	resultOK    = "ok"
	resultShort = "short"
)

// faster says how many times smaller ours is, and wants at least so much.
func faster(name, unit, label string, ours, other, goal float64, runs int) line {
	return judged(name, unit, label, ours, other, other/ours, ">="+figure(goal), other/ours >= goal, runs)
}

// within says how many times larger ours is, and wants at most so much.
func within(name, unit, label string, ours, other, goal float64, runs int) line {
	return judged(name, unit, label, ours, other, ours/other, "<="+figure(goal), ours/other <= goal, runs)
}

// fasterOf is [faster] for variants that took turns, their figures times scale.
// The ratio is the middle one of those within each repetition: a machine that is
// shared has faster and slower minutes, and what is measured in one and divided
// by what is measured in another tells of the machine.
func fasterOf(name, unit, label string, ours, other *series, scale, goal float64) line {
	ratio := ratioOf(other, ours)
	return judged(name, unit, label, ours.median()*scale, other.median()*scale, ratio, ">="+figure(goal), ratio >= goal,
		len(ours.figures)).dropped(dropped(ours, other))
}

// withinOf is [within] for such variants.
func withinOf(name, unit, label string, ours, other *series, scale, goal float64) line {
	ratio := ratioOf(ours, other)
	return judged(name, unit, label, ours.median()*scale, other.median()*scale, ratio, "<="+figure(goal), ratio <= goal,
		len(ours.figures)).dropped(dropped(ours, other))
}

// atMost holds a figure against a fixed limit, which may be zero.
func atMost(name, unit string, ours, limit float64, runs int) line {
	ratio := 1.0
	switch {
	case limit > 0:
		ratio = ours / limit
	case ours > 0:
		ratio = ours + 1 // there is no ratio to zero; over one says that it is over
	}
	return judged(name, unit, "limit", ours, limit, ratio, "<=1", ours <= limit, runs)
}

func judged(name, unit, label string, ours, other, ratio float64, goal string, ok bool, runs int) line {
	l := line{
		Name: name, Ours: rounded(ours), Other: label + ":" + figure(other), Ratio: rounded(ratio),
		Goal: goal, Result: resultShort, Unit: unit, Runs: runs,
	}
	if ok {
		l.Result = resultOK
	}
	return l
}

// dropped adds the share of frames that were left out.
func (l line) dropped(share float64) line {
	l.Dropped = rounded(share)
	return l
}

// String is the line as it is printed.
func (l line) String() string {
	s := fmt.Sprintf("%-30s ours=%s%s  other=%s%s  ratio=%s  goal=%s  %s",
		l.Name, figure(l.Ours), l.Unit, l.Other, l.Unit, figure(l.Ratio), l.Goal, l.Result)
	if l.Dropped > 0 {
		s += fmt.Sprintf("  # %.0f%% of frames dropped", 100*l.Dropped)
	}
	return s
}

// figure is a number in the digits that matter: four, or all before the point.
func figure(v float64) string { return strconv.FormatFloat(rounded(v), 'f', -1, 64) }

func rounded(v float64) float64 {
	if math.Abs(v) >= 1e3 {
		return math.Round(v)
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return v
	}
	return r
}

func writeLines(path string, lines []line) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(lines)
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("lines: %w", err)
	}
	return nil
}
