package headless

import (
	"errors"
	"fmt"
	"math/rand"
	"testing"

	"sojourn/assets"
	"sojourn/gpu"
)

var triangle = []assets.Vertex{{}, {Pos: [3]float32{1, 0, 0}}, {Pos: [3]float32{0, 1, 0}}}

func mustTexture(t *testing.T, d *Device, w, h, levels int) gpu.TextureID {
	t.Helper()
	id, err := d.CreateTexture(gpu.TextureDesc{Width: w, Height: h, Levels: levels})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func mustGeometry(t *testing.T, d *Device) gpu.GeometryID {
	t.Helper()
	id, err := d.CreateGeometry(triangle, []uint32{0, 1, 2}, assets.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func frameOf(g gpu.GeometryID, t gpu.TextureID) *gpu.Frame {
	f := &gpu.Frame{
		Items:     []gpu.Item{{Geometry: g}},
		Materials: make([]gpu.MaterialRow, 1),
		Textures:  []gpu.TextureID{t},
	}
	for i := range f.Materials[0].Maps {
		f.Materials[0].Maps[i] = gpu.NoMap
	}
	f.Materials[0].Maps[assets.MapBaseColor] = 0
	return f
}

func TestStatsAreExact(t *testing.T) {
	d := New(Options{})
	rng := rand.New(rand.NewSource(7))
	type live struct {
		id    gpu.TextureID
		bytes int64
	}
	var textures []live
	var geometries []gpu.GeometryID
	want := gpu.DeviceStats{}
	for step := range 2000 {
		switch rng.Intn(5) {
		case 0:
			desc := gpu.TextureDesc{Width: 1 + rng.Intn(64), Height: 1 + rng.Intn(64), Levels: 1}
			id := mustTexture(t, d, desc.Width, desc.Height, 1)
			textures = append(textures, live{id, desc.Bytes()})
			want.TextureBytes += desc.Bytes()
			want.TextureCreates++
		case 1:
			if n := len(textures); n > 0 {
				i := rng.Intn(n)
				if err := d.DestroyTexture(textures[i].id); err != nil {
					t.Fatal(err)
				}
				if err := d.DestroyTexture(textures[i].id); !errors.Is(err, gpu.ErrStale) {
					t.Fatalf("second destroy: %v", err)
				}
				want.TextureBytes -= textures[i].bytes
				want.TextureFrees++
				textures = append(textures[:i], textures[i+1:]...)
			}
		case 2:
			geometries = append(geometries, mustGeometry(t, d))
			want.GeometryBytes += 3*assets.VertexBytes + 12
			want.UploadedBytes += 3*assets.VertexBytes + 12
			want.GeometryCreates++
		case 3:
			if n := len(geometries); n > 0 {
				if err := d.DestroyGeometry(geometries[n-1]); err != nil {
					t.Fatal(err)
				}
				geometries = geometries[:n-1]
				want.GeometryBytes -= 3*assets.VertexBytes + 12
			}
		case 4:
			if err := d.Present(nil, &gpu.Frame{}); err != nil {
				t.Fatal(err)
			}
			want.Presents++
		}
		want.Textures, want.Geometries = len(textures), len(geometries)
		if got := d.Stats(); got != want {
			t.Fatalf("seed 7, step %d:\n got %+v\nwant %+v", step, got, want)
		}
	}
	d.Close()
	if s := d.Stats(); s.Textures != 0 || s.Geometries != 0 || s.TextureBytes != 0 || s.GeometryBytes != 0 || s.TextureCreates != s.TextureFrees {
		t.Fatalf("after Close: %+v", s)
	}
}

func TestInvariant32_StaleHandlesAreRefused(t *testing.T) {
	d := New(Options{})
	tex, geo := mustTexture(t, d, 4, 4, 1), mustGeometry(t, d)
	if err := d.DestroyTexture(tex); err != nil {
		t.Fatal(err)
	}
	if err := d.DestroyGeometry(geo); err != nil {
		t.Fatal(err)
	}
	tex2, geo2 := mustTexture(t, d, 4, 4, 1), mustGeometry(t, d)
	if tex2 == tex || geo2 == geo {
		t.Fatal("a reused slot kept its generation")
	}
	refused := map[string]error{
		"write":            d.WriteTexture(tex, gpu.Strip{Rows: 1, Pixels: make([]byte, 16)}),
		"destroy texture":  d.DestroyTexture(tex),
		"destroy geometry": d.DestroyGeometry(geo),
		"draw geometry":    d.Present(nil, frameOf(geo, tex2)),
		"draw texture":     d.Present(nil, frameOf(geo2, tex)),
		"draw skybox":      d.Present(nil, &gpu.Frame{Skybox: tex}),
		"draw probe":       d.Present(nil, &gpu.Frame{Probe: tex}),
		"draw look-up":     d.Present(nil, &gpu.Frame{LookUp: tex}),
		"draw sprites":     d.Present(nil, &gpu.Frame{Sprites: []gpu.Sprites{{Texture: tex}}}),
		"zero":             d.DestroyTexture(0),
		"made up":          d.DestroyTexture(1<<32 | 900),
	}
	for what, err := range refused {
		if !errors.Is(err, gpu.ErrStale) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := d.Present(nil, frameOf(geo2, tex2)); err != nil {
		t.Errorf("live handles: %v", err)
	}
}

func TestFaults(t *testing.T) {
	create := func(d *Device) error {
		_, err := d.CreateTexture(gpu.TextureDesc{Width: 2, Height: 2, Levels: 1})
		return err
	}
	createGeometry := func(d *Device) error {
		_, err := d.CreateGeometry(triangle, []uint32{0, 1, 2}, assets.Bounds{})
		return err
	}
	var id gpu.TextureID
	write := func(d *Device) error { return d.WriteTexture(id, gpu.Strip{Rows: 2, Pixels: make([]byte, 16)}) }
	present := func(d *Device) error { return d.Present(nil, &gpu.Frame{}) }
	tests := []struct {
		name string
		arm  func(*Device)
		call []func(*Device) error
		want []error
	}{
		{"fail two creates", func(d *Device) { d.FailCreate(2) },
			[]func(*Device) error{create, createGeometry, create}, []error{ErrInjected, ErrInjected, nil}},
		{"fail the second create", func(d *Device) { d.FailCreateAfter(1) },
			[]func(*Device) error{create, create, create}, []error{nil, ErrInjected, nil}},
		{"fail an upload", func(d *Device) { d.FailUpload(1) },
			[]func(*Device) error{write, write}, []error{ErrInjected, nil}},
		{"fail the second upload", func(d *Device) { d.FailUploadAfter(1) },
			[]func(*Device) error{write, write, write}, []error{nil, ErrInjected, nil}},
		{"stall for two presents", func(d *Device) { d.Stall(2) },
			[]func(*Device) error{create, write, present, write, present, write, create},
			[]error{gpu.ErrBackpressure, gpu.ErrBackpressure, nil, gpu.ErrBackpressure, nil, nil, nil}},
		{"stall until told", func(d *Device) { d.Stall(-1) },
			[]func(*Device) error{present, present, write, func(d *Device) error { d.Stall(0); return nil }, write},
			[]error{nil, nil, gpu.ErrBackpressure, nil, nil}},
		{"lose an upload", func(d *Device) { d.LoseUploads(1) },
			[]func(*Device) error{write, write}, []error{gpu.ErrLost, nil}},
		{"run out", func(d *Device) { d.SetBytesMax(16 + 15) },
			[]func(*Device) error{create, createGeometry, func(d *Device) error { return d.DestroyTexture(id) }, create},
			[]error{gpu.ErrOutOfMemory, gpu.ErrOutOfMemory, nil, nil}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := New(Options{})
			id = mustTexture(t, d, 2, 2, 1)
			tt.arm(d)
			for i, call := range tt.call {
				before := d.Stats()
				err := call(d)
				if !errors.Is(err, tt.want[i]) {
					t.Fatalf("call %d: got %v, want %v", i, err, tt.want[i])
				}
				if after := d.Stats(); err != nil && after != before {
					t.Fatalf("call %d failed but changed %+v to %+v", i, before, after)
				}
			}
		})
	}
}

func TestEarlyFreesAreCounted(t *testing.T) {
	for _, inFlight := range []int{-1, 0, 1, 3} {
		t.Run(fmt.Sprint(inFlight), func(t *testing.T) {
			d := New(Options{FramesInFlight: inFlight})
			tex, geo := mustTexture(t, d, 1, 1, 1), mustGeometry(t, d)
			unseen := mustTexture(t, d, 1, 1, 1)
			if err := d.Present(nil, frameOf(geo, tex)); err != nil {
				t.Fatal(err)
			}
			for range d.FramesInFlight() - 1 {
				if err := d.Present(nil, &gpu.Frame{}); err != nil {
					t.Fatal(err)
				}
			}
			early := int64(0)
			if d.FramesInFlight() > 0 {
				_ = d.DestroyTexture(tex)
				early++
				_ = d.Present(nil, &gpu.Frame{})
			}
			_ = d.DestroyGeometry(geo)
			_ = d.DestroyTexture(unseen)
			if d.EarlyFrees() != early {
				t.Errorf("early frees %d, want %d", d.EarlyFrees(), early)
			}
		})
	}
}

func TestMalformedRequestsChangeNothing(t *testing.T) {
	d := New(Options{})
	id := mustTexture(t, d, 8, 4, 4)
	before := d.Stats()
	create := func(w, h, levels int) error {
		_, err := d.CreateTexture(gpu.TextureDesc{Width: w, Height: h, Levels: levels})
		return err
	}
	geometry := func(v int, indices ...uint32) error {
		_, err := d.CreateGeometry(make([]assets.Vertex, v), indices, assets.Bounds{})
		return err
	}
	for name, err := range map[string]error{
		"no width":        create(0, 4, 1),
		"too wide":        create(assets.TextureEdgeMax+1, 4, 1),
		"no levels":       create(4, 4, 0),
		"too many levels": create(4, 4, 4),
		"level":           d.WriteTexture(id, gpu.Strip{Level: 4, Rows: 1, Pixels: make([]byte, 4)}),
		"rows":            d.WriteTexture(id, gpu.Strip{Y: 3, Rows: 2, Pixels: make([]byte, 64)}),
		"huge row":        d.WriteTexture(id, gpu.Strip{Y: 1 << 62, Rows: 1 << 62, Pixels: make([]byte, 64)}),
		"pixels":          d.WriteTexture(id, gpu.Strip{Rows: 1, Pixels: make([]byte, 31)}),
		"no vertices":     geometry(0, 0, 0, 0),
		"no triangles":    geometry(3),
		"half a triangle": geometry(3, 0, 1),
		"index":           geometry(3, 0, 1, 3),
	} {
		if !errors.Is(err, gpu.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after := d.Stats(); after != before {
		t.Errorf("changed %+v to %+v", before, after)
	}
	f := frameOf(mustGeometry(t, d), id)
	f.Items[0].Material = 1
	if err := d.Present(nil, f); !errors.Is(err, gpu.ErrMalformed) {
		t.Errorf("material past the table: %v", err)
	}
	f.Items[0].Material = 0
	f.Materials[0].Maps[1] = 1
	if err := d.Present(nil, f); !errors.Is(err, gpu.ErrMalformed) {
		t.Errorf("texture past the table: %v", err)
	}
	if err := d.Present(nil, nil); !errors.Is(err, gpu.ErrMalformed) {
		t.Errorf("no frame: %v", err)
	}
}

func TestChecksumKnowsContentNotStrips(t *testing.T) {
	d := New(Options{Checksum: true})
	pixels := make([]byte, 4*4*4)
	for i := range pixels {
		pixels[i] = byte(i)
	}
	whole, split := mustTexture(t, d, 4, 4, 2), mustTexture(t, d, 4, 4, 2)
	write := func(id gpu.TextureID, s gpu.Strip) {
		t.Helper()
		if err := d.WriteTexture(id, s); err != nil {
			t.Fatal(err)
		}
	}
	write(whole, gpu.Strip{Rows: 4, Pixels: pixels})
	write(split, gpu.Strip{Y: 3, Rows: 1, Pixels: pixels[48:]})
	write(split, gpu.Strip{Y: 0, Rows: 3, Pixels: pixels[:48]})
	if d.Checksum(whole) != d.Checksum(split) || d.Checksum(whole) == 0 {
		t.Error("equal content, different sums")
	}
	if d.Complete(whole) {
		t.Error("complete without its second level")
	}
	write(whole, gpu.Strip{Level: 1, Rows: 2, Pixels: pixels[:16]})
	if !d.Complete(whole) || d.Checksum(whole) == d.Checksum(split) {
		t.Error("the second level did not count")
	}
	if plain := New(Options{}); plain.Checksum(mustTexture(t, plain, 1, 1, 1)) != 0 {
		t.Error("a sum without Options.Checksum")
	}
}

func TestDrawHashTellsFramesApart(t *testing.T) {
	d := New(Options{})
	tex, geo := mustTexture(t, d, 1, 1, 1), mustGeometry(t, d)
	sum := func(change func(*gpu.Frame)) uint64 {
		f := frameOf(geo, tex)
		change(f)
		if err := d.Present(nil, f); err != nil {
			t.Fatal(err)
		}
		return d.DrawHash()
	}
	seen := map[uint64]string{}
	for name, change := range map[string]func(*gpu.Frame){
		"same": func(*gpu.Frame) {}, "moved": func(f *gpu.Frame) { f.Items[0].Model[12] = 1 },
		"camera": func(f *gpu.Frame) { f.Camera.Pos[0] = 1 }, "fov": func(f *gpu.Frame) { f.Camera.FovYRad = 1 },
		"serial": func(f *gpu.Frame) { f.Items[0].Serial = 1 }, "sky": func(f *gpu.Frame) { f.Skybox = tex },
		"tint": func(f *gpu.Frame) { f.Materials[0].BaseColor[2] = 1 }, "none": func(f *gpu.Frame) { f.Items = nil },
		"twice": func(f *gpu.Frame) { f.Items = append(f.Items, f.Items[0]) },
		"probe": func(f *gpu.Frame) { f.Probe = tex }, "grade": func(f *gpu.Frame) { f.LookUp = tex },
		"quad": func(f *gpu.Frame) {
			f.Quads, f.Sprites = []gpu.Quad{{}}, []gpu.Sprites{{Texture: tex, Count: 1}}
		},
		"quad, lit": func(f *gpu.Frame) {
			f.Quads, f.Sprites = []gpu.Quad{{}}, []gpu.Sprites{{Texture: tex, Count: 1, Lit: true}}
		},
		"quad, moved": func(f *gpu.Frame) {
			f.Quads, f.Sprites = []gpu.Quad{{Center: [3]float32{1}}}, []gpu.Sprites{{Texture: tex, Count: 1}}
		},
	} {
		h := sum(change)
		if other, dup := seen[h]; dup {
			t.Errorf("%q and %q have the same sum", name, other)
		}
		seen[h] = name
		if sum(change) != h {
			t.Errorf("%q has two sums", name)
		}
	}
}

func TestPresentCountsQuads(t *testing.T) {
	d := New(Options{})
	f := frameOf(mustGeometry(t, d), mustTexture(t, d, 1, 1, 1))
	f.Quads = make([]gpu.Quad, 5)
	f.Sprites = []gpu.Sprites{{Texture: f.Textures[0], Count: 2}, {Texture: f.Textures[0], First: 2, Count: 3}}
	before := d.Stats().DrawnTriangles
	if err := d.Present(nil, f); err != nil || d.Stats().DrawnQuads != 5 || d.Stats().DrawnTriangles != before+11 {
		t.Errorf("%+v, %v", d.Stats(), err)
	}
	for _, s := range []gpu.Sprites{{First: 4, Count: 2}, {First: -1, Count: 1}, {Count: -1}, {First: 1 << 30, Count: 1 << 30}} {
		f.Sprites = []gpu.Sprites{s}
		if err := d.Present(nil, f); !errors.Is(err, gpu.ErrMalformed) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	f.Sprites, f.Quads = nil, nil
	if err := d.Present(nil, f); err != nil || d.Stats().DrawnQuads != 0 {
		t.Errorf("%+v, %v", d.Stats(), err)
	}
}

func TestSteadyPresentAllocatesNothing(t *testing.T) {
	d := New(Options{Checksum: true})
	f := frameOf(mustGeometry(t, d), mustTexture(t, d, 8, 8, 1))
	for range 100 {
		f.Items = append(f.Items, f.Items[0])
	}
	if n := testing.AllocsPerRun(50, func() { _ = d.Present(nil, f) }); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

func TestClosedDeviceRefusesCreates(t *testing.T) {
	d := New(Options{})
	d.Close()
	d.Close()
	if _, err := d.CreateTexture(gpu.TextureDesc{Width: 1, Height: 1, Levels: 1}); err == nil {
		t.Error("a closed device made a texture")
	}
}
