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

// looks numbers the looks of one frame, densely, so that they can be compared
// and counted cheaply. A material has up to two: up close and in small.
type looks struct {
	all   []look
	index map[look]int32
	near  []int32 // by material row; -1: not asked for yet
	small []int32
}

func (ls *looks) reset(materials int) {
	if ls.index == nil {
		ls.index = make(map[look]int32)
	}
	clear(ls.index)
	ls.all = ls.all[:0]
	ls.near, ls.small = resized(ls.near, materials), resized(ls.small, materials)
	for i := range materials {
		ls.near[i], ls.small[i] = -1, -1
	}
}

// of answers the number of a material's look. alive tells whether a texture
// can be drawn.
func (ls *looks) of(frame *gpu.Frame, material uint32, span float32, alive func(gpu.TextureID) bool) int32 {
	cache := ls.near
	if span < detailSpanMin {
		cache = ls.small
	}
	if n := cache[material]; n >= 0 {
		return n
	}
	l := lookOf(frame, material, span < detailSpanMin, alive)
	n, ok := ls.index[l]
	if !ok {
		n = int32(len(ls.all))
		ls.all = append(ls.all, l)
		ls.index[l] = n
	}
	cache[material] = n
	return n
}

func lookOf(frame *gpu.Frame, material uint32, small bool, alive func(gpu.TextureID) bool) look {
	row := &frame.Materials[material]
	l := look{blend: row.Factors[1] != 0, cutoff: row.Factors[0]}
	for i, slot := range drawnMaps {
		at := row.Maps[slot]
		if at == gpu.NoMap || uint64(at) >= uint64(len(frame.Textures)) {
			continue
		}
		if id := frame.Textures[at]; id != 0 && alive(id) {
			l.textures[i] = id
		}
	}
	unlit := row.Factors[3] != 0
	if unlit || small {
		l.textures[1], l.textures[2] = 0, 0
	}
	switch {
	case l.textures[1]|l.textures[2]|l.textures[3] != 0:
		l.variant, l.material = variantFull, material
	case l.textures[0] != 0 && (l.blend || l.cutoff > 0):
		l.variant = variantAlpha
	case l.textures[0] != 0:
		l.variant = variantBase
	default:
		l.variant, l.cutoff = variantFlat, 0
	}
	if l.cutoff != l.cutoff {
		l.cutoff = 0 // a map key must equal itself
	}
	return l
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

func shadeOf(c *gpu.Camera, row *gpu.MaterialRow, v variant, m *gpu.Mat4, eye vec) shade {
	s := shade{
		tint: row.BaseColor, eye: eye, ambient: vecOf(c.Ambient), sunColor: vecOf(c.SunColor),
		emissive: vec{row.Emissive[0], row.Emissive[1], row.Emissive[2]},
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
