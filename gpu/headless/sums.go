package headless

import (
	"math"
	"math/bits"

	"github.com/zeebo/xxh3"

	"sojourn/gpu"
)

// rowsOf is the number of rows of the finest `levels` levels.
func rowsOf(d gpu.TextureDesc, levels int) int {
	rows := 0
	for level := range levels {
		_, h := d.LevelSize(level)
		rows += h
	}
	return rows
}

func (t *texture) sumRows(s gpu.Strip) {
	w, _ := t.desc.LevelSize(s.Level)
	first := rowsOf(t.desc, s.Level) + s.Y
	for row := range s.Rows {
		sum := xxh3.Hash(s.Pixels[row*w*4 : (row+1)*w*4])
		t.rowSums[first+row] = sum | 1 // zero says never written
	}
}

// Checksum sums up what was written to a texture, whatever strips it came in;
// equal textures have equal sums. It is 0 without Options.Checksum, and for a
// stale id.
func (d *Device) Checksum(id gpu.TextureID) uint64 {
	t := d.textures.At(id)
	if t == nil || t.rowSums == nil {
		return 0
	}
	h := frameHash(1)
	for _, sum := range t.rowSums {
		h = h.mix(sum)
	}
	return uint64(h)
}

// Complete tells whether every row of every level was written at least once.
// It is false without Options.Checksum, and for a stale id.
func (d *Device) Complete(id gpu.TextureID) bool {
	t := d.textures.At(id)
	if t == nil || t.rowSums == nil {
		return false
	}
	for _, sum := range t.rowSums {
		if sum == 0 {
			return false
		}
	}
	return true
}

// frameHash folds words into a sum: one wide multiplication each.
type frameHash uint64

func (h frameHash) mix(word uint64) frameHash {
	hi, lo := bits.Mul64(uint64(h)^0x9E3779B97F4A7C15, word^0xD1B54A32D192ED03)
	return frameHash(hi ^ lo + uint64(h)<<1)
}

func (h frameHash) floats(v []float32) frameHash {
	for i := 0; i+1 < len(v); i += 2 {
		h = h.mix(uint64(math.Float32bits(v[i]))<<32 | uint64(math.Float32bits(v[i+1])))
	}
	if len(v)%2 == 1 {
		h = h.mix(uint64(math.Float32bits(v[len(v)-1])))
	}
	return h
}

func hashFrame(f *gpu.Frame) uint64 {
	c := &f.Camera
	h := frameHash(len(f.Items)).floats(c.View[:]).floats(c.Pos[:])
	h = h.floats(c.FogColor[:]).floats(c.Ambient[:]).floats(c.SunDir[:]).floats(c.SunColor[:]).floats(c.ClearColor[:])
	scalars := [...]float32{c.FovYRad, c.Near, c.Far, c.FogStart, c.FogEnd}
	h = h.floats(scalars[:]).mix(uint64(f.Skybox)).mix(uint64(f.Probe)).mix(uint64(f.LookUp))
	for i := range f.Items {
		it := &f.Items[i]
		h = h.mix(uint64(it.Geometry)).mix(uint64(it.Material)<<32 | uint64(it.Serial)).floats(it.Model[:])
	}
	for i := range f.Materials {
		m := &f.Materials[i]
		h = h.floats(m.BaseColor[:]).floats(m.Emissive[:]).floats(m.Specular[:])
		h = h.floats(m.Ambient[:]).floats(m.Roughness[:]).floats(m.Factors[:])
		for _, index := range m.Maps {
			h = h.mix(uint64(index))
		}
	}
	for _, id := range f.Textures {
		h = h.mix(uint64(id))
	}
	return uint64(h.sprites(f))
}

func (h frameHash) sprites(f *gpu.Frame) frameHash {
	for i := range f.Sprites {
		s := &f.Sprites[i]
		lit := uint64(0)
		if s.Lit {
			lit = 1
		}
		h = h.mix(uint64(s.Texture)).mix(uint64(uint32(s.First))<<32 | uint64(uint32(s.Count))).mix(uint64(s.Serial)<<1 | lit)
	}
	for i := range f.Quads {
		q := &f.Quads[i]
		h = h.floats(q.Center[:]).floats(q.Right[:]).floats(q.Up[:]).floats(q.Color[:])
	}
	return h
}
