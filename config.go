package sojourn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"time"
)

// Config is a session's budgets, as configs/game.json spells them.
type Config struct {
	Residency struct {
		KeepAliveMB                int `json:"keep_alive_mb"`
		GPUGeometryMB              int `json:"gpu_geometry_mb"`
		GeometrySubmissionStreamMB int `json:"geometry_submission_stream_mb"`
		RayTracingMB               int `json:"ray_tracing_mb"`
		Texture                    struct {
			GPUBudgetMB int `json:"gpu_budget_mb"`
		} `json:"texture"`
	} `json:"residency"`
	World struct {
		ResidencyBindBudgetMS float64 `json:"residency_bind_budget_ms"`
	} `json:"world"`
}

// DefaultConfig is what holds where a file says nothing.
func DefaultConfig() Config {
	var c Config
	c.Residency.KeepAliveMB = 512
	c.Residency.GPUGeometryMB = 1024
	c.Residency.GeometrySubmissionStreamMB = 144
	c.Residency.RayTracingMB = 512
	c.Residency.Texture.GPUBudgetMB = 768
	return c
}

const mib = 1 << 20

// KeepAliveBytes is how much unreferenced payload may stay; 0 keeps none.
func (c *Config) KeepAliveBytes() int64 { return int64(c.Residency.KeepAliveMB) * mib }

// GeometryBytes bounds geometry on the device.
func (c *Config) GeometryBytes() int64 { return int64(c.Residency.GPUGeometryMB) * mib }

// TextureBytes bounds textures on the device.
func (c *Config) TextureBytes() int64 { return int64(c.Residency.Texture.GPUBudgetMB) * mib }

// BindBudget is a pass's own ceiling; 0 adds none to the meter's.
func (c *Config) BindBudget() time.Duration {
	return time.Duration(c.World.ResidencyBindBudgetMS * float64(time.Millisecond))
}

// unsupportedKeys are accepted and do nothing here.
func unsupportedKeys() []string {
	return []string{"residency.geometry_submission_stream_mb", "residency.ray_tracing_mb"}
}

// restartKeys take effect when the device is made.
func restartKeys() []string {
	return []string{"residency.gpu_geometry_mb", "residency.texture.gpu_budget_mb"}
}

// configMBMax keeps a figure in MiB from overflowing bytes.
const configMBMax = 1 << 24

// ReadConfig reads a file over the defaults. Notes say which keys it sets that
// are unsupported here or need a restart of the device. The error wraps
// [ErrBadConfig] and names file, line and column; a missing file wraps
// fs.ErrNotExist.
func ReadConfig(path string) (c Config, notes []string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return DefaultConfig(), nil, fmt.Errorf("configuration: %w", err)
	}
	return ParseConfig(path, b)
}

// ParseConfig is [ReadConfig] on bytes; name is used in errors.
func ParseConfig(name string, b []byte) (c Config, notes []string, err error) {
	c = DefaultConfig()
	keys, err := configKeys(name, b)
	if err != nil {
		return DefaultConfig(), nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&c); err != nil {
		return DefaultConfig(), nil, configError(name, b, d.InputOffset(), err)
	}
	if err := c.Validate(); err != nil {
		return DefaultConfig(), nil, fmt.Errorf("%w: %s: %w", ErrBadConfig, name, err)
	}
	for _, k := range unsupportedKeys() {
		if keys[k] {
			notes = append(notes, k+" is accepted, and unsupported here: the device has no counterpart")
		}
	}
	for _, k := range restartKeys() {
		if keys[k] {
			notes = append(notes, k+" takes effect when the device is made: restart to change it")
		}
	}
	return c, notes, nil
}

// Validate tells what figure is out of range.
func (c *Config) Validate() error {
	for _, f := range []struct {
		key string
		mb  int
		min int
	}{
		{"residency.keep_alive_mb", c.Residency.KeepAliveMB, 0},
		{"residency.gpu_geometry_mb", c.Residency.GPUGeometryMB, 1},
		{"residency.geometry_submission_stream_mb", c.Residency.GeometrySubmissionStreamMB, 0},
		{"residency.ray_tracing_mb", c.Residency.RayTracingMB, 0},
		{"residency.texture.gpu_budget_mb", c.Residency.Texture.GPUBudgetMB, 1},
	} {
		if f.mb < f.min || f.mb > configMBMax {
			return fmt.Errorf("%s is %d, must be %d to %d", f.key, f.mb, f.min, configMBMax)
		}
	}
	if ms := c.World.ResidencyBindBudgetMS; !(ms >= 0 && ms <= 1000) {
		return fmt.Errorf("world.residency_bind_budget_ms is %v, must be 0 to 1000", ms)
	}
	return nil
}

// leaf is a key's sort of number.
type leaf uint8

const (
	whole leaf = iota
	fraction
)

// configSchema is the keys there are: a section, or a [leaf].
func configSchema() map[string]any {
	return map[string]any{
		"residency": map[string]any{
			"keep_alive_mb": whole, "gpu_geometry_mb": whole, "geometry_submission_stream_mb": whole,
			"ray_tracing_mb": whole, "texture": map[string]any{"gpu_budget_mb": whole},
		},
		"world": map[string]any{"residency_bind_budget_ms": fraction},
	}
}

// configKeys walks the document against the schema and returns the dotted
// keys it sets.
func configKeys(name string, b []byte) (map[string]bool, error) {
	w := configWalk{text: b, d: json.NewDecoder(bytes.NewReader(b)), keys: make(map[string]bool)}
	w.d.UseNumber()
	if err := w.document(); err != nil {
		return nil, configError(name, b, w.at, err)
	}
	return w.keys, nil
}

// configWalk reads tokens; at is where the last one begins.
type configWalk struct {
	text []byte
	d    *json.Decoder
	at   int64
	keys map[string]bool
}

func (w *configWalk) token() (json.Token, error) {
	w.at = w.d.InputOffset()
	rest := w.text[w.at:]
	w.at += int64(len(rest) - len(bytes.TrimLeft(rest, " \t\r\n,:")))
	return w.d.Token()
}

func (w *configWalk) document() error {
	t, err := w.token()
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return errors.New("must be an object")
	}
	if err := w.object(configSchema(), ""); err != nil {
		return err
	}
	if _, err := w.token(); err != io.EOF {
		return errors.New("something follows the object")
	}
	return nil
}

func (w *configWalk) object(schema map[string]any, prefix string) error {
	for w.d.More() {
		t, err := w.token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		path := prefix + key
		sub, known := schema[key]
		if !known {
			return fmt.Errorf("unknown key %q; known here: %s", path, strings.Join(sortedKeys(schema), ", "))
		}
		if w.keys[path] {
			return fmt.Errorf("key %q is set twice", path)
		}
		w.keys[path] = true
		if err := w.value(sub, path); err != nil {
			return err
		}
	}
	_, err := w.token()
	return err
}

func (w *configWalk) value(schema any, path string) error {
	v, err := w.token()
	if err != nil {
		return err
	}
	if section, ok := schema.(map[string]any); ok {
		if v != json.Delim('{') {
			return fmt.Errorf("%q must be an object", path)
		}
		return w.object(section, path+".")
	}
	n, ok := v.(json.Number)
	if !ok {
		return fmt.Errorf("%q must be a number", path)
	}
	if schema == whole {
		if _, err := n.Int64(); err != nil {
			return fmt.Errorf("%q is %s, must be a whole number in range", path, n)
		}
	} else if _, err := n.Float64(); err != nil {
		return fmt.Errorf("%q is %s, must be a number in range", path, n)
	}
	return nil
}

func sortedKeys(m map[string]any) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// configError adds file, line and column, both from 1. at is a byte offset.
func configError(name string, b []byte, at int64, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = max(syntax.Offset-1, 0) // it counts the byte at fault
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		at = kind.Offset
	}
	at = min(at, int64(len(b)))
	line := 1 + bytes.Count(b[:at], []byte("\n"))
	column := at - int64(bytes.LastIndexByte(b[:at], '\n'))
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = errors.New("unexpected end")
	}
	return fmt.Errorf("%w: %s:%d:%d: %w", ErrBadConfig, name, line, column, err)
}
