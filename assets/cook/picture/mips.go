package picture

import (
	"image"

	"sojourn/assets"
)

// encodeWorkPerPixel is the memory [Encode] takes for each texel: the levels,
// the file, and the first level as light (a quarter of 16 bytes, and its own).
const encodeWorkPerPixel = 6 + 6 + 6

// plane is one level as linear light weighted by alpha, four floats a texel.
type plane struct {
	width, height int
	texels        []float32
}

// taps are the source texels one target texel covers along an edge. An odd
// edge of 2n+1 halves to n, so each target covers 2+1/n source texels: three
// taps, the outer two in part.
type taps struct {
	first   int
	weights [3]float32
	count   int
}

func tapsFor(source int) []taps {
	target := max(1, source/2)
	list := make([]taps, target)
	for i := range list {
		switch {
		case source == 1:
			list[i] = taps{weights: [3]float32{1}, count: 1}
		case source%2 == 0:
			list[i] = taps{first: 2 * i, weights: [3]float32{0.5, 0.5}, count: 2}
		default:
			s := float32(source)
			list[i] = taps{first: 2 * i, count: 3, weights: [3]float32{
				float32(target-i) / s, float32(target) / s, float32(i+1) / s,
			}}
		}
	}
	return list
}

// texelReader gives n texels of a row from x on, into dst.
type texelReader func(y int, dst []float32)

// halve makes the next level. row fills one source row of light.
func halve(width, height int, row texelReader) plane {
	p := plane{width: max(1, width/2), height: max(1, height/2)}
	p.texels = make([]float32, 4*p.width*p.height)
	across, down := tapsFor(width), tapsFor(height)
	source, sum := make([]float32, 4*width), make([]float32, 4*width)
	shared := -1 // source row left in `source`: odd heights use it twice
	for y, d := range down {
		clear(sum)
		for k := range d.count {
			if d.first+k != shared {
				shared = d.first + k
				row(shared, source)
			}
			w := d.weights[k]
			for i, v := range source {
				sum[i] += w * v
			}
		}
		target := p.texels[4*p.width*y:][:4*p.width]
		for x, a := range across {
			at, out := sum[4*a.first:], target[4*x:4*x+4]
			for k := range a.count {
				w, in := a.weights[k], at[4*k:4*k+4]
				out[0] += w * in[0]
				out[1] += w * in[1]
				out[2] += w * in[2]
				out[3] += w * in[3]
			}
		}
	}
	return p
}

// rows reads a plane as halve wants it.
func (p plane) rows(y int, dst []float32) { copy(dst, p.texels[4*p.width*y:]) }

// chain makes every level of m down to 1x1, finest first, in bytes ready for
// the device.
func chain(m *image.NRGBA, linear bool) (levels [][]byte, hasAlpha bool) {
	if linear {
		return linearChain(m), false
	}
	t := curve()
	width, height := m.Rect.Dx(), m.Rect.Dy()
	first := make([]byte, 4*width*height)
	for y := range height {
		from, to := rowOf(m, y), first[4*width*y:][:4*width]
		for i := 0; i < len(to); i += 4 {
			a := from[i+3]
			hasAlpha = hasAlpha || a != 0xff
			multiply(to[i:i+4], from[i], from[i+1], from[i+2], a)
		}
	}
	levels = append(make([][]byte, 0, assets.MipsMax), first)
	read := func(y int, dst []float32) {
		from := rowOf(m, y)
		for i := 0; i < len(from); i += 4 {
			a := float32(from[i+3])
			dst[i], dst[i+1], dst[i+2], dst[i+3] =
				t.linear[from[i]]*a, t.linear[from[i+1]]*a, t.linear[from[i+2]]*a, a
		}
	}
	for width > 1 || height > 1 {
		p := halve(width, height, read)
		out := make([]byte, len(p.texels))
		for i := 0; i < len(out); i += 4 {
			if a := p.texels[i+3]; a > 0 {
				multiply(out[i:i+4], t.encode(p.texels[i]/a), t.encode(p.texels[i+1]/a), t.encode(p.texels[i+2]/a), uint8(a+0.5))
			}
		}
		levels = append(levels, out)
		width, height, read = p.width, p.height, p.rows
	}
	return levels, hasAlpha
}

// linearChain averages values as they are. Data maps carry no coverage, so
// their alpha is dropped rather than multiplied into the data.
func linearChain(m *image.NRGBA) [][]byte {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	first := make([]byte, 0, 4*width*height)
	for y := range height {
		first = append(first, rowOf(m, y)...)
	}
	for i := 3; i < len(first); i += 4 {
		first[i] = 0xff
	}
	levels := append(make([][]byte, 0, assets.MipsMax), first)
	read := func(y int, dst []float32) {
		for i, v := range rowOf(m, y) {
			dst[i] = float32(v)
		}
	}
	for width > 1 || height > 1 {
		p := halve(width, height, read)
		out := make([]byte, len(p.texels))
		for i, v := range p.texels {
			out[i] = uint8(min(v+0.5, 255))
			if i%4 == 3 {
				out[i] = 0xff
			}
		}
		levels = append(levels, out)
		width, height, read = p.width, p.height, p.rows
	}
	return levels
}

func rowOf(m *image.NRGBA, y int) []byte {
	at := m.PixOffset(m.Rect.Min.X, m.Rect.Min.Y+y)
	return m.Pix[at : at+4*m.Rect.Dx()]
}

// multiply is the one place where colour meets alpha.
func multiply(to []byte, r, g, b, a uint8) {
	if a == 0xff {
		to[0], to[1], to[2], to[3] = r, g, b, a
		return
	}
	w := uint32(a)
	to[0] = uint8((uint32(r)*w + 127) / 255)
	to[1] = uint8((uint32(g)*w + 127) / 255)
	to[2] = uint8((uint32(b)*w + 127) / 255)
	to[3] = a
}
