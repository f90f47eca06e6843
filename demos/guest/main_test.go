package main

import (
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"banner palettes/autumn: color ff8c42\n",
		"banner palettes/winter: color 0b132b\n",
		"palettes/broken.palette", "line 3", // what is wrong, and where
		"palettes/none",
		"all went: 0 holds, 0 retains, 0 circuits, 0 decodes on the tick\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "color 5bc0be"); n != 2 {
		t.Errorf("%d lamps lit on a rack of two:\n%s", n, out.String())
	}
}
