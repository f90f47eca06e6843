package sojourn_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeExamplesAreCompiled holds the examples of the README and of the
// store's page to programs that the build compiles.
func TestReadmeExamplesAreCompiled(t *testing.T) {
	for doc, path := range map[string]string{"README.md": "demos/hello/main.go", "docs/store-alone.md": "demos/alone/main.go"} {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		program, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, after, found := strings.Cut(string(text), "<!-- "+path+" -->\n```go\n")
		snippet, _, closed := strings.Cut(after, "```")
		if !found || !closed {
			t.Fatalf("%s has no example marked %s", doc, path)
		}
		if !strings.Contains(string(program), snippet) {
			t.Errorf("%s's example is not what %s says:\n%s", doc, path, snippet)
		}
	}
}

// TestReadmeLinksExist holds the links of the documents to files.
func TestReadmeLinksExist(t *testing.T) {
	docs, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	program := regexp.MustCompile("(?s)```.*?```")
	for _, doc := range append(docs, "README.md") {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(program.ReplaceAllString(string(text), ""), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(doc), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", doc, m[1], err)
			}
		}
	}
}
