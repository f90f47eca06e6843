package ebitengine

import (
	"math"

	"sojourn/assets"
	"sojourn/gpu"
)

// variant is one of the shaders.
type variant uint8

const (
	variantFlat  variant = iota // no map: tint and light
	variantBase                 // base colour, opaque
	variantQuick                // the same, the coarser level unfiltered
	variantSmall                // the same, neither level filtered
	variantAlpha                // base colour, cut out or blended
	variantFull                 // all four maps, lit by pixel
	variantSky
	variantCount
)

// imagesPerDraw is how many source images Ebitengine binds.
const imagesPerDraw = 4

// look is everything that must be equal for triangles to share a draw call.
type look struct {
	variant variant
	blend   bool
	cutoff  float32
	// material is the row whose factors are uniforms; only full looks have any.
	material uint32
	textures [imagesPerDraw]gpu.TextureID
}

// drawnMaps are the maps a draw call can have, in the order of its images.
var drawnMaps = [imagesPerDraw]assets.MapSlot{assets.MapBaseColor, assets.MapNormal, assets.MapORM, assets.MapEmissive}

// detailSpanMin is the size on screen from which normal and
// occlusion-roughness-metal maps are worth their cost, in pixels.
const detailSpanMin = 40

// tinySpanMax is the size on screen below which a thing is drawn in the average
// colour of its base map, in pixels. Its texels would hardly show, and things
// of many materials then share a draw call.
const tinySpanMax = 10

// crateSpanMax is the size on screen below which a rushed frame has a box in
// place of a thing, in pixels.
const crateSpanMax = 5

// meshFor is what is drawn of an item with this look.
func (b *box) meshFor(ls *looks, l *look) *mesh {
	if ls.haste == rushed && l.variant == variantFlat && !l.blend && b.mesh.crate != nil && b.span() < crateSpanMax {
		return b.mesh.crate
	}
	return b.mesh
}

// face is what a look needs to know of a texture.
type face struct {
	alive    bool
	averaged bool // average is known
	average  [4]float32
}

// faceOf answers the zero face for a stale id.
type faceOf func(gpu.TextureID) face

// looks numbers the looks of one frame, densely, so that they can be compared
// and counted cheaply. A material has up to two: up close and in small.
type looks struct {
	haste haste
	all   []look
	index map[look]int32
	// rows holds, by material row and size on screen, the look's number; -1:
	// not asked for yet.
	rows  [sizes][]int32
	tints [sizes][]tint
}

// haste is how far looks give way to time, where frames are enlarged anyway.
type haste uint8

const (
	unhurried haste = iota
	quick           // coarser filtering, no relief, glow of small things in its average
	rushed          // no filtering either
)

// tint is what a look takes from a material row without a map.
type tint struct {
	base     [4]float32 // times the average of a base map that is left out
	emissive vec        // times the average of an emissive map that is left out
}

// Sizes on screen that differ in looks.
const (
	sizeNear = iota
	sizeSmall
	sizeTiny
	sizes
)

func sizeOf(span float32) int {
	switch {
	case span < tinySpanMax:
		return sizeTiny
	case span < detailSpanMin:
		return sizeSmall
	}
	return sizeNear
}

func (ls *looks) reset(materials int) {
	if ls.index == nil {
		ls.index = make(map[look]int32)
	}
	clear(ls.index)
	ls.all = ls.all[:0]
	for size := range sizes {
		ls.rows[size] = resized(ls.rows[size], materials)
		ls.tints[size] = resized(ls.tints[size], materials)
		for i := range ls.rows[size] {
			ls.rows[size][i] = -1
		}
	}
}

// of answers the number of a material's look for a size on screen.
func (ls *looks) of(frame *gpu.Frame, material uint32, size int, textures faceOf) int32 {
	if n := ls.rows[size][material]; n >= 0 {
		return n
	}
	l, t := lookOf(frame, material, size, ls.haste, textures)
	n := ls.number(l)
	ls.rows[size][material], ls.tints[size][material] = n, t
	return n
}

// ofSprite answers the number of the look of quads with a texture, which are
// blended. Without it, or with a stale one, they are plain.
func (ls *looks) ofSprite(id gpu.TextureID, textures faceOf) int32 {
	l := look{variant: variantFlat, blend: true}
	if textures(id).alive {
		l.variant, l.textures[0] = variantAlpha, id
	}
	return ls.number(l)
}

func (ls *looks) number(l look) int32 {
	n, ok := ls.index[l]
	if !ok {
		n = int32(len(ls.all))
		ls.all = append(ls.all, l)
		ls.index[l] = n
	}
	return n
}

func lookOf(frame *gpu.Frame, material uint32, size int, haste haste, textures faceOf) (look, tint) {
	row := &frame.Materials[material]
	l := look{blend: row.Factors[1] != 0, cutoff: row.Factors[0]}
	if !(l.cutoff > 0) {
		l.cutoff = 0 // also what is no number: a key must equal itself
	}
	var base, glow face
	for i, slot := range drawnMaps {
		at := row.Maps[slot]
		if at == gpu.NoMap || uint64(at) >= uint64(len(frame.Textures)) || frame.Textures[at] == 0 {
			continue
		}
		if f := textures(frame.Textures[at]); f.alive {
			l.textures[i] = frame.Textures[at]
			switch slot {
			case assets.MapBaseColor:
				base = f
			case assets.MapEmissive:
				glow = f
			}
		}
	}
	// Small items and enlarged frames go without the relief: on a software
	// renderer it costs more than everything else together.
	if row.Factors[3] != 0 || size != sizeNear || haste != unhurried {
		l.textures[1], l.textures[2] = 0, 0
	}
	t := tint{row.BaseColor, vec{row.Emissive[0], row.Emissive[1], row.Emissive[2]}}
	if haste != unhurried && size != sizeNear && glow.averaged {
		l.textures[3] = 0
		t.emissive = vec{t.emissive.x * glow.average[0], t.emissive.y * glow.average[1], t.emissive.z * glow.average[2]}
	}
	if size == sizeTiny && base.averaged && !l.blend && l.cutoff == 0 && l.textures[3] == 0 {
		l.textures[0] = 0
		for k := range t.base {
			t.base[k] *= base.average[k]
		}
	}
	switch {
	case l.textures[1]|l.textures[2]|l.textures[3] != 0:
		l.variant, l.material = variantFull, material
	case l.textures[0] != 0 && (l.blend || l.cutoff > 0):
		l.variant = variantAlpha
	case l.textures[0] != 0 && haste == quick && size == sizeNear:
		l.variant = variantQuick
	case l.textures[0] != 0 && haste != unhurried:
		l.variant = variantSmall
	case l.textures[0] != 0:
		l.variant = variantBase
	default:
		l.variant, l.cutoff = variantFlat, 0
	}
	return l, t
}

// shade turns local normals into light for one item.
type shade struct {
	lit      bool // by vertex
	normals  bool // handed on to pixels, in world axes
	twoSided bool
	eye      vec // the camera, in local axes
	matrix   [3]vec
	uniform  bool // matrix scales all directions alike
	sun      vec  // in local axes when uniform, else in world axes
	ambient  vec
	sunColor vec
	tint     [4]float32
	emissive vec
}

func shadeOf(c *gpu.Camera, row *gpu.MaterialRow, t *tint, v variant, m *gpu.Mat4, eye vec) shade {
	s := shade{
		tint: t.base, eye: eye, ambient: vecOf(c.Ambient), sunColor: vecOf(c.SunColor),
		emissive: t.emissive,
		twoSided: row.Factors[2] != 0, normals: v == variantFull,
	}
	s.lit = row.Factors[3] == 0 && v != variantFull
	for k := range s.tint {
		s.tint[k] /= 255 // vertex colours are bytes
	}
	if !s.lit && !s.normals {
		return s
	}
	// Normals go by the cofactors; a mirroring matrix turns their sign back.
	x, y, z := axis(m, 0), axis(m, 1), axis(m, 2)
	s.matrix = [3]vec{cross(y, z), cross(z, x), cross(x, y)}
	if det := dot(x, s.matrix[0]); det < 0 {
		for k := range 3 {
			s.matrix[k] = scaled(s.matrix[k], -1)
		}
	}
	a, b, d := dot(s.matrix[0], s.matrix[0]), dot(s.matrix[1], s.matrix[1]), dot(s.matrix[2], s.matrix[2])
	skew := abs(dot(s.matrix[0], s.matrix[1])) + abs(dot(s.matrix[1], s.matrix[2])) + abs(dot(s.matrix[2], s.matrix[0]))
	s.sun = vecOf(c.SunDir)
	if abs(a-b)+abs(a-d)+skew < 1e-3*a {
		s.uniform = true
		scale := 1 / float32(math.Sqrt(float64(a)))
		for k := range 3 {
			s.matrix[k] = scaled(s.matrix[k], scale)
		}
		s.sun = vec{dot(s.matrix[0], s.sun), dot(s.matrix[1], s.sun), dot(s.matrix[2], s.sun)}
	}
	return s
}

// apply fills in colour and normal of a corner.
func (s *shade) apply(v *assets.Vertex, c *corner) {
	c.red = s.tint[0] * float32(v.Color[0])
	c.green = s.tint[1] * float32(v.Color[1])
	c.blue = s.tint[2] * float32(v.Color[2])
	c.alpha = s.tint[3] * float32(v.Color[3])
	if !s.lit && !s.normals {
		return
	}
	n := vecOf(v.Normal)
	if s.twoSided && dot(n, sub(s.eye, vecOf(v.Pos))) < 0 {
		n = scaled(n, -1)
	}
	if s.normals || !s.uniform {
		n = sum(sum(scaled(s.matrix[0], n.x), scaled(s.matrix[1], n.y)), scaled(s.matrix[2], n.z))
		if !s.uniform {
			n = normalized(n)
		}
	}
	if s.normals {
		c.nx, c.ny, c.nz = n.x, n.y, n.z
		return
	}
	facing := max(0, dot(n, s.sun))
	c.red *= s.ambient.x + s.sunColor.x*facing
	c.green *= s.ambient.y + s.sunColor.y*facing
	c.blue *= s.ambient.z + s.sunColor.z*facing
}
