package sojourn_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeExampleIsCompiled holds the README's example to a program that the
// build compiles.
func TestReadmeExampleIsCompiled(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("demos/hello/main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(readme), "<!-- demos/hello/main.go -->\n```go\n")
	snippet, _, closed := strings.Cut(after, "```")
	if !found || !closed {
		t.Fatal("README.md has no example marked demos/hello/main.go")
	}
	if !strings.Contains(string(program), snippet) {
		t.Errorf("README.md's example is not what demos/hello/main.go says:\n%s", snippet)
	}
}

// TestReadmeLinksExist holds the links of the documents to files.
func TestReadmeLinksExist(t *testing.T) {
	docs, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	for _, doc := range append(docs, "README.md") {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(doc), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", doc, m[1], err)
			}
		}
	}
}
