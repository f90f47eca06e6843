package window

import (
	"errors"
	"testing"
)

func TestOptions(t *testing.T) {
	for name, c := range map[string]struct {
		options Options
		good    bool
	}{
		"zero":            {Options{}, true},
		"a window":        {Options{Width: 320, Height: 200}, true},
		"half a window":   {Options{Width: 320}, false},
		"huge":            {Options{Width: 1 << 20, Height: 1}, false},
		"frames":          {Options{Frames: -1}, false},
		"a shot":          {Options{Shots: []Shot{{"a.png", 1}}}, true},
		"the last frame":  {Options{Frames: 9, Shots: []Shot{{"a.png", 9}}}, true},
		"past the end":    {Options{Frames: 9, Shots: []Shot{{"a.png", 10}}}, false},
		"frame nought":    {Options{Shots: []Shot{{"a.png", 0}}}, false},
		"without a place": {Options{Shots: []Shot{{"", 4}}}, false},
	} {
		err := c.options.complete()
		if good := err == nil; good != c.good || err != nil && !errors.Is(err, ErrOptions) {
			t.Errorf("%s: %v", name, err)
		}
		if c.good && (c.options.Width == 0 || c.options.Height == 0) {
			t.Errorf("%s: no size", name)
		}
	}
}
