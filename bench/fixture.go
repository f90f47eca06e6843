package main

import (
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"path/filepath"

	"sojourn/assets"
	"sojourn/assets/docfile"
	"sojourn/assets/ktx2"
	"sojourn/assets/meshfile"
	"sojourn/assets/pack"
)

// smallCount is how many small assets the store's comparisons use: meshes and
// materials, half each.
const smallCount = 10_000

func smallKey(i int) assets.Key {
	if i < smallCount/2 {
		return assets.Key{Stem: fmt.Sprintf("props/%05d", i), Kind: assets.KindMesh}
	}
	return assets.Key{Stem: fmt.Sprintf("surfaces/%05d", i), Kind: assets.KindMaterial}
}

// smallKeys are the assets of the small pack, in the order of their entries.
func smallKeys() []assets.Key {
	keys := make([]assets.Key, smallCount)
	for i := range keys {
		keys[i] = smallKey(i)
	}
	return keys
}

func entryName(k assets.Key) string {
	if k.Kind == assets.KindMesh {
		return k.Stem + ".mesh"
	}
	return k.Stem + ".material"
}

// smallPack writes the small assets: meshes of some 3 KB, and materials.
func (r *run) smallPack() (path string, err error) {
	path = filepath.Join(r.dir, "small.zip")
	return path, writePack(path, func(w *pack.Writer) error {
		mesh, err := gridMesh(8, 0)
		if err != nil {
			return err
		}
		for i := range smallCount {
			k := smallKey(i)
			data := mesh
			if k.Kind == assets.KindMaterial {
				m := docfile.DefaultMaterial()
				m.Maps[assets.MapBaseColor] = fmt.Sprintf("walls/%05d", i)
				m.Roughness = float32(i%100) / 100
				if data, err = docfile.EncodeMaterial(&m); err != nil {
					return err
				}
			}
			if err := w.Add(entryName(k), data, false); err != nil {
				return err
			}
		}
		return nil
	})
}

func writePack(path string, fill func(*pack.Writer) error) error {
	w, err := pack.Create(path, pack.WriterOptions{NoSync: true})
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := fill(w); err != nil {
		return err
	}
	return w.Commit()
}

// gridMesh is the file of a wavy square of n by n quads.
func gridMesh(n int, seed uint64) ([]byte, error) {
	random := rand.New(rand.NewPCG(seed, 1))
	var vertices []assets.Vertex
	for y := range n + 1 {
		for x := range n + 1 {
			u, v := float32(x)/float32(n), float32(y)/float32(n)
			height := 0.1*math.Sin(float64(u)*9) + 0.01*random.Float64()
			vertices = append(vertices, assets.Vertex{
				Pos: [3]float32{u, float32(height), v}, Normal: [3]float32{0, 1, 0}, UV: [2]float32{u, v},
				Color: [4]uint8{255, 255, 255, 255},
			})
		}
	}
	var indices []uint32
	row := uint32(n + 1)
	for y := range uint32(n) {
		for x := range uint32(n) {
			a := y*row + x
			indices = append(indices, a, a+row, a+1, a+1, a+row, a+row+1)
		}
	}
	return meshfile.Encode(vertices, indices)
}

// noiseTexture is the file of a square picture with its mips.
func noiseTexture(edge int, seed uint64) ([]byte, error) {
	random := rand.New(rand.NewPCG(seed, 2))
	l := ktx2.Levels{Width: edge, Height: edge, SRGB: true}
	for level := range ktx2.LevelCount(edge, edge) {
		w, h := ktx2.LevelSize(edge, edge, level)
		pixels := make([]byte, 4*w*h)
		for i := range pixels {
			pixels[i] = uint8(random.Uint32())
			if i%4 == 3 {
				pixels[i] = 255
			}
		}
		l.Pixels = append(l.Pixels, pixels)
	}
	return ktx2.Encode(&l)
}

// encoded is a compressed entry that is written under many names.
type encoded struct {
	frames    []byte
	sizeBytes int64
	sum       uint32
}

func encode(data []byte) (encoded, error) {
	enc, err := pack.NewEncoder()
	if err != nil {
		return encoded{}, err
	}
	return encoded{pack.EncodeFrames(nil, data, enc), int64(len(data)), crc32.ChecksumIEEE(data)}, nil
}

func (e *encoded) addTo(w *pack.Writer, name string) error {
	return w.AddEncoded(name, e.frames, e.sizeBytes, e.sum)
}
