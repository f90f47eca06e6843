package demo

import (
	"encoding/json"
	"fmt"
	"os"
)

// Spread is the mean, the median, the 99th percentile and the largest of a
// series.
type Spread struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// Failed is one asset that could not be had.
type Failed struct {
	Key    string `json:"key"`
	Reason string `json:"reason"`
}

// Overrun is one time or size overrun and the stage that caused it.
type Overrun struct {
	Stage    string  `json:"stage"`
	MS       float64 `json:"ms"`
	Oversize bool    `json:"oversize,omitempty"`
}

// Thrash is one asset that came and went six times within five seconds, and
// who let it go.
type Thrash struct {
	Key   string `json:"key"`
	Cause string `json:"cause"`
	Times int    `json:"times"`
}

// StageOverruns is what one stage ran over in the whole run.
type StageOverruns struct {
	Stage     string  `json:"stage"`
	Times     int64   `json:"times"`
	Oversizes int64   `json:"oversizes"`
	WorstMS   float64 `json:"worst_ms"`
}

// Cells counts cells that came and went.
type Cells struct {
	Entered int64 `json:"entered"`
	Left    int64 `json:"left"`
	LiveMax int   `json:"live_max"`
}

// Assets counts what the store did.
type Assets struct {
	Retains          int64    `json:"retains"`
	Releases         int64    `json:"releases"`
	Decodes          int64    `json:"decodes"`
	DecodesOnTick    int64    `json:"decodes_on_tick"`
	DuplicateDecodes int64    `json:"duplicate_decodes"`
	Evicted          int64    `json:"evicted"`
	Resurrected      int64    `json:"resurrected"`
	Freed            int64    `json:"freed"`
	Failed           []Failed `json:"failed"`
}

// Bytes are high-water marks.
type Bytes struct {
	CPUMax         int64 `json:"cpu_max"`
	ColdMax        int64 `json:"cold_max"`
	GPUTextureMax  int64 `json:"gpu_texture_max"`
	GPUGeometryMax int64 `json:"gpu_geometry_max"`
	PCMMax         int64 `json:"pcm_max"`
	HeapMax        int64 `json:"heap_max"`
}

// Budget is what was configured, and what went past it.
type Budget struct {
	Profile      string    `json:"profile"`
	UpdateMS     float64   `json:"update_ms"`
	UploadBytes  int64     `json:"upload_bytes"`
	KeepAlive    int64     `json:"keep_alive_bytes"`
	Texture      int64     `json:"texture_bytes"`
	Geometry     int64     `json:"geometry_bytes"`
	OverrunCount int64     `json:"overrun_count"`
	Overruns     []Overrun `json:"overruns"`
	// ByStage counts all overruns, not only those that Overruns keeps.
	ByStage  []StageOverruns `json:"overruns_by_stage"`
	Exceeded []string        `json:"exceeded"`
}

// Pending is what was still under way after everything was unloaded.
type Pending struct {
	Tickets      int `json:"tickets"`
	Publications int `json:"publications"`
	Retirements  int `json:"retirements"`
	Uploads      int `json:"uploads"`
	LostUploads  int `json:"lost_uploads"`
	Voices       int `json:"voices"`
}

// Report is what one run of a demo did. Pending and Leaks are read after
// everything was unloaded.
type Report struct {
	Demo           string   `json:"demo"`
	Device         string   `json:"device"`
	Sound          string   `json:"sound"`
	RenderSize     string   `json:"render_size,omitempty"`
	Seed           uint64   `json:"seed"`
	Cell           int      `json:"cells_total"`
	Frames         int      `json:"frames"`
	TickMS         Spread   `json:"tick_ms"`
	FrameMS        Spread   `json:"frame_ms"`
	SteadyFrameMS  Spread   `json:"frame_ms_after_5s"`
	AllocBytes     Spread   `json:"alloc_bytes"`
	FirstPresentMS float64  `json:"first_present_ms"`
	ResidentMS     float64  `json:"resident_ms"`
	Cells          Cells    `json:"cells"`
	Assets         Assets   `json:"assets"`
	Bytes          Bytes    `json:"bytes"`
	Budget         Budget   `json:"budget"`
	Thrash         []Thrash `json:"thrash"`
	Work           Work     `json:"work"`
	Backlog        []Line   `json:"backlog"`
	Pending        Pending  `json:"pending"`
	Leaks          []string `json:"leaks"`
	// Details are what only this demo measures; nil: nothing.
	Details any `json:"details,omitempty"`
}

// Write writes the report as JSON.
func (r *Report) Write(path string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.WriteFile(path, append(b, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
