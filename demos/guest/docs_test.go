package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentIsCompiled: each snippet of the document is in the file that it
// is marked with.
func TestDocumentIsCompiled(t *testing.T) {
	const path = "../../docs/write-a-consumer.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	marked := regexp.MustCompile("(?s)<!-- ([a-z_]+\\.go) -->\n```go\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if n := strings.Count(string(text), "```go"); len(marked) == 0 || len(marked) != n {
		t.Errorf("%d of %d snippets say which file they are from", len(marked), n)
	}
	for _, m := range marked {
		source, err := os.ReadFile(m[1])
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(source), m[2]) {
			t.Errorf("%s: this is not in %s:\n%s", path, m[1], m[2])
		}
	}
}
