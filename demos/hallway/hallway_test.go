package hallway

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/docfile"
	"sojourn/assets/pack"
	"sojourn/audio"
	"sojourn/demos/demo"
	"sojourn/demos/hallway/art"
	"sojourn/gpu"
	"sojourn/gpu/headless"
	"sojourn/sojourntest"
	"sojourn/stages/work"
)

// TestFlight flies through a part of a corridor of a thousand cells made out of
// six, and leaves nothing behind.
func TestFlight(t *testing.T) {
	f := fly(t, func(e *demo.Env) { e.Cells = 1000; e.FlySpeed = 60 })
	f.frames(600)
	if !strings.Contains(f.Status(), "of 1000") || f.Recorder().Frames() != 600 {
		t.Error(f.Status())
	}
	r := f.Finish()
	clean(t, &r)
	// 600 metres past a window of 104.
	if r.Cells.Entered < 70 || r.Cells.Left != r.Cells.Entered || r.Cells.LiveMax < 10 || r.Cells.LiveMax > 20 {
		t.Errorf("%+v", r.Cells)
	}
	if r.Work.Frames != 600 || r.Work.Operations == 0 || r.Work.Used[work.Retirements].Max == 0 ||
		r.Backlog[sojourn.LineDeviceFree].WaitingMax == 0 || r.Backlog[sojourn.LineLayersRetiring].WaitingMax == 0 {
		t.Errorf("%+v, %+v", r.Work, r.Backlog)
	}
	if r.Demo != "hallway" || r.Device != "headless" || r.Sound != "manual" || r.Seed != testSeed || r.Cell != 1000 || r.Frames != 600 ||
		r.FirstPresentMS <= 0 || r.ResidentMS < r.FirstPresentMS || r.Bytes.GPUTextureMax == 0 || r.Bytes.GPUGeometryMax == 0 ||
		r.Bytes.PCMMax == 0 || r.Budget.Profile != "high" {
		t.Errorf("%+v", r)
	}
}

// TestFlightTurnsRound: up and down a short corridor, whose ends it keeps.
func TestFlightTurnsRound(t *testing.T) {
	f := fly(t, func(e *demo.Env) { e.Cells = 9; e.FlySpeed = 80 })
	forward, turns := 1.0, 0
	for range 300 {
		f.frames(1)
		if f.flight.forward != forward {
			forward = f.flight.forward
			turns++
		}
		if z := f.flight.pos[2]; z < 0 || z > 9*art.CellLength {
			t.Fatalf("at %v m of %d", z, 9*art.CellLength)
		}
	}
	if turns < 4 {
		t.Errorf("%d turns", turns)
	}
	r := f.Finish()
	clean(t, &r)
}

// TestPlayerWalks: the player takes over, and hands back.
func TestPlayerWalks(t *testing.T) {
	f := fly(t, func(e *demo.Env) { e.Cells = 20 })
	f.frames(10)
	before := f.flight.pos
	for range 30 {
		f.Tick(demo.Input{Move: [3]float32{1, 1, 1}, LookX: 0.01, LookY: 1}, tickTime)
	}
	at := f.flight.pos
	if !f.flight.manual || at == before || at[0] < -2.6 || at[0] > 2.6 || at[1] > 3.7 || f.flight.pitch < -1.4 {
		t.Errorf("walked from %v to %v, pitch %v", before, at, f.flight.pitch)
	}
	f.Tick(demo.Input{ToggleFly: true}, tickTime)
	if f.flight.manual {
		t.Error("the flight does not go on")
	}
	r := f.Finish()
	clean(t, &r)
}

// TestFinishRightAway: also of a hallway that never ticked.
func TestFinishRightAway(t *testing.T) {
	f := fly(t, nil)
	r := f.Finish()
	if len(r.Leaks) != 0 || r.Pending != (demo.Pending{}) || r.Cell != art.CellsDefault {
		t.Errorf("%+v", r)
	}
}

// TestTightBudgets: whatever the budgets, they hold, and nothing hangs.
func TestTightBudgets(t *testing.T) {
	for name, change := range map[string]func(*demo.Env){
		"nothing kept alive": func(e *demo.Env) { e.Config.Residency.KeepAliveMB = 0 },
		"one mebibyte of textures": func(e *demo.Env) {
			e.Config.Residency.Texture.GPUBudgetMB, e.Config.Residency.KeepAliveMB = 1, 1
		},
		"literal":    func(e *demo.Env) { e.Work = work.Literal() },
		"bind limit": func(e *demo.Env) { e.Config.World.ResidencyBindBudgetMS = 0.001 },
	} {
		t.Run(name, func(t *testing.T) {
			f := fly(t, func(e *demo.Env) { e.Cells = 60; change(e) })
			f.frames(90)
			r := f.Finish()
			clean(t, &r)
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	good := func() (assets.Source, error) { return pack.Open(packPath(t)) }
	broken := errors.New("no art today")
	for name, tt := range map[string]struct {
		change  func(*demo.Env)
		openArt func() (assets.Source, error)
		want    error
	}{
		"negative cells":  {func(e *demo.Env) { e.Cells = -1 }, good, ErrCells},
		"too many cells":  {func(e *demo.Env) { e.Cells = CellsMax + 1 }, good, ErrCells},
		"unknown fault":   {func(e *demo.Env) { e.Inject = "gremlins" }, good, ErrInject},
		"part of a fault": {func(e *demo.Env) { e.Inject = "leak inline-decode" }, good, ErrInject},
		"no art":          {func(*demo.Env) {}, func() (assets.Source, error) { return nil, broken }, broken},
		"art of nothing":  {func(*demo.Env) {}, func() (assets.Source, error) { return sojourntest.NewContent(), nil }, fs.ErrNotExist},
		"no user's pack":  {func(e *demo.Env) { e.Content = filepath.Join(t.TempDir(), "none.zip") }, good, fs.ErrNotExist},
		"no device":       {func(e *demo.Env) { e.Device = nil }, good, sojourn.ErrNoDevice},
		"bad budget":      {func(e *demo.Env) { e.Work = work.Budget{Name: "odd"} }, good, work.ErrBadBudget},
	} {
		t.Run(name, func(t *testing.T) {
			device, sink := headless.New(headless.Options{}), audio.NewManual()
			env := demo.Env{Device: device, Sink: sink, Config: sojourn.DefaultConfig(), Workers: 1}
			tt.change(&env)
			d, err := openOn(env, testArtCells, tt.openArt)
			if d != nil || !errors.Is(err, tt.want) {
				t.Errorf("%v, %v", d, err)
			}
			if _, err := device.CreateTexture(gpu.TextureDesc{Width: 1, Height: 1, Levels: 1}); env.Device != nil && err == nil {
				t.Error("the device is open")
			}
			if sink.Advance(1) != nil {
				t.Error("the sink reads")
			}
		})
	}
}

// TestInjectedFaultsShow: each makes its field of the report tell, and no other.
func TestInjectedFaultsShow(t *testing.T) {
	for _, fault := range append([]string{""}, Faults()...) {
		t.Run(fault, func(t *testing.T) {
			f := fly(t, func(e *demo.Env) {
				e.Cells, e.Inject, e.FlySpeed = 60, fault, 60
				if fault == "slow-step" {
					e.WithClock = nil // the real one
				}
			})
			f.frames(130)
			r := f.Finish()
			switch fault {
			case "":
				clean(t, &r)
			case "leak":
				clean(t, &r, "leaks", "retains")
				if len(r.Leaks) != 1 || !strings.Contains(r.Leaks[0], art.CellWall(0)) {
					t.Errorf("leaks %q", r.Leaks)
				}
			case "inline-decode":
				clean(t, &r, "decodesOnTick")
				if r.Assets.DecodesOnTick != 1 {
					t.Errorf("%d decodes on the tick", r.Assets.DecodesOnTick)
				}
			case "slow-step":
				clean(t, &r, "overruns")
				named := false
				for _, o := range r.Budget.Overruns {
					named = named || o.Stage == "slow step" && o.MS > 1 && !o.Oversize
				}
				if !named {
					t.Errorf("overruns %+v", r.Budget.Overruns)
				}
			case "lost-upload":
				clean(t, &r, "pending")
				if r.Pending.LostUploads != 1 || r.Pending.Uploads+r.Pending.Tickets+r.Pending.Retirements+r.Pending.Voices != 0 {
					t.Errorf("pending %+v", r.Pending)
				}
			case "failed-asset":
				clean(t, &r, "failed")
				if len(r.Assets.Failed) == 0 || !strings.Contains(r.Assets.Failed[0].Key, CellStem(3)+"/wall") || r.Assets.Failed[0].Reason == "" {
					t.Errorf("failed %+v", r.Assets.Failed)
				}
			}
		})
	}
}

// TestDressing: a user's textures hang on the walls and their models stand in
// the cells, what cannot be read is named, and nothing of theirs takes the
// place of a cell.
func TestDressing(t *testing.T) {
	c := sojourntest.NewContent()
	c.Texture("paintings/a", 16)
	c.Texture("paintings/b", 16)
	c.Texture("statue#map", 8) // brought along by a model: not for walls
	c.Material("statue#stone", "statue#map")
	c.Mesh("statue#body", 3)
	c.Model("statue", sojourntest.Part{Mesh: "statue#body", Material: "statue#stone"})
	c.Model("empty")
	c.SetText("broken.model", "not a model at all")
	c.SetText(CellStem(1)+".scene", "an impostor")
	var log strings.Builder
	path := userPack(t, c)
	f := fly(t, func(e *demo.Env) { e.Cells, e.Content, e.Progress = 30, path, &log })
	f.frames(120)
	resident := func(stem string, k assets.Kind) bool {
		h, ok := f.session.Store().Find(assets.Key{Stem: stem, Kind: k})
		return ok && f.session.Store().Has(h)
	}
	for _, stem := range []string{"paintings/a", "paintings/b"} {
		if !resident(stem, assets.KindTexture) {
			t.Errorf("%s does not hang", stem)
		}
	}
	if !resident("statue#body", assets.KindMesh) || !resident("statue#map", assets.KindTexture) {
		t.Error("the statue does not stand")
	}
	for _, says := range []string{"2 textures for the walls, 1 models", "empty: left out: it has no parts", "broken: left out: "} {
		if !strings.Contains(log.String(), says) {
			t.Errorf("%q does not say %q", log.String(), says)
		}
	}
	r := f.Finish()
	clean(t, &r)
}

// TestDressingWithoutAnything changes nothing.
func TestDressingWithoutAnything(t *testing.T) {
	c := sojourntest.NewContent()
	c.SetText("readme.txt", "hello")
	path := userPack(t, c)
	f := fly(t, func(e *demo.Env) { e.Cells, e.Content = 20, path })
	f.frames(60)
	r := f.Finish()
	clean(t, &r)
}

// TestCorridorAliases: a thousand cells under keys of their own, each with the
// content of one of six.
func TestCorridorAliases(t *testing.T) {
	p, err := pack.Open(packPath(t))
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCorridor(p, testArtCells, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range 1000 {
		stem, from := CellStem(int32(i)), art.CellScene(i%testArtCells)
		b, err := readEntry(c, stem+".scene")
		if err != nil {
			t.Fatal(err)
		}
		doc, err := docfile.DecodeScene(stem, b)
		if err != nil {
			t.Fatal(err)
		}
		own := 0
		for _, e := range doc.Entities {
			for _, s := range []string{e.Material, e.Sound, e.Model} {
				switch {
				case strings.HasPrefix(s, stem+"/"):
					own++
				case strings.HasPrefix(s, "cells/"):
					t.Fatalf("cell %d names %s", i, s)
				}
			}
		}
		if own < 2 { // a wall and a drone
			t.Fatalf("cell %d has %d assets of its own", i, own)
		}
		if i >= 30 {
			continue
		}
		for _, rest := range []string{"/wall.ktx2", "/drone.pcm"} {
			got, err := readEntry(c, stem+rest)
			want, wantErr := readEntry(p, from+rest)
			if err != nil || wantErr != nil || string(got) != string(want) {
				t.Fatalf("cell %d%s: %v, %v", i, rest, err, wantErr)
			}
		}
		b, err = readEntry(c, stem+"/wall.material")
		if err != nil {
			t.Fatal(err)
		}
		m, err := docfile.DecodeMaterial(stem, b)
		if err != nil || m.Maps[assets.MapBaseColor] != stem+"/wall" {
			t.Fatalf("cell %d: %+v, %v", i, m, err)
		}
	}
	for _, name := range []string{
		CellStem(1) + "/other.ktx2", CellStem(1), "cells/-00001.scene", "cells/+00001.scene", "cells/00000x.scene", "cells/", "nothing",
	} {
		if _, err := c.Open(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestEnsureContent(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("it cooks, twice")
	}
	dir := t.TempDir()
	o := art.Options{Seed: 5, Cells: 1}
	var log strings.Builder
	p, err := ensureContent(context.Background(), dir, o, &log)
	if err != nil {
		t.Fatal(err)
	}
	path, n := p.Name(), p.Len()
	if err := p.Close(); err != nil || n == 0 {
		t.Fatal(n, err)
	}
	log.Reset()
	again := func() {
		t.Helper()
		p, err := ensureContent(context.Background(), dir, o, &log)
		if err != nil {
			t.Fatal(err)
		}
		if p.Len() != n {
			t.Errorf("%d entries, had %d", p.Len(), n)
		}
		_ = p.Close()
	}
	if again(); log.Len() != 0 {
		t.Errorf("a pack that is there is made again: %s", log.String())
	}
	if err := os.WriteFile(path, []byte("spoiled"), 0o644); err != nil {
		t.Fatal(err)
	}
	if again(); !strings.Contains(log.String(), "cannot be used and is made again") {
		t.Errorf("said %q", log.String())
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ensureContent(context.Background(), file, o, nil); !errors.Is(err, ErrContent) {
		t.Errorf("in a file: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ensureContent(ctx, t.TempDir(), o, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestReadEntryBounds(t *testing.T) {
	c := sojourntest.NewContent()
	c.SetText("a", "hello")
	if b, err := readEntry(c, "a"); err != nil || string(b) != "hello" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := readEntry(huge{c}, "a"); !errors.Is(err, assets.ErrTooLarge) {
		t.Errorf("%v", err)
	}
}

// huge declares more than any document has.
type huge struct{ assets.Source }

func (h huge) Open(name string) (assets.Entry, error) {
	e, err := h.Source.Open(name)
	return hugeEntry{e}, err
}

type hugeEntry struct{ assets.Entry }

func (hugeEntry) SizeBytes() int64 { return documentBytesMax + 1 }

func TestFaultsAreNamed(t *testing.T) {
	for _, name := range Faults() {
		if f, err := newFaults(name); err != nil || f.name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if Row().Name != "hallway" || Row().Open == nil {
		t.Error("row")
	}
}
