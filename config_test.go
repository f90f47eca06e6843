package sojourn_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sojourn"
)

func TestConfigDefaults(t *testing.T) {
	c := sojourn.DefaultConfig()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	if c.KeepAliveBytes() != 512<<20 || c.GeometryBytes() != 1024<<20 || c.TextureBytes() != 768<<20 || c.BindBudget() != 0 {
		t.Errorf("%+v", c)
	}
	for _, text := range []string{"{}", " {\n} ", `{"residency":{},"world":{}}`, `{"residency":{"texture":{}}}`} {
		got, notes, err := sojourn.ParseConfig("f", []byte(text))
		if err != nil || got != c || len(notes) != 0 {
			t.Errorf("%q: %+v, %q, %v", text, got, notes, err)
		}
	}
}

func TestConfigValues(t *testing.T) {
	c, notes, err := sojourn.ParseConfig("game.json", []byte(`{
  "residency": {
    "keep_alive_mb": 0, "gpu_geometry_mb": 2, "geometry_submission_stream_mb": 3, "ray_tracing_mb": 4,
    "texture": {"gpu_budget_mb": 5}
  },
  "world": {"residency_bind_budget_ms": 0.25}
}`))
	if err != nil {
		t.Fatal(err)
	}
	if c.KeepAliveBytes() != 0 || c.GeometryBytes() != 2<<20 || c.TextureBytes() != 5<<20 || c.BindBudget() != 250*time.Microsecond ||
		c.Residency.GeometrySubmissionStreamMB != 3 || c.Residency.RayTracingMB != 4 {
		t.Errorf("%+v", c)
	}
	text := strings.Join(notes, "\n")
	for key, says := range map[string]string{
		"residency.geometry_submission_stream_mb": "unsupported", "residency.ray_tracing_mb": "unsupported",
		"residency.gpu_geometry_mb": "restart", "residency.texture.gpu_budget_mb": "restart",
	} {
		found := false
		for _, n := range notes {
			found = found || strings.HasPrefix(n, key+" ") && strings.Contains(n, says)
		}
		if !found {
			t.Errorf("no note says that %s is %s:\n%s", key, says, text)
		}
	}
	if len(notes) != 4 {
		t.Errorf("notes:\n%s", text)
	}
}

func TestConfigRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, says string }{
		{"empty", "", "g.json:1:1: unexpected end"},
		{"blank", " \n ", "g.json:2:2: unexpected end"},
		{"cut", "{\n\"world\":", "g.json:2:9: unexpected end"},
		{"no object", "[]", "g.json:1:1: must be an object"},
		{"null", "null", "g.json:1:1: must be an object"},
		{"unknown key", "{\n  \"residency\": {\n    \"keep_alive\": 1\n  }\n}", `g.json:3:5: unknown key "residency.keep_alive"; known here: geometry_submission_stream_mb,`},
		{"unknown section", `{"render": {}}`, `g.json:1:2: unknown key "render"; known here: residency, world`},
		{"wrong case", `{"World": {}}`, `unknown key "World"`},
		{"string", `{"residency":{"keep_alive_mb":"1"}}`, `g.json:1:31: "residency.keep_alive_mb" must be a number`},
		{"list", `{"residency":{"keep_alive_mb":[1]}}`, `"residency.keep_alive_mb" must be a number`},
		{"null value", `{"residency":{"keep_alive_mb":null}}`, `"residency.keep_alive_mb" must be a number`},
		{"fraction", `{"residency":{"keep_alive_mb":1.5}}`, `"residency.keep_alive_mb" is 1.5, must be a whole number`},
		{"huge", `{"residency":{"keep_alive_mb":99999999999999999999}}`, `must be a whole number in range`},
		{"infinite", `{"world":{"residency_bind_budget_ms":1e999}}`, `must be a number in range`},
		{"section is a number", `{"world":1}`, `g.json:1:10: "world" must be an object`},
		{"twice", `{"residency":{"ray_tracing_mb":1,"ray_tracing_mb":1}}`, `g.json:1:34: key "residency.ray_tracing_mb" is set twice`},
		{"section twice", `{"world":{},"world":{}}`, `g.json:1:13: key "world" is set twice`},
		{"trailing comma", `{"world":{},}`, "g.json:1:12: invalid character"},
		{"trailing text", "{}\nx", "g.json:2:1: something follows"},
		{"trailing object", "{}{}", "g.json:1:3: something follows"},
		{"comment", "// x\n{}", "g.json:1:1: invalid character"},
		{"byte order mark", "\ufeff{}", "g.json:1:1: invalid character"},
		{"negative", `{"residency":{"keep_alive_mb":-1}}`, "g.json: residency.keep_alive_mb is -1, must be 0 to"},
		{"no textures", `{"residency":{"texture":{"gpu_budget_mb":0}}}`, "residency.texture.gpu_budget_mb is 0, must be 1 to"},
		{"no geometry", `{"residency":{"gpu_geometry_mb":0}}`, "residency.gpu_geometry_mb is 0, must be 1 to"},
		{"too much", `{"residency":{"keep_alive_mb":16777217}}`, "must be 0 to 16777216"},
		{"long bind", `{"world":{"residency_bind_budget_ms":1001}}`, "world.residency_bind_budget_ms is 1001, must be 0 to 1000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, notes, err := sojourn.ParseConfig("g.json", []byte(tt.text))
			if !errors.Is(err, sojourn.ErrBadConfig) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v\nwant it to say %s", err, tt.says)
			}
			if c != sojourn.DefaultConfig() || notes != nil {
				t.Errorf("beside the error came %+v, %q", c, notes)
			}
		})
	}
}

func TestReadConfig(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := sojourn.ReadConfig(filepath.Join(dir, "none.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	path := filepath.Join(dir, "game.json")
	if err := os.WriteFile(path, []byte(`{"residency":{"keep_alive_mb":7}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	c, _, err := sojourn.ReadConfig(path)
	if err != nil || c.Residency.KeepAliveMB != 7 || c.Residency.GPUGeometryMB != 1024 {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestBundledConfigIsTheDefault holds the repository's own file to the code.
func TestBundledConfigIsTheDefault(t *testing.T) {
	c, _, err := sojourn.ReadConfig("configs/game.json")
	if err != nil {
		t.Fatal(err)
	}
	if c != sojourn.DefaultConfig() {
		t.Errorf("configs/game.json says %+v", c)
	}
}

func FuzzParseConfig(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"residency":{"keep_alive_mb":512,"texture":{"gpu_budget_mb":768}},"world":{"residency_bind_budget_ms":2.5}}`,
		`{"world":{"world":{}}}`, `{"residency":{"keep_alive_mb":1e3}}`, "{\"\xff\":1}", `{"world":{"residency_bind_budget_ms":-0}}`,
		strings.Repeat("[", 10000), strings.Repeat(`{"world":`, 100), "{}\x00",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, _, err := sojourn.ParseConfig("f.json", b)
		if err == nil {
			err = c.Validate()
		} else if !errors.Is(err, sojourn.ErrBadConfig) || !strings.Contains(err.Error(), "f.json") {
			t.Errorf("%v does not say what it is", err)
		} else {
			err = nil
		}
		if err != nil {
			t.Errorf("a bad configuration got through: %v", err)
		}
	})
}
