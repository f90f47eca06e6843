package demo_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sojourn"
	"sojourn/assets"
	"sojourn/audio"
	"sojourn/demos/demo"
	"sojourn/gpu/headless"
	"sojourn/sojourntest"
	"sojourn/stages/stagestest"
	"sojourn/stages/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openSession(t *testing.T) (*sojourn.Session, *sojourn.World) {
	t.Helper()
	c := sojourntest.NewContent()
	c.Crate("crate")
	c.SetText("bad.model", "no model")
	s, err := sojourn.Open(sojourn.Options{Sources: []assets.Source{c}, Device: headless.New(headless.Options{}), Workers: 1,
		Clock: &stagestest.Clock{}, // no tick is late
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.NewWorld(sojourn.WorldOptions{Name: "w", EntitiesExpected: 64})
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

func TestReportOfACleanRun(t *testing.T) {
	s, w := openSession(t)
	e, err := sojourn.Spawn(w, "crate", sojourn.At(0, 0, -4))
	if err != nil {
		t.Fatal(err)
	}
	bad, err := sojourn.Spawn(w, "bad", sojourn.At(0, 0, -4))
	if err != nil {
		t.Fatal(err)
	}
	rec := demo.NewRecorder(10)
	rec.BeginTick()
	if !demo.Settle(s) {
		t.Fatal("it does not settle")
	}
	rec.EndTick()
	rec.Presented()
	rec.Observe(s)
	rec.Presented()
	var r demo.Report
	demo.Fill(&r, s, rec)
	if len(r.Leaks) != 0 || r.Device != "headless" || r.Frames != 1 || r.TickMS.Max <= 0 || r.Budget.Profile != "high" || r.Budget.KeepAlive != 512<<20 {
		t.Errorf("%+v", r)
	}
	if r.Work.Frames != 1 || len(r.Work.Used) != int(work.Dimensions) || r.Work.Used[work.UploadBytes].Dimension != "upload bytes" ||
		r.Work.Used[work.UploadBytes].Budget != 8<<20 || len(r.Backlog) != int(sojourn.NumLines) || r.Backlog[0].Line != "decode" {
		t.Errorf("%+v, %+v", r.Work, r.Backlog)
	}
	w.ECS().RemoveEntity(e)
	w.ECS().RemoveEntity(bad)
	demo.Settle(s)
	demo.FillEnd(&r, s)
	if len(r.Leaks) != 0 || r.Pending != (demo.Pending{}) || r.Assets.Retains != r.Assets.Releases || r.Assets.Decodes < 4 ||
		len(r.Assets.Failed) != 1 || !strings.Contains(r.Assets.Failed[0].Key, "bad") || r.Assets.Failed[0].Reason == "" ||
		len(r.Budget.Exceeded) != 0 || r.Bytes.GPUTextureMax == 0 {
		t.Errorf("%+v", r)
	}
	if _, err := s.NewWorld(sojourn.WorldOptions{}); !errors.Is(err, sojourn.ErrClosed) {
		t.Errorf("the session is open: %v", err)
	}
	path := filepath.Join(t.TempDir(), "r.json")
	if err := r.Write(path); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	var back demo.Report
	if err != nil || json.Unmarshal(b, &back) != nil || back.Assets.Retains != r.Assets.Retains || back.Demo != r.Demo {
		t.Errorf("%s, %v", b, err)
	}
	for _, list := range []string{`"leaks": []`, `"thrash": []`, `"overruns": []`, `"overruns_by_stage": []`, `"exceeded": []`} {
		if !strings.Contains(string(b), list) {
			t.Errorf("an empty list is not written as %s", list)
		}
	}
	if err := r.Write(filepath.Join(path, "under a file")); err == nil || errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
}

// TestReportNamesLeaks: of each sort.
func TestReportNamesLeaks(t *testing.T) {
	s, w := openSession(t)
	if _, err := sojourn.Spawn(w, "crate", sojourn.At(0, 0, -4)); err != nil {
		t.Fatal(err)
	}
	demo.Settle(s)
	if _, err := s.Store().Retain(context.Background(), assets.Key{Stem: "crate#mesh", Kind: assets.KindMesh}); err != nil {
		t.Fatal(err)
	}
	var r demo.Report
	demo.Fill(&r, s, demo.NewRecorder(1))
	r.Budget.Texture = 1
	demo.FillEnd(&r, s)
	text := strings.Join(r.Leaks, "\n")
	for _, says := range []string{"crate#mesh: 2 retains", "device: 1 textures, 1 geometries", "world w: "} {
		if !strings.Contains(text, says) {
			t.Errorf("%s\ndoes not say %s", text, says)
		}
	}
	if len(r.Budget.Exceeded) != 1 || !strings.HasPrefix(r.Budget.Exceeded[0], "gpu_texture_max") {
		t.Errorf("exceeded %q", r.Budget.Exceeded)
	}
}

func TestEnvCloses(t *testing.T) {
	if err := (&demo.Env{}).Close(); err != nil {
		t.Error(err)
	}
	sink := audio.NewManual()
	e := demo.Env{Device: headless.New(headless.Options{}), Sink: sink}
	if err := e.Close(); err != nil || sink.Advance(1) != nil {
		t.Error(err)
	}
}

func TestRecorder(t *testing.T) {
	rec := demo.NewRecorder(2)
	if rec.Tick() != (demo.Spread{}) || rec.SteadyFrame() != (demo.Spread{}) {
		t.Error("an empty recorder has figures")
	}
	for range 4 { // more than it was made for
		rec.BeginTick()
		rec.EndTick()
		rec.Presented()
	}
	if rec.Frames() != 2 || rec.HeapMax() == 0 || rec.Tick().Max < rec.Tick().P50 || rec.Frame().Max <= 0 {
		t.Errorf("%d frames, %+v, %+v", rec.Frames(), rec.Tick(), rec.Frame())
	}
	if tail := rec.FrameTail(make([]float64, 0, 1)); len(tail) != 1 {
		t.Errorf("tail %v", tail)
	}
	if got := demo.NewRecorder(0); got.Frames() != 0 {
		t.Error("open-ended")
	}
}
