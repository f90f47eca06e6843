package sojourn_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sojourn/stages/work"
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

// TestReadmeDimensionsAreTheMeters holds the table of what a frame may use to
// the dimensions and caps of the default profile.
func TestReadmeDimensionsAreTheMeters(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "| dimension | one is | High, a frame |\n|---|---|---|\n")
	table, _, _ := strings.Cut(after, "\n\n")
	rows := strings.Split(table, "\n")
	if len(rows) != int(work.Dimensions) {
		t.Fatalf("%d rows for %d dimensions", len(rows), work.Dimensions)
	}
	for i, row := range rows {
		d := work.Dimension(i)
		want := strconv.FormatInt(work.High().Max[d], 10)
		if d == work.AdoptedBytes || d == work.UploadBytes {
			want = strconv.FormatInt(work.High().Max[d]>>20, 10) + " MiB"
		}
		cells := strings.Split(strings.ReplaceAll(row, ",", ""), "|")
		if len(cells) != 5 || strings.TrimSpace(cells[1]) != d.String() || strings.TrimSpace(cells[3]) != want {
			t.Errorf("row %q, want %v with %s", row, d, want)
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
