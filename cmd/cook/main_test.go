package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExitCodesAndOutput(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "x.zip")
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		code := execute(context.Background(), args, &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	write("a.txt", "a")
	code, stdout, stderr := run("-o", out, dir)
	if code != 0 || !strings.Contains(stdout, "1 entries") || strings.Count(stdout, "\n") != 1 || !strings.Contains(stderr, "cooking 1/1\n") {
		t.Errorf("%d, %q, %q", code, stdout, stderr)
	}
	write("bad.png", "")
	code, stdout, stderr = run("--out", out, "--jobs", "1", "-v", dir)
	if code != 1 || !strings.Contains(stdout, "1 reused, 1 failed") {
		t.Errorf("%d, %q", code, stdout)
	}
	if want := filepath.Join(dir, "bad.png") + ": "; !strings.Contains(stderr, "\n"+want) || !strings.Contains(stderr, "empty") ||
		!strings.Contains(stderr, "a.txt: reused") {
		t.Errorf("%q", stderr)
	}
	if code, _, stderr = run("-o", out, "--lenient", dir); code != 0 || !strings.Contains(stderr, "bad.png") {
		t.Errorf("%d, %q", code, stderr)
	}
	if code, stdout, _ = run("--list", out); code != 0 || !strings.Contains(stdout, " a.txt\n") {
		t.Errorf("%d, %q", code, stdout)
	}
	for _, args := range [][]string{
		{}, {"-o", out}, {dir}, {"--nope"}, {"-o", out, filepath.Join(dir, "missing")}, {"-o", dir, dir},
		{"-o", filepath.Join(dir, "no", "x.zip"), dir}, {"--list", out, dir}, {"--list", filepath.Join(dir, "a.txt")},
	} {
		code, stdout, stderr := run(args...)
		if code != 2 || stdout != "" || !strings.HasPrefix(stderr[strings.LastIndex(strings.TrimSpace(stderr), "\n")+1:], "cook: ") {
			t.Errorf("%v: %d, %q, %q", args, code, stdout, stderr)
		}
	}
	if code, stdout, _ := run("--help"); code != 0 || !strings.Contains(stdout, "--lenient") {
		t.Errorf("help: %d, %q", code, stdout)
	}
}

func TestCancelledRunExitsWithTwo(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	out := filepath.Join(t.TempDir(), "x.zip")
	if code := execute(ctx, []string{"-o", out, dir}, &stdout, &stderr); code != 2 {
		t.Errorf("%d, %q", code, stderr.String())
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a pack was written")
	}
}
