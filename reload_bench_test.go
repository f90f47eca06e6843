package sojourn_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/docfile"
	"sojourn/assets/ktx2"
	"sojourn/assets/loose"
	"sojourn/assets/meshfile"
	"sojourn/assets/soundfile"
	"sojourn/assets/watch"
	"sojourn/gpu"
	"sojourn/gpu/headless"
)

// spy is a headless device that remembers the frame presented last.
type spy struct {
	*headless.Device
	items     []gpu.Item
	materials []gpu.MaterialRow
	textures  []gpu.TextureID
	skybox    gpu.TextureID
}

func newSpy() *spy { return &spy{Device: headless.New(headless.Options{Checksum: true})} }

func (d *spy) Present(target any, f *gpu.Frame) error {
	d.items = append(d.items[:0], f.Items...)
	d.materials = append(d.materials[:0], f.Materials...)
	d.textures = append(d.textures[:0], f.Textures...)
	d.skybox = f.Skybox
	return d.Device.Present(target, f)
}

// baseMap is the image the first item's material shows, or zero.
func (d *spy) baseMap() gpu.TextureID {
	if len(d.items) == 0 {
		return 0
	}
	i := d.materials[d.items[0].Material].Maps[assets.MapBaseColor]
	if int(i) >= len(d.textures) {
		return 0
	}
	return d.textures[i]
}

// sumOf is the device's sum of an image, made alone.
func sumOf(t *testing.T, file []byte) uint64 {
	t.Helper()
	tex, err := ktx2.Parse(readerAt(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	d := headless.New(headless.Options{Checksum: true})
	defer d.Close()
	id, err := d.CreateTexture(gpu.TextureDesc{Width: int(tex.Width), Height: int(tex.Height), Levels: int(tex.Levels)})
	if err != nil {
		t.Fatal(err)
	}
	for level := range tex.Levels {
		m := tex.Mips[level]
		err := d.WriteTexture(id, gpu.Strip{
			Level: int(level), Rows: int(m.Height), Pixels: file[m.OffsetBytes : m.OffsetBytes+m.SizeBytes],
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return d.Checksum(id)
}

type readerAt []byte

func (r readerAt) ReadAt(p []byte, off int64) (int, error) {
	n := copy(p, r[off:])
	if n < len(p) {
		return n, fmt.Errorf("short")
	}
	return n, nil
}

// meshOf has n triangles before the default camera.
func meshOf(t *testing.T, n int) []byte {
	t.Helper()
	var v []assets.Vertex
	var idx []uint32
	for i := range n {
		z := float32(i) * 0.01
		for _, p := range [][3]float32{{-1, -1, z}, {1, -1, z}, {0, 1, z}} {
			v = append(v, assets.Vertex{Pos: p, Normal: [3]float32{0, 0, 1}, Color: [4]uint8{255, 255, 255, 255}})
			idx = append(idx, uint32(len(v)-1))
		}
	}
	b, err := meshfile.Encode(v, idx)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// textureOf is one colour, of edge texels.
func textureOf(t *testing.T, edge int, colour byte) []byte {
	t.Helper()
	l := ktx2.Levels{Width: edge, Height: edge, SRGB: true}
	for level := range ktx2.LevelCount(edge, edge) {
		w, h := ktx2.LevelSize(edge, edge, level)
		p := make([]byte, w*h*4)
		for i := range p {
			p[i] = colour
			if i%4 == 3 {
				p[i] = 255
			}
		}
		l.Pixels = append(l.Pixels, p)
	}
	b, err := ktx2.Encode(&l)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func materialOf(t *testing.T, red float32, baseColor string) []byte {
	t.Helper()
	m := assets.Material{BaseColor: [4]float32{red, 0.5, 0.5, 1}, Roughness: 1, NormalScale: 1, Occlusion: 1}
	m.Maps[assets.MapBaseColor] = baseColor
	b, err := docfile.EncodeMaterial(&m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// modelOf has n parts of one mesh and material.
func modelOf(t *testing.T, n int, mesh, material string) []byte {
	t.Helper()
	identity := [16]float32{0: 1, 5: 1, 10: 1, 15: 1}
	m := assets.Model{
		Nodes:  []assets.ModelNode{{Name: "root", Parent: -1, Local: assets.IdentityTransform(), World: identity}},
		Bounds: assets.Bounds{Min: [3]float32{-1, -1, 0}, Max: [3]float32{1, 1, 0}, Radius: 1.5},
	}
	for range n {
		m.Parts = append(m.Parts, assets.ModelPart{Mesh: mesh, Material: material})
	}
	b, err := docfile.EncodeModel(&m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func soundOf(t *testing.T, frames int, level int16) []byte {
	t.Helper()
	samples := make([]int16, frames)
	for i := range samples {
		samples[i] = level
	}
	b, err := soundfile.Encode(48000, 1, samples)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// live is a session over a watched folder, or over packs.
type live struct {
	*testing.T
	dir   string
	dev   *spy
	s     *sojourn.Session
	w     *sojourn.World
	looks []chan time.Time
	ended <-chan time.Time
}

// open starts a session over sources and watches paths.
func openLive(t *testing.T, paths []string, sources []assets.Source, change func(*sojourn.Options)) *live {
	t.Helper()
	l := &live{T: t, dev: newSpy(), ended: time.After(60 * time.Second)}
	o := sojourn.Options{
		Sources: sources, Device: l.dev, Workers: 2, Watch: paths,
		WatchOptions: func(string) watch.Options {
			looks := make(chan time.Time)
			l.looks = append(l.looks, looks)
			return watch.Options{Looks: looks}
		},
	}
	if change != nil {
		change(&o)
	}
	var err error
	if l.s, err = sojourn.Open(o); err != nil {
		t.Fatal(err)
	}
	if l.w, err = l.s.NewWorld(sojourn.WorldOptions{Name: "main", EntitiesExpected: 64}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return l
}

// folderLive is a session over one watched folder.
func folderLive(t *testing.T, files map[string][]byte) *live {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), data)
	}
	src, err := loose.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	l := openLive(t, []string{dir}, []assets.Source{src}, nil)
	l.dir = dir
	return l
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func (l *live) path(name string) string { return filepath.Join(l.dir, filepath.FromSlash(name)) }

// save replaces a file by renaming.
func (l *live) save(name string, data []byte) {
	l.Helper()
	put(l.T, l.path(name)+".tmp~", data)
	if err := os.Rename(l.path(name)+".tmp~", l.path(name)); err != nil {
		l.Fatal(err)
	}
}

// frame is a look of every watcher, a tick and a present.
func (l *live) frame() {
	l.Helper()
	for _, looks := range l.looks {
		looks <- time.Time{}
	}
	l.s.Tick(16 * time.Millisecond)
	if err := l.s.Present(nil); err != nil {
		l.Fatal(err)
	}
}

// await runs frames until something is so.
func (l *live) await(what string, is func() bool) {
	l.Helper()
	for !is() {
		select {
		case <-l.ended:
			var snap sojourn.Snapshot
			l.s.Snapshot(&snap)
			for _, r := range snap.Store.Rows {
				why, _ := l.s.Why(r.Key)
				l.Logf("%s:%s %s refs %d names %d: %+v", r.Key.Kind, r.Key.Stem, r.State, r.Refs, r.Names, why)
			}
			l.Fatalf("it did not come to this: %s; reloads %+v, worlds %+v", what, l.s.Reloads(), snap.Worlds)
		default:
		}
		l.frame()
	}
}

func (l *live) handle(kind assets.Kind, stem string) assets.Handle {
	h, _ := l.s.Store().Find(assets.Key{Stem: stem, Kind: kind})
	return h
}

// drawn tells whether exactly n triangles are drawn.
func (l *live) drawn(n int) func() bool {
	return func() bool { return l.dev.Stats().DrawnTriangles == n }
}

// shows tells whether the first item shows this texture, whole.
func (l *live) shows(file []byte) func() bool {
	want := sumOf(l.T, file)
	return func() bool {
		id := l.dev.baseMap()
		return id != 0 && l.dev.Complete(id) && l.dev.Checksum(id) == want
	}
}

// box is the files of a model whose one part has n triangles.
func box(t *testing.T, n int) map[string][]byte {
	return map[string][]byte{
		"box.model":        modelOf(t, 1, "box#side", "paint"),
		"box#side.mesh":    meshOf(t, n),
		"paint.material":   materialOf(t, 0.25, "skin"),
		"skin.ktx2":        textureOf(t, 8, 10),
		"skin.pcm":         soundOf(t, 4800, 100),
		"sky/day.ktx2":     textureOf(t, 16, 200),
		"sounds/hum.pcm":   soundOf(t, 9600, 50),
		"letters/a.script": []byte("first"),
	}
}

func (l *live) spawnBox() {
	l.Helper()
	if _, err := sojourn.Spawn(l.w, "box", sojourn.At(0, 0, -5)); err != nil {
		l.Fatal(err)
	}
}
