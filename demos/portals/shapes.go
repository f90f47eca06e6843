package portals

import (
	"math"
	"math/rand/v2"

	"sojourn/assets"
	"sojourn/assets/ktx2"
	"sojourn/assets/meshfile"
	"sojourn/assets/soundfile"
)

func newRandom(seed, number uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, number)) }

// lump is the file of a stone: a sphere of n by n quads, pushed in and out.
func lump(n int, number uint64) ([]byte, error) {
	random := newRandom(number, 1)
	var waves [4][3]float64
	for i := range waves {
		waves[i] = [3]float64{float64(1 + random.IntN(4)), float64(1 + random.IntN(3)), 6 * random.Float64()}
	}
	var vertices []assets.Vertex
	for y := range n + 1 {
		for x := range n + 1 {
			u, v := float64(x)/float64(n), float64(y)/float64(n)
			sinLat, cosLat := math.Sincos(math.Pi * v)
			sinLon, cosLon := math.Sincos(2 * math.Pi * u)
			r := 1.0
			for _, w := range waves {
				r += 0.06 * math.Sin(2*math.Pi*u*w[0]+w[2]) * math.Sin(math.Pi*v*w[1])
			}
			dir := [3]float64{sinLat * cosLon, cosLat, sinLat * sinLon}
			vertices = append(vertices, assets.Vertex{
				Pos:    [3]float32{float32(r * dir[0]), float32(r * dir[1]), float32(r * dir[2])},
				Normal: [3]float32{float32(dir[0]), float32(dir[1]), float32(dir[2])},
				UV:     [2]float32{float32(u), float32(v)}, Color: [4]uint8{255, 255, 255, 255},
			})
		}
	}
	var indices []uint32
	row := uint32(n + 1)
	for y := range uint32(n) {
		for x := range uint32(n) {
			a := y*row + x
			indices = append(indices, a, a+1, a+row, a+1, a+row+1, a+row)
		}
	}
	return meshfile.Encode(vertices, indices)
}

// ground is the file of a cell's floor.
func ground() ([]byte, error) {
	var vertices []assets.Vertex
	for _, pos := range [4][3]float32{{-20, 0, 0}, {20, 0, 0}, {20, 0, CellMetres}, {-20, 0, CellMetres}} {
		vertices = append(vertices, assets.Vertex{Pos: pos, Normal: [3]float32{0, 1, 0}, Color: [4]uint8{255, 255, 255, 255}})
	}
	return meshfile.Encode(vertices, []uint32{0, 2, 1, 0, 3, 2})
}

// tint is a colour for a number, of so much brightness.
func tint(number uint64, bright float64) [4]float32 {
	c := [4]float32{3: 1}
	hue := float64(number) * 0.618034
	for i := range 3 {
		c[i] = float32(bright * (0.55 + 0.45*math.Cos(2*math.Pi*(hue+float64(i)/3))))
	}
	return c
}

// mottled is the file of a texture in a colour of its own, with noise that
// does not compress.
func mottled(edge int, number uint64) ([]byte, error) {
	random, c := newRandom(number, 2), tint(number, 230)
	return texture(edge, true, func(texel []byte) {
		noise := random.Uint32()
		for i := range 3 {
			texel[i] = uint8(min(255, float64(c[i])*(0.7+0.3*float64(noise>>(8*i)&255)/255)))
		}
	})
}

// grainTexture is the file of a normal map that all share.
func grainTexture(edge int, seed uint64) ([]byte, error) {
	random := newRandom(seed, 3)
	return texture(edge, false, func(texel []byte) {
		noise := random.Uint32()
		texel[0], texel[1], texel[2] = uint8(118+noise&15), uint8(118+noise>>8&15), 250
	})
}

func texture(edge int, srgb bool, fill func(texel []byte)) ([]byte, error) {
	l := ktx2.Levels{Width: edge, Height: edge, SRGB: srgb}
	for level := range ktx2.LevelCount(edge, edge) {
		w, h := ktx2.LevelSize(edge, edge, level)
		pixels := make([]byte, 4*w*h)
		for i := 0; i < len(pixels); i += 4 {
			fill(pixels[i : i+4])
			pixels[i+3] = 255
		}
		l.Pixels = append(l.Pixels, pixels)
	}
	return ktx2.Encode(&l)
}

// tone is the file of a soft tone.
func tone(hertz int, seconds float64) ([]byte, error) {
	const rate = 48000
	samples := make([]int16, int(rate*seconds))
	for i := range samples {
		samples[i] = int16(6000 * math.Sin(2*math.Pi*float64(hertz)*float64(i)/rate))
	}
	return soundfile.Encode(rate, 1, samples)
}
